"""Which names are local, free or global: filled while lowering, settled when a scope closes.

A name's scope is known only at the end of the function that holds it, and a nested
function's free names only at the end of the functions around it. So every ``ir.Name`` is
listed in its scope, and a scope that closes settles what it can and hands the rest outward.

Comprehensions, and class bodies inside functions, run as part of the surrounding function
in the IR. Their names are prefixed (``<comp N>.x``, ``<class N>.x``) to keep them apart.
"""

from __future__ import annotations

from torch_compile_lint.facts import ir


class Pending:
    """Names that wait for an enclosing scope.

    ``frees`` are the free-name sets of the functions between the names and the scope that may
    settle them. ``header`` marks defaults, annotations and decorators of a nested function:
    they are evaluated outside it, so a class body's own names are visible to them.
    """

    __slots__ = ("frees", "header", "name", "nodes")

    def __init__(self, name: str, nodes: list[ir.Name], frees: list[set[str]], header: bool) -> None:
        self.name = name
        self.nodes = nodes
        self.frees = frees
        self.header = header

    def settle(self, name: str, scope: str) -> None:
        for node in self.nodes:
            node.name = name
            node.scope = scope
        for free in self.frees:
            free.add(name)


class Scope:
    """One open scope.

    ``kind``: function, header (its decorators, defaults and annotations; ``qualname`` is that
    of what surrounds it), module, class (a unit), local-class, comprehension.
    """

    __slots__ = (
        "bound",
        "free",
        "globals",
        "kind",
        "names",
        "nonlocals",
        "parent",
        "pending",
        "qualname",
        "yields",
    )

    def __init__(self, kind: str, qualname: str, parent: Scope | None) -> None:
        self.kind = kind
        self.qualname = qualname
        self.parent = parent
        self.names: list[ir.Name] = []
        self.pending: list[Pending] = []
        self.bound: set[str] = set()
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()
        self.free: set[str] = set()
        self.yields = False

    def child_qualname(self, name: str) -> str:
        """The qualname of a function or class that is defined here."""
        scope: Scope = self
        while scope.kind == "comprehension" and scope.parent is not None:
            scope = scope.parent
        if scope.kind == "function":
            return f"{scope.qualname}.<locals>.{name}"
        return f"{scope.qualname}.{name}" if scope.qualname else name

    def owner(self) -> Scope:
        """The scope a walrus binds in: comprehensions are transparent to it."""
        scope: Scope = self
        while scope.kind == "comprehension" and scope.parent is not None:
            scope = scope.parent
        return scope

    def frame(self) -> Scope:
        """The function (or unit) whose frame this scope's code runs in."""
        scope: Scope = self
        while scope.kind in ("comprehension", "local-class") and scope.parent is not None:
            scope = scope.parent
        return scope


def grouped(names: list[ir.Name]) -> dict[str, list[ir.Name]]:
    """The nodes of each name that is not settled yet."""
    groups: dict[str, list[ir.Name]] = {}
    for node in names:
        if node.scope:
            continue
        group = groups.get(node.name)
        if group is None:
            groups[node.name] = [node]
        else:
            group.append(node)
    return groups


def close_header(header: Scope, type_parameters: set[str], body: Scope) -> None:
    """Hand the names of a function's header to the scope the function is defined in."""
    outer = body.parent
    onward = [Pending(name, nodes, [], header=True) for name, nodes in grouped(header.names).items()]
    for pending in onward + header.pending:  # the latter: of lambdas and comprehensions in it
        if pending.name in type_parameters:
            pending.settle(pending.name, "local" if pending.header else "free")
        elif outer is None:
            pending.frees = []
            pending.settle(pending.name, "global")
        else:
            outer.pending.append(pending)
    for name in header.bound:
        if name.startswith("<"):
            body.bound.add(name)  # a comprehension's target lives where its ids do
        elif outer is not None:
            outer.owner().bound.add(name)
    if header.yields and outer is not None:
        outer.frame().yields = True


def close_function(scope: Scope) -> frozenset[str]:
    """Settle a function (or lambda) that ends; its local names."""
    declared_global = scope.globals
    local = scope.bound - declared_global - scope.nonlocals
    outer = scope.parent
    onward: list[Pending] = []
    for node in scope.names:
        if node.name in local:
            node.scope = "local"
    for name, nodes in grouped(scope.names).items():
        pending = Pending(name, nodes, [scope.free], header=False)
        if name in declared_global or outer is None:
            pending.frees = []
            pending.settle(name, "global")
        else:
            onward.append(pending)
    for pending in scope.pending:
        name = pending.name
        if name in local:
            pending.settle(name, "free")
        elif name in declared_global or outer is None:
            pending.frees = []
            pending.settle(name, "global")
        else:
            pending.frees.append(scope.free)
            pending.header = False
            onward.append(pending)
    if outer is not None:
        outer.pending.extend(onward)
    return frozenset(local)


def close_unit_body(scope: Scope) -> frozenset[str]:
    """Settle a class or module body that is a unit; the names bound in it.

    Module-level names are globals by nature. A class body's names are its locals, and
    functions nested in its expressions do not see them.
    """
    bound = scope.bound - scope.globals
    is_class = scope.kind == "class"
    for node in scope.names:
        if not node.scope:
            node.scope = "local" if is_class and node.name in bound else "global"
    for pending in scope.pending:
        pending.frees = []
        own = is_class and pending.header and pending.name in bound
        pending.settle(pending.name, "free" if own else "global")
    return frozenset(bound)


def close_prefixed(scope: Scope, prefix: str) -> None:
    """Settle a comprehension, or a class body inside a function, under a prefix.

    Names it does not bind belong to the scope around it, except that a comprehension inside
    a class body does not see that body's names.
    """
    outer = scope.parent
    assert outer is not None
    local = scope.bound - scope.globals - scope.nonlocals
    frame = scope.frame()
    for name in local:
        frame.bound.add(prefix + name)
    is_comprehension = scope.kind == "comprehension"
    if is_comprehension and outer.kind in ("class", "local-class"):
        rest = []
        for node in scope.names:
            if node.name in local:
                node.name = prefix + node.name
                node.scope = "local"
            elif not node.scope:
                rest.append(node)
        for name, nodes in grouped(rest).items():
            # Walrus targets do bind in the class body's frame; Python forbids them there.
            outer.pending.append(Pending(name, nodes, [], header=False))
    else:
        for node in scope.names:
            if node.scope:
                continue
            if node.name in local:
                node.name = prefix + node.name
                node.scope = "local"
            elif node.name in scope.globals:
                node.scope = "global"
            else:
                outer.names.append(node)
    for pending in scope.pending:
        if pending.name in local and (is_comprehension or pending.header):
            pending.settle(prefix + pending.name, "free")
        elif pending.name in scope.globals and is_comprehension:
            pending.frees = []
            pending.settle(pending.name, "global")
        else:
            outer.pending.append(pending)
