# cython: language_level=3, binding=False
"""Signals that Python cannot forget.

Python's own handler only notes a signal; what is to be done about it is done between two steps of
the interpreter. A call that waits (for a pipe, a FIFO, a lock) is interrupted by a signal, and
then looks at the notes. But one that comes after the interpreter's last look and before the call
has begun to wait interrupts nothing: who reads from a silent pipe then sits there, interrupted or
not, until the pipe has something to say. It is a matter of microseconds, and of many more where the
thread has to wait for the interpreter or for a core just then.

So a timer is started with the note, and its own signal, which does nothing, interrupts whatever is
waited for, again and again, until somebody has said that the note was read (`heard`).
"""

from libc cimport errno
from libc.signal cimport SIG_DFL, SIG_IGN, SIGALRM

# Cython's own declarations have no handler that may be called without the GIL.
ctypedef void (*handler_t)(int) noexcept nogil

cdef extern from "<signal.h>" nogil:
    cdef struct sigaction_t "sigaction":
        handler_t sa_handler
        int sa_flags

    int sigaction(int number, const sigaction_t *action, sigaction_t *previous)
    int NSIG

cdef extern from "<sys/time.h>" nogil:
    struct timeval:
        long tv_sec
        long tv_usec
    struct itimerval:
        timeval it_interval
        timeval it_value
    int ITIMER_REAL
    int getitimer(int which, itimerval *value)
    int setitimer(int which, const itimerval *value, itimerval *previous)

cdef enum:
    PERIOD = 20_000  # us; nobody notices, and it is far longer than a call takes to begin
    MOST = 65  # signals of Linux, with a number 0; other systems have fewer

cdef handler_t notes[MOST]  # of whom a signal goes to as well: Python's own handler
cdef bint is_reminding = False


cdef void do_nothing(int number) noexcept nogil:
    pass


cdef void note(int number) noexcept nogil:
    """Handle a signal: all of this may be called at any time."""
    global is_reminding
    cdef int before = errno.errno
    cdef itimerval timer
    cdef sigaction_t action
    notes[number](number)
    # A timer that is there already will do, be it ours; if it is another's, we leave it to whoever
    # started us so (`alarm` outlives exec).
    getitimer(ITIMER_REAL, &timer)
    if timer.it_value.tv_sec == 0 and timer.it_value.tv_usec == 0:
        # Its handler is set now and not before: until then, it ends us as any other program.
        sigaction(SIGALRM, NULL, &action)
        action.sa_handler = do_nothing
        action.sa_flags = 0  # above all no SA_RESTART
        sigaction(SIGALRM, &action, NULL)
        timer.it_value.tv_sec = timer.it_interval.tv_sec = 0
        timer.it_value.tv_usec = timer.it_interval.tv_usec = PERIOD
        is_reminding = True
        setitimer(ITIMER_REAL, &timer, NULL)
    errno.errno = before


def remind(int number):
    """Be reminded of a signal, for which Python has a handler, until it is `heard`.

    Setting another handler, or none, ends that. Children do not inherit it when they run another
    program, nor does a child that was forked inherit a timer.

    Raises:
        ValueError: There is no such handler, or no such signal.
    """
    cdef sigaction_t action
    if not 0 < number < min(MOST, NSIG) or sigaction(number, NULL, &action) != 0:
        raise ValueError(f"there is no signal {number}")
    if action.sa_handler == note:
        return
    if action.sa_handler == <handler_t>SIG_DFL or action.sa_handler == <handler_t>SIG_IGN:
        raise ValueError(f"nobody handles signal {number}")
    notes[number] = action.sa_handler
    action.sa_handler = note
    if sigaction(number, &action, NULL) != 0:
        raise ValueError(f"signal {number} cannot be handled")


def heard():
    """Have done with reminding. What is left of it, if it is a signal on its way, does nothing."""
    global is_reminding
    cdef itimerval none
    if is_reminding:
        is_reminding = False
        none.it_value.tv_sec = none.it_value.tv_usec = 0
        none.it_interval.tv_sec = none.it_interval.tv_usec = 0
        setitimer(ITIMER_REAL, &none, NULL)
