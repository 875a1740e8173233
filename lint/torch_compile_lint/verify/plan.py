"""What to probe: findings grouped by the file of their compile root, and for each root a ladder of ways to
run it.

In: findings and the texts of files. Out: one ``Batch`` a file. Nothing is imported or run here.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Sequence
from typing import Any

from torch_compile_lint.model import Finding
from torch_compile_lint.records import dataclass, field
from torch_compile_lint.verify import isolated, shapes, slices
from torch_compile_lint.verify.chosen import Chosen
from torch_compile_lint.verify.workers import Batch, Options

FACTORY = "tclint_inputs"
_BUILDERS = ("timm", "torchvision", "transformers", "diffusers")  # libraries whose models the worker builds
_PRECISION = ("dtype", "float16", "half", "autocast", "finfo")  # words of code that asks for precision
Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Target:
    """What the user asked for: a file, or one name in it. ``inputs`` is FILE:FUNCTION or empty."""

    path: str
    name: str = ""


@dataclass(slots=True)
class _Root:
    """One class or function that is compiled, and the lines that are to be reached through it."""

    name: str  # qualified name of the class or function
    wanted: set[tuple[str, int]] = field(default_factory=set)
    findings: list[Finding] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Planned:
    """Batches, for each the wanted lines of its probes (for telling why nothing was reached), and what
    belongs to the names that the user gave.
    """

    batches: tuple[Batch, ...]
    wanted: tuple[tuple[frozenset[tuple[str, int]], ...], ...]
    chosen: Chosen


def plan(
    findings: Sequence[Finding],
    targets: Sequence[Target],
    read: Callable[[str], str],
    absolute: Callable[[str], str],
    project: Sequence[str],
    options: Options,
    inputs: str = "",
) -> Planned:
    """Batches for all findings, and for named targets and factories also where nothing was found."""
    chosen = Chosen({absolute(t.path): t.name for t in targets if t.name}, read, absolute)
    grouped = _by_root(chosen.planned(findings), absolute, chosen)
    for target in targets:
        path = absolute(target.path)
        if target.name:
            grouped.setdefault(path, {}).setdefault(target.name, _Root(target.name))
        elif path.endswith(".py") and (inputs or f"def {FACTORY}" in read(path)):
            grouped.setdefault(path, {})
    batches: list[Batch] = []
    wanted: list[tuple[frozenset[tuple[str, int]], ...]] = []
    for path in sorted(grouped):
        text = read(path)
        probes = _probes(path, text, grouped[path], read, absolute, project, options, inputs)
        if not probes:
            continue
        setup = {
            "file": path,
            "search": list(options.search),
            "watch": list(project),
            "memory": int(options.memory_gb * 2**30),
            "device": options.device,
            "backend": options.backend,
            "preload": _imports(text),
            "rests_on": [*project, *options.search],
        }
        batches.append(Batch(setup, tuple(probes)))
        wanted.append(tuple(frozenset((p, n) for p, n in probe["wanted"]) for probe in probes))
    return Planned(tuple(batches), tuple(wanted), chosen)


def _imports(text: str) -> list[str]:
    """Top-level names of the packages that a file imports by their full names."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return []
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.split(".")[0])
    return sorted(names)


def _by_root(
    findings: Sequence[Finding], absolute: Callable[[str], str], chosen: Chosen
) -> dict[str, dict[str, _Root]]:
    """File of the root -> name of the root (its class, for a method) -> what is wanted of it."""
    grouped: dict[str, dict[str, _Root]] = {}
    for finding in findings:
        path, function = absolute(finding.path), finding.function
        if finding.witness:
            path, function = absolute(finding.witness[0].path), finding.witness[0].function
        name = chosen.root(path, function.split(".<locals>")[0])
        root = grouped.setdefault(path, {}).setdefault(name, _Root(name))
        root.wanted.add((absolute(finding.path), finding.line))
        root.findings.append(finding)
    return grouped


