"""Build hook: put the parsed ``rule.toml`` of all rules into the wheel, beside them.

Reading eighty TOML files costs a short run more than its analysis; JSON is read at once. Each table
stands beside the digest of the file it was parsed from, and one that does not match is not used, so the
files stay what counts. An editable install and a checkout have no such file and parse.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


class ParseRules(BuildHookInterface):
    """Adds ``torch_compile_lint_rules/parsed.json`` to a wheel."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel" or version == "editable":
            return
        folder = Path(self.root, "rules", "torch_compile_lint_rules")
        tables = {}
        for path in sorted(folder.glob("*/rule.toml")):
            data = path.read_bytes()
            digest = hashlib.blake2b(data, digest_size=16).hexdigest()
            tables[path.parent.name] = [digest, tomllib.loads(data.decode("utf-8"))]
        self._scratch = tempfile.TemporaryDirectory()
        target = Path(self._scratch.name, "parsed.json")
        target.write_text(json.dumps(tables, separators=(",", ":")), encoding="utf-8")
        build_data["force_include"][str(target)] = "torch_compile_lint_rules/parsed.json"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if hasattr(self, "_scratch"):
            self._scratch.cleanup()
