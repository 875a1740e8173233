"""Values as plain data that can be compared across processes, and where two of them differ.

Tensors keep dtype, shape, requires_grad and a sample of values spread over the whole tensor together
with its sums, so that a large output costs little and a difference anywhere still shows.
"""

from __future__ import annotations

import dataclasses
import enum
import math
from typing import Any

SAMPLE = 512
DEPTH = 8
TOLERANCE = {"torch.float16": 2e-2, "torch.bfloat16": 5e-2, "torch.float32": 1e-4, "torch.float64": 1e-7}


def freeze(value: Any, depth: int = 0, seen: set[int] | None = None) -> Any:
    """Plain data (None, bool, int, float, str, lists, dicts) that stands for ``value``."""
    import torch

    seen = set() if seen is None else seen
    if value is None or isinstance(value, (bool, str)):
        return str(value) if isinstance(value, enum.Enum) else value
    if isinstance(value, enum.Enum):
        return str(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return value
    if isinstance(value, complex):
        return ["complex", value.real, value.imag]
    if isinstance(value, torch.Tensor):
        return _freeze_tensor(value)
    if depth > DEPTH or id(value) in seen:
        return "..."
    seen = seen | {id(value)}
    if isinstance(value, dict) or type(value).__name__ in ("mappingproxy", "BatchEncoding"):
        return {
            "dict": type(value).__name__,
            "items": [[_key(k), freeze(v, depth + 1, seen)] for k, v in value.items()],
        }
    if isinstance(value, (set, frozenset)):
        return {"set": sorted(repr(item)[:120] for item in value)}
    if isinstance(value, (list, tuple)) or type(value).__name__ == "deque":
        return {"sequence": type(value).__name__, "items": [freeze(item, depth + 1, seen) for item in value]}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = [
            [f.name, freeze(getattr(value, f.name, None), depth + 1, seen)] for f in dataclasses.fields(value)
        ]
        return {"object": type(value).__name__, "items": fields}
    if type(value).__module__ == "numpy":
        return _freeze_numpy(value)
    attributes = getattr(value, "__dict__", None)
    if isinstance(attributes, dict) and type(value).__module__ not in ("builtins", "types") and depth < 3:
        if isinstance(value, torch.nn.Module):
            return {"module": type(value).__name__}
        items = [
            [str(k), freeze(v, depth + 1, seen)]
            for k, v in sorted(attributes.items(), key=lambda kv: str(kv[0]))
        ]
        return {"object": type(value).__name__, "items": items}
    return {"opaque": type(value).__name__}


def _key(value: Any) -> str:
    import torch

    return "tensor" if isinstance(value, torch.Tensor) else repr(value)[:120]


def _freeze_tensor(value: Any) -> dict[str, Any]:
    import torch

    head: dict[str, Any] = {
        "tensor": str(value.dtype),
        "shape": [str(n) for n in value.shape] if not value.is_nested else "nested",
    }
    head["grad"] = bool(value.requires_grad)
    head["class"] = type(value).__name__
    try:
        plain = value.detach()
        if plain.is_nested:
            return dict(head, parts=[_freeze_tensor(part) for part in plain.unbind()])
        if plain.device.type == "meta":
            return head
        if plain.is_quantized:
            plain = plain.dequantize()
        if plain.layout != torch.strided:
            plain = plain.to_dense()
        if plain.is_complex():
            plain = torch.view_as_real(plain.resolve_conj())
        flat = plain.reshape(-1)
        count = flat.numel()
        wide = torch.float64
        if count > SAMPLE:
            step = count // SAMPLE
            whole = flat.to(wide)
            whole = torch.where(torch.isfinite(whole), whole, torch.zeros_like(whole))
            head["mean"] = float(whole.mean())
            head["size"] = float(whole.abs().mean())
            flat = flat[::step][:SAMPLE]
        head["values"] = flat.to(wide).cpu().tolist()
    except Exception as error:  # an exotic layout: compare what can be compared
        head["unreadable"] = type(error).__name__
    return head


def _freeze_numpy(value: Any) -> Any:
    kind = str(getattr(value, "dtype", ""))
    try:
        values = [float(item) for item in value.reshape(-1)[:SAMPLE]]
        return {"numpy": kind, "shape": [str(n) for n in value.shape], "values": values}
    except (AttributeError, TypeError, ValueError):
        return {"numpy": kind, "text": repr(value)[:200]}


def same(left: Any, right: Any, tolerance: float = 1e-5) -> bool:
    """Whether two frozen values are equal within what rounding explains."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return _close(float(left), float(right), tolerance)
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        if left.keys() != right.keys():
            return False
        if "tensor" in left:
            tolerance = max(tolerance, TOLERANCE.get(left["tensor"], 1e-7))
        return all(same(left[key], right[key], tolerance) for key in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(same(a, b, tolerance) for a, b in zip(left, right))
    return bool(left == right)


def _close(left: float, right: float, tolerance: float) -> bool:
    if math.isnan(left) or math.isnan(right):
        return math.isnan(left) and math.isnan(right)
    return left == right or math.isclose(left, right, rel_tol=tolerance, abs_tol=tolerance * 0.1)


def differing(eager: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """Names of the parts (results, mutated inputs, state, printed text, ...) that differ."""
    names = [name for name in eager if name in other and not same(eager[name], other[name])]
    return names + [name for name in eager if name not in other]


def describe(name: str, eager: Any, other: Any) -> str:
    """One line that shows the first difference in a part."""
    path, left, right = _first_difference(eager, other, name)
    return f"{path}: eager {_short(left)}, compiled {_short(right)}"


def _first_difference(left: Any, right: Any, path: str) -> Any:
    if isinstance(left, dict) and isinstance(right, dict) and left.keys() == right.keys():
        for key in left:
            if not same(left[key], right[key]):
                inner = path if key in ("items", "values") else f"{path}.{key}"
                return _first_difference(left[key], right[key], inner)
    if isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        for number, (a, b) in enumerate(zip(left, right)):
            if not same(a, b):
                return _first_difference(a, b, "%s[%d]" % (path, number))
    return path, left, right


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
