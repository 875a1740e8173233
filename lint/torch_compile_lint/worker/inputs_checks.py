"""What an exception says of the arguments: sizes and ranks in its message, and the check that raised.

A check is an ``assert``, a call such as ``torch._assert(a == b, ...)``, or ``if a != b: raise``. Its sides
are evaluated once more in the frame that raised: "wrong size" then tells which size would have been right.
Out: specifications with one thing changed each, likeliest first.
"""

from __future__ import annotations

import ast
import functools
import math
import re
from typing import Any, Dict, Iterator

from .inputs_values import Spec, tensor

Specs = Dict[str, Spec]
MOST = 6  # changes tried for one exception
_FRAMES = 4  # innermost frames outside torch in which a check is looked for
_LARGEST = 4096
_MOST_ELEMENTS = 1 << 22  # of all tensors of a call together
_UNPACKED = re.compile(r"not enough values to unpack \(expected (?:at least )?(\d+), got (\d+)\)")
_TOO_MANY = re.compile(r"too many values to unpack \(expected (\d+)\)")
_RANK = re.compile(
    r"\b(?:expected|must be|should be|requires?|only supports?)\b.{0,40}?\b([1-5])-?[dD]\b", re.DOTALL
)
_DTYPES = re.compile(r"\b(?:dtype|scalar types?|input type)\b.*\b(?:Long|Int|int64|long)", re.IGNORECASE)
_VIEW = re.compile(r"shape '\[([-\d, ]+)\]' is invalid for input of size (\d+)")
_PRODUCT = re.compile(r"\((\d+)x(\d+) and (\d+)x(\d+)\)")
_FITS = re.compile(r"size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\)")


def changes(specs: Specs, error: BaseException) -> list[Specs]:
    """Other specifications to try after ``error`` was raised for ``specs``; at most ``MOST``."""
    found: list[Specs] = []
    for change in _all(specs, error):
        if change != specs and change not in found and _elements(change) <= _MOST_ELEMENTS:
            found.append(change)
        if len(found) == MOST:
            break
    return found


def _all(specs: Specs, error: BaseException) -> Iterator[Specs]:
    for have, want, what in _failed_checks(error):
        if what == "rank":
            yield from _with_rank(specs, want, have)
        elif what == "type":
            yield from _with_type(specs, have, want)
        else:
            yield from _with_size(specs, have, want)
    message = str(error)
    yield from _with_word(specs, message)
    yield from _with_dtype(specs, message)
    yield from _reshaped(specs, message)
    for pattern in (_UNPACKED, _TOO_MANY, _RANK):
        match = pattern.search(message)
        if match:
            yield from _with_rank(specs, int(match.group(1)), None)
    for have, want in _named_sizes(message):
        yield from _with_size(specs, have, want)


def _elements(specs: Specs) -> int:
    return sum(_count(spec) for spec in specs.values())


def _count(spec: Spec) -> int:
    if spec["kind"] in ("list", "tuple"):
        return sum(_count(item) for item in spec["items"])
    return math.prod(spec["dims"]) if spec["kind"] == "tensor" else 0


def _named_sizes(message: str) -> Iterator[tuple[int, int]]:
    """Pairs of sizes of which the first may be ours and the second the wanted one."""
    match = _PRODUCT.search(message)
    if match:
        yield int(match.group(2)), int(match.group(3))
        return
    match = _FITS.search(message)
    if match:
        yield int(match.group(1)), int(match.group(2))
        yield int(match.group(2)), int(match.group(1))
        return
    text = re.sub(r"'\[[^\]]*\]'|\bdimension -?\d+|\b\d+[dD]\b", " ", message)
    numbers = [int(part) for part in re.findall(r"(?<![\w.])\d+(?![\w.]*\w)", text)]
    numbers = list(dict.fromkeys(number for number in numbers if 0 < number <= _LARGEST))
    for have in numbers[:8]:
        for want in numbers[:8]:
            if have != want:
                yield have, want


def _with_size(specs: Specs, have: int, want: int) -> Iterator[Specs]:
    """``have`` replaced by ``want``: in all tensors at once, then in each alone."""
    owners = [name for name, spec in specs.items() if have in _dims(spec)]
    if not owners or not 0 < want <= _LARGEST:
        return
    yield {name: _resized(spec, have, want) for name, spec in specs.items()}
    for name in owners if len(owners) > 1 else ():
        yield dict(specs, **{name: _resized(specs[name], have, want)})
    for name in owners:
        dims = specs[name].get("dims", [])
        for place in [n for n, size in enumerate(dims) if size == have] if dims.count(have) > 1 else ():
            yield dict(specs, **{name: dict(specs[name], dims=[*dims[:place], want, *dims[place + 1 :]])})


