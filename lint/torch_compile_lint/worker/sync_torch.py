"""Writes the data files of ``torchdb`` from an installed torch (``tclint dev sync-torch``).

Runs under a Python that has torch and ``expecttest``. Takes the folder to write to, or
``--breaks REGISTRY --release X.Y.Z`` to add only the graph-break registry of another release
(``torch/_dynamo/graph_break_registry.json`` out of its wheel), or ``--dynamo`` to write only the
lists of ``dynamo/X.Y.Z.json``, once for each release.

    PYTHONPATH=lint python -m torch_compile_lint.worker.sync_torch lint/torch_compile_lint/torchdb
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import inspect
import json
import re
import sys
from pathlib import Path
from typing import Any

from torch_compile_lint.worker import sync_tables as tables
from torch_compile_lint.worker.sync_stubs import split_union


def write_json(path: Path, value: Any) -> None:
    """One line per entry: compact to load, readable in a diff."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(value, dict):
        lines = [f"{json.dumps(k)}:{_compact(v)}" for k, v in sorted(value.items())]
        text = "{\n" + ",\n".join(lines) + "\n}\n"
    else:
        text = "[\n" + ",\n".join(_compact(v) for v in value) + "\n]\n"
    path.write_text(text, encoding="utf-8")


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


# ---------------------------------------------------------------- graph breaks


def trimmed_registry(path: Path) -> dict[str, list[Any]]:
    """id -> [title, context, explanation, hints] of the newest entry of each id."""
    out: dict[str, list[Any]] = {}
    for identifier, entries in json.loads(path.read_text(encoding="utf-8")).items():
        newest = entries[0]
        hints = _hints(newest.get("Hints") or [])
        out[identifier] = [
            " ".join((newest.get("Gb_type") or "").split()),
            newest.get("Context") or "",
            _sentence(newest.get("Explanation") or ""),
            hints,
        ]
    return out


def _hints(given: list[str]) -> list[str]:
    """Whole sentences: some entries hold one sentence in several pieces."""
    out: list[str] = []
    for piece in given:
        text = " ".join(piece.split())
        if out and text and not text[0].isupper() and out[-1][-1:] not in ".!":
            out[-1] = f"{out[-1]} {text}"
        elif text:
            out.append(text)
    return out


def _sentence(text: str) -> str:
    """One line; where the registry holds Python source, only its literal text."""
    text = " ".join(text.split())
    if not text.startswith(('"', 'f"')):
        return text
    return "".join(re.findall(r'"([^"]*)"', text)).strip()


# ---------------------------------------------------------------- results


def combined_results(stubs: dict[str, str], measured: dict[str, str]) -> dict[str, str]:
    """Measured rules refine what the stubs say; hand-written rows win over both."""
    out = dict(stubs)
    for symbol, spec in measured.items():
        stub = stubs.get(symbol)
        if stub is None or _same_shape(stub, spec):
            out[symbol] = spec
    for symbol, spec in (*tables.TENSOR_METHODS.items(), *tables.FUNCTIONS.items()):
        # A measured rule that only says more ('T:=:=' beside 'T:=') stands.
        if not measured.get(symbol, "").startswith(spec):
            out[symbol] = spec
    out.update({name: f"<{name}>" for name in tables.INSTANCES})
    return {k: v for k, v in out.items() if v != "?"}


def _same_shape(stub: str, measured: str) -> bool:
    """True when the measured rule covers every overload that the stub lists."""
    parts = split_union(stub)
    if len(parts) > 1:
        return False
    if stub[0] in "([":
        if measured[0] != stub[0]:
            return False
        same_end = stub.endswith(("*)", "*]")) == measured.endswith(("*)", "*]"))
        return same_end and stub.count(",") == measured.count(",")
    return stub[0] == measured[0]


def checked(results: dict[str, str]) -> dict[str, str]:
    """Without names that this torch does not have."""
    kept = ("torch.ops.",)  # of libraries that need not be installed
    return {s: spec for s, spec in results.items() if s.startswith(kept) or resolve(s) is not None}


def resolve(symbol: str) -> Any:
    """The object of a dotted name, importing modules on the way; None if there is none."""
    parts = symbol.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            target: Any = importlib.import_module(".".join(parts[:cut]))
        except Exception:
            continue
        for part in parts[cut:]:
            target = getattr(target, part, None)
            if target is None:
                return None
        return target
    return None


# ---------------------------------------------------------------- layers


