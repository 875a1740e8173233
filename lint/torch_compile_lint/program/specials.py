"""APIs that call back into the program, or whose result is a question about the analysis."""

from __future__ import annotations

from collections.abc import Callable

from torch_compile_lint.facts import ir
from torch_compile_lint.model import Confidence
from torch_compile_lint.program import calls
from torch_compile_lint.program.access import get_attribute
from torch_compile_lint.program.arguments import Arguments
from torch_compile_lint.program.frame import Frame
from torch_compile_lint.program.lattice import container, join, join_all
from torch_compile_lint.program.narrow import atom_is_instance, class_symbols
from torch_compile_lint.program.values import (
    BOOL,
    FALSE,
    TRUE,
    UNKNOWN,
    Api,
    ClassRef,
    Function,
    Instance,
    Partial,
    Tensor,
    Text,
    Value,
    constant_of,
    is_unknown,
    known_items,
    opaque,
    tensor,
)

Handler = Callable[[Frame, Api, Arguments, "ir.Call | None"], "Value | None"]


def _partial(frame: Frame, api: Api, given: Arguments, node: ir.Call | None) -> Value | None:
    if not given.positional:
        return UNKNOWN
    if given.rest is not None or given.mapping is not None:
        # What else was bound is not known; the callable itself still is.
        return given.positional[0]
    func = given.positional[0]
    return Value((Partial(func, tuple(given.positional[1:]), tuple(sorted(given.keywords.items()))),))


def _isinstance(frame: Frame, api: Api, given: Arguments, node: ir.Call | None) -> Value | None:
    if len(given.positional) != 2:
        return BOOL
    value, named = given.positional
    symbols = class_symbols(named)
    if symbols is None:
        return BOOL
    answers = {atom_is_instance(frame, atom, symbols) for atom in value.atoms}
    if answers == {True}:
        return Value(TRUE.atoms, value.confidence)
    if answers == {False}:
        return Value(FALSE.atoms, value.confidence)
    return BOOL


def _is_tensor(frame: Frame, api: Api, given: Arguments, node: ir.Call | None) -> Value | None:
    if not given.positional:
        return BOOL
    value = given.positional[0]
    if all(type(a) is Tensor for a in value.atoms):
        return Value(TRUE.atoms, value.confidence)
    if not is_unknown(value) and not any(type(a) is Tensor for a in value.atoms):
        return Value(FALSE.atoms, value.confidence)
    return BOOL


def _getattr(frame: Frame, api: Api, given: Arguments, node: ir.Call | None) -> Value | None:
    if len(given.positional) < 2:
        return UNKNOWN
    name = given.positional[1].atoms
    if len(name) != 1 or type(name[0]) is not Text or name[0].const is None:
        return UNKNOWN
    found = get_attribute(frame, given.positional[0], name[0].const)
    if len(given.positional) == 2 or _is_there(found):
        return found
    return join(found, given.positional[2])


def _is_there(found: Value) -> bool:
    """Whether the value is one of torch's questions about tracing that every release since 2.3 has."""
    symbol = found.atoms[0].symbol if len(found.atoms) == 1 and type(found.atoms[0]) is Api else ""
    return HANDLERS.get(symbol) in (_true, _false) and symbol != "torch.compiler.is_exporting"


def _map(frame: Frame, api: Api, given: Arguments, node: ir.Call | None) -> Value | None:
    if len(given.positional) < 2:
        return None
    known = known_items(given.positional[1]) if len(given.positional) == 2 else None
    if known:
        results = [calls.call(frame, given.positional[0], Arguments([item]), None) for item in known]
        if all(constant_of(result) is not None for result in results):
            return container("iterator", tuple(results), UNKNOWN)
    elements = [calls.iterate(frame, v) for v in given.positional[1:]]
    if any(not e.atoms for e in elements):
        return container("iterator", None, UNKNOWN)
    return container("iterator", None, calls.call(frame, given.positional[0], Arguments(elements), None))