def _probes(
    path: str,
    text: str,
    roots: dict[str, _Root],
    read: Callable[[str], str],
    absolute: Callable[[str], str],
    project: Sequence[str],
    options: Options,
    inputs: str,
) -> list[Message]:
    try:
        tree: ast.Module | None = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        tree = None
    everything = set().union(*(root.wanted for root in roots.values())) if roots else set()
    probes: list[Message] = []
    precisions = any(word in text for word in _PRECISION)

    def add(title: str, steps: list[Message], wanted: set[tuple[str, int]], **more: Any) -> None:
        probe = {"id": len(probes), "title": title, "steps": steps, "timeout": options.timeout, "calls": 3}
        more = {"precisions": precisions, **more}
        probes.append({**probe, "wanted": sorted([p, n] for p, n in wanted), **more})

    factory = _factory(tree, inputs)
    if factory is not None:
        add(factory["function"] + "()", [factory], everything, always=True, all_variants=True)
        if inputs:
            return probes
    if tree is None or not roots:
        return probes
    offers = _offers(path, tree)
    if offers is not None:
        add(os.path.basename(path), [offers], everything, timeout=options.timeout * 3)
    calls = slices.find_calls(path, tree, read, project)
    for name, root in sorted(roots.items()):
        owner, method = _owner(tree, name)
        steps: list[Message] = [{"how": "script", **call} for call in calls.get(owner or name, ())]
        hints = shapes.hints(tree, text, owner or name)
        if owner:
            steps.append({"how": "synthesize", "class": owner, "method": method, "hints": hints})
        elif name:
            steps.append({"how": "synthesize", "function": name, "hints": hints})
        alone = isolated.steps(path, root.findings, absolute)
        # A base class may have many subclasses to be run for it.
        longer = options.timeout * min(4, 1 + len(root.wanted) // 6)
        add(name, steps + alone, root.wanted, exhaust=True, timeout=longer)
    return probes


def _factory(tree: ast.Module | None, inputs: str) -> Message | None:
    if inputs:
        file, _, function = inputs.rpartition(":")
        return {"how": "factory", "file": os.path.abspath(file), "function": function}
    names = {node.name for node in (tree.body if tree else ()) if isinstance(node, ast.FunctionDef)}
    return {"how": "factory", "function": FACTORY} if FACTORY in names else None


def _offers(path: str, tree: ast.Module) -> Message | None:
    """Whether the file's library can build its own models, or its classes show inputs."""
    library = _library(path)
    if library:
        return {"how": "offers", "library": library}
    shown = ("example_input_array", "dummy_inputs", "get_dummy_inputs", "example_inputs")
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute | ast.FunctionDef):
            name = (
                node.id
                if isinstance(node, ast.Name)
                else node.attr
                if isinstance(node, ast.Attribute)
                else node.name
            )
            if name in shown:
                return {"how": "offers", "library": ""}
    return None


def _library(path: str) -> str:
    """The library with builders of its own to which a file belongs: the outermost folder of its name counts
    (diffusers has a folder ``transformers``), in an environment the one below ``site-packages``.
    """
    parts = os.path.normpath(path).split(os.sep)
    if "site-packages" in parts:
        parts = parts[len(parts) - parts[::-1].index("site-packages") :]
    return next((part for part in parts if part in _BUILDERS), "")


def _owner(tree: ast.Module, name: str) -> tuple[str, str]:
    """The class of a qualified name and the method, or ('', '')."""
    classes = {}
    stack: list[tuple[ast.AST, str]] = [(tree, "")]
    while stack:
        node, prefix = stack.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef):
                classes[prefix + child.name] = child
                stack.append((child, prefix + child.name + "."))
            elif isinstance(child, ast.If | ast.Try):
                stack.append((child, prefix))
    if name in classes:
        return name, "forward"
    owner, _, method = name.rpartition(".")
    return (owner, method) if owner in classes else ("", "")
