"""What a method stores on its receiver, and the locals those stores rest on, as sketches.

``op`` of a sketch says how the value reaches the name:

- '' assignment (unpacking is a subscript of the value), '+=' and the like augmented;
- 'for' followed by a path such as '[1][0]': an element of the iterable ``value``, unpacked;
- 'with': what entering ``value`` gives;
- 'append', 'extend', 'insert', 'setitem', 'update': ``value`` goes into the container
  (for 'extend' and 'update': its elements do);
- 'add_module', 'register_buffer', 'register_parameter', 'setattr': those calls on the receiver;
  the name is '*' where it is no literal;
- 'children', 'append' under the name '<children>': the call that gives a container module its
  children, and a child added later.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from torch_compile_lint.facts import ir
from torch_compile_lint.facts.index_ir import AttributeSketch, LocalSketch
from torch_compile_lint.index_sketch import BINARY, Sketcher

MAX_LOCALS = 200
CHILDREN = "<children>"  # of a container module: the arguments of super().__init__ and the like

# (target expression, value, annotation, op, subscript path of an unpacked value)
_Store = tuple[Any, "ast.expr | None", "ast.expr | None", str, tuple[int, ...]]

_GROW = {
    "append": "append",
    "appendleft": "append",
    "add": "append",
    "extend": "extend",
    "insert": "insert",
    "update": "update",
    "setdefault": "setitem",
    "add_module": "append",
    "register_module": "append",
}
_REGISTER = {
    "add_module": ("add_module", "module"),
    "register_module": ("add_module", "module"),
    "register_buffer": ("register_buffer", "tensor"),
    "register_parameter": ("register_parameter", "param"),
    "__setattr__": ("setattr", "value"),
    "setattr": ("setattr", "value"),
}


def in_source_order(node: Any) -> tuple[int, int]:
    """The key that sorts statements as they stand: the walk meets them in another order."""
    return node.lineno, node.col_offset


def attribute_sketches(
    statements: list[Any],
    receiver: str,
    method: str,
    bound: frozenset[str],
    sketcher: Sketcher,
) -> list[AttributeSketch]:
    """Every store on ``receiver`` among the statements of one method."""
    out: list[AttributeSketch] = []
    for node in statements:
        for target, value, annotation, op, path in _stores(node, receiver):
            if isinstance(target, str):
                name = target
            else:
                if type(target) is ast.Subscript and not op:
                    target, op = target.value, "setitem"
                if type(target) is not ast.Attribute:
                    continue
                if type(target.value) is not ast.Name or target.value.id != receiver:
                    continue
                name = target.attr
            sketch = _value(sketcher, value, path, bound)
            note = sketcher.optional(annotation, bound)
            out.append(AttributeSketch(name, sketch, note, method, op, node.lineno))
    return out


def local_sketches(
    statements: list[Any], bound: frozenset[str], sketcher: Sketcher
) -> dict[str, tuple[LocalSketch, ...]]:
    """Sketches of the locals in ``sketcher.mentioned``, and of those they mention in turn."""
    table: dict[str, list[_Store]] = {}
    for node in statements:
        for store in _stores(node, ""):
            target, op = store[0], store[3]
            if type(target) is ast.Subscript and not op:
                target, store = target.value, (target, store[1], store[2], "setitem", store[4])
            if type(target) is ast.Name:
                table.setdefault(target.id, []).append(store)
    out: dict[str, tuple[LocalSketch, ...]] = {}
    waiting = sorted(sketcher.mentioned)
    sketcher.mentioned.clear()
    while waiting and len(out) < MAX_LOCALS:
        name = waiting.pop()
        if name in out or name not in table:
            continue
        sketches: list[LocalSketch] = []
        for _, value, _, op, path in table[name]:
            if value is None:
                continue
            sketches.append(LocalSketch(name, _value(sketcher, value, path, bound), op))
        out[name] = tuple(sketches)
        waiting.extend(sorted(sketcher.mentioned))
        sketcher.mentioned.clear()
    return out


def _value(
    sketcher: Sketcher, value: ast.expr | None, path: tuple[int, ...], bound: frozenset[str]
) -> ir.Expr | None:
    if value is None:
        return None
    sketch = sketcher.expr(value, bound)
    for index in path:
        start, end = sketch.start, sketch.end
        number = sketcher.next_id
        sketcher.next_id = number + 2
        sketch = ir.Subscript(number, start, end, sketch, ir.Const(number + 1, start, end, index))
    return sketch


def _stores(node: Any, receiver: str) -> Iterator[_Store]:
    """The single stores of one statement; a target is an expression or an attribute's name."""
    t = type(node)
    if t is ast.Assign:
        for target in node.targets:
            yield from _unpack(target, node.value, "", ())
    elif t is ast.AnnAssign:
        yield node.target, node.value, node.annotation, "", ()
    elif t is ast.AugAssign:
        yield node.target, node.value, None, BINARY[type(node.op)] + "=", ()
    elif t is ast.NamedExpr:
        yield node.target, node.value, None, "", ()
    elif t is ast.For or t is ast.AsyncFor:
        yield from _unpack_items(node.target, node.iter, "for")
    elif t is ast.With or t is ast.AsyncWith:
        for item in node.items:
            if item.optional_vars is not None:
                yield item.optional_vars, item.context_expr, None, "with", ()
    elif t is ast.Call:
        yield from _call_stores(node, receiver)


