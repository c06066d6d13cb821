# cython: language_level=3
"""What passes between two threads of the coordinator: batches one way, what is missing the other.

One hands batches over by number, the other works them off in turn. Neither needs the interpreter's
lock for that. Who works may find that a tree has to be loaded, which takes the other one's help;
that one looks for such a question whenever it can answer (`is_asked`), and while it waits.
"""

from libc.stdlib cimport calloc, free


cdef Exchange *new_exchange() except NULL:
    cdef Exchange *exchange = <Exchange *>calloc(1, sizeof(Exchange))
    if exchange == NULL:
        raise MemoryError
    pthread_mutex_init(&exchange.lock, NULL)
    pthread_mutex_init(&exchange.trees, NULL)
    pthread_cond_init(&exchange.changed, NULL)
    return exchange


cdef void free_exchange(Exchange *exchange) noexcept:
    if exchange != NULL:
        pthread_cond_destroy(&exchange.changed)
        pthread_mutex_destroy(&exchange.trees)
        pthread_mutex_destroy(&exchange.lock)
        free(exchange)


cdef bint wait_for_work(Exchange *exchange) noexcept nogil:
    cdef bint is_work
    pthread_mutex_lock(&exchange.lock)
    while exchange.done == exchange.handed and not exchange.ends:
        pthread_cond_wait(&exchange.changed, &exchange.lock)
    is_work = exchange.done < exchange.handed
    pthread_mutex_unlock(&exchange.lock)
    return is_work


cdef void note_done(Exchange *exchange) noexcept nogil:
    pthread_mutex_lock(&exchange.lock)
    exchange.done += 1
    pthread_cond_broadcast(&exchange.changed)
    pthread_mutex_unlock(&exchange.lock)


cdef Tree *ask(Exchange *exchange, Bytes oid) noexcept nogil:
    cdef Tree *found
    pthread_mutex_lock(&exchange.lock)
    exchange.wanted = oid
    pthread_cond_broadcast(&exchange.changed)
    while exchange.wanted != NULL:
        pthread_cond_wait(&exchange.changed, &exchange.lock)
    found = exchange.found
    pthread_mutex_unlock(&exchange.lock)
    return found


cdef void pass_work(Exchange *exchange) noexcept nogil:
    pthread_mutex_lock(&exchange.lock)
    exchange.handed += 1
    pthread_cond_broadcast(&exchange.changed)
    pthread_mutex_unlock(&exchange.lock)


cdef void end_work(Exchange *exchange) noexcept nogil:
    pthread_mutex_lock(&exchange.lock)
    exchange.ends = True
    pthread_cond_broadcast(&exchange.changed)
    pthread_mutex_unlock(&exchange.lock)


cdef Bytes wait_until(Exchange *exchange, long done) noexcept nogil:
    cdef Bytes wanted
    pthread_mutex_lock(&exchange.lock)
    while exchange.done < done and exchange.wanted == NULL:
        pthread_cond_wait(&exchange.changed, &exchange.lock)
    wanted = exchange.wanted
    pthread_mutex_unlock(&exchange.lock)
    return wanted


cdef void give_answer(Exchange *exchange, Tree *tree) noexcept nogil:
    pthread_mutex_lock(&exchange.lock)
    exchange.found, exchange.wanted = tree, NULL
    pthread_cond_broadcast(&exchange.changed)
    pthread_mutex_unlock(&exchange.lock)
