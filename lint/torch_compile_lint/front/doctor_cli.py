"""`tclint doctor TARGET`: why is my compiled model not faster, and is it worth it?

TARGET is ``path.py:Name``, a model of a library by name (``timm:resnet50``, ``torchvision:resnet18``,
``transformers:BertModel``) or a script with its arguments after ``--``. Exit status: 0 when compiling is
certainly faster and nothing broke, 1 when not, 2 when nothing could be measured.
"""

from __future__ import annotations

import argparse
import os
import sys

from torch_compile_lint.config import ConfigError
from torch_compile_lint.doctor.measured import Measured, Message
from torch_compile_lint.doctor.walk import STEPS, Plan, Walk
from torch_compile_lint.front.options import OneLineParser
from torch_compile_lint.verify.workers import Options

LIBRARIES = ("timm", "torchvision", "transformers")
FORMATS = ("text", "json", "html")


def parser() -> argparse.ArgumentParser:
    """The options of `tclint doctor`."""
    made = OneLineParser(
        prog="tclint doctor",
        usage="tclint doctor PATH:NAME | LIBRARY:MODEL | SCRIPT.py [options] [-- ARGUMENTS]",
        description="Compiled? Fell back? Recompiles? Faster? Which part is hot? Worth it? Runs your code.",
        allow_abbrev=False,
    )
    add = made.add_argument
    add(
        "target",
        metavar="TARGET",
        help="path.py:Name, timm:NAME, torchvision:NAME, transformers:CLASS, script.py",
    )
    group = made.add_argument_group("how it is run")
    add = group.add_argument
    add("--python", metavar="EXE", help="the interpreter that has your torch and model (default: this one)")
    add("--device", default="cpu", metavar="D", help="cpu (default), cuda or auto")
    add("--backend", default="inductor", metavar="B", help="eager, aot_eager or inductor (default)")
    add("--mode", default="", metavar="M", help="mode of torch.compile, as in torch.compile(mode=...)")
    add("--inputs", metavar="FILE:FUNCTION", help="a function that returns (module, args, kwargs)")
    add("--train", action="store_true", help="time forward, backward and an optimizer step")
    add("--tiny", action="store_true", help="small inputs and configurations for models of libraries")
    add("--budget", type=float, default=600.0, metavar="S", help="seconds for the whole walk (default: 600)")
    add("--timeout", type=float, default=240.0, metavar="S", help="seconds for one step (default: 240)")
    add("--time", type=float, default=1.0, metavar="S", help="seconds of timing a configuration (default: 1)")
    add(
        "--processes",
        type=int,
        default=3,
        metavar="N",
        help="time the compiled model in N processes, which differ (default: 3)",
    )
    add("--memory-limit", type=float, default=8.0, metavar="GB", help="memory for one step (default: 8)")
    add("--skip", default="", metavar="STEPS", help=f"steps to leave out: {','.join(STEPS)}")
    add("--thorough", action="store_true", help="go on where a step has already explained the result")
    group = made.add_argument_group("what is reported")
    add = group.add_argument
    add("--format", default="text", metavar="F", help=f"one of {', '.join(FORMATS)}")
    add("--output", metavar="FILE", help="write the report to FILE")
    add("--repro", metavar="FILE", help="write a file that shows the smallest part that fails to compile")
    return made


def run(arguments: list[str]) -> int:
    """The whole command; the result is the exit status."""
    own, _, rest = _split(arguments)
    options = parser().parse_args(own)
    _validate(options)
    from torch_compile_lint.front import verify_cli

    verify_cli.end_like_interruption()
    python = verify_cli.interpreter(options.python or sys.executable)
    if options.device == "auto":
        options.device = "cuda" if verify_cli.has_cuda(python) else "cpu"
    if options.target.endswith(".py"):
        from torch_compile_lint.front import doctor_script

        return doctor_script.run(options, python, rest)
    if rest:
        raise ConfigError("arguments after `--` are for a script, not for a model")
    return _walk(options, python)


def _split(arguments: list[str]) -> tuple[list[str], str, list[str]]:
    if "--" not in arguments:
        return arguments, "", []
    at = arguments.index("--")
    return arguments[:at], "--", arguments[at + 1 :]


def _validate(options: argparse.Namespace) -> None:
    if options.format not in FORMATS:
        raise ConfigError(f"--format must be one of {', '.join(FORMATS)}, not `{options.format}`")
    if options.backend not in ("eager", "aot_eager", "inductor"):
        raise ConfigError(f"--backend must be eager, aot_eager or inductor, not `{options.backend}`")
    if options.device not in ("cpu", "cuda", "auto"):
        raise ConfigError(f"--device must be cpu, cuda or auto, not `{options.device}`")
    for name in ("budget", "timeout", "time", "memory_limit", "processes"):
        if getattr(options, name) <= 0:
            raise ConfigError(f"--{name.replace('_', '-')} must be positive")
    unknown = sorted(set(filter(None, options.skip.split(","))) - set(STEPS))
    if unknown:
        raise ConfigError(f"--skip: unknown step `{unknown[0]}`; steps are {', '.join(STEPS)}")
    if options.format == "html":
        from torch_compile_lint.doctor import report_html

        report_html.require_plots()


