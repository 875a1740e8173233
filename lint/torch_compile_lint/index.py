"""``SourceFile`` -> ``FileIndex`` by one ``ast`` parse and one lean walk; no judgement.

Where the running Python's ``ast`` cannot parse a file, the index is built from the facts of
the whole file instead (``index_facts``); where that fails as well, the index holds ``error``.
Nothing here raises for what stands in a file.
"""

from __future__ import annotations

import ast
import gc
import hashlib
import re
import warnings
from collections.abc import Iterator
from typing import Any

from torch_compile_lint.documents import is_document
from torch_compile_lint.facts import ir
from torch_compile_lint.facts.index_ir import (
    AttributeSketch,
    ClassIndex,
    CompileMark,
    FileIndex,
    FunctionIndex,
    ImportBinding,
    LocalSketch,
)
from torch_compile_lint.index_comments import find_suppressions
from torch_compile_lint.index_marks import compile_aliases, compile_marks, is_script, last_name
from torch_compile_lint.index_settings import settings_on
from torch_compile_lint.index_sketch import Sketcher
from torch_compile_lint.index_stores import attribute_sketches, in_source_order, local_sketches
from torch_compile_lint.index_walk import UnitScan, scan
from torch_compile_lint.source import SourceFile

__all__ = ["absolute_module", "index_file", "index_tree", "text_digest"]

_BLOCKS = (ast.If, ast.Try, ast.With, ast.AsyncWith, ast.For, ast.AsyncFor, ast.While) + (
    (ast.TryStar,) if hasattr(ast, "TryStar") else ()
)
MAX_VALUES = 16  # assignments to one module-level name that are kept
# Errors that no newer syntax can be behind: not worth a second parser.
_NEVER_NEWER = (
    "Missing parentheses in call to 'print'",
    "leading zeros in decimal",
    "unterminated triple-quoted string",
    "invalid decimal literal",
    "too many nested parentheses",
)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def index_file(source: SourceFile) -> FileIndex:
    """The index of one file. ``error`` is set, and the rest empty, where it does not parse."""
    if source.error is not None:
        return _empty(source, source.error)
    enabled = gc.isenabled()
    gc.disable()  # a tree is all live objects: collections in between find nothing
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes in the code we read
            tree = ast.parse(source.text, source.path)
        return index_tree(source, tree)
    except SyntaxError as problem:
        return _without_ast(source, problem)
    except (RecursionError, MemoryError):
        return _empty(source, "1:1: nested too deeply to be parsed")
    except ValueError as problem:  # a lone surrogate, or what else a codec let through
        return _empty(source, f"1:1: {problem}")
    finally:
        if enabled:
            gc.enable()


def index_tree(source: SourceFile, tree: ast.Module) -> FileIndex:
    """The index of a file that is parsed already."""
    return _Indexer(source).run(tree)


def absolute_module(module: str, is_package: bool, name: str | None, level: int) -> str:
    """The absolute name of ``from {'.' * level}{name} import ...`` in ``module``."""
    if level == 0:
        return name or ""
    parts = module.split(".") if module else []
    drop = level - 1 if is_package else level
    base = parts[: len(parts) - drop] if drop else parts
    return ".".join([*base, name] if name else base)