def layer_table(measured: dict[str, tuple[str | None, list[Any]]]) -> dict[str, dict[str, Any]]:
    """Every nn.Module class of torch.nn: what a call gives and what its attributes are."""
    torch: Any = importlib.import_module("torch")
    classes: dict[str, Any] = {}
    for module_name in ("torch.nn", "torch.nn.parallel", "torch.nn.utils.parametrize", "torch.nn.attention"):
        for name, value in sorted(vars(importlib.import_module(module_name)).items()):
            if inspect.isclass(value) and issubclass(value, torch.nn.Module) and not name.startswith("_"):
                classes.setdefault(f"{module_name}.{name}", value)
    out: dict[str, dict[str, Any]] = {}
    for symbol, cls in classes.items():
        spec, instances = measured.get(symbol, (None, []))
        row: dict[str, Any] = {}
        call = tables.LAYERS.get(symbol) or spec or _forward_spec(cls)
        if call and call != "?":
            row["call"] = call
        attributes = layer_attributes(instances or made_somehow(cls))
        if attributes:
            row["attributes"] = attributes
        out[symbol] = row
    lazy = torch.nn.modules.lazy.LazyModuleMixin
    made = {name: cls for name, cls in classes.items() if not issubclass(cls, lazy)}
    for symbol, base in private_bases().items():
        out[symbol] = shared_row([out[name] for name, cls in made.items() if issubclass(cls, base)])
    return out


