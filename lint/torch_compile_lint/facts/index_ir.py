"""What the index of one file holds: structure and sketches, no judgement.

An index is cheap (one ``ast`` walk) and made for every file. A *sketch* is an ordinary IR
expression built from ``ast`` for the few places inference needs without lowering a function:
annotations, defaults, decorators, bases, module-level assignments, and what ``__init__`` (or
any method) stores on ``self``. Sketch spans are absolute offsets into the file.
"""

from __future__ import annotations

from torch_compile_lint.facts import ir
from torch_compile_lint.records import dataclass, field


@dataclass(slots=True)
class ImportBinding:
    """``local`` is bound to ``module`` (attr None) or to ``module.attr``.

    ``module`` is absolute: relative imports are resolved against the file's own module name.
    ``import a.b`` binds local 'a' to module 'a' (and makes 'a.b' importable: ``also``).
    """

    local: str
    module: str
    attr: str | None = None
    also: str | None = None
    line: int = 0
    typing_only: bool = False  # under `if TYPE_CHECKING`
    conditional: bool = False  # under try/if: a later or earlier binding may stand beside it


@dataclass(slots=True)
class FunctionIndex:
    """One unit-level function or method."""

    qualname: str
    name: str
    owner: str | None  # qualname of the class, None for a module-level function
    start: int  # absolute offset, decorators included
    end: int
    line: int  # of the `def` keyword's line, from 1
    digest: str  # of the unit's text
    params: tuple[ir.Param, ...]  # sketches for annotations and defaults
    returns: ir.Expr | None
    decorators: tuple[ir.Expr, ...]
    is_async: bool
    is_generator: bool
    indent: int  # columns before the first line of the unit
    overload: bool = False  # @typing.overload stub or otherwise redefined later in the same scope
    speaks_of_torch: bool = False  # a name that the file imports from torch stands in its text


@dataclass(slots=True)
class AttributeSketch:
    """``self.<name> = value`` (or annotation only) somewhere in a class.

    ``op`` is '' for plain assignment; '+=' etc. for augmented; 'append' for
    ``self.name.append(value)``; 'add_module' / 'register_buffer' / 'register_parameter' for
    those calls with a literal name. ``method`` is the qualname of the method it stands in,
    or '' for the class body.
    """

    name: str
    value: ir.Expr | None
    annotation: ir.Expr | None
    method: str
    op: str
    line: int


@dataclass(slots=True)
class LocalSketch:
    """An assignment to a local name of a method that stores attributes (flow-insensitive)."""

    name: str
    value: ir.Expr | None
    op: str  # as in AttributeSketch; 'for' for a loop target (value = the iterable)


@dataclass(slots=True)
class ClassIndex:
    qualname: str
    name: str
    start: int
    end: int
    line: int
    bases: tuple[ir.Expr, ...]
    keywords: tuple[tuple[str, ir.Expr], ...]  # metaclass=...
    decorators: tuple[ir.Expr, ...]
    attributes: tuple[AttributeSketch, ...]
    methods: dict[str, str]  # name -> qualname in FileIndex.functions (last definition wins)
    locals: dict[str, tuple[LocalSketch, ...]]  # method qualname -> its local sketches
    digest: str


@dataclass(slots=True)
class CompileMark:
    """A call that might compile something; judged by ``program.roots``.

    ``call`` is the whole call expression sketch, ``scope`` the qualname of the unit it stands
    in ('' for module level), ``discarded`` whether the call is an expression statement.
    """

    call: ir.Call
    scope: str
    discarded: bool
    line: int
    # Sketches of the scope's local names that the call mentions, directly or through others.
    locals: dict[str, tuple[LocalSketch, ...]] = field(default_factory=dict)


@dataclass(slots=True)
class Suppression:
    """An ignore comment. ``codes`` empty = all. ``end_line`` covers a multi-line statement."""

    line: int
    end_line: int
    codes: tuple[str, ...]
    kind: str  # noqa, ignore, file
    start: int  # offsets of the comment
    end: int


@dataclass(slots=True)
class FileIndex:
    path: str  # as given to the indexer; not part of the cached bytes' meaning
    module: str  # dotted name, '' if none
    is_package: bool  # __init__.py
    digest: str  # sha256 of the bytes
    length: int  # code points
    imports: tuple[ImportBinding, ...] = ()
    inner_imports: tuple[ImportBinding, ...] = ()  # inside functions: they bind nothing in the file
    star_imports: tuple[str, ...] = ()  # absolute module names
    exports: tuple[str, ...] | None = None  # __all__ where literal
    globals: dict[str, tuple[ir.Expr, ...]] = field(default_factory=dict)
    functions: dict[str, FunctionIndex] = field(default_factory=dict)  # by qualname
    classes: dict[str, ClassIndex] = field(default_factory=dict)  # by qualname
    marks: tuple[CompileMark, ...] = ()
    suppressions: tuple[Suppression, ...] = ()
    settings: tuple[str, ...] = ()  # of Dynamo that it switches on: 'scope:name' (``index_settings``)
    script: bool = False  # some unit may set up, call or configure the compiler
    error: str | None = None  # a syntax error: 'line:column: text' (reported as TCD000)
