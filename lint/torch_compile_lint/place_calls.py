"""The calls of a function that give it a tensor made of a list of numbers: the edits that give the list.

In: the function and its parameter, the file's tree. Out: one edit a call; None where a call is not
understood. A call is understood if the tensor is `torch.as_tensor(L)` or `torch.tensor(L)` of a list `L`
of sizes in the same function, or a parameter beside another parameter for which every call in the file
gives that list. The function is called by its name or on `self`, and mentioned nowhere else.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torch_compile_lint.model import Edit, Span
from torch_compile_lint.source import LineIndex

_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
_MAKERS = ("torch.as_tensor", "torch.tensor")
_WHOLE = ("torch.long", "torch.int64", "torch.int32", "torch.int")
_DEPTH = 4


def calls_with_list(
    qualname: str, parameter: str, tree: ast.Module, lines: LineIndex
) -> tuple[Edit, ...] | None:
    """The edits that make every call in the file pass the list."""
    program = _Calls(tree)
    found = program.function(qualname)
    if found is None:
        return None
    owner, function = found
    if sum(isinstance(n, _FUNCTION) and n.name == function.name for n in ast.walk(tree)) != 1:
        return None  # a class that overrides it is given the list, too
    sites = program.sites(owner, function)
    out = []
    for inside, call in sites:
        given = _given(call, parameter, owner, function)
        if not isinstance(given, ast.Name):
            return None
        name = program.list_of(inside, given.id, call, 0)
        if name is None:
            return None
        start = lines.from_utf8(given.lineno, given.col_offset)
        out.append(Edit("", Span(start, start + len(given.id)), name))
    return tuple(out) or None


_Inside = tuple[ast.ClassDef | None, ast.FunctionDef]
_Site = tuple[_Inside, ast.Call]


class _Calls:
    def __init__(self, tree: ast.Module) -> None:
        self._functions: list[_Inside] = []
        for statement in tree.body:
            if isinstance(statement, ast.FunctionDef):
                self._functions.append((None, statement))
            elif isinstance(statement, ast.ClassDef):
                self._functions += [(statement, s) for s in statement.body if isinstance(s, ast.FunctionDef)]
        self._tree = tree

    def function(self, qualname: str) -> _Inside | None:
        owner, _, name = qualname.rpartition(".")
        same = [f for f in self._functions if f[1].name == name and (f[0].name if f[0] else "") == owner]
        return same[0] if len(same) == 1 else None

    def sites(self, owner: ast.ClassDef | None, function: ast.FunctionDef) -> list[_Site]:
        """All calls of a function; none where it is mentioned in any other way."""
        found: list[_Site] = []
        called: set[int] = set()
        for inside in self._functions:
            for call in _calls(inside[1]):
                if owner is None:
                    own = isinstance(call.func, ast.Name) and call.func.id == function.name
                else:
                    own = inside[0] is owner and _on_self(call.func) == function.name
                if own:
                    found.append((inside, call))
                    called.add(id(call.func))
        for node in ast.walk(self._tree):
            named = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", None)
            if named == function.name and id(node) not in called:
                return []
        return found

    def modules(self, owner: ast.ClassDef) -> list[_Site]:
        """All calls `self.x(...)` of an instance of a class that is kept as `self.x`."""
        found: list[_Site] = []
        for holder in dict.fromkeys(c for c, _ in self._functions if c is not None):
            stores = [s for s in ast.walk(holder) if isinstance(s, ast.Assign) and len(s.targets) == 1]
            made = {
                _on_self(s.targets[0]): s.value.func.id
                for s in stores
                if isinstance(s.value, ast.Call) and isinstance(s.value.func, ast.Name)
            }
            names = {n for n, c in made.items() if n and c == owner.name}
            names = {n for n in names if sum(_on_self(s.targets[0]) == n for s in stores) == 1}
            for inside in self._functions:
                if inside[0] is holder:
                    found += [(inside, c) for c in _calls(inside[1]) if _on_self(c.func) in names]
        return found

    def list_of(self, inside: _Inside, name: str, call: ast.Call, depth: int) -> str | None:
        """The local name of the list that a tensor holds the numbers of, at a call."""
        owner, function = inside
        if _written(function, name):
            return None
        stores = _stores(function, name)
        if name not in _parameters(function):
            return _made_from(function, stores, call)
        if stores or owner is None or depth > _DEPTH:
            return None
        sites = self.modules(owner) if function.name == "forward" else self.sites(owner, function)
        common: set[str] | None = None
        for site, other in sites:
            tensor = _given(other, name, owner, function)
            held = self.list_of(site, tensor.id, other, depth + 1) if isinstance(tensor, ast.Name) else None
            beside = {
                p for p in _parameters(function) if held and _names(_given(other, p, owner, function), held)
            }
            common = beside if common is None else common & beside
        fit = [p for p in sorted(common or ()) if not _stores(function, p) and not _written(function, p)]
        return fit[0] if len(fit) == 1 else None


def _calls(function: ast.FunctionDef) -> Iterator[ast.Call]:
    return (node for node in ast.walk(function) if isinstance(node, ast.Call))


def _on_self(node: ast.expr) -> str:
    """`name` of `self.name`."""
    held = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    return node.attr if held and isinstance(node, ast.Attribute) else ""


def _names(node: ast.expr | None, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _parameters(function: ast.FunctionDef) -> list[str]:
    held = function.args
    return [a.arg for a in (*held.posonlyargs, *held.args, *held.kwonlyargs)]


def _given(
    call: ast.Call, name: str, owner: ast.ClassDef | None, function: ast.FunctionDef
) -> ast.expr | None:
    """What a call gives for a parameter; None where that cannot be told."""
    if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
        return None
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in function.decorator_list)
    order = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
    order = order[1:] if owner is not None and not static else order
    at = order.index(name) if name in order else len(call.args)
    return call.args[at] if at < len(call.args) else None


def _stores(function: ast.FunctionDef, name: str) -> list[ast.Name]:
    return [
        n
        for n in ast.walk(function)
        if isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load)
    ]


def _names_node(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _written(function: ast.FunctionDef, name: str) -> bool:
    """Whether a tensor or list is written to in place, or a nested function may do so."""
    for node in ast.walk(function):
        if isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load):
            if _names_node(node.value, name):
                return True
        elif isinstance(node, ast.AugAssign) and _names_node(node.target, name):
            return True
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            method = node.func.attr
            if _names_node(node.func.value, name) and (method.endswith("_") or method in _CHANGERS):
                return True
        elif isinstance(node, ast.Lambda | ast.FunctionDef):
            nested = node is not function
            if nested and any(_names_node(inner, name) for inner in ast.walk(node)):
                return True
    return False


_CHANGERS = ("append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse")


def _made_from(function: ast.FunctionDef, stores: list[ast.Name], call: ast.Call) -> str | None:
    """`L` where the tensor is `torch.as_tensor(L)`, bound once, straight in the body, before the call."""
    if len(stores) != 1:
        return None
    made = next((s for s in function.body if isinstance(s, ast.Assign) and s.targets == [stores[0]]), None)
    if made is None or not isinstance(made.value, ast.Call) or made.lineno >= call.lineno:
        return None
    value = made.value
    if (
        ast.unparse(value.func) not in _MAKERS
        or len(value.args) != 1
        or not isinstance(value.args[0], ast.Name)
    ):
        return None
    for keyword in value.keywords:
        whole = keyword.arg == "dtype" and ast.unparse(keyword.value) in _WHOLE
        if not whole and keyword.arg != "device":
            return None
    name = value.args[0].id
    return name if _holds_sizes(function, name, made) else None


def _holds_sizes(function: ast.FunctionDef, name: str, made: ast.Assign) -> bool:
    """Whether a local list gets rows of sizes before ``made``, and nothing after it."""
    stores = _stores(function, name)
    if len(stores) != 1 or name in _parameters(function):
        return False
    start = next((s for s in function.body if isinstance(s, ast.Assign) and s.targets == [stores[0]]), None)
    if start is None or not isinstance(start.value, ast.List) or start.lineno >= made.lineno:
        return False
    rows = list(start.value.elts)
    for node in ast.walk(function):
        if not isinstance(node, ast.Attribute) or not _names_node(node.value, name):
            continue
        call = next((c for c in _calls(function) if c.func is node), None)
        if call is None or node.attr != "append" or len(call.args) != 1 or node.lineno >= made.lineno:
            return False
        rows.append(call.args[0])
    if any(
        isinstance(n, ast.Subscript) and _names_node(n.value, name) and not isinstance(n.ctx, ast.Load)
        for n in ast.walk(function)
    ):
        return False
    return bool(rows) and all(_is_row(row, function) for row in rows)


def _is_row(row: ast.expr, function: ast.FunctionDef) -> bool:
    """A tuple of sizes, or a name for one."""
    if isinstance(row, ast.Name):
        values = [s.value for s in _assigns(function) if _names(s.targets[0], row.id)]
        return len(values) == len(_stores(function, row.id)) == 1 and _is_row(values[0], function)
    return isinstance(row, ast.Tuple | ast.List) and all(_is_size(item, function) for item in row.elts)


def _is_size(item: ast.expr, function: ast.FunctionDef) -> bool:
    """A whole number, `x.shape[0]`, or a name that is only ever unpacked from a shape."""
    if isinstance(item, ast.Constant):
        return type(item.value) is int
    if isinstance(item, ast.Subscript):
        return _is_shape(item.value) and not isinstance(item.slice, ast.Slice)
    if not isinstance(item, ast.Name) or item.id in _parameters(function):
        return False
    unpacked = sum(
        isinstance(s.targets[0], ast.Tuple)
        and any(_names(t, item.id) for t in s.targets[0].elts)
        and _is_shape(s.value.value if isinstance(s.value, ast.Subscript) else s.value)
        for s in _assigns(function)
    )
    return unpacked > 0 and unpacked == len(_stores(function, item.id))


def _is_shape(node: ast.expr) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr == "shape"
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "size"


def _assigns(function: ast.FunctionDef) -> Iterator[ast.Assign]:
    return (n for n in ast.walk(function) if isinstance(n, ast.Assign) and len(n.targets) == 1)