def _filter(frame: Frame, api: Api, given: Arguments, node: ir.Call | None) -> Value | None:
    if len(given.positional) != 2:
        return None
    element = calls.iterate(frame, given.positional[1])
    if element.atoms:
        calls.call(frame, given.positional[0], Arguments([element]), None)
    return container("iterator", None, element)


def _reduce(frame: Frame, api: Api, given: Arguments, node: ir.Call | None) -> Value | None:
    if len(given.positional) < 2:
        return None
    element = calls.iterate(frame, given.positional[1])
    value = given.positional[2] if len(given.positional) > 2 else element
    for _ in range(3):
        if not value.atoms or not element.atoms:
            return UNKNOWN
        after = join(value, calls.call(frame, given.positional[0], Arguments([value, element]), None))
        if after == value:
            break
        value = after
    return value


def _with_key(frame: Frame, api: Api, given: Arguments, node: ir.Call | None) -> Value | None:
    """sorted, min, max: the key function runs on the elements; the result is the table's."""
    key = given.keywords.get("key")
    if key is not None and given.positional:
        element = calls.iterate(frame, given.positional[0])
        if element.atoms:
            calls.call(frame, key, Arguments([element]), None)
    return None


_CHECKPOINT_OPTIONS = frozenset(
    {"use_reentrant", "context_fn", "determinism_check", "debug", "preserve_rng_state", "early_stop"}
)


def _checkpoint(frame: Frame, api: Api, given: Arguments, node: ir.Call | None) -> Value | None:
    if not given.positional:
        return UNKNOWN
    inner = given.without_first()
    inner.keywords = {k: v for k, v in given.keywords.items() if k not in _CHECKPOINT_OPTIONS}
    return calls.call(frame, given.positional[0], inner, None)


def _checkpoint_sequential(frame: Frame, api: Api, given: Arguments, node: ir.Call | None) -> Value | None:
    if len(given.positional) < 3:
        return UNKNOWN
    functions, _, value = given.positional[:3]
    for atom in functions.atoms:
        if type(atom) is Instance:
            return calls.call(frame, functions, Arguments([value]), None)
    step = calls.iterate(frame, functions)
    if not step.atoms:
        return value
    for _ in range(3):
        after = join(value, calls.call(frame, step, Arguments([value]), None))
        if after == value:
            break
        value = after
    return value


def _same_function(frame: Frame, api: Api, given: Arguments, node: ir.Call | None) -> Value | None:
    """torch.compile(f), torch.jit.script(f): the result behaves as ``f``; or a decorator of it."""
    if given.positional:
        return given.positional[0]
    model = given.keywords.get("model")
    return model if model is not None else Value((Api("<identity>"),))


def _identity(frame: Frame, api: Api, given: Arguments, node: ir.Call | None) -> Value | None:
    return given.positional[0] if given.positional else UNKNOWN


def _disable(frame: Frame, api: Api, given: Arguments, node: ir.Call | None) -> Value | None:
    """A disabled function is never traced: nothing inside it can be said to happen in the graph."""
    if given.positional:
        return Value((Api("<disabled>", given.positional[0]),))
    return Value((Api("torch.compiler.disable"),))


def _disabled(frame: Frame, api: Api, given: Arguments, node: ir.Call | None) -> Value | None:
    return UNKNOWN


def _cond(frame: Frame, api: Api, given: Arguments, node: ir.Call | None) -> Value | None:
    if len(given.positional) < 3:
        return UNKNOWN
    operands = given.positional[3] if len(given.positional) > 3 else given.keywords.get("operands")
    inner = Arguments()
    if operands is not None:
        inner.add_star(operands)
    return join_all([calls.call(frame, branch, inner, None) for branch in given.positional[1:3]])


def _transformed(frame: Frame, api: Api, given: Arguments, node: ir.Call | None) -> Value | None:
    """torch.vmap(f) and the like: called with the same arguments, tensors come back."""
    return given.positional[0] if given.positional else UNKNOWN


