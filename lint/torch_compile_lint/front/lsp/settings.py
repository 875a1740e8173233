"""What editors send as settings and arguments, as plain dictionaries."""

from __future__ import annotations

from typing import Any


def plain(value: Any) -> dict[str, Any]:
    """A JSON object, however the protocol library wrapped it."""
    if isinstance(value, dict):
        return value
    if hasattr(value, "_asdict"):
        return dict(value._asdict())
    return dict(getattr(value, "__dict__", {}))


def settings_from(given: Any) -> dict[str, Any]:
    """Settings from an editor: {"tclint": {...}} or {...}, keys as in the configuration file."""
    values = plain(given)
    inner = plain(values.get("tclint")) if "tclint" in values else values
    return {_kebab(k): v for k, v in inner.items() if v is not None}


def _kebab(key: str) -> str:
    return "".join(f"-{c.lower()}" if c.isupper() else c for c in key).replace("_", "-")