def _walk(options: argparse.Namespace, python: str) -> int:
    from torch_compile_lint.doctor import ablation
    from torch_compile_lint.doctor.session import NotBuilt, Session
    from torch_compile_lint.front.progress import for_terminal
    from torch_compile_lint.verify.workers import WorkerProblem

    settings = Options(
        python=python,
        backend=options.backend,
        device=options.device,
        timeout=options.timeout,
        memory_gb=options.memory_limit,
        search=(os.getcwd(),),
    )
    prepare, findings = _preparation(options, settings)
    found = Measured(options.target, device=options.device, train=options.train)
    session = Session(settings, prepare)
    progress = for_terminal()
    interrupted = False
    try:
        session.start()
        found.hello, found.prepared = session.hello, session.prepared
        plan = Plan(
            backend=options.backend,
            mode=options.mode,
            train=options.train,
            device=options.device,
            budget=options.budget,
            step_limit=options.timeout,
            time=options.time,
            processes=options.processes,
            skip=frozenset(filter(None, options.skip.split(","))),
            thorough=options.thorough,
        )
        Walk(session, plan, found, progress).run()
    except (WorkerProblem, NotBuilt) as problem:
        stage = f"{problem.stage}: " if isinstance(problem, NotBuilt) and problem.stage else ""
        raise ConfigError(f"{options.target}: {stage}{problem}") from None
    except KeyboardInterrupt:
        interrupted = True
        found.skipped.append("the rest: interrupted")
    finally:
        session.stop()
        if progress is not None:
            progress.clear()
    found.prices = ablation.joined(found.prices, findings, os.path.realpath)
    _write(found, options)
    _write_repro(found, options)
    if interrupted:
        return 130
    from torch_compile_lint.doctor import reasons

    return 0 if reasons.verdict(found).name == "healthy" else 1


def _preparation(options: argparse.Namespace, settings: Options) -> tuple[Message, list[object]]:
    """How the worker builds the target, and the static findings of its file."""
    library, colon, name = options.target.partition(":")
    if colon and library in LIBRARIES and not os.path.exists(library):
        if not name:
            raise ConfigError(f"name a model: {library}:NAME")
        step = {"how": "library", "library": library, "name": name, "tiny": options.tiny}
        return {"file": "", "steps": [step]}, []
    from torch_compile_lint.engine import Engine
    from torch_compile_lint.front import cli, verify_cli
    from torch_compile_lint.model import Request
    from torch_compile_lint.verify.plan import plan

    target = verify_cli.split_target(options.target)
    if not os.path.isfile(target.path):
        raise ConfigError(f"{options.target}: name a file and what to compile in it: path.py:Name")
    if options.inputs:
        file, at, function = options.inputs.rpartition(":")
        if not at or not function.isidentifier() or not os.path.isfile(file):
            raise ConfigError(f"--inputs must be FILE:FUNCTION, not `{options.inputs}`")
    report = Engine().check(Request(paths=(target.path,)))
    project = (os.path.realpath(target.path),)
    planned = plan([], [target], cli.reader({}), os.path.realpath, project, settings, options.inputs or "")
    probes = [probe for batch in planned.batches for probe in batch.probes]
    steps = [step for probe in probes for step in probe["steps"]]
    if not steps:
        raise ConfigError(f"{target.path}: there is nothing named `{target.name}` in it")
    prepare: Message = {"file": project[0], "search": [os.getcwd()], "steps": steps, "calls": 3}
    for probe in probes:
        prepare = {**{k: v for k, v in probe.items() if k not in prepare}, **prepare}
    return prepare, [f for f in report.findings if not f.suppressed]


def _write(found: Measured, options: argparse.Namespace) -> None:
    from torch_compile_lint.front import cli

    if options.format == "json":
        import json

        from torch_compile_lint.doctor.report_text import to_json

        text = json.dumps(to_json(found), indent=1, ensure_ascii=False) + "\n"
    elif options.format == "html":
        from torch_compile_lint.doctor import report_html

        text = report_html.render(found, cli.reader({}))
    else:
        from torch_compile_lint.doctor.report_text import render

        text = render(found, cli.terminal_width(sys.stdout) if sys.stdout.isatty() else 120)
    if options.output is None:
        cli.put(text)
        return
    try:
        with open(options.output, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as problem:
        raise ConfigError(f"--output {options.output}: {problem.strerror}") from None


def _write_repro(found: Measured, options: argparse.Namespace) -> None:
    if not options.repro:
        return
    from torch_compile_lint.doctor import repro

    text = repro.render(found, options.target)
    if text is None:
        sys.stderr.write("tclint: --repro: nothing failed to compile, so there is nothing to reproduce\n")
        return
    try:
        with open(options.repro, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as problem:
        raise ConfigError(f"--repro {options.repro}: {problem.strerror}") from None
    sys.stderr.write(f"tclint: wrote {options.repro}\n")
