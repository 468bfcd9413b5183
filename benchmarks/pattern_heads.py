"""Generates the heads of the shipped directive patterns: `python -m benchmarks.pattern_heads`.

They are derived from the language files, and a test fails if they are outdated. They are stored because computing them
for the languages of one message takes a tenth of a second.
"""

from __future__ import annotations

import json
from pathlib import Path

import msgspec

from wisen.text.directive_grammar import DirectiveGrammar
from wisen.text.directive_words import SHIPPED, shipped_words
from wisen.text.pattern_heads import compute_heads

FILE = Path(__file__).parents[1] / "src" / "wisen" / "text" / "heads.json"
_NO_PATTERNS = ("marks", "sure")


def build_file() -> str:
    """Return the content of the file."""
    heads: dict[str, str] = {}
    for code in SHIPPED:
        grammar = DirectiveGrammar(code, shipped_words(code))
        if grammar.words.glued or grammar.words.prefix:
            continue  # their patterns are tried everywhere
        for name, entries in msgspec.structs.asdict(grammar.words).items():
            for entry in entries if isinstance(entries, tuple) and name not in _NO_PATTERNS else ():
                for variant in (grammar, grammar.without_accents):
                    pattern = variant.fold_pattern(entry)
                    heads[pattern] = "|".join(sorted(compute_heads(pattern) or ()))
    return json.dumps(heads, ensure_ascii=False, sort_keys=True, indent=0) + "\n"


if __name__ == "__main__":
    FILE.write_text(build_file(), encoding="utf-8")
