"""Functions under ``assume_constant_result``: what they answer, and whether that can ever change.

Dynamo runs such a function while tracing and writes its answer into the graph. The analyzer does
not trace it either, but where its answer is one constant, as of a question to torch's version,
that decides branches. An answer that rests on nothing but the machine and what is installed is
the same all the life of the process, so that keeping it is right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch_compile_lint.facts import ir
from torch_compile_lint.model import Confidence
from torch_compile_lint.program.arguments import Arguments
from torch_compile_lint.program.cuts import CONSTANT
from torch_compile_lint.program.transfer_version import version_text
from torch_compile_lint.program.tree import dotted, walk
from torch_compile_lint.program.values import Api, ClassRef, Function, Value, constant_of

if TYPE_CHECKING:
    from torch_compile_lint.program.closures import Found
    from torch_compile_lint.program.infer import Analyzer

_MAX_DEPTH = 3
# Plain questions, and what Python does with their answers.
_FIXED = frozenset(
    f"builtins.{name}"
    for name in (
        "all",
        "any",
        "bool",
        "float",
        "frozenset",
        "hasattr",
        "int",
        "len",
        "max",
        "min",
        "str",
        "tuple",
    )
)
_FIXED_BELOW = ("torch.version.", "torch.backends.", "platform.", "packaging.version.", "importlib.metadata.")
_FIXED_NAMES = frozenset(
    (
        "importlib.util.find_spec",
        "os.name",
        "packaging.version.parse",
        "sys.implementation",
        "sys.maxsize",
        "sys.platform",
        "sys.version_info",
        "torch.__version__",
        *(
            f"torch.{kind}.{name}"
            for kind in ("cuda", "xpu", "mps", "mtia", "npu", "accelerator")
            for name in (
                *("device_count", "get_arch_list", "get_device_capability", "get_device_name"),
                *("get_device_properties", "is_available", "is_bf16_supported", "current_accelerator"),
            )
        ),
    )
)
# Statements that only lead from one question to the next.
_PLAIN = (ir.Return, ir.Branch, ir.Assign, ir.ExprStmt, ir.Pass, ir.Raise, ir.Assert)


def answer(analyzer: Analyzer, function: Function, found: Found, given: Arguments, said: Value) -> Value:
    """What a function that is not traced gives: its one constant, else what is ``said`` of it.

    Nothing in it is compiled, so that no call of it is noted and nothing of it is reported.
    """
    if analyzer.quiet or CONSTANT.isdisjoint(found.marks):
        return said
    record = analyzer.evaluate_function(function, analyzer.parameters(function, given))
    if record is None or record.read_open or record.result.confidence is not Confidence.PROVED:
        return said
    return record.result if _is_known(record.result) else said


def _is_known(value: Value) -> bool:
    """Whether a value is one constant, or torch's version."""
    return constant_of(value) is not None or (
        len(value.atoms) == 1 and version_text(value.atoms[0]) is not None
    )


def is_fixed(analyzer: Analyzer, function: Function, depth: int = 0) -> bool:
    """Whether a function answers the same as long as the process lives, its arguments being the same."""
    found = analyzer.closures.find(function)
    facts = None if found is None or found.unit is None else analyzer.closures.load(found)
    if found is None or facts is None or facts.is_generator or facts.is_async or found.owner is not None:
        return False
    given = {param.name for param in facts.params}
    parents: dict[int, ir.Node | None] = {}
    for node, parent in walk(facts):
        parents[node.id] = parent
        if isinstance(node, ir.Op) and type(node) not in _PLAIN:
            return False
        if type(node) is ir.Lambda or type(node) is ir.Yield or type(node) is ir.Await:
            return False
        if type(node) is not ir.Name:
            continue
        whole: ir.Expr = node
        while type(above := parents[whole.id]) is ir.Attribute:
            whole = above
        if node.scope == "global":
            if not _asks_the_machine(analyzer, found.path, whole, parents[whole.id], depth):
                return False
        elif whole is not node and node.name in given:
            return False  # what an object holds may change
        elif type(above) is ir.Assign and whole is not node and whole is not above.value:
            return False  # it leaves something behind
    return True


def _asks_the_machine(
    analyzer: Analyzer, path: str, expr: ir.Expr, parent: ir.Node | None, depth: int
) -> bool:
    """Whether a global (dotted) name is a question to the machine, or a function that asks only such."""
    value = analyzer.sketch(path, expr)
    if value.atoms and all(type(atom) is Function for atom in value.atoms):
        called = type(parent) is ir.Call and parent.func is expr and depth < _MAX_DEPTH
        return called and all(
            type(atom) is Function and is_fixed(analyzer, atom, depth + 1) for atom in value.atoms
        )
    name = dotted(expr)
    symbols = [atom.symbol for atom in value.atoms if type(atom) is Api or type(atom) is ClassRef]
    if len(symbols) != len(value.atoms) and name is not None:
        symbols = [analyzer.resolve_type(path, name)[0] or ""]
    return bool(symbols) and all(_is_fixed_symbol(symbol) for symbol in symbols)


def _is_fixed_symbol(symbol: str) -> bool:
    return symbol in _FIXED or symbol in _FIXED_NAMES or symbol.startswith(_FIXED_BELOW)
