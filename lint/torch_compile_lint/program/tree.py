"""Walking IR trees: children of a node, parents within one function.

Nested functions and lambdas are functions of their own and are not entered.
"""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.facts import ir

# Per node class: the fields that hold a node, or a tuple of nodes (possibly with None inside).
_FIELDS: dict[type, tuple[tuple[str, bool], ...]] = {
    ir.Attribute: (("base", False),),
    ir.Subscript: (("base", False), ("index", False)),
    ir.Slice: (("lower", False), ("upper", False), ("step", False)),
    ir.Argument: (("value", False),),
    ir.Call: (("func", False), ("args", True)),
    ir.Unary: (("operand", False),),
    ir.Binary: (("left", False), ("right", False)),
    ir.BoolOp: (("values", True),),
    ir.Compare: (("left", False), ("rights", True)),
    ir.IfExp: (("test", False), ("body", False), ("orelse", False)),
    ir.Sequence: (("items", True),),
    ir.Dict: (("keys", True), ("values", True)),
    ir.Clause: (("target", False), ("iter", False), ("conditions", True)),
    ir.Comprehension: (("clauses", True), ("element", False), ("value", False)),
    ir.Interpolation: (("value", False), ("spec", False)),
    ir.FormattedString: (("parts", True),),
    ir.Starred: (("value", False),),
    ir.Await: (("value", False),),
    ir.Yield: (("value", False),),
    ir.Walrus: (("target", False), ("value", False)),
    ir.ExprStmt: (("value", False),),
    ir.Assign: (("targets", True), ("value", False), ("annotation", False)),
    ir.AugAssign: (("target", False), ("value", False)),
    ir.Return: (("value", False),),
    ir.Raise: (("exc", False), ("cause", False)),
    ir.Assert: (("test", False), ("message", False)),
    ir.Delete: (("targets", True),),
    ir.Branch: (("test", False), ("body", True), ("orelse", True)),
    ir.While: (("test", False), ("body", True), ("orelse", True)),
    ir.For: (("target", False), ("iter", False), ("body", True), ("orelse", True)),
    ir.Handler: (("type", False), ("body", True)),
    ir.Try: (("body", True), ("handlers", True), ("orelse", True), ("final", True)),
    ir.WithItem: (("context", False), ("target", False)),
    ir.With: (("items", True), ("body", True)),
    ir.Pattern: (("exprs", True), ("patterns", True)),
    ir.Case: (("pattern", False), ("guard", False), ("body", True)),
    ir.Match: (("subject", False), ("cases", True)),
    ir.FunctionDef: (("decorators", True),),
    ir.ClassDef: (("bases", True), ("decorators", True), ("body", True)),
    ir.TypeAlias: (("value", False),),
}


def children(node: ir.Node) -> Iterator[ir.Node]:
    """The nodes directly below, in source order."""
    for name, many in _FIELDS.get(type(node), ()):
        held = getattr(node, name)
        if many:
            for item in held:
                if item is not None:
                    yield item
        elif held is not None:
            yield held


def walk(facts: ir.FunctionFacts) -> list[tuple[ir.Node, ir.Node | None]]:
    """Every node of the function's body with its parent, in source order."""
    out: list[tuple[ir.Node, ir.Node | None]] = []
    stack: list[tuple[ir.Node, ir.Node | None]] = [(op, None) for op in reversed(facts.body)]
    while stack:
        node, parent = stack.pop()
        out.append((node, parent))
        below = [(child, node) for child in children(node)]
        below.reverse()
        stack.extend(below)
    return out


def nested_functions(facts: ir.FunctionFacts) -> list[ir.FunctionFacts]:
    """Functions and lambdas that stand directly in this one (not those nested in them)."""
    out: list[ir.FunctionFacts] = []
    for node, _ in walk(facts):
        if type(node) is ir.Lambda or type(node) is ir.FunctionDef:
            inner = node.function
            if inner is not None:
                out.append(inner)
    return out


def dotted(expr: ir.Expr) -> str | None:
    """'a.b.c' for a chain of attributes on a name."""
    parts: list[str] = []
    while type(expr) is ir.Attribute:
        parts.append(expr.attr)
        expr = expr.base
    if type(expr) is not ir.Name:
        return None
    parts.append(expr.name)
    return ".".join(reversed(parts))


def key_of(expr: ir.Expr) -> str | None:
    """The reference key of what can be narrowed: ``x``, ``x.a``, ``x[0]``, ``x['k'].b``; else None."""
    if type(expr) is ir.Name:
        return expr.name if expr.scope != "global" else None
    if type(expr) is ir.Attribute:
        base = key_of(expr.base)
        return None if base is None else f"{base}.{expr.attr}"
    if type(expr) is ir.Subscript and type(expr.index) is ir.Const and type(expr.index.value) in (int, str):
        base = key_of(expr.base)
        return None if base is None else f"{base}[{expr.index.value!r}]"
    if type(expr) is ir.Walrus:
        return key_of(expr.target)
    return None


def root_of(key: str) -> str:
    """The name a reference key starts from."""
    for i, char in enumerate(key):
        if char in ".[":
            # Comprehension targets are spelled '<comp N>.x'.
            if char == "." and key[0] == "<" and key[i - 1] == ">":
                continue
            return key[:i]
    return key
