"""What a file leads to, by strongly connected component, is what following its imports one by one finds."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from torch_compile_lint.follow import Node
from torch_compile_lint.reach import Reach

FILES = [f"{name}.py" for name in "abcdefg"]
NODES: list[Node] = [(file, name) for file in FILES for name in (None, "x")]
EDGES = st.dictionaries(
    st.sampled_from(NODES), st.lists(st.sampled_from(NODES), max_size=4).map(tuple), max_size=len(NODES)
)
SKELETONS = dict.fromkeys(FILES, "0")


def one_by_one(path: str, edges: dict[Node, tuple[Node, ...]]) -> set[str]:
    seen: set[Node] = {(path, None)}
    waiting = list(seen)
    while waiting:
        for node in edges.get(waiting.pop(), ()):
            if node not in seen:
                seen.add(node)
                waiting.append(node)
    return {file for file, _ in seen}


@given(EDGES, st.sampled_from(FILES))
def test_a_digest_changes_with_the_files_led_to_and_no_others(
    edges: dict[Node, tuple[Node, ...]], changed: str
) -> None:
    before = Reach(edges, SKELETONS, ())
    after = Reach(edges, {**SKELETONS, changed: "1"}, ())
    for file in FILES:
        differs = before.digest(file) != after.digest(file)
        assert differs == (changed in one_by_one(file, edges)), file


@given(EDGES, st.sets(st.sampled_from(FILES), max_size=2))
def test_asked_files_are_found(edges: dict[Node, tuple[Node, ...]], asked: set[str]) -> None:
    reach = Reach(edges, SKELETONS, asked)
    for file in FILES:
        assert reach.asked(file) == bool(asked & one_by_one(file, edges)), file


@given(EDGES, st.permutations(FILES))
def test_the_order_of_questions_does_not_matter(
    edges: dict[Node, tuple[Node, ...]], order: list[str]
) -> None:
    one, other = Reach(edges, SKELETONS, ()), Reach(edges, SKELETONS, ())
    found = {file: one.digest(file) for file in order}
    assert found == {file: other.digest(file) for file in FILES}


def test_a_chain_of_imports_may_be_long() -> None:
    names = [f"{n}.py" for n in range(50_000)]
    edges: dict[Node, tuple[Node, ...]] = {(a, None): ((b, None),) for a, b in pairwise(names)}
    assert Reach(edges, dict.fromkeys(names, ""), {names[-1]}).asked(names[0])