def _resized(spec: Spec, have: int, want: int) -> Spec:
    if spec["kind"] in ("list", "tuple"):
        return dict(spec, items=[_resized(item, have, want) for item in spec["items"]])
    if spec["kind"] != "tensor" or have not in spec["dims"]:
        return spec
    return dict(spec, dims=[want if size == have else size for size in spec["dims"]])


def _dims(spec: Spec) -> list[int]:
    if spec["kind"] in ("list", "tuple"):
        return [size for item in spec["items"] for size in _dims(item)]
    return list(spec["dims"]) if spec["kind"] == "tensor" else []


def _with_rank(specs: Specs, want: int, have: int | None) -> Iterator[Specs]:
    """Each tensor of another rank (of rank ``have``, where that is known) with as many axes as are wanted."""
    for name, spec in specs.items():
        dims = spec["dims"] if spec["kind"] == "tensor" else None
        if dims is None or len(dims) == want or (have is not None and len(dims) != have) or want > 6:
            continue
        for other in _reranked(list(dims), want):
            yield dict(specs, **{name: dict(spec, dims=other)})


def _reranked(dims: list[int], want: int) -> list[list[int]]:
    width = dims[1] if len(dims) >= 4 else dims[-1] if dims else 32
    ranks: dict[int, list[list[int]]] = {
        0: [[]],
        1: [[width]],
        2: [[2, width]],
        3: [[2, 7, width], [2, width, 61]],
        4: [[2, width, 8, 8], [2, 8, 8, width], [2, 3, 32, 32]],
        5: [[2, width, 4, 8, 8], [2, 3, 4, 16, 16]],
        6: [[2, 2, 8, 4, 4, width]],
    }
    return ranks[want]


def _with_dtype(specs: Specs, message: str) -> Iterator[Specs]:
    """Whole numbers instead of others and the reverse, where a message speaks of the types of tensors."""
    if not _DTYPES.search(message):
        return
    for have, want in (("int", "float"), ("float", "int")):  # the first is by far the commoner mistake
        for name, spec in specs.items():
            if spec["kind"] == "tensor" and spec["dtype"] == have:
                yield dict(specs, **{name: dict(spec, dtype=want)})


def _with_word(specs: Specs, message: str) -> Iterator[Specs]:
    """For a string, the words that a message quotes: "must be either 'extract' or 'cached'"."""
    words = re.findall(r"['\"`](\w[\w.-]{0,40})['\"`]", message)
    for name, spec in specs.items():
        if spec["kind"] == "value" and isinstance(spec["value"], str):
            for word in dict.fromkeys(words):
                if word not in (name, spec["value"]):
                    yield dict(specs, **{name: dict(spec, value=word)})


def missing(specs: Specs, error: BaseException, owner: Any) -> list[str]:
    """Optional arguments that were not given and that the failing statement of ``owner`` needs: parameters
    that are None there.
    """
    if "NoneType" not in str(error):
        return []
    found: list[str] = []
    trace = error.__traceback__
    while trace is not None:
        frame, line = trace.tb_frame, trace.tb_lineno
        trace = trace.tb_next
        code = frame.f_code
        if frame.f_locals.get("self") is not owner and code is not getattr(owner, "__code__", None):
            continue
        given = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        names = [name for name in given if name not in specs and frame.f_locals.get(name, 0) is None]
        if names and code.co_name != "__init__":
            used = _names_at(code.co_filename, line)
            found += [name for name in names if name in used]
    return list(dict.fromkeys(found))


def _names_at(path: str, line: int) -> set[str]:
    """Names in the innermost statement that covers a line."""
    tree = _tree(path)
    inner: ast.stmt | None = None
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno):
            inner = node if inner is None or node.lineno >= inner.lineno else inner
    return {node.id for node in ast.walk(inner) if isinstance(node, ast.Name)} if inner is not None else set()


def _reshaped(specs: Specs, message: str) -> Iterator[Specs]:
    """A tensor with as many elements as the shape has that it was to be brought into."""
    match = _VIEW.search(message)
    if not match:
        return
    shape = [int(part) for part in match.group(1).split(",")]
    given = int(match.group(2))
    known = 1
    for size in shape:
        known *= size if size > 0 else 1
    if known <= 0:
        return
    for name, spec in specs.items():
        dims = spec["dims"] if spec["kind"] == "tensor" else []
        for place in range(len(dims) - 1, 0, -1):
            # What was reshaped may be a multiple of the argument; the ratio of the two is what counts.
            if given and dims[place] * known % given == 0 and -1 not in shape:
                size = dims[place] * known // given
                yield dict(specs, **{name: dict(spec, dims=[*dims[:place], size, *dims[place + 1 :]])})


