"""Computes the signature of a failed call, with the standard library only.

Agrees with `mining/signatures.py`, which takes too long to load inside a turn; tests check that both agree. The known
error messages are data next to the snapshot. A pattern is compiled only if one of its words occurs.
"""

from __future__ import annotations

from marshal import loads

from .lean_re import IGNORECASE, MULTILINE, pattern
from .shell import Part, command_in, main_program, parts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

VERSION = 2
"""The version of these signatures: signatures of another version are not compared with them."""
_MAX_LENGTH = 100
_LOOKED_AT = 8_000
_EXIT = r"\s*(?:Exit code|exit code|Process exited with code|\[exit code:?) ?(-?\d+)\]?[ \t]*(?:\n|\Z)"
_TAGS = r"</?(?:tool_use_error|error)>"
_ANSI = r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07|\r(?!\n)"
_SPEAKER = r"^(?:/\S*/)?(?P<who>[A-Za-z][\w.+-]*): "
_SHELL = r"^(?:/\S*/)?(?:ba|z|da|fi)?sh(?:\[\d+\])?: (?:line \d+: )?|^\(eval\):(?:cd:)?\d+: ?|^\S+\.sh: line \d+: "
_ECHO = r"[ \t]*(?:\[[\w:.-]+\] )?\$ .*(?:\n|\Z)"
_TELLS = (
    r"\b(?:error|fatal|failed|failure|not found|no such|denied|unrecognized|unknown|invalid|cannot|can't|unable|panic"
    r"|exception|missing|refused|illegal|not allowed|unexpected|must|requires?|timed? ?out)\b"
)
_RAISED = r"^(?P<kind>[A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt|Warning|Failure))(?::[ \t]*(?P<what>.*))?$"
_USAGE = r"^\s*[Uu]sage:\s+(?P<who>[\w.-]+)"
_ENDINGS = "[cm]?[jt]sx?|py|go|rs|md|json|ya?ml|toml|sh|css|html?|java|rb|php|c|h|cpp|txt|lock"
_NORMAL = (
    (r"\bhttps?://[^\s\"'<>)]+", "<url>"),
    (r"\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|`[^`\n]{1,200}`|“[^”\n]{1,200}”|‘[^’\n]{1,200}’", "…"),
    (r"(?:[A-Za-z]:)?(?:[~.\w@+-]*[/\\])+[\w.@~*+-]*(?::\d+)*", "<path>"),
    (rf"\b[\w-]+\.(?:{_ENDINGS})\b(?::\d+)*", "<path>"),
    (r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "<id>"),
    (r"\b(?=[a-f]*\d)[0-9a-f]{7,}\b|\b0x[0-9a-fA-F]+\b", "<id>"),
    (r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?)?\b|\b\d\d:\d\d:\d\d\b", "<time>"),
    (r"\b\d+(?:\.\d+)?\s?(?:ms|s|sec|seconds?|m|min|minutes?|h)\b", "<time>"),
    (r"[-+]?\b\d+(?:[.,]\d+)*\b", "N"),
    (r"\s+", " "),
)
PATTERNS = (
    *((each, 0) for each in (_EXIT, _TAGS, _ANSI, _SPEAKER, _SHELL, _ECHO, *(form for form, _ in _NORMAL))),
    *((_TELLS, IGNORECASE), (_RAISED, MULTILINE), (_USAGE, MULTILINE)),
)
"""What is precompiled in the bundle."""

Signed = tuple[str, str, str]
"""The key, who complains, and the message."""


class Complaints:
    """The known error messages, as stored next to a snapshot or in the bundle."""

    def __init__(self, data: dict[str, object]) -> None:
        self._data = data

    def candidates(self, kind: str, said: str) -> Iterator[dict[str, object]]:
        """Yield those of a kind that may occur in a text, in order: all, or what the bundle packed behind its words."""
        rows, folded = self._data[kind], plain(said)
        for each in rows if isinstance(rows, list) else ():
            if isinstance(each, dict):
                yield each
            elif _has_words(each[0], folded if each[1] else said):
                yield loads(each[2])  # noqa: S302 - our own file


def compute_signature(tool: str, fields: dict[str, object], text: str, known: Complaints) -> Signed:
    """Compute the signature of a failed call."""
    said = _clean(text)
    line = command_in(fields)
    if line is None:
        return _of_tool(said, tool, known)
    return _of_command(said, parts_of(line), _exit_match(text), known)


def _clean(text: str) -> str:
    half = _LOOKED_AT // 2
    if len(text) > _LOOKED_AT:
        text = f"{text[:half]}\n{text[-half:]}"
    if "\x1b" in text or "\r" in text:
        text = pattern(_ANSI).sub("", text)
    if "<" in text:
        text = pattern(_TAGS).sub("", text)
    ended = _exit_match(text)
    return text[ended.end() :] if ended else text


def _exit_match(text: str) -> re.Match[str] | None:
    return pattern(_EXIT).match(text) if "code" in text else None


