"""Detects failures in tool results by the fields and first words that tools have in common."""

from __future__ import annotations

import re

import msgspec

from wisen.text.lazy_regex import lazy_regex

_EXIT_FIELDS = ("exit_code", "exitCode", "returncode", "return_code")
_OUTPUT_FIELDS = ("output", "stdout", "stderr", "error", "message")
_EXIT_CODE = lazy_regex(r"\s*(?:exit code|(?:command|process) (?:exited|failed) with (?:exit )?code):?\s*(-?\d+)", re.I)
_ERROR = lazy_regex(r"\s*(?:Error:\s|Traceback \(most recent call last\):)")


def find_failure(text: str) -> str | None:
    """Return the error text of a failed result; None for a success."""
    result = _parse_object(text)
    if result is not None:
        return _error_text(result, text) if _has_failed(result) else None
    code = _EXIT_CODE.match(text)
    if code:
        return text if int(code[1]) else None
    return text if _ERROR.match(text) else None


def _parse_object(text: str) -> dict[str, object] | None:
    if not text.lstrip().startswith("{"):
        return None
    try:
        return msgspec.json.decode(text, type=dict[str, object])
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return None


def _exit_code(result: dict[str, object]) -> int:
    codes = (result.get(name) for name in _EXIT_FIELDS)
    return next((code for code in codes if isinstance(code, int) and not isinstance(code, bool)), 0)


def _has_failed(result: dict[str, object]) -> bool:
    wrong = result.get("is_error") is True or result.get("isError") is True or result.get("success") is False
    return bool(_exit_code(result)) or wrong or result.get("error") not in (None, False, "", [], {})


def _error_text(result: dict[str, object], text: str) -> str:
    outputs = [value for name in _OUTPUT_FIELDS if isinstance(value := result.get(name), str) and value]
    shown = "\n".join(outputs) or text
    code = _exit_code(result)
    return f"Exit code {code}\n{shown}" if code else shown