def _with_type(specs: Specs, have: Any, wanted: Any) -> Iterator[Specs]:
    """A tensor in a list or tuple, or alone, as the check wants it."""
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    for name, spec in specs.items():
        if spec["kind"] == "tensor" and (list in wanted or tuple in wanted):
            kind = "list" if list in wanted else "tuple"
            yield dict(specs, **{name: {"kind": kind, "items": [dict(spec), dict(spec)]}})
        elif spec["kind"] in ("list", "tuple") and any(
            getattr(w, "__name__", "") == "Tensor" for w in wanted
        ):
            yield dict(specs, **{name: tensor([2, 7, 32])})


# ---------------------------------------------------------------------- the check that raised


def _failed_checks(error: BaseException) -> Iterator[tuple[Any, Any, str]]:
    """What was compared: (ours, the wanted one, what it is), from the innermost frames outwards."""
    frames = []
    trace = error.__traceback__
    while trace is not None:
        frames.append((trace.tb_frame, trace.tb_lineno))
        trace = trace.tb_next
    own = [(f, line) for f, line in frames if not f.f_globals.get("__name__", "").startswith("torch.")]
    if own and own[-1][0].f_globals.get("__name__") == "torch":  # torch._assert
        own.pop()
    for frame, line in own[: -_FRAMES - 1 : -1]:
        test = _test_at(frame.f_code.co_filename, line)
        if test is not None:
            yield from _compared(test[0], test[1], frame)


def _test_at(path: str, line: int) -> tuple[ast.expr, bool] | None:
    """The condition that was checked at a line, and whether it had to be true."""
    best: tuple[ast.expr, bool] | None = None
    tree = _tree(path)
    if tree is None:
        return None
    for node in ast.walk(tree):
        if not isinstance(node, ast.stmt) or not node.lineno <= line <= (node.end_lineno or node.lineno):
            continue
        if isinstance(node, ast.Assert):
            best = node.test, True
        elif isinstance(node, ast.If) and any(
            isinstance(inner, ast.Raise) and inner.lineno <= line <= (inner.end_lineno or inner.lineno)
            for inner in node.body
        ):
            best = node.test, False
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and node.value.args:
            name = ast.unparse(node.value.func).rpartition(".")[2]
            if name.lstrip("_") in ("assert", "check", "check_value", "assert_async"):
                best = node.value.args[0], True
    return best


@functools.lru_cache(maxsize=64)
def _tree(path: str) -> ast.Module | None:
    try:
        with open(path, encoding="utf-8") as stream:
            return ast.parse(stream.read())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return None


def _compared(test: ast.expr, positive: bool, frame: Any) -> Iterator[tuple[Any, Any, str]]:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _compared(test.operand, not positive, frame)
    elif isinstance(test, ast.BoolOp):
        for part in test.values:
            yield from _compared(part, positive, frame)
    elif isinstance(test, ast.Call) and ast.unparse(test.func) == "isinstance" and positive:
        if len(test.args) == 2:
            yield _value(test.args[0], frame), _value(test.args[1], frame), "type"
    elif isinstance(test, ast.Compare) and len(test.ops) == 1:
        wanted: tuple[type, ...] = (ast.Eq, ast.In) if positive else (ast.NotEq, ast.NotIn)
        if isinstance(test.ops[0], wanted):
            yield from _sides(test.left, test.comparators[0], frame)


def _sides(left: ast.expr, right: ast.expr, frame: Any) -> Iterator[tuple[Any, Any, str]]:
    if isinstance(left, ast.BinOp) and isinstance(left.op, ast.Mod):
        size, step = _value(left.left, frame), _value(left.right, frame)
        if _whole(size) and _whole(step) and step:
            yield size, (size // step + 1) * step, "size"
            yield size, step, "size"
        return
    first, second = _value(left, frame), _value(right, frame)
    rank = any(_counts_axes(side) for side in (left, right))
    if rank and _counts_axes(right):
        first, second = second, first
    pairs = [(first, second)] if rank else [(first, second), (second, first)]
    for one, other in pairs:
        wanted = list(other) if isinstance(other, (tuple, list, set)) else [other]
        given = list(one) if isinstance(one, (tuple, list)) else [one]
        if len(given) == len(wanted) > 1:
            for ours, want in zip(given, wanted):
                if _whole(ours) and _whole(want) and ours != want:
                    yield ours, want, "size"
            continue
        for ours in given[:1]:
            for want in wanted[:2]:
                if _whole(ours) and _whole(want) and ours != want:
                    yield ours, want, "rank" if rank else "size"


def _counts_axes(node: ast.expr) -> bool:
    text = ast.unparse(node)
    return text.endswith((".dim()", ".ndim", ".ndimension()")) or bool(
        re.match(r"len\(.*(shape|size\(\))\)$", text)
    )


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _value(node: ast.expr, frame: Any) -> Any:
    """What an expression of a check is worth in its frame; None where it cannot be told."""
    try:
        code = compile(ast.Expression(node), "<check>", "eval")
        return eval(code, frame.f_globals, frame.f_locals)
    except Exception:
        return None
