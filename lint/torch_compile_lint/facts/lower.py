"""libcst tree -> ``FunctionFacts``, in one pass of our own; scopes resolved, positions tracked.

``lower_unit`` takes the text of one unit; ``lower_file`` takes a whole file and returns the
same facts for every unit in it. Neither judges, and neither looks outside its text: names
that no function of the unit binds are global.
"""

from __future__ import annotations

import libcst as cst

from torch_compile_lint.facts import (
    ir,
    lower_string,  # noqa: F401  (registers the rules for strings)
)
from torch_compile_lint.facts.lower_base import Lowering
from torch_compile_lint.facts.lower_function import class_unit, function, module_unit
from torch_compile_lint.facts.lower_scope import Scope
from torch_compile_lint.facts.walk import freeze
from torch_compile_lint.syntax import SyntaxProblem, parse_file, parse_unit


def lower_unit(text: str, kind: str, qualname: str, indent: int | str = 0) -> ir.FunctionFacts:
    """Facts of one unit. ``kind``: function, class, module.

    ``text`` starts at the first decorator or keyword, without the line's indentation;
    ``indent`` says how many columns that was. Bodies of units inside a class or module may be
    blanked (``syntax.blank_bodies``), which saves time and changes nothing. Spans are relative
    to the start of ``text``. Raises ``SyntaxProblem``.
    """
    tree = parse_unit(text, kind, indent)
    try:
        if kind == "module":
            assert isinstance(tree, cst.Module)
            s = Lowering(text, Scope("module", "", None))
            facts = module_unit(s, tree)
        elif kind == "class":
            facts = class_unit(Lowering(text, Scope("module", "", None)), tree, qualname)
        else:
            facts = function(Lowering(text, Scope("module", "", None)), tree, qualname, None)
    except RecursionError:
        raise SyntaxProblem(1, 1, "nested too deeply") from None
    freeze(facts)
    return facts


def lower_file(text: str) -> dict[str, ir.FunctionFacts]:
    """Facts of every unit of a file, by qualname ('' for the module body).

    Spans are relative to the start of each unit. Setters and functions that a later one
    replaces have the index's keys ('C.x.setter', 'f#1'). Raises ``SyntaxProblem``.
    """
    tree = parse_file(text)
    s = Lowering(text, Scope("module", "", None))
    s.units = {}
    try:
        facts = module_unit(s, tree)
    except RecursionError:
        raise SyntaxProblem(1, 1, "nested too deeply") from None
    units = {"": facts, **s.units}
    for unit in units.values():
        freeze(unit)
    return units
