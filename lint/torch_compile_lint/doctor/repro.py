"""A file that shows the smallest part that fails to compile: runnable where the user's own code is found."""

from __future__ import annotations

from torch_compile_lint.doctor.measured import Measured


def render(found: Measured, target: str) -> str | None:
    """The file's text, or None where nothing failed."""
    failed = (found.observed or {}).get("failed") or (found.main.failed if found.main else "")
    if not failed:
        return None
    small = found.minimised or {}
    name = small.get("name", "")
    path, _, what = target.rpartition(":")
    library = path in ("timm", "torchvision", "transformers")
    lines = [
        '"""Fails to compile, runs eagerly. Written by `tclint doctor`.',
        "",
        *(f"{part}" for part in failed.splitlines()[:3]),
        '"""',
        "",
        "import torch",
        "",
    ]
    if library:
        source = str(found.prepared.get("source", ""))
        lines += [
            f"import {path}",
            "",
            f"model = {source}.eval()" if "(" in source else f"# build {what} here",
        ]
    else:
        lines += [
            "import importlib.util",
            "",
            f"spec = importlib.util.spec_from_file_location('subject', {path!r})",
            "subject = importlib.util.module_from_spec(spec)",
            "spec.loader.exec_module(subject)",
            f"model = subject.{what}()  # with the arguments its constructor needs",
        ]
    if name:
        lines += [
            f"part = model.get_submodule({name!r})  # {small.get('class', '')}, the smallest that fails alone"
        ]
        arguments = ", ".join(small.get("inputs", []))
    else:
        lines += ["part = model"]
        arguments = ", ".join(_tensor(text) for text in found.prepared.get("inputs", []))
    backend = "inductor" if found.main is not None and found.main.failed else "eager"
    lines += [
        f"inputs = ({arguments},)" if arguments else "inputs = ()",
        "",
        "with torch.no_grad():",
        "    part(*inputs)  # runs",
        f"    torch.compile(part, backend={backend!r})(*inputs)  # raises",
    ]
    return "\n".join(lines) + "\n"


def _tensor(text: str) -> str:
    size, _, dtype = text.partition(" ")
    numbers = "" if size == "0-d" else ", ".join(size.split("x"))
    if dtype.startswith(("float", "bfloat")):
        return f"torch.randn({numbers or '()'}).to(torch.{dtype})"
    return f"torch.ones(({numbers}{',' if numbers and ',' not in numbers else ''}), dtype=torch.{dtype})"