def shared_row(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """What all layers derived from one base have in common."""
    calls = {row.get("call", "?") for row in rows}
    several = [row.get("attributes", {}) for row in rows]
    same = {
        name: spec
        for name, spec in (several[0] if several else {}).items()
        if all(other.get(name) == spec for other in several)
    }
    row: dict[str, Any] = {"call": calls.pop()} if len(calls) == 1 and "?" not in calls else {}
    return {**row, "attributes": same} if same else row


def private_bases() -> dict[str, Any]:
    """What torch's own layers derive from and other people's do too: `torch.nn.modules.loss._Loss`."""
    torch: Any = importlib.import_module("torch")
    found: dict[str, Any] = {}
    for module_name, module in sorted(vars(torch.nn.modules).items()):
        for name, value in sorted(vars(module).items()) if inspect.ismodule(module) else ():
            if (
                name.startswith("_")
                and inspect.isclass(value)
                and issubclass(value, torch.nn.Module)
                and value.__module__ == module.__name__
            ):
                found[f"torch.nn.modules.{module_name}.{name}"] = value
    return found


def made_somehow(cls: Any) -> list[Any]:
    """Instances from the first usual argument lists that the constructor takes."""
    torch: Any = importlib.import_module("torch")
    if cls.__module__.startswith("torch.nn.parallel") or issubclass(
        cls, torch.nn.modules.lazy.LazyModuleMixin
    ):
        return []
    for text in tables.LAYER_ARGUMENTS:
        with contextlib.suppress(Exception):
            return [cls(*eval(f"({text},)" if text else "()"))]
    return []


def _forward_spec(cls: Any) -> str | None:
    stubs = importlib.import_module("torch_compile_lint.worker.sync_stubs")
    ast = importlib.import_module("ast")
    annotation = getattr(cls.forward, "__annotations__", {}).get("return")
    if annotation is None:
        return None
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    text = text.replace("torch._tensor.", "").replace("typing.", "")
    found: str = stubs.annotation_spec(ast.parse(text, mode="eval").body, {})
    return found


def layer_attributes(instances: list[Any]) -> dict[str, str]:
    """Attribute name -> specification over all instances made of one class."""
    seen: dict[str, set[str]] = {}
    for made in instances:
        for name, value in made.__dict__.items():
            if not name.startswith("_") and name != "training":
                seen.setdefault(name, set()).add(_attribute_spec(value))
        for name, value in (*made._parameters.items(), *made._buffers.items()):
            spec = "N" if value is None else _tensor_spec(value)
            seen.setdefault(name, set()).add(spec)
            # Constructors usually have a switch that leaves it out.
            if "bias" in name or "running" in name or "tracked" in name:
                seen[name].add("N")
    return {n: _merged(s) for n, s in sorted(seen.items()) if "?" not in s}


def _merged(specs: set[str]) -> str:
    """The union; tensors of several dtypes or ranks become one row that says less."""
    tensors = sorted(s for s in specs if s[0] == "T")
    others = sorted(s for s in specs if s[0] != "T")
    if len(tensors) > 1:
        classes = {s.split(":")[1] if ":" in s else "" for s in tensors}
        tensors = ["T:" + classes.pop() if len(classes) == 1 else "T"]
    return "|".join([*tensors, *others])


def _tensor_spec(value: Any) -> str:
    if hasattr(value, "materialize"):  # a lazy layer's parameter has no shape yet
        return "T:f"
    ops = importlib.import_module("torch_compile_lint.worker.sync_ops")
    cls = ops.class_of_dtype(value.dtype)
    return "T" if cls == "c" else f"T:{cls}:{value.dim()}"


def _attribute_spec(value: Any) -> str:
    for letter, kind in (("B", bool), ("I", int), ("F", float), ("S", str)):
        if type(value) is kind:
            return letter
    if value is None:
        return "N"
    if isinstance(value, tuple):
        inner = sorted({_attribute_spec(v) for v in value})
        return "?" if "?" in inner or not inner else "(" + "|".join(inner) + "*)"
    if callable(value) and hasattr(value, "forward"):
        return f"<module torch.nn.{type(value).__name__}>"
    return "?"


# ---------------------------------------------------------------- names


def alias_table(known: set[str]) -> dict[str, str]:
    """Where else a known function or class is reachable: full module path -> public name."""
    out: dict[str, str] = {}
    for symbol in sorted(known, key=lambda s: (s.count("."), len(s), s)):
        value = resolve(symbol)
        module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
        if not isinstance(module, str) or not isinstance(name, str) or not module.startswith("torch"):
            continue
        real = f"{module}.{name}"
        if real != symbol and real not in known and "<locals>" not in real and resolve(real) is value:
            out.setdefault(real, symbol)
    return out


def constants() -> dict[str, dict[str, str]]:
    """Tables of data attributes: 'torch.Tensor' and, per module, 'module.*'."""
    out = {"torch.Tensor": {k: v for k, v in sorted(tables.TENSOR_ATTRIBUTES.items()) if v != "?"}}
    for module, rows in tables.CONSTANTS.items():
        out[module + ".*"] = {n: spec for spec, names in rows.items() for n in names.split()}
    return out


# ---------------------------------------------------------------- Dynamo's own lists


def dynamo_lists() -> dict[str, list[str]]:
    """torch functions that Dynamo skips, and numpy functions that its numpy lacks.

    Dynamo looks a numpy function up by the object, so `np.concat` is found as `np.concatenate`.
    """
    rules = importlib.import_module("torch._dynamo.trace_rules")
    skip = rules.SkipFunctionVariable
    skipped = sorted(
        name
        for table in (getattr(rules, "manual_torch_name_rule_map", {}), *rules.torch_name_rule_map)
        for name, kind in table.items()
        if kind is skip and "#" not in name
    )
    known = importlib.import_module("torch._dynamo.variables.misc").get_np_to_tnp_map()
    numpy: Any = importlib.import_module("numpy")
    missing = []
    for prefix, module in (("", numpy), ("linalg.", numpy.linalg), ("fft.", numpy.fft)):
        for name, value in vars(module).items():
            is_function = callable(value) and (not inspect.isclass(value) or name in tables.NUMPY_CALLED)
            if not name.startswith("_") and is_function and value not in known:
                missing.append(prefix + name)
    return {"skipped": sorted(set(skipped)), "missing_numpy": sorted(missing)}


def main(arguments: list[str] | None = None) -> int:
    """Command line: see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--breaks", type=Path, help="a graph_break_registry.json to trim instead")
    parser.add_argument("--release", help="the release it comes from")
    parser.add_argument("--dynamo", action="store_true", help="only what Dynamo skips and its numpy lacks")
    options = parser.parse_args(arguments)
    if options.breaks is not None:
        write_json(options.folder / "breaks" / f"{options.release}.json", trimmed_registry(options.breaks))
        return 0
    torch: Any = importlib.import_module("torch")
    release = torch.__version__.split("+")[0]
    write_json(options.folder / "dynamo" / f"{release}.json", dynamo_lists())
    if options.dynamo:
        return 0
    ops = importlib.import_module("torch_compile_lint.worker.sync_ops")
    stubs = importlib.import_module("torch_compile_lint.worker.sync_stubs")
    root = Path(torch.__file__).parent

    def progress(name: str) -> None:
        if sys.stderr.isatty():
            print(f"\r\033[K{name}", end="", file=sys.stderr, flush=True)

    results = checked(combined_results(stubs.stub_rules(root), ops.operator_rules(progress)))
    layers = layer_table(ops.module_rules(progress))
    api = options.folder / "apis"
    write_json(api / "results.json", results)
    write_json(api / "layers.json", layers)
    write_json(api / "attributes.json", constants())
    write_json(api / "aliases.json", alias_table({*results, *layers}))
    importlib.import_module("torch_compile_lint.worker.sync_settings").write(options.folder)
    registry = root / "_dynamo" / "graph_break_registry.json"
    if registry.exists():
        write_json(options.folder / "breaks" / f"{release}.json", trimmed_registry(registry))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
