"""Recall and precision by library, as a picture."""

from __future__ import annotations

from pathlib import Path

from score import Score

AIM = 95


def draw(scores: dict[str, Score], path: Path) -> None:
    """One pair of bars for each library, with the counts they rest on."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "tclint", "font.size": 9})
    import matplotlib.pyplot as plt

    names = list(scores)
    figure, axes = plt.subplots(figsize=(8, 0.55 * len(names) + 1.4))
    for offset, (label, colour) in enumerate((("recall", "#3b6ea5"), ("precision", "#d98f3d"))):
        for row, name in enumerate(names):
            score = scores[name]
            value = getattr(score, label)
            kinds = (score.found, score.missed) if label == "recall" else (score.true, score.false)
            height = row + 0.36 * (offset - 0.5)
            axes.barh(height, 100 * (value or 0), 0.34, color=colour, label=label if row == 0 else None)
            axes.text(
                1,
                height,
                f"{len(kinds[0])} of {sum(map(len, kinds))}",
                va="center",
                fontsize=7,
                color="white",
            )
    axes.axvline(AIM, color="#555555", linewidth=0.8, linestyle="--")
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    axes.set_xlabel("per cent; dashed: the aim")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, 1.12), ncols=2, frameon=False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)
