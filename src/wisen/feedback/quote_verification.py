"""Verifies that words which an agent points at are whole sentences that the user typed in a turn.

Nothing is compared by meaning, case or look: the words match letter by letter or they are rejected. Only whitespace
and marks at the very end may differ. The result is the user's text, never what the agent sent.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wisen.errors import UsageError
from wisen.safety import sentinel
from wisen.text.directives import shipped_reader
from wisen.text.lasting_words import is_temporary
from wisen.text.lazy_regex import lazy_regex
from wisen.text.negations import count_negations
from wisen.text.orders import is_waiver
from wisen.text.permission_reading import is_permission
from wisen.text.standing_alone import stands_alone

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.text.directives import DirectiveReader

MAX_QUOTE = 280
"""Characters: longer quotes are not lessons."""
_ENDS = lazy_regex(r"[.!?…؟।]+[\"'”’»)\]]*(?=\s)|[。！？]+[”」』）]*|\n[ \t]*\n")
_ABBREVIATION = lazy_regex(
    r"\b(?:etc|e\.g|i\.e|cf|vs|approx|resp|incl|excl|esp|min|max|dept|fig|usw|bzw|evtl|ggf|inkl|zzgl|z\.\s?b|d\.\s?h"
    r"|p\.\s?ej|p\.\s?ex|ecc|itd|np|vb)\.$",
    re.IGNORECASE,
)
"""Abbreviations, whose period ends no sentence."""
_SHORT_WORD = lazy_regex(r"\b\w{1,2}\.$")
_BULLET = lazy_regex(r"[-*•–]\s|\d{1,2}[.)]\s")
_MARKS = " \t\r\n.!?…。！？؟।"
_QUOTES = (("“", "”"), ("«", "»"), ("「", "」"), ("『", "』"), ("„", "“"))
_QUOTED = lazy_regex(r"""^\W*(?:"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|「[^」]*」|'[^']{12,}')\W*$""")
_RETRACTIONS = lazy_regex(
    r"\b(?:just )?(?:kidding|joking|sarcasm|irony|ironically|said (?:nobody|no one)|as if|yeah,? right|scratch that"
    r"|never ?mind|forget (?:that|it)|on second thought|wait)\b",
    re.IGNORECASE,
)
_LEAD_IN = lazy_regex(
    r"\b(?:following|below|next|here(?:'s| is| are)|examples?|these (?:things|words|lines|rules))\b", re.IGNORECASE
)
_ASSENT = lazy_regex(
    r"\W*(?:(?:yes|yep|yeah|yup|ok|okay|sure|fine|alright|all right|right|great|thanks?)\b[\s,.!:;–—-]*)+"
    r"(?:(?:please|just|then|do|you (?:can|may)|go ahead(?: and)?|feel free to|go on(?: and)?)\s+)*(?!always|never)"
    r"(?:push|merge|commit|deploy|delete|remove|run|continue|proceed|go|do|skip|install|publish|release|apply|ship"
    r"|rebase|reset|force|send|write|drop)\b"
    r"|\W*(?:go ahead|proceed|go for it|go on|you (?:can|may)|feel free|lgtm|approved?|permission granted|i allow)\b",
    re.IGNORECASE,
)
"""How English permissions begin; other languages are recognized by the reader's own words."""
_PASTED_BLOCK = lazy_regex(r"```|~~~|^[ \t]*>", re.MULTILINE)
_MAX_RETRACTION_WORDS = 4


