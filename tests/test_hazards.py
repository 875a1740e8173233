"""The analyzer over the 400 measured hazards, per release: what is found, missed, falsely reported.

Run with -s to see the table. Nothing here runs torch: the facts are in cells.json.
"""

from __future__ import annotations

import ast
import json
from collections import defaultdict
from pathlib import Path

import hazard_programs
import pytest
from torch_compile_lint.engine import Engine
from torch_compile_lint.model import Finding, Request

# Hazards that the source of the compiled function cannot tell, each by its name -> why.
UNKNOWABLE = {
    "rc_batch": "which batch sizes come is decided by the calls",
    "rc_batch1": "whether a batch of one comes is decided by the calls",
    "rc_cfg": "the configuration object is changed by whoever calls",
    "rc_dict": "which keys the argument has is decided by the calls",
    "rc_dtype": "which dtypes are passed is decided by the calls",
    "rc_float": "which floats are passed is decided by the calls",
    "rc_float_attr": "the float attribute is set by whoever calls, as a schedule would",
    "rc_global": "the global number is changed by whoever calls",
    "rc_grad": "requires_grad and no_grad are decided around the calls",
    "rc_instances": "how many instances of the class are compiled is decided outside",
    "rc_int": "which ints are passed is decided by the calls",
    "rc_int_attr": "the int attribute is set by whoever calls",
    "rc_int_range": "which ints are passed to the range is decided by the calls",
    "rc_kv": "how long the cache is, is decided by the calls",
    "rc_kwargs": "which optional arguments are given is decided by the calls",
    "rc_kwint": "which ints are passed by keyword is decided by the calls",
    "rc_limit": "how many different ints are passed is decided by the calls",
    "rc_list": "how long the list is, is decided by the calls",
    "rc_modarg": "which modules are passed is decided by the calls",
    "rc_np": "which numpy numbers are passed is decided by the calls",
    "rc_rank": "the number of dimensions is decided by the calls",
    "rc_shape_if": "which lengths come, and so which side is taken, is decided by the calls",
    "rc_startpos": "which offsets are passed is decided by the calls",
    "rc_str": "which strings are passed is decided by the calls",
    "rc_str12": "how many different strings are passed is decided by the calls",
    "rc_stride": "how the arguments lie in memory is decided by the calls",
    "rc_toggle": "the flag of the module is toggled by whoever calls",
    "rc_toggle_lin": "the flag of a module with parameters is toggled by whoever calls",
    "rc_toggle_sub": "the flag of the inner module is toggled by whoever calls",
    "rc_train": "train() and eval() are called outside",
    "fwd_hook_post": "whether the hook comes before or after the first call is decided at run time",
    "sparse_in": "the layout of an argument is decided by the calls",
    "tf_sub": "the class of an argument is decided by the calls",
    "quant_dyn": "what quantize_dynamic replaces is decided at run time",
    "op_nofake": "a fake implementation may be registered anywhere, also in C++",
    "try_runtime": "whether an operator in the try fails is decided by the data (reported as possible)",
    "async_fwd": "a crash of 2.6.0 under the measuring harness that did not happen outside it",
    "tensor_index_tensor": "2.3 only: whether an index tensor has no dimensions is decided by the calls",
}

# Hazards whose cause stands on another statement than the one where torch gives up. Name -> why.
TOLD_ELSEWHERE = {
    "gen_self": "what is lost is the whole generator: torch names its def, the finding the yield",
    "meta_call": "torch gives up where the object is used that the metaclass's __call__ made",
    "reg_fwd_hook": "the registration breaks inside torch/utils/hooks.py; torch names the removal only",
    "try_custom": "torch gives up in the __init__ of the exception that the statement raises",
}

# Whether fullgraph=True is given is decided inside the case.
COMPILES_ITSELF: set[str] = set()
# fullgraph=True also raises when a function was recompiled too often.
RECOMPILE_LIMIT = {"rc_limit", "rc_str12"}


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return hazard_programs.write(tmp_path_factory.mktemp("hazards"))


def _findings(programs: dict[str, Path], release: str) -> dict[str, list[Finding]]:
    folder = str(next(iter(programs.values())).parent)
    overrides = {"cache": False, "jobs": 1, "target-torch": release}
    report = Engine().check(Request(paths=(folder,), overrides=overrides, isolated=True))
    assert report.errors == ()
    out: dict[str, list[Finding]] = defaultdict(list)
    for finding in report.findings:
        out[Path(finding.path).stem].append(finding)
    return out