def _unpack(target: Any, value: ast.expr, op: str, path: tuple[int, ...]) -> Iterator[_Store]:
    if type(target) not in (ast.Tuple, ast.List):
        yield target, value, None, op, path
        return
    items = target.elts
    starred = any(type(i) is ast.Starred for i in items)
    if not path and not starred and type(value) in (ast.Tuple, ast.List):
        values = value.elts  # type: ignore[attr-defined]
        if len(values) == len(items) and not any(type(v) is ast.Starred for v in values):
            for item, one in zip(items, values, strict=True):
                yield from _unpack(item, one, op, ())
            return
    for i, item in enumerate(items):
        if type(item) is ast.Starred:
            break  # what follows a star has no fixed index
        yield from _unpack(item, value, op, (*path, i))


def _unpack_items(target: Any, value: ast.expr, op: str) -> Iterator[_Store]:
    if type(target) in (ast.Tuple, ast.List):
        for i, item in enumerate(target.elts):
            if type(item) is ast.Starred:
                break
            yield from _unpack_items(item, value, f"{op}[{i}]")
    else:
        yield target, value, None, op, ()


def _call_stores(node: ast.Call, receiver: str) -> Iterator[_Store]:
    func, args = node.func, node.args
    if type(func) is ast.Name:  # setattr(self, name, value)
        if func.id == "setattr" and len(args) == 3 and _is_name(args[0], receiver):
            yield _literal(args[1]), args[2], None, "setattr", ()
        return
    if type(func) is not ast.Attribute:
        return
    base, attr = func.value, func.attr
    if attr in _REGISTER:
        op, keyword = _REGISTER[attr]
        own = receiver and (_is_name(base, receiver) or _is_super(base))
        if attr == "__setattr__" and len(args) == 3 and _is_name(args[0], receiver):
            own, args = True, args[1:]  # object.__setattr__(self, name, value)
        if own:
            keywords = {k.arg: k.value for k in node.keywords}
            name = args[0] if args else keywords.get("name")
            value = args[1] if len(args) > 1 else keywords.get(keyword)
            if name is not None:
                yield _literal(name), value, None, op, ()
            if op == "add_module":
                yield CHILDREN, value, None, "append", ()
            return
    if attr == "__init__" and _is_super(base):
        # What a Sequential or ModuleList is made with; of other classes it is never asked.
        if len(args) > 1 or any(type(a) not in (ast.Name, ast.Attribute, ast.Constant) for a in args):
            yield CHILDREN, node, None, "children", ()
        return
    if attr == "append" and args and receiver and _is_name(base, receiver):
        yield CHILDREN, args[0], None, "append", ()
        return
    grow = _GROW.get(attr)
    if grow is not None and args and type(base) in (ast.Name, ast.Attribute):
        wide = attr in ("insert", "setdefault", "add_module", "register_module")
        if wide and len(args) < 2:
            return
        yield base, args[1] if wide else args[0], None, grow, ()


def _is_name(node: ast.expr, name: str) -> bool:
    return bool(name) and type(node) is ast.Name and node.id == name


def _is_super(node: ast.expr) -> bool:
    return type(node) is ast.Call and type(node.func) is ast.Name and node.func.id == "super"


def _literal(node: ast.expr) -> str:
    return node.value if type(node) is ast.Constant and isinstance(node.value, str) else "*"