def _of_tool(said: str, tool: str, known: Complaints) -> Signed:
    first = said.strip().partition("\n")[0]
    for each in known.candidates("tools", first):
        if _search(each["form"], first):
            return _signature(str(each["key"]), str(each["who"]) or tool, normalize_line(first) if each["says"] else "")
    key = "api.error" if tool.startswith("mcp__") else "runtime.error"
    return _signature(key, tool, normalize_line(_informative_line(said) or first))


def _of_command(said: str, parts: list[Part], ended: re.Match[str] | None, known: Complaints) -> Signed:
    if not said.strip():
        last = parts[-1].program if parts else ""
        return _signature("shell.said-nothing", last, f"exit {ended[1]}, said nothing" if ended else "said nothing")
    check = _check(said, known)
    if check is not None:
        return check
    for complaint in known.candidates("complaints", said):
        found = _search(complaint["form"], said)
        if found is not None:
            return _complaint(complaint, said, found, parts)
    telling = _informative_line(said)
    line = telling or _first_line(said)
    return _signature("runtime.error" if telling else "shell.nonzero-exit", _speaker(line, parts), normalize_line(line))


def _check(said: str, known: Complaints) -> Signed | None:
    best: tuple[int, Signed] | None = None
    for check in known.candidates("checks", said):
        if not any(hint in said for hint in _texts(check["hints"])) or _search(check["unless"], said):
            continue
        if not _may_fit(check["form"], said):
            continue
        last = None
        for each in _compiled(check["form"]).finditer(said):
            last = each
        if last is not None and (best is None or last.start() > best[0]):
            best = last.start(), _signature(str(check["key"]), str(check["who"]))
    return best[1] if best else None


def _complaint(complaint: dict[str, object], said: str, found: re.Match[str], parts: list[Part]) -> Signed:
    start = said.rfind("\n", 0, found.start() + 1) + 1
    line = said[start:].partition("\n")[0]
    named = next((value for value in found.groupdict().values() if value), None)
    key = str(complaint["key"])
    who = str(complaint["who"]) or (named.rsplit("/", 1)[-1] if named else "")
    if not who:
        usage = pattern(_USAGE, MULTILINE).search(said) if key.startswith("shell.unknown") else None
        who = usage["who"] if usage else _speaker(line, parts)
    says = ""
    if complaint["says"]:
        raised = None
        for each in pattern(_RAISED, MULTILINE).finditer(said):
            raised = each
        says = normalize_line(f"{raised['kind'].rsplit('.', 1)[-1]}: {raised['what'] or ''}" if raised else line)
    return _signature(key, who, says)


def _speaker(line: str, parts: list[Part]) -> str:
    named = pattern(_SPEAKER).match(pattern(_SHELL).sub("", line.strip()))
    if named and any(named["who"] == part.program or named["who"] in part.words for part in parts):
        return named["who"]
    if pattern(_SHELL).match(line.strip()) and "cd" in line and any(part.program == "cd" for part in parts):
        return "cd"
    return main_program(parts)


def _informative_line(said: str) -> str | None:
    tells, position = pattern(_TELLS, IGNORECASE), 0
    while found := tells.search(said, position):
        start = said.rfind("\n", 0, found.start()) + 1
        line = said[start:].partition("\n")[0]
        if not pattern(_ECHO).match(line) and len(line) < 1000:
            return line
        position = start + len(line) + 1
    return None


def _first_line(said: str) -> str:
    lines = (line for line in said.splitlines() if line.strip() and not pattern(_ECHO).match(line))
    return next(lines, said.strip().partition("\n")[0])


def normalize_line(line: str) -> str:
    """Replace the values in a line: paths, numbers, ids, times and quoted texts."""
    line = pattern(_SHELL).sub("", line.strip())[:1000]
    for form, replacement in _NORMAL:
        line = pattern(form).sub(replacement, line)
    return line.strip(" :-=")[:_MAX_LENGTH]


def _signature(key: str, who: str, says: str = "") -> Signed:
    return key, who, says.removeprefix(f"{who}: ") if who else says


def _search(form: object, said: str) -> re.Match[str] | None:
    """Return the first match of a form."""
    return _compiled(form).search(said) if _may_fit(form, said) else None


def _may_fit(form: object, said: str) -> bool:
    """Whether all words of one of a form's sets occur: otherwise it is not compiled.

    A form is its pattern, whether case is ignored, and those sets, as `mining/error_pattern_export.py` writes it.
    """
    if not isinstance(form, list):
        return False
    where = plain(said) if form[1] else said
    return not form[2] or any(all(word in where for word in each) for each in form[2])


def _compiled(form: object) -> re.Pattern[str]:
    text, ignores = (form[0], form[1]) if isinstance(form, list) else ("", 0)
    return pattern(str(text), MULTILINE | (IGNORECASE if ignores else 0))


def plain(text: str) -> str:
    """Lowercase a text, including letters that a case-insensitive pattern treats alike."""
    return text.replace("İ", "i").casefold().replace("ı", "i")


def _texts(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _has_words(sets: str, where: str) -> bool:
    """Whether all words of one of the sets occur."""
    for each in sets.split("\1"):
        if each in where:
            return True
        if "\0" in each:
            for word in each.split("\0"):
                if word not in where:
                    break
            else:
                return True
    return False
