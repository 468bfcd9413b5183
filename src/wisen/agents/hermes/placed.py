"""wisen in Hermes: `wisen install hermes` put this file here, and `wisen uninstall hermes` takes it away.

Hermes loads it once you have enabled the plug-in. What is run stands in plugin.yaml beside it; by that the code is
found, which stays in wisen's own package.
"""

import runpy
import shlex
from pathlib import Path
from typing import Any


def register(context: Any) -> None:
    """Called by Hermes when it has loaded this file."""
    import yaml  # type: ignore[import-untyped,import-not-found,unused-ignore]  # Hermes has it

    told = yaml.safe_load(Path(__file__).with_name("plugin.yaml").read_text(encoding="utf-8")) or {}
    commands = {
        event: [shlex.split(each["command"]) for each in calls] for event, calls in told.get("calls", {}).items()
    }
    for package in {Path(words[3]).parents[2] for calls in commands.values() for words in calls}:
        runpy.run_path(str(package / "agents" / "hermes" / "plugin.py"))["listen"](context, commands)