def _apply(frame: Frame, api: Api, given: Arguments, node: ir.Call | None) -> Value | None:
    """autograd.Function.apply: forward with a context, and backward, which Dynamo traces too."""
    bound = api.bound
    if bound is None or len(bound.atoms) != 1 or type(bound.atoms[0]) is not ClassRef:
        return UNKNOWN
    symbol = bound.atoms[0].symbol
    analyzer = frame.analyzer
    context = opaque("autograd context")
    forward = analyzer.attributes.method(symbol, "forward", None)
    if forward is None:
        return UNKNOWN
    separate = analyzer.attributes.method(symbol, "setup_context", None)
    result = analyzer.call(frame, forward, given if separate is not None else given.before(context), node)
    if separate is not None:
        packed = container("tuple", tuple(given.positional))
        analyzer.call(frame, separate, Arguments([context, packed, result]), None)
    backward = analyzer.attributes.method(symbol, "backward", None)
    if backward is not None:
        found = analyzer.closures.find(backward)
        count = 0 if found is None else sum(p.kind.startswith("positional") for p in found.params) - 1
        grads = [tensor(confidence=Confidence.LIKELY)] * max(count, 0)
        analyzer.call(frame, backward, Arguments([context, *grads]), None)
    return result


def _type(frame: Frame, api: Api, given: Arguments, node: ir.Call | None) -> Value | None:
    if len(given.positional) != 1:
        return UNKNOWN
    atoms = given.positional[0].atoms
    if len(atoms) == 1 and type(atoms[0]) is Instance:
        return Value((ClassRef(atoms[0].symbol),))
    return opaque("type")


def _false(frame: Frame, api: Api, given: Arguments, node: ir.Call | None) -> Value | None:
    return FALSE


def _true(frame: Frame, api: Api, given: Arguments, node: ir.Call | None) -> Value | None:
    return TRUE


def call_back(frame: Frame, given: Arguments, node: ir.Call | None) -> None:
    """An unknown API was given functions of the program: it may call them, nobody knows with what."""
    for value in [*given.positional, *given.keywords.values()]:
        for atom in value.atoms:
            if type(atom) is Function and atom.bound is None and atom.closure:
                anything = Arguments()
                anything.rest = UNKNOWN
                frame.analyzer.call(frame, atom, anything, node)


HANDLERS: dict[str, Handler] = {
    "functools.partial": _partial,
    "builtins.isinstance": _isinstance,
    "torch.is_tensor": _is_tensor,
    "builtins.getattr": _getattr,
    "builtins.map": _map,
    "builtins.filter": _filter,
    "builtins.sorted": _with_key,
    "builtins.min": _with_key,
    "builtins.max": _with_key,
    "builtins.type": _type,
    "functools.reduce": _reduce,
    "torch.utils.checkpoint.checkpoint": _checkpoint,
    "torch.utils.checkpoint.checkpoint_sequential": _checkpoint_sequential,
    "torch.compile": _same_function,
    "torch.jit.script": _same_function,
    "torch.jit.ignore": _same_function,
    "torch.jit.export": _same_function,
    "torch.compiler.allow_in_graph": _same_function,
    "<identity>": _identity,
    "<disabled>": _disabled,
    "torch.compiler.disable": _disable,
    "torch._dynamo.disable": _disable,
    "torch.cond": _cond,
    "torch.vmap": _transformed,
    "torch.func.vmap": _transformed,
    "torch.autograd.Function.apply": _apply,
    "torch.jit.is_scripting": _false,
    "torch.jit.is_tracing": _false,
    "torch._C._get_tracing_state": _false,
    "torch.onnx.is_in_onnx_export": _false,
    "torch._utils.is_compiling": _true,
    "torch.compiler.is_compiling": _true,
    "torch.compiler.is_dynamo_compiling": _true,
    "torch._dynamo.is_compiling": _true,
    "torch._dynamo.external_utils.is_compiling": _true,
    "torch.compiler.is_exporting": _false,
}

__all__ = ["HANDLERS", "call_back"]
