"""The arguments of one call as values, and binding them to parameters."""

from __future__ import annotations

from torch_compile_lint.facts import ir
from torch_compile_lint.program.lattice import container, element_of, join, join_all
from torch_compile_lint.program.values import NEVER, UNKNOWN, Container, Value


class Arguments:
    """Positional and keyword values; ``rest`` joins what came through ``*args`` of unknown length.

    ``mapping`` joins the values of a ``**kwargs`` whose keys are not known.
    """

    __slots__ = ("keywords", "mapping", "positional", "rest")

    def __init__(
        self, positional: list[Value] | None = None, keywords: dict[str, Value] | None = None
    ) -> None:
        self.positional: list[Value] = positional if positional is not None else []
        self.keywords: dict[str, Value] = keywords if keywords is not None else {}
        self.rest: Value | None = None
        self.mapping: Value | None = None

    def add(self, value: Value) -> None:
        """One more positional argument."""
        if self.rest is not None:
            # After ``*args`` of unknown length no position is certain.
            self.rest = join(self.rest, value)
        else:
            self.positional.append(value)

    def add_star(self, value: Value) -> None:
        """``*value``."""
        held = value.atoms[0] if len(value.atoms) == 1 else None
        if type(held) is Container and held.items is not None and held.kind != "dict" and self.rest is None:
            self.positional.extend(held.items)
            return
        element = join_all([element_of(a) if type(a) is Container else UNKNOWN for a in value.atoms])
        if element.atoms:
            self.rest = element if self.rest is None else join(self.rest, element)

    def add_mapping(self, value: Value) -> None:
        """``**value``."""
        held = value.atoms[0] if len(value.atoms) == 1 else None
        if type(held) is Container and held.keys is not None and held.items is not None:
            for key, item in zip(held.keys, held.items, strict=True):
                if isinstance(key, str):
                    self.keywords.setdefault(key, item)
            return
        element = element_of(held) if type(held) is Container else UNKNOWN
        if element.atoms:
            self.mapping = element if self.mapping is None else join(self.mapping, element)

    def flat(self) -> tuple[Value, ...]:
        """The positional values, with one more standing for a star's."""
        if self.rest is None:
            return tuple(self.positional)
        return (*self.positional, self.rest)

    def has_never(self) -> bool:
        """True while some argument has no value yet (recursion)."""
        for value in self.positional:
            if not value.atoms:
                return True
        return bool(self.keywords) and any(not value.atoms for value in self.keywords.values())

    def before(self, *values: Value) -> Arguments:
        """These arguments with more in front (``self``, a partial's)."""
        out = Arguments([*values, *self.positional], self.keywords)
        out.rest = self.rest
        out.mapping = self.mapping
        return out

    def without_first(self) -> Arguments:
        """These arguments without the first positional."""
        out = Arguments(self.positional[1:], self.keywords)
        out.rest = self.rest
        out.mapping = self.mapping
        return out


def bind_parameters(params: tuple[ir.Param, ...], given: Arguments) -> dict[str, Value | None]:
    """A value for each parameter by name; None where the default applies (or nothing is known)."""
    out: dict[str, Value | None] = {}
    position = 0
    positional = given.positional
    keywords = dict(given.keywords)
    for param in params:
        if param.kind in ("positional", "positional-only"):
            if position < len(positional):
                out[param.name] = positional[position]
                position += 1
                keywords.pop(param.name, None)
                continue
            if param.name in keywords and param.kind == "positional":
                out[param.name] = keywords.pop(param.name)
                continue
            out[param.name] = _perhaps(given.rest, given.mapping)
        elif param.kind == "var-positional":
            extra = tuple(positional[position:])
            position = len(positional)
            if given.rest is None:
                out[param.name] = container("tuple", extra)
            else:
                out[param.name] = container("tuple", None, join(join_all(extra), given.rest))
        elif param.kind == "keyword-only":
            if param.name in keywords:
                out[param.name] = keywords.pop(param.name)
            else:
                out[param.name] = _perhaps(None, given.mapping)
        else:
            if given.mapping is None:
                out[param.name] = container("dict", tuple(keywords.values()), None, tuple(keywords))
            else:
                held = join(join_all(list(keywords.values())), given.mapping)
                out[param.name] = container("dict", None, held)
    return out


def _perhaps(rest: Value | None, mapping: Value | None) -> Value | None:
    """What may have come through a star: it or the default, which nobody can tell."""
    if rest is None and mapping is None:
        return None
    return join(join(rest or NEVER, mapping or NEVER), UNKNOWN)