@pytest.mark.parametrize("release", list(hazard_programs.RELEASES))
def test_hazards(programs: dict[str, Path], release: str) -> None:
    cells = hazard_programs.cells()
    found = _findings(programs, release)
    right, other, missed, alarms, fine, unknowable = [], [], [], [], [], []
    for name in programs:
        verdicts = cells[name]["verdict"]
        assert isinstance(verdicts, dict)
        wanted = hazard_programs.effects(verdicts[hazard_programs.RELEASES[release]])
        got = {finding.effect.value for finding in found[name]}
        if wanted is None:
            continue
        if not wanted:
            (alarms if got else fine).append(name)
        elif got & wanted:
            right.append(name)
        elif got:
            other.append(name)
        else:
            (unknowable if name in UNKNOWABLE else missed).append(name)
    knowable = len(right) + len(other) + len(missed)
    print(
        f"\n{release}: {knowable} hazards that source can tell: {len(right)} found with the right effect,"
        f" {len(other)} with another, {len(missed)} missed {missed}; {len(unknowable)} only a run can tell;"
        f" {len(fine) + len(alarms)} harmless: {len(alarms)} falsely reported {alarms}"
    )
    assert len(right) >= 0.97 * knowable, (missed, other)
    assert len(alarms) <= 0.01 * (len(fine) + len(alarms)), alarms


def _statement(path: str, line: int) -> str:
    """The head of the innermost statement at a line, as ast writes it."""
    tree = ast.parse(Path(path).read_text())
    around = [
        n for n in ast.walk(tree) if isinstance(n, ast.stmt) and n.lineno <= line <= (n.end_lineno or 0)
    ]
    return ast.unparse(max(around, key=lambda node: node.lineno)).splitlines()[0]


def test_findings_stand_on_the_statement_that_broke(programs: dict[str, Path]) -> None:
    """Where torch 2.13.0 named a statement of a hazard, a finding stands on it (statements.json)."""
    table = json.loads((hazard_programs.FOLDER / "statements.json").read_text())["statements"]
    found = _findings(programs, "2.13")
    elsewhere = {}
    for name, statements in table.items():
        said = {_statement(finding.path, finding.line) for finding in found[name]}
        if said and not said & set(statements) and name not in TOLD_ELSEWHERE:
            elsewhere[name] = (said, statements)
    assert elsewhere == {}
    assert set(table) >= set(TOLD_ELSEWHERE)


@pytest.fixture(scope="module")
def strict_programs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return hazard_programs.write(tmp_path_factory.mktemp("strict"), ", fullgraph=True")


@pytest.mark.parametrize("release", list(hazard_programs.RELEASES))
def test_fullgraph(strict_programs: dict[str, Path], release: str) -> None:
    """Under fullgraph=True a finding says 'error' where torch raised, and nothing breaks otherwise."""
    cells = hazard_programs.cells()
    found = _findings(strict_programs, release)
    raises, missed, runs, alarms = [], [], [], []
    for name in strict_programs:
        wanted = hazard_programs.raises_under_fullgraph(cells[name], release)
        got = {finding.effect.value for finding in found[name]}
        if wanted is None or name in COMPILES_ITSELF:
            continue
        if wanted:
            if "error" in got or not (name in UNKNOWABLE or name in RECOMPILE_LIMIT):
                (raises if "error" in got else missed).append(name)
        else:
            (alarms if got & {"error", "break", "skip"} else runs).append(name)
    print(
        f"\n{release}, fullgraph=True: {len(raises) + len(missed)} raise: {len(missed)} missed {missed};"
        f" {len(runs) + len(alarms)} do not: {len(alarms)} falsely reported {alarms}"
    )
    assert len(missed) <= 0.03 * (len(raises) + len(missed)), missed
    assert not alarms


def test_no_exception_is_out_of_date(programs: dict[str, Path]) -> None:
    """Each exception names a hazard, and one that costs something on some release."""
    cells = hazard_programs.cells()
    for known in UNKNOWABLE:
        assert known in programs
        verdicts = cells[known]["verdict"]
        assert isinstance(verdicts, dict)
        assert any(hazard_programs.effects(verdict) for verdict in verdicts.values()), known
