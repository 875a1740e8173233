"""The standard library, numpy and einops: results of what models call in forward."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from typing import TypeVar

from torch_compile_lint.program.lattice import container, element_of, join, join_all
from torch_compile_lint.program.transfer_kinds import (
    Keywords,
    build,
    class_of,
    every,
    listing,
    source_of,
    sure,
    words,
)
from torch_compile_lint.program.transfer_ops import binary, compare, iterate, subscript, unary
from torch_compile_lint.program.transfer_python import HANDLERS as BUILTINS
from torch_compile_lint.program.values import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    SHAPE_INT,
    TEXT,
    UNKNOWN,
    Array,
    Container,
    Instance,
    NoneAtom,
    Number,
    Opaque,
    Partial,
    Value,
    constant,
    constant_of,
    of,
    tensor,
)

Args = tuple[Value, ...]
Handler = Callable[[Args, Keywords], "Value | None"]
H = TypeVar("H", bound=Handler)

HANDLERS: dict[str, Handler] = {}


def _handles(*symbols: str) -> Callable[[H], H]:
    def register(handler: H) -> H:
        for symbol in symbols:
            HANDLERS[symbol] = handler
        return handler

    return register


# ---------------------------------------------------------------- math and operator

_MATH_INT = words("floor ceil trunc gcd lcm factorial comb perm isqrt")
_MATH_BOOL = words("isnan isinf isfinite isclose")


def _math(name: str, args: Args) -> Value:
    cls = "int" if name in _MATH_INT else "bool" if name in _MATH_BOOL else "float"
    if name == "prod" and args:
        element = iterate(args[0])
        cls_of_element = class_of(element) if element.atoms else "int"
        return Value((Number(cls_of_element, source_of(args[0], element)),))
    constants = [constant_of(a) for a in args]
    known = [c[0] for c in constants if c is not None and isinstance(c[0], (int, float))]
    if (
        args
        and len(known) == len(args)
        and all(abs(k) < 1e6 for k in known)
        and name not in ("factorial", "perm")
    ):
        try:
            return constant(getattr(math, name)(*known))
        except (AttributeError, ArithmeticError, ValueError, TypeError):
            pass
    return Value((Number(cls, source_of(*args)),))


_OPERATOR_TEXT = (
    "add:+ sub:- mul:* truediv:/ floordiv:// mod:% pow:** matmul:@ and_:& or_:| xor:^ lshift:<< rshift:>>"
    " iadd:+ imul:* concat:+"
)
_OPERATORS = dict(pair.split(":") for pair in _OPERATOR_TEXT.split())
_COMPARISONS = {
    "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "is_": "is", "is_not": "is not",
}  # fmt: skip


def _operator(name: str, args: Args) -> Value | None:
    if len(args) == 2:
        if name in _OPERATORS:
            return binary(_OPERATORS[name], *args)
        if name in _COMPARISONS:
            return compare(_COMPARISONS[name], *args)
        if name == "getitem":
            return subscript(*args)
    if len(args) == 1 and name in ("neg", "pos", "invert", "inv", "not_"):
        return unary({"neg": "-", "pos": "+", "not_": "not"}.get(name, "~"), args[0])
    return None


# ---------------------------------------------------------------- itertools, functools, copy


@_handles("itertools.chain")
def _chain(args: Args, keywords: Keywords) -> Value:
    return container("iterator", None, join_all([iterate(a) for a in args]))


@_handles("itertools.chain.from_iterable")
def _flattened(args: Args, keywords: Keywords) -> Value | None:
    inner = iterate(args[0]) if args else UNKNOWN
    return container("iterator", None, iterate(inner) if inner.atoms else inner)


@_handles("itertools.product", "itertools.zip_longest", "itertools.combinations", "itertools.permutations")
def _tuples(args: Args, keywords: Keywords) -> Value:
    elements = join_all([iterate(a) for a in args])
    return every("iterator", every("tuple", join(elements, NONE) if elements.atoms else UNKNOWN))


@_handles("itertools.repeat")
def _repeat(args: Args, keywords: Keywords) -> Value | None:
    return every("iterator", args[0]) if args else None


@_handles("itertools.count")
def _count(args: Args, keywords: Keywords) -> Value:
    return every("iterator", INT)


@_handles("itertools.islice", "itertools.cycle", "itertools.takewhile", "itertools.dropwhile")
def _islice(args: Args, keywords: Keywords) -> Value | None:
    if not args:
        return None
    held = next((a for a in args if sure(a, Container)), args[0])
    return every("iterator", iterate(held))


@_handles("itertools.accumulate")
def _accumulate(args: Args, keywords: Keywords) -> Value | None:
    return every("iterator", iterate(args[0])) if len(args) == 1 else None


@_handles("functools.partial")
def _partial(args: Args, keywords: Keywords) -> Value | None:
    return of(Partial(args[0], args[1:], tuple(keywords.items()))) if args else None


@_handles("copy.copy", "copy.deepcopy", "dataclasses.replace")
def _copy(args: Args, keywords: Keywords) -> Value | None:
    return args[0] if args else None


@_handles("collections.OrderedDict", "collections.Counter")
def _ordered(args: Args, keywords: Keywords) -> Value | None:
    return BUILTINS["builtins.dict"](args, keywords)


@_handles("collections.defaultdict")
def _defaultdict(args: Args, keywords: Keywords) -> Value:
    return container("dict", None, UNKNOWN)


@_handles("collections.deque")
def _deque(args: Args, keywords: Keywords) -> Value | None:
    return BUILTINS["builtins.list"](args[:1], {})


# ---------------------------------------------------------------- simple results

_INSTANCES = words(
    "threading.Lock threading.RLock threading.Event threading.Condition threading.Semaphore"
    " threading.Thread threading.Barrier threading.local threading.BoundedSemaphore threading.Timer"
    " queue.Queue queue.SimpleQueue queue.LifoQueue queue.PriorityQueue multiprocessing.Lock"
    " multiprocessing.Process multiprocessing.Queue multiprocessing.Pool"
    " concurrent.futures.ThreadPoolExecutor concurrent.futures.ProcessPoolExecutor random.Random"
    " numpy.random.RandomState numpy.random.Generator datetime.datetime pathlib.Path io.StringIO"
    " io.BytesIO decimal.Decimal fractions.Fraction tqdm.tqdm weakref.ref asyncio.Lock asyncio.Queue"
    " asyncio.Event types.SimpleNamespace argparse.ArgumentParser contextlib.ExitStack"
    " contextlib.nullcontext contextlib.suppress warnings.catch_warnings string.Template uuid.UUID"
    " re.Pattern subprocess.Popen tempfile.TemporaryDirectory tempfile.NamedTemporaryFile"
    " contextlib.redirect_stdout ctypes.CDLL ctypes.PyDLL torch.utils.tensorboard.SummaryWriter"
    " torch.optim.SGD torch.optim.Adam torch.optim.AdamW torch.optim.Adagrad torch.optim.Adadelta"
    " torch.optim.Adamax torch.optim.NAdam torch.optim.RAdam torch.optim.RMSprop torch.optim.Rprop"
    " torch.optim.ASGD torch.optim.LBFGS torch.optim.SparseAdam torch.optim.Adafactor torch.optim.Muon"
)
_RESULTS: dict[str, Value] = {
    "logging.getLogger": of(Instance("logging.Logger")),
    "logging.Logger.isEnabledFor": BOOL,
    "logging.Logger.getEffectiveLevel": INT,
    # The module that is built; with is_python_module=False there is none, and nothing is called on it.
    "torch.utils.cpp_extension.load": of(Instance("torch.utils.cpp_extension.Extension")),
    "torch.utils.cpp_extension.load_inline": of(Instance("torch.utils.cpp_extension.Extension")),
    "re.compile": of(Instance("re.Pattern")),
    "os.environ.get": TEXT,
    "os.getenv": TEXT,
    "os.getcwd": TEXT,
    "os.getpid": INT,
    "os.cpu_count": INT,
    "json.dumps": TEXT,
    "threading.get_ident": INT,
    "threading.current_thread": of(Instance("threading.Thread")),
    "numpy.random.default_rng": of(Instance("numpy.random.Generator")),
    "sys.getsizeof": INT,
    "sys.getrefcount": INT,
    "inspect.signature": of(Opaque("inspect.Signature")),
    "inspect.stack": every("list", of(Opaque("frame"))),
    "platform.system": TEXT,
    "warnings.warn": NONE,
    "time.sleep": NONE,
    "gc.collect": INT,
    "random.seed": NONE,
    "random.shuffle": NONE,
    "numpy.random.seed": NONE,
    "typing.TypeVar": of(Opaque("type variable")),
    "typing.NewType": of(Opaque("type")),
    "collections.namedtuple": UNKNOWN,
    "torch.Size.numel": SHAPE_INT,
    "torch.Size.count": INT,
    "torch.Size.index": INT,
    "numpy.ndarray.tolist": UNKNOWN,
    "numpy.ndarray.item": Value((Number(None),)),
    "importlib.metadata.version": TEXT,
    "importlib.util.find_spec": Value((NoneAtom(), Opaque("module spec"))),
    "re.search": Value((NoneAtom(), Opaque("match"))),
    "re.match": Value((NoneAtom(), Opaque("match"))),
    "re.fullmatch": Value((NoneAtom(), Opaque("match"))),
    "re.sub": TEXT,
    "re.split": every("list", TEXT),
    "re.findall": every("list", TEXT),
}


@_handles("os.environ.get", "os.getenv")
def _environment(args: Args, keywords: Keywords) -> Value:
    default = args[1] if len(args) > 1 else keywords.get("default", NONE)
    return join(TEXT, default)


@_handles("random.choice")
def _choice(args: Args, keywords: Keywords) -> Value | None:
    return iterate(args[0]) if args else None


@_handles("random.Random.choice")
def _choice_of(args: Args, keywords: Keywords) -> Value | None:
    return iterate(args[1]) if len(args) > 1 else None


@_handles("random.sample", "random.choices")
def _sample(args: Args, keywords: Keywords) -> Value | None:
    return container("list", None, iterate(args[0])) if args else None


# ---------------------------------------------------------------- einops


@_handles(
    "einops.rearrange", "einops.repeat", "einops.reduce", "einops.einops.rearrange", "einops.einops.repeat"
)
def _einops(args: Args, keywords: Keywords) -> Value:
    this = args[0] if args else keywords.get("tensor", UNKNOWN)
    if sure(this, Array):
        return build(Array(), this)
    held = this
    if len(this.atoms) == 1 and type(this.atoms[0]) is Container:
        held = element_of(this.atoms[0])
    pattern = constant_of(args[1]) if len(args) > 1 else None
    rank = None
    if pattern is not None and isinstance(pattern[0], str):
        rank = _axes(pattern[0].rpartition("->")[2])
    return tensor(class_of(held), rank)


HANDLERS["einops.einops.reduce"] = _einops


def _axes(side: str) -> int | None:
    """The number of axes named by one side of an einops pattern."""
    if "..." in side:
        return None
    depth, count = 0, 0
    for token in side.replace("(", " ( ").replace(")", " ) ").split():
        if token == "(":
            depth += 1
        elif token == ")":
            depth -= 1
            count += 1
        elif depth == 0:
            count += 1
    return count


@_handles("einops.pack")
def _pack(args: Args, keywords: Keywords) -> Value:
    return listing("tuple", tensor(), every("list", UNKNOWN))


@_handles("einops.unpack")
def _unpack(args: Args, keywords: Keywords) -> Value:
    return every("list", tensor(class_of(args[0]) if args else None))


@_handles("einops.einsum", "einops._torch_specific.apply_for_scriptable_torch")
def _einsum(args: Args, keywords: Keywords) -> Value:
    return tensor()


@_handles("einops.asnumpy")
def _asnumpy(args: Args, keywords: Keywords) -> Value:
    return of(Array())


@_handles("opt_einsum.contract")
def _contract(args: Args, keywords: Keywords) -> Value:
    return tensor()


# ---------------------------------------------------------------- numpy

_NUMPY_BOOL = words("array_equal allclose isscalar may_share_memory shares_memory iscomplexobj isrealobj")
_NUMPY_INT = words("ndim size")
_NUMPY_SCALAR = words(
    "sqrt log log2 log10 log1p exp exp2 expm1 ceil floor trunc rint abs absolute fabs power sin cos tan"
    " sinh cosh tanh arcsin arccos arctan arctan2 sign square mod fmod maximum minimum hypot deg2rad"
)
# How many positional arguments a draw takes before its size; without a size it is a number.
_NUMPY_DRAWS = {
    **dict.fromkeys(("rand", "random", "random_sample", "randn", "standard_normal"), 0),
    **dict.fromkeys(("uniform", "normal", "randint"), 2),
}
_NUMPY_TYPES = {
    **dict.fromkeys(("float32", "float64", "float16", "float_", "double", "single", "half"), "float"),
    **dict.fromkeys(
        ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "int_", "intp"), "int"
    ),
    "bool_": "bool",
}


def _numpy(name: str, args: Args) -> Value | None:
    head, _, last = name.rpartition(".")
    if head == "random":
        if last in _NUMPY_DRAWS and len(args) <= _NUMPY_DRAWS[last]:
            return Value((Number("int" if last == "randint" else "float", "tensor"),))
        return of(Array()) if last not in ("seed", "default_rng", "get_state", "set_state") else None
    if head in ("linalg", "fft", "ma", ""):
        if last in _NUMPY_BOOL:
            return BOOL
        if last in _NUMPY_INT:
            return SHAPE_INT
        if last == "shape":
            return every("tuple", SHAPE_INT)
        if last in ("finfo", "iinfo"):
            return of(Opaque("numpy." + last))
        if last == "dtype":
            return of(Opaque("numpy.dtype"))
        if last in _NUMPY_TYPES:
            return of(Array()) if args and not sure(args[0], Number) else Value((Number(_NUMPY_TYPES[last]),))
        if last in ("split", "array_split", "hsplit", "vsplit", "meshgrid", "broadcast_arrays"):
            return every("list", of(Array()))
        if last in ("nonzero", "where", "unravel_index", "ix_") and (last != "where" or len(args) == 1):
            return every("tuple", of(Array()))
        if last in ("save", "savez", "seterr", "set_printoptions", "copyto", "savetxt"):
            return NONE
        if last in (
            "load",
            "errstate",
            "vectorize",
            "printoptions",
            "unique",
            "histogram",
            "svd",
            "eig",
            "eigh",
            "qr",
        ):
            return None
        if last in _NUMPY_SCALAR and args and all(sure(arg, Number) for arg in args):
            return Value((Number("float"),))  # Dynamo folds it, as it does math functions
        if head == "" and last in ("random", "linalg", "fft", "testing", "ndarray"):
            return of(Array()) if last == "ndarray" else None
        # Reductions of arrays give numpy scalars, which Dynamo holds as 0-d arrays.
        return build(Array(), *args[:1])
    return None


_ARRAY_VOID = words("sort fill put setflags tofile resize")

# ---------------------------------------------------------------- whole modules

_DRAWS = {
    "randint": Value((Number("int", "random"),)),
    "randrange": Value((Number("int", "random"),)),
    "random": Value((Number("float", "random"),)),
    "uniform": Value((Number("float", "random"),)),
    "shuffle": NONE,
    "seed": NONE,
}
_FAMILIES: dict[str, Value] = {
    "random.": FLOAT,
    "time.": FLOAT,
    "logging.": NONE,
    "warnings.": NONE,
    "os.path.": TEXT,
}
_FAMILY_EXCEPTIONS = {
    **{f"random.{of_class}{name}": value for name, value in _DRAWS.items() for of_class in ("", "Random.")},
    "random.getrandbits": INT,
    "random.getstate": UNKNOWN,
    "time.time_ns": INT,
    "time.perf_counter_ns": INT,
    "time.monotonic_ns": INT,
    "time.strftime": TEXT,
    "time.localtime": UNKNOWN,
    "time.gmtime": UNKNOWN,
    "time.ctime": TEXT,
    "os.path.exists": BOOL,
    "os.path.isfile": BOOL,
    "os.path.isdir": BOOL,
    "os.path.getsize": INT,
    "os.path.splitext": listing("tuple", TEXT, TEXT),
    "os.path.split": listing("tuple", TEXT, TEXT),
    "logging.getLevelName": TEXT,
    "logging.StreamHandler": UNKNOWN,
    "logging.Formatter": UNKNOWN,
    "logging.FileHandler": UNKNOWN,
}


def by_family(symbol: str, args: Args, keywords: Keywords) -> Value | None:
    """Results that hold for everything below a module ('math.', 'numpy.'), or one class."""
    found = _RESULTS.get(symbol) or _FAMILY_EXCEPTIONS.get(symbol)
    if found is not None:
        return found
    head, _, name = symbol.partition(".")
    if head == "math":
        return _math(name, args)
    if head in ("operator", "_operator"):
        return _operator(name, args)
    if head == "numpy":
        if name.startswith("ndarray."):
            method = name.partition(".")[2]
            return NONE if method in _ARRAY_VOID else build(Array(), *args[:1])
        return _numpy(name, args)
    if head == "builtins" and name in _EXCEPTIONS:
        return of(Instance(symbol))
    if symbol.startswith("torch.autograd.function.FunctionCtx."):
        return NONE
    if symbol.endswith(".__enter__"):
        return args[0] if args else NONE
    if symbol in _INSTANCE_SET:
        return of(Instance(symbol))
    for prefix, value in _FAMILIES.items():
        if symbol.startswith(prefix):
            return value
    return None


_EXCEPTIONS = frozenset(
    name
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, BaseException)
)
_INSTANCE_SET = frozenset(_INSTANCES)


@_handles("torch.from_numpy")
def _from_numpy(args: Args, keywords: Keywords) -> Value:
    return tensor()


@_handles("torch.Tensor.numpy")
def _to_numpy(args: Args, keywords: Keywords) -> Value:
    return of(Array())


@_handles("typing.NamedTuple", "typing.get_origin", "typing.get_args")
def _typing(args: Args, keywords: Keywords) -> Value:
    return of(Opaque("type"))


@_handles("typing.assert_type", "typing_extensions.assert_type")
def _assert_type(args: Args, keywords: Keywords) -> Value | None:
    return args[0] if args else None
