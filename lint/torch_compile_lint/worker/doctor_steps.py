"""The measurements the doctor knows, by name: each takes a target and a message, and returns plain data."""

from __future__ import annotations

from typing import Any, Callable, Dict

from .doctor_minimise import minimise
from .doctor_profile import profile
from .doctor_split import split
from .doctor_time import timed
from .doctor_watch import observe, shapes
from .target import Target

Step = Callable[[Target, Dict[str, Any], Any], Dict[str, Any]]

STEPS: dict[str, Step] = {
    "profile": profile,
    "observe": observe,
    "shapes": shapes,
    "time": timed,
    "split": split,
    "minimise": minimise,
}
