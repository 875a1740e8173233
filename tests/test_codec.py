"""Facts and indexes survive their bytes; damaged bytes are one clean error."""

from __future__ import annotations

import math
import random
from zlib import crc32

import pytest
from torch_compile_lint.facts import codec, index_ir, ir
from torch_compile_lint.facts.lower import lower_file, lower_unit
from torch_compile_lint.facts.walk import functions, nodes

SOURCE = '''
@d(1)
async def f(a, /, b: int = 2, *c, k=(lambda x: x + a), **e) -> None:
    """Doc."""
    global g
    import m.n as o; from ..p import q, r as s
    x: list[int]
    x = y = [*c, {1: 2, **e}, {3}, (4,)]
    x[1:2, ::3] += -(a @ b) if not a <= b < 3 and k or None else f"{a!r:>{b}}{{"
    async for i, j in c:
        if i: continue
        elif j: break
        else: pass
    else:
        del x[0], y
    while (z := await b): assert z, "no"
    try:
        yield
    except (A, B) as error:
        raise C from error
    finally:
        with a as b, c: pass
    match a:
        case [1, *_, {"k": v, **rest}] | K(p, q=None) as w if w: pass
        case _: return
    class L(B, metaclass=M):
        def m(self): return super().m() + sum(t for t in self if t async for u in t)
    def h(): nonlocal z; yield from z
'''

VALUES = [
    None, True, False, 0, 1, -1, 2**31, 2**63, 10**5000, -(10**5000), 0.0, -0.0, 1.5, math.inf,
    -math.inf, 1e308, 1 + 2j, -0.0 - 0.0j, complex(0, math.inf), "", "text", "é\u2028\0", "\ud800",
    "\ud800\udc00", "\U0001f600", b"", b"\0\xff", ..., "x" * 100_000,
]  # fmt: skip


def constant(value: object) -> ir.FunctionFacts:
    facts = lower_unit("def f(): return 1", "function", "f")
    (statement,) = facts.body
    assert isinstance(statement, ir.Return) and isinstance(statement.value, ir.Const)
    statement.value.value = value
    return facts


def held(facts: ir.FunctionFacts) -> object:
    return next(node for node in nodes(facts) if isinstance(node, ir.Const)).value


def test_every_node_survives() -> None:
    for unit in lower_file(SOURCE).values():
        data = codec.encode_facts(unit)
        again = codec.decode_facts(data)
        assert codec.encode_facts(again) == data
        for before, after in zip(functions(unit), functions(again), strict=True):
            assert (before.locals, before.free, before.size) == (after.locals, after.free, after.size)
            assert [type(node) for node in nodes(before)] == [type(node) for node in nodes(after)]


@pytest.mark.parametrize("value", VALUES, ids=lambda v: repr(v)[:20] if not isinstance(v, int) else "int")
def test_every_constant_survives(value: object) -> None:
    again = held(codec.decode_facts(codec.encode_facts(constant(value))))
    assert type(again) is type(value)
    assert again == value
    if isinstance(value, (float, complex)):
        assert repr(again) == repr(value)


def test_nan_survives() -> None:
    again = held(codec.decode_facts(codec.encode_facts(constant(math.nan))))
    assert isinstance(again, float) and math.isnan(again)


def test_equal_constants_of_other_types_stay_apart() -> None:
    facts = lower_unit("def f(): return [1, 1.0, True, 1j*0, 0.0, -0.0, '1', b'1']", "function", "f")
    again = codec.decode_facts(codec.encode_facts(facts))
    before = [repr(node.value) for node in nodes(facts) if isinstance(node, ir.Const)]
    assert before == [repr(node.value) for node in nodes(again) if isinstance(node, ir.Const)]


def test_index_survives() -> None:
    name = ir.Name(0, 1, 2, "x", "global")
    call = ir.Call(1, 1, 4, name, ())
    function = index_ir.FunctionIndex(
        qualname="A.f", name="f", owner="A", start=1, end=9, line=1, digest="d",
        params=(ir.Param(0, 1, 2, "self", "positional", None, name),), returns=None, decorators=(call,),
        is_async=False, is_generator=True, indent=4,
    )  # fmt: skip
    klass = index_ir.ClassIndex(
        qualname="A", name="A", start=0, end=9, line=1, bases=(name,), keywords=(("metaclass", call),),
        decorators=(), attributes=(index_ir.AttributeSketch("w", call, None, "A.f", "+=", 3),),
        methods={"f": "A.f"}, locals={"A.f": (index_ir.LocalSketch("y", None, "for"),)}, digest="e",
    )  # fmt: skip
    index = index_ir.FileIndex(
        path="a/b\udcff.py", module="a.b", is_package=False, digest="0", length=10,
        imports=(index_ir.ImportBinding("t", "torch"),), exports=("A",), globals={"g": (name, call)},
        functions={"A.f": function}, classes={"A": klass},
        marks=(index_ir.CompileMark(call, "", True, 7),),
        suppressions=(index_ir.Suppression(1, 2, ("TCD101",), "noqa", 0, 5),), error="1:1: bad",
    )  # fmt: skip
    data = codec.encode_index(index)
    again = codec.decode_index(data)
    assert repr(again) == repr(index) or codec.encode_index(again) == data
    assert again.exports == ("A",) and again.classes["A"].methods == {"f": "A.f"}
    assert again.marks[0].discarded is True
    assert codec.decode_index(codec.encode_index(index_ir.FileIndex("p", "", True, "", 0))).exports is None


def test_same_facts_same_bytes() -> None:
    first = codec.encode_facts(lower_file(SOURCE)["f"])
    assert first == codec.encode_facts(lower_file(SOURCE)["f"])


def resealed(body: bytes) -> bytes:
    """A body with a checksum that fits: what a careful forger would write."""
    return b"%08x%08x" % (codec.SCHEMA, crc32(body)) + body


def test_damage_is_a_codec_error() -> None:
    data = codec.encode_facts(lower_file(SOURCE)["f"])
    rng = random.Random(0)
    for _ in range(300):
        broken = bytearray(data)
        for _ in range(rng.randint(1, 4)):
            broken[rng.randrange(len(broken))] = rng.randrange(256)
        if bytes(broken) != data:
            with pytest.raises(codec.CodecError):
                codec.decode_facts(bytes(broken))
    for cut in (0, 1, 16, 24, 100, len(data) - 1):
        with pytest.raises(codec.CodecError):
            codec.decode_facts(data[:cut])


def test_forged_bytes_are_a_codec_error_or_facts() -> None:
    data = codec.encode_facts(lower_file(SOURCE)["f"])
    rng = random.Random(1)
    for _ in range(300):
        body = bytearray(data[16:])
        for _ in range(rng.randint(1, 4)):
            body[rng.randrange(len(body))] = rng.randrange(256)
        try:
            codec.decode_facts(resealed(bytes(body)))
        except codec.CodecError:
            pass


def test_facts_are_not_an_index() -> None:
    data = codec.encode_facts(lower_file(SOURCE)["f"])
    with pytest.raises(codec.CodecError):
        codec.decode_index(data)


def test_deep_facts_raise_cleanly() -> None:
    expr: ir.Expr = ir.Const(0, 0, 1, 1)
    for i in range(1, 20_000):
        expr = ir.Unary(i, 0, 1, "-", expr)
    facts = constant(1)
    facts.body = (ir.Return(0, 0, 1, expr),)
    with pytest.raises(codec.CodecError):
        codec.encode_facts(facts)
