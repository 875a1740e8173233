"""``records.dataclass`` makes what ``dataclasses.dataclass`` makes, but guards nothing at run time."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from torch_compile_lint import records


@records.dataclass(frozen=True, slots=True)
class Point:
    """A place."""

    x: int
    y: int = 2
    names: list[str] = records.field(default_factory=list, compare=False, repr=False)


@records.dataclass(frozen=True, slots=True)
class Far(Point):
    z: int = 0


def _pair(options: dict[str, bool]) -> tuple[Any, Any]:
    """The same class made by ``dataclasses`` and by ``records``."""

    def build(make: Any, field: Any) -> Any:
        class Base:
            a: int
            b: str = "b"

        class Derived(make(**options)(Base)):  # type: ignore[misc]
            a: int
            c: list[int] = field(default_factory=list)
            d: int = field(default=4, compare=False)
            e: int = field(default=5, repr=False)
            f: int = field(default=6, init=False)

        return make(**options)(Derived)

    return build(dataclasses.dataclass, dataclasses.field), build(records.dataclass, records.field)


OPTIONS = st.fixed_dictionaries({name: st.booleans() for name in ("frozen", "slots", "unsafe_hash")})
VALUES = st.fixed_dictionaries(
    {"a": st.integers(0, 2)},
    optional={"b": st.sampled_from("bc"), "d": st.integers(0, 1), "e": st.integers(0, 1)},
)


@given(OPTIONS, VALUES, VALUES)
def test_text_comparison_and_fields_are_those_of_dataclasses(
    options: dict[str, bool], one: dict[str, Any], two: dict[str, Any]
) -> None:
    theirs, ours = _pair(options)
    assert repr(ours(**one)) == repr(theirs(**one))
    assert (ours(**one) == ours(**two)) == (theirs(**one) == theirs(**two))
    assert (ours(**one) != ours(**two)) == (theirs(**one) != theirs(**two))
    assert (ours(**one) == theirs(**one)) is False
    assert dataclasses.asdict(ours(**one)) == dataclasses.asdict(theirs(**one))
    assert ours.__match_args__ == theirs.__match_args__
    assert hasattr(ours(**one), "__dict__") == hasattr(theirs(**one), "__dict__")
    assert list(records.field_annotations(ours)) == [field.name for field in dataclasses.fields(theirs)]
    about = [(f.name, f.type, f.init, f.repr, f.compare) for f in dataclasses.fields(theirs)]
    assert [(f.name, f.type, f.init, f.repr, f.compare) for f in dataclasses.fields(ours)] == about
    changed = records.replace(ours(**one), b="z")
    assert repr(changed) == repr(dataclasses.replace(theirs(**one), b="z"))
    assert dataclasses.replace(ours(**one), b="z") == changed


@given(OPTIONS)
def test_what_has_a_hash_is_what_has_one_in_dataclasses(options: dict[str, bool]) -> None:
    theirs, ours = _pair(options)
    assert (ours.__hash__ is None) == (theirs.__hash__ is None)


@pytest.mark.parametrize("wrong", [{}, {"a": 1, "g": 2}, {"a": 1, "f": 2}])
def test_arguments_that_do_not_fit_are_errors(wrong: dict[str, int]) -> None:
    _, ours = _pair({})
    for _ in range(2):  # the first call compiles __init__
        with pytest.raises(TypeError, match="argument"):
            ours(**wrong)


def test_a_record_is_hashed_copied_pickled_and_matched() -> None:
    point = Point(1, names=["a"])
    assert hash(point) == hash(Point(1, 2)) and len({point, Point(1, 2), Point(2, 2)}) == 2
    for again in (pickle.loads(pickle.dumps(point)), copy.deepcopy(point)):
        assert again == point and again.names == ["a"] and again is not point
    match Far(1, z=7):
        case Point(x, y, _):
            assert (x, y) == (1, 2)
        case _:
            pytest.fail("a derived record is a record of its base")
    assert Far(1) != Point(1) and Far(1, z=3).z == 3
    assert Point(1).names is not Point(1).names


def test_what_a_class_writes_itself_is_kept() -> None:
    @records.dataclass(slots=True)
    class Own:
        x: int

        def __post_init__(self) -> None:
            self.x += 1

        def __repr__(self) -> str:
            return "own"

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 5

    assert (Own(1).x, repr(Own(1)), hash(Own(1))) == (2, "own", 5)
    assert Own(1) == Own(2)


def test_a_cold_start_imports_neither_dataclasses_nor_inspect() -> None:
    code = (
        "import sys, torch_compile_lint.engine, torch_compile_lint.analysis, torch_compile_lint.judge\n"
        "print([name for name in ('dataclasses', 'inspect', 'libcst') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
