"""What verification costs over the bare compile of the same modules.

    python benchmarks/overhead.py [--python EXE] [--rounds N]

Bare: one process imports torch and for each module builds it, compiles it with ``backend="eager"`` and calls
it three times. Verified: one worker runs a probe for each of the same modules, which is the eager call, the
compiled calls under observation, the comparison, and a forked process for each. Both import torch once.
Processor seconds are compared, since they do not depend on what else the machine does. Goal: at most 1.5.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "lint")]

SUBJECTS = """\
import torch
from torch import nn


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Conv2d(width, width, 3, padding=1)
        self.norm = nn.BatchNorm2d(width)
        self.second = nn.Conv2d(width, width, 3, padding=1)

    def forward(self, x):
        return (x + self.second(self.norm(self.first(x)).relu())).relu()


class Images(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 16, 3)
        self.body = nn.Sequential(*[Residual(16) for _ in range(12)])
        self.head = nn.Linear(16, 10)

    def forward(self, x):
        x = self.body(self.stem(x)).mean((2, 3))
        if x.isnan().any():
            x = x.nan_to_num()
        return self.head(x)


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.mix = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.wide = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        q, k, v = self.mix(self.norm(x)).chunk(3, -1)
        x = x + self.out(torch.softmax(q @ k.mT / q.shape[-1] ** 0.5, -1) @ v)
        return x + self.wide(x)


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(100, 32)
        self.blocks = nn.ModuleList(Block(32) for _ in range(12))

    def forward(self, ids):
        x = self.embed(ids)
        for block in self.blocks:
            x = block(x)
        print("done")
        return x


def images():
    return Images().eval(), (torch.randn(2, 3, 32, 32),)


def words():
    return Words().eval(), (torch.randint(0, 100, (2, 16)),)
"""
NAMES = ("images", "words", "images", "words")
BARE = """
import sys
import torch
torch.set_num_threads(1)
sys.path.insert(0, {folder!r})
import subjects
for name in {names!r}:
    torch._dynamo.reset()
    module, args = getattr(subjects, name)()
    compiled = torch.compile(module, backend="eager")
    for _ in range(3):
        compiled(*args)
"""


def spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def bare(python: str, folder: str) -> float:
    before = spent()
    code = BARE.format(folder=folder, names=NAMES)
    env = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run([python, "-c", code], check=True, stdout=subprocess.DEVNULL, env=env)
    return spent() - before


def verified(python: str, folder: str) -> float:
    from torch_compile_lint.verify.workers import Batch, LocalWorkers, Options

    path = str(Path(folder) / "subjects.py")
    setup = {"file": path, "search": [], "watch": [path], "memory": 8 << 30, "device": "cpu"}
    probes = [
        {"id": n, "title": name, "timeout": 300, "calls": 3, "steps": [{"how": "factory", "function": name}]}
        for n, name in enumerate(NAMES)
    ]
    found: list[Any] = []
    before = spent()
    LocalWorkers(Options(python)).run(
        [Batch({**setup, "backend": "eager"}, tuple(probes))], lambda _, __, result: found.append(result)
    )
    if [result["outcome"] for result in found] != ["ran"] * len(NAMES):
        raise SystemExit(f"a probe did not run: {found}")
    return spent() - before


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "subjects.py").write_text(SUBJECTS)
        for _ in range(options.rounds):
            alone, whole = bare(options.python, folder), verified(options.python, folder)
            ratios.append(whole / alone)
            print(f"bare {alone:6.1f} s  verified {whole:6.1f} s  ratio {ratios[-1]:.2f}")
    print(f"median ratio {statistics.median(ratios):.2f} over {options.rounds} rounds; goal 1.5")
    return 0


if __name__ == "__main__":
    sys.exit(main())