def text_digest(text: str) -> str:
    """The digest of a unit's text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _empty(source: SourceFile, error: str | None) -> FileIndex:
    return FileIndex(
        source.path, source.module, source.is_package, source.digest, len(source.text), error=error
    )


def _without_ast(source: SourceFile, problem: SyntaxError) -> FileIndex:
    line = problem.lineno or 1
    column = max(problem.offset or 1, 1)
    error = f"{line}:{column}: {problem.msg}"
    if isinstance(problem, IndentationError) or problem.msg.startswith(_NEVER_NEWER):
        return _empty(source, error)
    from torch_compile_lint.index_facts import tree_from_facts

    tree = tree_from_facts(source)
    return _empty(source, error) if tree is None else index_tree(source, tree)


class _Indexer:
    """One file's walk."""

    def __init__(self, source: SourceFile) -> None:
        self.source = source
        self.text = source.text
        self.sketcher = Sketcher(source.lines)
        self.imports: list[ImportBinding] = []
        self.inner: list[ImportBinding] = []  # inside functions
        self.stars: list[str] = []
        self.exports: list[str] | None = None
        self.open_exports = False  # __all__ is changed in a way we cannot follow
        self.globals: dict[str, tuple[ir.Expr, ...]] = {}
        self.functions: dict[str, FunctionIndex] = {}
        self.classes: dict[str, ClassIndex] = {}
        self.marks: list[CompileMark] = []
        self.aliases: set[str] = set()  # names that may be torch.compile and its kin

    def run(self, tree: ast.Module) -> FileIndex:
        source = self.source
        self.aliases = compile_aliases(tree, self.text)
        left = self.module_body(tree.body)
        out = UnitScan()
        scan(left, out, self.aliases)
        self.marks.extend(compile_marks(out, "", frozenset(), self.aliases, self.sketcher))
        index = FileIndex(
            path=source.path,
            module=source.module,
            is_package=source.is_package,
            digest=source.digest,
            length=len(self.text),
            imports=tuple(self.imports),
            inner_imports=tuple(self.inner),
            star_imports=tuple(self.stars),
            exports=None if self.exports is None or self.open_exports else tuple(self.exports),
            globals=self.globals,
            functions=self.functions,
            classes=self.classes,
            marks=tuple(self.marks),
            suppressions=find_suppressions(self.text, source.lines),
            settings=settings_on(tree, self.text),
            script=is_script(self.text),
        )
        self.find_torch()
        return index

    def find_torch(self) -> None:
        """Mark the functions in whose text a name imported from torch stands."""
        names = {b.local for b in self.imports if b.module.partition(".")[0] == "torch" and not b.typing_only}
        if names:
            pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(names)))})\b")
            for one in self.functions.values():
                one.speaks_of_torch = pattern.search(self.text, one.start, one.end) is not None

    # ------------------------------------------------------------ module level

    def module_body(self, body: list[ast.stmt]) -> list[ast.AST]:
        """Index a module body; what is returned is left to scan as the module's own code."""
        left: list[ast.AST] = []
        # (statement, conditional, typing only); blocks are pushed in place, so order is kept
        stack: list[tuple[ast.stmt, bool, bool]] = [(s, False, False) for s in reversed(body)]
        while stack:
            node, conditional, typing_only = stack.pop()
            t = type(node)
            if t in _FUNCTIONS:
                self.function(node, None)
            elif t is ast.ClassDef:
                self.class_(node, None)  # type: ignore[arg-type]
            elif t is ast.Import or t is ast.ImportFrom:
                self.import_(node, conditional, typing_only)
            elif t in _BLOCKS:
                nested = self.block(node, left)
                is_if = t is ast.If
                inner = conditional or t not in (ast.With, ast.AsyncWith)
                guard = is_if and _is_type_checking(node.test)  # type: ignore[attr-defined]
                for statements, is_body in nested:
                    only = typing_only or (guard and is_body)
                    stack.extend([(s, inner and not (guard and is_body), only) for s in statements])
            else:
                left.append(node)
                self.assignment(node)
        return left

    def block(self, node: Any, left: list[ast.AST]) -> list[tuple[list[ast.stmt], bool]]:
        """The statement lists of a compound statement, last first, each reversed."""
        t = type(node)
        lists: list[tuple[list[ast.stmt], bool]] = [(node.body, True)]
        if t is ast.If or t is ast.While:
            left.append(node.test)
        elif t is ast.With or t is ast.AsyncWith:
            for item in node.items:
                left.append(item.context_expr)
                if item.optional_vars is not None:
                    self.bind(item.optional_vars)
        elif t is ast.For or t is ast.AsyncFor:
            left.append(node.iter)
            self.bind(node.target)
        else:  # try
            lists.extend([(h.body, False) for h in node.handlers])
        if t not in (ast.With, ast.AsyncWith):
            lists.append((node.orelse, False))
        lists.append((getattr(node, "finalbody", []), False))
        return [(statements[::-1], is_body) for statements, is_body in reversed(lists)]

    def bind(self, target: ast.expr) -> None:
        """A module-level name of unknown value."""
        for node in ast.walk(target):
            if type(node) is ast.Name:
                self.globals.setdefault(node.id, ())

    def assignment(self, node: ast.stmt) -> None:
        t = type(node)
        if t is ast.Assign:
            for target in node.targets:  # type: ignore[attr-defined]
                self.assign(target, node.value)  # type: ignore[attr-defined]
        elif t is ast.AnnAssign:
            if node.value is not None:  # type: ignore[attr-defined]
                self.assign(node.target, node.value)  # type: ignore[attr-defined]
            else:
                self.bind(node.target)  # type: ignore[attr-defined]
        elif t is ast.AugAssign:
            target = node.target  # type: ignore[attr-defined]
            self.bind(target)
            if type(target) is ast.Name and target.id == "__all__":
                names = _strings(node.value)  # type: ignore[attr-defined]
                if names is None:
                    self.open_exports = True
                elif self.exports is not None:
                    self.exports.extend(names)
        elif t is ast.Expr:
            value: Any = node.value  # type: ignore[attr-defined]
            if type(value) is ast.Call and type(value.func) is ast.Attribute:
                base = value.func.value
                if type(base) is ast.Name and base.id == "__all__":
                    self.open_exports = True

    def assign(self, target: ast.expr, value: ast.expr) -> None:
        if type(target) is ast.Name:
            name = target.id
            if name == "__all__":
                self.exports = _strings(value)
                self.open_exports = self.exports is None
            earlier = self.globals.get(name)
            if earlier is None:
                self.globals[name] = (self.sketcher.expr(value),)
            elif earlier and len(earlier) < MAX_VALUES:
                self.globals[name] = (*earlier, self.sketcher.expr(value))
            else:
                self.globals[name] = ()  # what has so many values has an unknown one
        elif type(target) in (ast.Tuple, ast.List):
            items = target.elts  # type: ignore[attr-defined]
            values = value.elts if type(value) in (ast.Tuple, ast.List) else ()  # type: ignore[attr-defined]
            if len(items) == len(values):
                for item, one in zip(items, values, strict=True):
                    self.assign(item, one)
            else:
                self.bind(target)

    def import_(self, node: Any, conditional: bool, typing_only: bool) -> None:
        if type(node) is ast.ImportFrom and node.names[0].name == "*":
            self.stars.append(self.module_of(node))
        else:
            self.imports.extend(self.bindings(node, conditional, typing_only))

    def module_of(self, node: Any) -> str:
        """The absolute name of the module after `from`."""
        source = self.source
        return absolute_module(source.module, source.is_package, node.module, node.level)

    def bindings(self, node: Any, conditional: bool, typing_only: bool) -> Iterator[ImportBinding]:
        """What an import statement binds."""
        line = node.lineno
        if type(node) is ast.Import:
            for alias in node.names:
                name = alias.name
                local, module, also = alias.asname, name, None
                if local is None:
                    local = module = name.partition(".")[0]
                    also = name if local != name else None
                yield ImportBinding(local, module, None, also, line, typing_only, conditional)
            return
        found = self.module_of(node)
        for alias in node.names:
            # Without a module it is `from . import a` beside a file that is in no package.
            module, attr = (found, alias.name) if found else (alias.name, None)
            yield ImportBinding(
                alias.asname or alias.name, module, attr, None, line, typing_only, conditional
            )

    # ------------------------------------------------------------ functions and classes

    def unit_start(self, node: Any) -> int:
        """Where a unit starts: at the '@' of its first decorator, or its keyword."""
        if node.decorator_list:
            first = node.decorator_list[0]
            at = self.sketcher.offset(first.lineno, first.col_offset)
            return self.text.rfind("@", 0, at)
        return self.sketcher.offset(node.lineno, node.col_offset)

    def function(self, node: Any, owner: str | None) -> tuple[FunctionIndex, UnitScan]:
        name = node.name
        sketcher = self.sketcher
        start = self.unit_start(node)
        end = sketcher.offset(node.end_lineno, node.end_col_offset)
        out = UnitScan()
        arguments = node.args
        names = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
        for extra in (arguments.vararg, arguments.kwarg):
            if extra is not None:
                names.append(extra.arg)
        out.stores.update(names)
        nodes = [*node.body, *node.decorator_list, *arguments.defaults]
        nodes.extend([d for d in arguments.kw_defaults if d is not None])
        scan(nodes, out, self.aliases)
        qualname = name if owner is None else f"{owner}.{name}"
        key = self.free_key(qualname, node.decorator_list)
        index = FunctionIndex(
            qualname=key,
            name=name,
            owner=owner,
            start=start,
            end=end,
            line=node.lineno,
            digest=text_digest(self.text[start:end]),
            params=sketcher.params(arguments),
            returns=sketcher.optional(node.returns),
            decorators=tuple([sketcher.expr(d) for d in node.decorator_list]),
            is_async=type(node) is ast.AsyncFunctionDef,
            is_generator=out.is_generator,
            indent=start - sketcher.line_start(start),
            overload=any(last_name(d) == "overload" for d in node.decorator_list),
        )
        self.functions[key] = index
        for statement in out.imports:
            self.inner.extend(self.bindings(statement, True, False))
        if out.marks or out.nested:
            bound = frozenset(out.stores)
            self.marks.extend(compile_marks(out, key, bound, self.aliases, sketcher))
        return index, out

    def free_key(self, qualname: str, decorators: list[ast.expr]) -> str:
        """The key of a new definition; an earlier one of the same name is moved aside.

        The last definition of a name keeps the plain name, an earlier one becomes 'f#1'
        (``overload`` set). A property's setter is 'C.x.setter' and leaves the getter alone.
        """
        for decorator in decorators:
            if type(decorator) is ast.Attribute and decorator.attr in ("setter", "deleter"):
                return f"{qualname}.{decorator.attr}"
        earlier = self.functions.pop(qualname, None)
        if earlier is not None:
            number = 1
            while f"{qualname}#{number}" in self.functions:
                number += 1
            earlier.qualname = f"{qualname}#{number}"
            earlier.overload = True
            self.functions[earlier.qualname] = earlier
        return qualname

    def class_(self, node: ast.ClassDef, owner: str | None) -> str:
        """Index a class; the key it has then."""
        sketcher = self.sketcher
        qualname = node.name if owner is None else f"{owner}.{node.name}"
        if qualname in self.classes and is_document(self.source.path):
            # Cells and examples say `class Net` again and again, and each of them counts.
            qualname += f"#{sum(key.partition('#')[0] == qualname for key in self.classes)}"
        start = self.unit_start(node)
        end = sketcher.offset(node.end_lineno or node.lineno, node.end_col_offset or 0)
        attributes: list[AttributeSketch] = []
        methods: dict[str, str] = {}
        local: dict[str, tuple[LocalSketch, ...]] = {}
        holes: list[tuple[int, int]] = []  # of the body: methods and nested classes
        left: list[ast.AST] = []
        own: list[Any] = []
        names: set[str] = set()
        stack = list(reversed(node.body))
        while stack:
            child: Any = stack.pop()
            t = type(child)
            if t in _FUNCTIONS:
                index, out = self.function(child, qualname)
                holes.append((index.start, index.end))
                if index.qualname == f"{qualname}.{child.name}":
                    methods[child.name] = index.qualname
                if out.statements and child.args.args + child.args.posonlyargs:
                    self.stores(child, index.qualname, out, attributes, local)
            elif t is ast.ClassDef:
                nested = self.classes[self.class_(child, qualname)]
                holes.append((nested.start, nested.end))
            elif t in _BLOCKS:
                for statements, _ in self.block(child, left):
                    stack.extend(statements)
            else:
                left.append(child)
                if t is ast.Assign or t is ast.AnnAssign:
                    own.append(child)
                    targets = child.targets if t is ast.Assign else [child.target]
                    names.update([x.id for x in targets if type(x) is ast.Name])
        out = UnitScan()
        scan(left, out, self.aliases, in_class=True)
        bound = frozenset(names)
        self.marks.extend(compile_marks(out, qualname, bound, self.aliases, sketcher))
        attributes[:0] = self.class_attributes(own, bound)
        self.classes[qualname] = ClassIndex(
            qualname=qualname,
            name=node.name,
            start=start,
            end=end,
            line=node.lineno,
            bases=tuple([sketcher.expr(b) for b in node.bases]),
            keywords=tuple([(k.arg or "**", sketcher.expr(k.value)) for k in node.keywords]),
            decorators=tuple([sketcher.expr(d) for d in node.decorator_list]),
            attributes=tuple(attributes),
            methods=methods,
            locals=local,
            digest=self.class_digest(start, end, holes),
        )
        return qualname

    def class_attributes(self, own: list[Any], bound: frozenset[str]) -> list[AttributeSketch]:
        sketcher = self.sketcher
        found: list[AttributeSketch] = []
        for node in own:
            value = sketcher.optional(node.value, bound)
            if type(node) is ast.Assign:
                for target in node.targets:
                    if type(target) is ast.Name:
                        found.append(AttributeSketch(target.id, value, None, "", "", node.lineno))
            elif type(node.target) is ast.Name:
                note = sketcher.expr(node.annotation, bound)
                found.append(AttributeSketch(node.target.id, value, note, "", "", node.lineno))
        return found

    def stores(
        self,
        node: Any,
        qualname: str,
        out: UnitScan,
        attributes: list[AttributeSketch],
        local: dict[str, tuple[LocalSketch, ...]],
    ) -> None:
        """Sketch what a method stores on its receiver."""
        for decorator in node.decorator_list:
            if last_name(decorator) in ("staticmethod", "classmethod"):
                return
        arguments = node.args
        receiver = (arguments.posonlyargs or arguments.args)[0].arg
        bound = frozenset(out.stores)
        out.statements.sort(key=in_source_order)
        self.sketcher.mentioned.clear()
        found = attribute_sketches(out.statements, receiver, qualname, bound, self.sketcher)
        if not found:
            return
        attributes.extend(found)
        sketches = local_sketches(out.statements, bound, self.sketcher)
        if sketches:
            local[qualname] = tuple([one for group in sketches.values() for one in group])

    def class_digest(self, start: int, end: int, holes: list[tuple[int, int]]) -> str:
        """Of the class text without its methods, whose lengths still count (spans move)."""
        pieces: list[str] = []
        at = start
        for low, high in sorted(holes):
            pieces.append(self.text[at:low])
            pieces.append(f"\0{high - low}\0")
            at = high
        pieces.append(self.text[at:end])
        return text_digest("".join(pieces))


def _is_type_checking(test: ast.expr) -> bool:
    return last_name(test) == "TYPE_CHECKING"


def _strings(node: ast.expr) -> list[str] | None:
    if type(node) not in (ast.List, ast.Tuple):
        return None
    out: list[str] = []
    for item in node.elts:  # type: ignore[attr-defined]
        if type(item) is not ast.Constant or type(item.value) is not str:
            return None
        out.append(item.value)
    return out
