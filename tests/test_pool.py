"""Workers: every item is answered once, whatever happens to a process."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable

import pytest
from torch_compile_lint import pool


def square(number: int) -> int:
    return number * number


@pytest.mark.parametrize("jobs", [1, 3])
def test_every_item_is_answered(jobs: int) -> None:
    assert sorted(pool.run(square, list(range(20)), jobs)) == [(n, n * n) for n in range(20)]


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_exception_costs_its_item_only(jobs: int) -> None:
    def work(number: int) -> int:
        if number == 2:
            raise ValueError("two\nlines")
        return number

    answers = dict(pool.run(work, list(range(4)), jobs))
    assert [answers[n] for n in (0, 1, 3)] == [0, 1, 3]
    assert answers[2].message == "ValueError: two lines"
    assert answers[2].place.startswith("test_pool.py:")


@pytest.mark.skipif(not pool.can_fork(), reason="needs fork")
def test_a_killed_process_costs_its_item_only() -> None:
    def work(number: int) -> int:
        if number == 3:
            os._exit(9)
        return number

    answers = dict(pool.run(work, list(range(8)), 2))
    assert isinstance(answers.pop(3), pool.Failed)
    assert answers == {n: n for n in range(8) if n != 3}


def test_large_answers_come_whole() -> None:
    answers = dict(pool.run(lambda n: bytes(n * 300_000), [0, 1, 2, 3], 2))
    assert {n: len(a) for n, a in answers.items()} == {n: n * 300_000 for n in range(4)}


def test_no_process_is_left_when_the_caller_stops_early() -> None:
    for _ in pool.run(square, list(range(50)), 2):
        break
    if pool.can_fork():
        with pytest.raises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)


@pytest.mark.skipif(not pool.can_fork(), reason="needs fork")
def test_what_is_done_meanwhile_is_done_once_and_here() -> None:
    done = []
    answers = dict(pool.run(square, list(range(100)), 2, meanwhile=lambda: done.append(os.getpid())))
    assert answers == {n: n * n for n in range(100)}
    assert done == [os.getpid()]


@pytest.mark.skipif(not pool.can_fork(), reason="needs fork")
def test_items_given_in_advance_survive_their_worker() -> None:
    def work(number: int) -> bytes:
        if number in (3, 40):
            os._exit(9)
        return bytes(100_000)

    answers = dict(pool.run(work, list(range(60)), 2, meanwhile=lambda: None))
    assert {n for n, answer in answers.items() if isinstance(answer, pool.Failed)} == {3, 40}
    assert len(answers) == 60


@pytest.mark.skipif(not pool.can_fork(), reason="needs fork")
@pytest.mark.parametrize("meanwhile", [None, lambda: None])
def test_children_retire_and_nothing_is_lost(meanwhile: Callable[[], None] | None) -> None:
    answers = dict(pool.run(lambda n: (n, os.getpid()), list(range(50)), 2, meanwhile, most=7))
    assert sorted(n for n, _ in answers.values()) == list(range(50))
    each = Counter(pid for _, pid in answers.values())
    assert max(each.values()) <= 7 and len(each) >= 8
