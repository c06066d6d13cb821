from fastio.objects._tree_cache cimport Tree
from fastio.objects._trees cimport Bytes


cdef extern from "<pthread.h>" nogil:
    ctypedef struct pthread_mutex_t:
        pass
    ctypedef struct pthread_cond_t:
        pass
    int pthread_mutex_init(pthread_mutex_t *mutex, const void *attributes)
    int pthread_mutex_destroy(pthread_mutex_t *mutex)
    int pthread_mutex_lock(pthread_mutex_t *mutex)
    int pthread_mutex_unlock(pthread_mutex_t *mutex)
    int pthread_cond_init(pthread_cond_t *condition, const void *attributes)
    int pthread_cond_destroy(pthread_cond_t *condition)
    int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
    int pthread_cond_broadcast(pthread_cond_t *condition)


cdef struct Exchange:
    pthread_mutex_t lock  # of what follows
    pthread_cond_t changed
    long handed  # batches that were handed over
    long done
    bint ends  # there will be no more
    Bytes wanted  # the oid of a tree to be loaded; NULL: none
    Tree *found  # the answer; NULL: there is none
    pthread_mutex_t trees  # held by who looks a tree up from afar, or adds and drops some


cdef Exchange *new_exchange() except NULL
cdef void free_exchange(Exchange *exchange) noexcept
# For the one who works: wait for the next batch; False if there will be none.
cdef bint wait_for_work(Exchange *exchange) noexcept nogil
cdef void note_done(Exchange *exchange) noexcept nogil
# Ask for a tree; NULL if it cannot be loaded.
cdef Tree *ask(Exchange *exchange, Bytes oid) noexcept nogil
# For the one who hands over: do so; say that there will be no more.
cdef void pass_work(Exchange *exchange) noexcept nogil
cdef void end_work(Exchange *exchange) noexcept nogil
# Wait until so many batches are done, or for a question: the oid that is asked for, or NULL.
cdef Bytes wait_until(Exchange *exchange, long done) noexcept nogil
cdef void give_answer(Exchange *exchange, Tree *tree) noexcept nogil


cdef inline bint is_asked(const Exchange *exchange) noexcept nogil:
    """Whether there may be a question; without waiting for anything."""
    return (<volatile const Exchange *>exchange).wanted != NULL
