"""Threads that do one kind of work."""

import threading

import pytest

from fastio.errors import ObjectError, WorkerError
from fastio.hasher.crew import Crew


def test_results_come_from_all_tasks() -> None:
    crew = Crew(3, lambda number: number * number)
    works = [crew.submit(number) for number in range(100)]
    assert [work.result() for work in works] == [number * number for number in range(100)]
    assert all(work.is_done for work in works)
    crew.close()


def test_an_error_comes_out_where_the_result_would() -> None:
    def fail(number: int) -> int:
        raise ObjectError(f"no {number}")

    crew = Crew(1, fail)
    works = [crew.submit(number) for number in range(2)]
    for number, work in enumerate(works):
        with pytest.raises(ObjectError, match=f"no {number}"):
            work.result()
    crew.close()


def test_what_was_not_begun_is_not_done_after_the_end() -> None:
    begun, may_end, done = threading.Event(), threading.Event(), list[int]()

    def wait(number: int) -> None:
        begun.set()
        may_end.wait(60)
        done.append(number)

    crew = Crew(1, wait)
    for number in range(3):
        crew.submit(number)
    begun.wait(60)
    closing = threading.Thread(target=crew.close)
    closing.start()
    while not crew.is_closed:
        pass
    may_end.set()
    closing.join()
    assert done == [0]


def test_fewer_threads_than_wished_for_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    real, left = threading.Thread.start, [2]

    def start(thread: threading.Thread) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise RuntimeError("can't start new thread")
        real(thread)

    monkeypatch.setattr(threading.Thread, "start", start)
    crew = Crew(4, lambda number: -number)
    assert crew.submit(7).result() == -7
    crew.close()
    with pytest.raises(WorkerError, match="--workers=0"):
        Crew(4, lambda number: -number)
