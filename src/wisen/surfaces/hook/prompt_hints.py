"""Tells at most prompts, without the table of requests, that they ask nothing of wisen, and what one recalls."""

from __future__ import annotations

import sys

from .hook_store import bundled_table

if __package__ and __package__.startswith("wisen"):
    from wisen.kernel.request_hints import may_ask, recall_query
else:
    # The same file, found by the folder of the package: nothing else of wisen is loaded with it.
    sys.path.append(__file__.rsplit("/", 3)[0])
    from kernel.request_hints import may_ask, recall_query  # type: ignore[import-not-found,no-redef,unused-ignore]

__all__ = ["hints_without_request", "recall_query"]


def hints_without_request(prompt: str, snapshot: dict[str, object]) -> dict[str, object] | None:
    """Return the hints of the table of requests if they tell that a prompt is none; None without a bundle."""
    hints = bundled_table("hints", str(snapshot.get("requests")))
    return None if hints is None or may_ask(prompt, hints) else hints
