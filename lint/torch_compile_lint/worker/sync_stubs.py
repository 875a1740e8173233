"""Result kinds of torch functions and methods, read from torch's own stub files.

In: the ``.pyi`` files of an installed torch. Out: symbol -> specification (see
``torchdb/db.py``), the union over a function's overloads. Only kinds: what a stub says of a
result is that it is a tensor, not of which dtype.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

_SIMPLE = {
    "Tensor": "T",
    "torch.Tensor": "T",
    "None": "N",
    "_bool": "B",
    "bool": "B",
    "_int": "I",
    "int": "I",
    "SymInt": "I",
    "_float": "F",
    "float": "F",
    "_complex": "X",
    "Number": "P",
    "_size": "Z",
    "Size": "Z",
    "torch.Size": "Z",
    "_dtype": "Y",
    "torch.dtype": "Y",
    "dtype": "Y",
    "_device": "V",
    "device": "V",
    "torch.device": "V",
    "_layout": "L",
    "str": "S",
    "_str": "S",
    "Self": "T:=:=",
}


def annotation_spec(node: ast.expr | None, named: dict[str, str]) -> str:
    """The specification of a return annotation; '?' when it says nothing we can use."""
    if node is None:
        return "?"
    if isinstance(node, ast.Constant):
        if node.value is None:
            return "N"
        if isinstance(node.value, str):
            try:
                return annotation_spec(ast.parse(node.value, mode="eval").body, named)
            except SyntaxError:
                return "?"
        return "?"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _union([annotation_spec(node.left, named), annotation_spec(node.right, named)])
    text = ast.unparse(node)
    if text in _SIMPLE:
        return _SIMPLE[text]
    if text.startswith("torch.return_types."):
        return named.get(text.rsplit(".", 1)[1], "?")
    if not isinstance(node, ast.Subscript):
        return "?"
    head = ast.unparse(node.value).rsplit(".", 1)[-1]
    inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if head in ("tuple", "Tuple"):
        if len(inner) == 2 and isinstance(inner[1], ast.Constant) and inner[1].value is Ellipsis:
            return f"({annotation_spec(inner[0], named)}*)"
        return "(" + ",".join(annotation_spec(i, named) for i in inner) + ")"
    if head in ("list", "List", "Sequence"):
        return f"[{annotation_spec(inner[0], named)}*]"
    if head == "Optional":
        return _union([annotation_spec(inner[0], named), "N"])
    if head == "Union":
        return _union([annotation_spec(i, named) for i in inner])
    return "?"


def _union(specs: list[str]) -> str:
    parts = sorted({p for spec in specs for p in split_union(spec)})
    if "?" in parts:
        return "?"
    return "|".join(parts)


def split_union(spec: str) -> list[str]:
    """The alternatives at the top of a specification."""
    parts, depth, current = [], 0, ""
    for char in spec:
        depth += char in "(["
        depth -= char in ")]"
        if char == "|" and depth == 0:
            parts.append(current)
            current = ""
        else:
            current += char
    return [*parts, current]


def _functions(path: Path) -> dict[str, list[ast.FunctionDef]]:
    """Dotted name inside the file -> its overloads."""
    out: dict[str, list[ast.FunctionDef]] = {}
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            out.setdefault(node.name, []).append(node)
        elif isinstance(node, ast.ClassDef):
            for item in node.body:
                if isinstance(item, ast.FunctionDef):
                    out.setdefault(f"{node.name}.{item.name}", []).append(item)
    return out


def return_types(root: Path) -> dict[str, str]:
    """Named tuples of torch.return_types: name -> specification; a field called indices is int."""
    path = root / "return_types.pyi"
    if not path.exists():
        path = root / "_C" / "return_types.pyi"
    out: dict[str, str] = {}
    if not path.exists():
        return out
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if not isinstance(node, ast.ClassDef):
            continue
        fields = [
            item.name
            for item in node.body
            if isinstance(item, ast.FunctionDef)
            and any(isinstance(d, ast.Name) and d.id == "property" for d in item.decorator_list)
        ]
        out[node.name] = "(" + ",".join("T:i" if f == "indices" else "T" for f in fields) + ")"
    return out


def stub_rules(root: Path) -> dict[str, str]:
    """Everything the stubs below torch's folder tell."""
    named = return_types(root)
    out: dict[str, str] = {}
    places = [
        (root / "_C" / "_VariableFunctions.pyi", "torch"),
        (root / "_C" / "__init__.pyi", "torch.Tensor"),
        (root / "_C" / "_nn.pyi", "torch.nn.functional"),
        (root / "nn" / "functional.pyi", "torch.nn.functional"),
        (root / "functional.py", "torch"),
        (root / "_tensor.py", "torch.Tensor"),
        (root / "nn" / "functional.py", "torch.nn.functional"),
        (root / "nn" / "init.py", "torch.nn.init"),
    ]
    for path, prefix in places:
        if not path.exists():
            continue
        for name, overloads in _functions(path).items():
            owner, _, last = name.rpartition(".")
            if owner not in ("", "TensorBase", "Tensor", "_VariableFunctionsClass"):
                continue
            if (prefix == "torch.Tensor") != (owner in ("TensorBase", "Tensor")):
                continue
            if re.match(r"_[^_]", last):
                continue
            spec = _union([annotation_spec(o.returns, named) for o in overloads])
            if last.endswith("_") and not last.startswith("__") and "T" in spec:
                spec = "T:=:="  # in place: the operand itself
            if spec != "?":
                out.setdefault(f"{prefix}.{last}", spec)
    return out
