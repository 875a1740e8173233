"""Count the graph breaks of rows in this interpreter: ``measure.py ROW ...`` prints one JSON line each.

``breaks`` is what torch._dynamo.explain counts for one call (in evaluation it is the measure of
GraphMend's artifact); ``sites`` are the lines it blames. ``outputs`` is a digest of what one eager
call gives, so that two trees can be compared. Weights and inputs are seeded; each row is a fork.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import traceback
import warnings

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
warnings.simplefilter("ignore")


def digest(value) -> str:
    """A digest of all floating tensors of a result, to six digits."""
    import torch
    from torch.utils import _pytree

    parts = []
    leaves = _pytree.tree_flatten(dict(value) if hasattr(value, "keys") else value)[0]
    for leaf in leaves:
        if isinstance(leaf, torch.Tensor):
            parts.append(f"{tuple(leaf.shape)} {leaf.double().nan_to_num().sum().item():.6e}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def measure(row: str) -> dict:
    import torch
    import torch._dynamo as dynamo
    from rows import inputs_of

    model, given = inputs_of(row)()
    out = {"row": row, "torch": torch.__version__.split("+")[0]}
    for mode in ("eval", "train"):
        model.train(mode == "train")
        torch.manual_seed(1)
        with torch.no_grad():
            out["outputs_" + mode] = digest(model(**given))
        dynamo.reset()
        found = dynamo.explain(model)(**given)
        sites = []
        for reason in found.break_reasons:
            frame = reason.user_stack[-1] if reason.user_stack else None
            place = (
                "?" if frame is None else f"{frame.filename.rpartition('transformers/')[2]}:{frame.lineno}"
            )
            sites.append([place, str(reason.reason).strip().splitlines()[0][:100]])
        out[mode] = {"breaks": found.graph_break_count, "graphs": found.graph_count, "sites": sites}
    return out


def main() -> None:
    import torch
    import torch._dynamo
    import transformers

    torch.set_num_threads(1)
    for row in sys.argv[1:]:
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            try:
                print(json.dumps({**measure(row), "transformers": transformers.__version__}))
            except Exception as problem:
                where = traceback.extract_tb(problem.__traceback__)[-1]
                print(
                    json.dumps(
                        {"row": row, "error": f"{type(problem).__name__}: {problem} ({where.name})"[:300]}
                    )
                )
            sys.stdout.flush()
            os._exit(0)
        os.waitpid(child, 0)


if __name__ == "__main__":
    main()