def verify_quote(words: str, typed: str, whole: str | None = None, reader: DirectiveReader | None = None) -> str:
    """Return the user's sentences that the words name, as they were typed.

    `typed`: the user's own words in the turn; `whole`: the full message, where some of it was pasted or quoted.
    `reader`: knows the user's languages; the default knows the shipped ones.

    Raises:
        UsageError: the user did not type them there, they cut a sentence, are part of a quotation or give permission.
    """
    given = collapse_whitespace(words)
    if not given.strip(_MARKS):
        raise UsageError("Give in `words` the sentences that the user typed, letter by letter.")
    if len(given) > MAX_QUOTE:
        raise UsageError(
            f"`words` has {len(given)} characters. At most {MAX_QUOTE} are accepted: give whole sentences only."
        )
    units = sentence_spans(typed)
    for first, (start, _) in enumerate(units):
        for last in range(first, len(units)):
            found = collapse_whitespace(typed[start : units[last][1]])
            if _strip_end_marks(found) == _strip_end_marks(given):
                _reject_misleading(typed, units, first, last, reader or shipped_reader())
                return found
    raise UsageError(_mismatch_reason(given, collapse_whitespace(typed), collapse_whitespace(whole or "")))


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """The spans of the sentences of a text; rather too long than too short: a list belongs to what introduces it."""
    spans: list[tuple[int, int]] = []
    start = 0
    for mark in _ENDS.finditer(text):
        if mark.group() == "." and _is_abbreviation(text[start : mark.end()], text[mark.end() :].lstrip()):
            continue
        spans.append((start, mark.end()))
        start = mark.end()
    spans.append((start, len(text)))
    joined: list[tuple[int, int]] = []
    for begin, end in spans:
        inside = text[begin:end].strip()
        if not inside:
            continue
        if joined and (_BULLET.match(inside) or text[: joined[-1][1]].rstrip().endswith((":", "：", ",", ";"))):
            joined[-1] = joined[-1][0], end
        else:
            joined.append((end - len(text[begin:end].lstrip()), end))
    return joined


def _is_abbreviation(before: str, after: str) -> bool:
    """Whether a period ends an abbreviation, and the sentence continues after it."""
    return bool(_ABBREVIATION.search(before) or (_SHORT_WORD.search(before) and after[:1].islower()))


def has_pasted_block(text: str) -> bool:
    """Whether a text has a fenced or quoted block: nobody can tell who wrote that."""
    return _PASTED_BLOCK.search(text) is not None


def collapse_whitespace(text: str) -> str:
    """A text with each run of whitespace replaced by one space."""
    return " ".join(text.split())


def _strip_end_marks(text: str) -> str:
    return text.rstrip(_MARKS)


def _reject_misleading(
    typed: str, units: Sequence[tuple[int, int]], first: int, last: int, reader: DirectiveReader
) -> None:
    """Reject words that mean something else in their context. Raises: UsageError."""
    found = collapse_whitespace(typed[units[first][0] : units[last][1]])
    if sentinel.strip(found) != found:
        raise UsageError("These words are wisen's own, not the user's.")
    if has_pasted_block(typed[: units[last][1]]):
        raise UsageError("Inside or after a pasted block nobody can tell what the user typed.")
    if _is_quoted(typed, units[first][0]) or _QUOTED.match(found):
        raise UsageError("These words are a quotation there, not the user's own.")
    after = _sentence_at(typed, units, last + 1)
    if after and _reverses(after):
        raise UsageError(f"The next sentence changes what they say. Include it: {after!r}")
    before = _sentence_at(typed, units, first - 1)
    if before and count_negations(before) and _LEAD_IN.search(before):
        raise UsageError(f"The sentence before changes what they say. Include it: {before!r}")
    for start, end in units[first : last + 1]:
        sentence = collapse_whitespace(typed[start:end])
        if is_waiver(sentence) or _ASSENT.match(sentence) or is_permission(sentence, reader):
            raise UsageError("They give permission for something. A permission is never learned.")
        if is_temporary(sentence):
            raise UsageError("They say themselves that they only hold for now.")


def _reverses(sentence: str) -> bool:
    """Whether a few words reverse the sentence before them: "not!", "just kidding", "don't do that"."""
    words = len(sentence.split())
    if words > _MAX_RETRACTION_WORDS:
        return False
    negates = count_negations(sentence) > 0 and (words < _MAX_RETRACTION_WORDS - 1 or not stands_alone(sentence))
    return negates or _RETRACTIONS.search(sentence) is not None


def _sentence_at(typed: str, units: Sequence[tuple[int, int]], number: int) -> str:
    return collapse_whitespace(typed[slice(*units[number])]) if 0 <= number < len(units) else ""


def _is_quoted(typed: str, start: int) -> bool:
    """Whether a position is inside quotation marks that were opened before it."""
    before = typed[:start]
    if before.count('"') % 2:
        return True
    return any(before.count(opens) > before.count(closes) for opens, closes in _QUOTES if opens in before)


def _mismatch_reason(given: str, typed: str, whole: str) -> str:
    if _strip_end_marks(given) in typed:
        return "They cut off a part of the user's sentence. Give whole sentences, from the first word to the last."
    if _strip_end_marks(given) in whole:
        return "They are in pasted or quoted text, which the user did not type."
    return "The user did not type these words in that turn. Copy them from it, letter by letter."
