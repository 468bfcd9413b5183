"""Divides a typed message into passages: the user's own words, and what was pasted, quoted or given to work on.

Such material teaches nothing; it can only be found again. Structure decides, never content: how lines begin, how a text
is introduced, formatted and signed. If the end of a passage is unclear (a letter, a document, the object of
"Translate:"), it extends to the end of the message: better too much material than too little. What is written before
it, and after a quotation, a log, a diff or lines of a chat, stays the user's.

A sentence that was pasted without any frame, and looks as if it had been typed, cannot be told from one.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from wisen.safety import line_shapes as shapes
from wisen.safety import page_headers
from wisen.safety.enclosed_text import enclosed_spans
from wisen.safety.introductions import find_object, introduces_document
from wisen.safety.line_shapes import MessageLine
from wisen.safety.own_reports import report_spans
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class PassageKind(StrEnum):
    """What a passage of a message is."""

    OWN = "own words"
    PASTE = "paste"
    HIDDEN = "hidden characters"
    QUOTATION = "quotation"
    DIFF = "diff"
    LOG = "log"
    CHAT = "chat"
    FORM = "form"
    """The header of a mail, ticket, commit or invitation, and what is below."""
    LETTER = "letter"
    DOCUMENT = "document"
    ENCLOSED = "enclosed"
    """What stands between delimiters: in an element, triple quotes, ruled lines."""
    REPORT = "report"
    """Lines of wisen's own lists and pages."""
    OBJECT = "object"
    """What is to be translated, summarized, answered; what somebody else said."""


class MessagePassage(NamedTuple):
    """A part of a message; together they are the message."""

    kind: PassageKind
    text: str


_PASTED = lazy_regex(
    r"\x1b\[200~|\[(?:Pasted|Paste)\b[^\]\n]{0,60}?(?:\+(?P<lines>\d{1,6}) lines?)?\s?\]|<pasted[\w -]{0,40}>",
    re.IGNORECASE,
)
_PASTE_ENDS = lazy_regex(r"\x1b\[201~|\[/(?:Pasted|Paste)[^\]\n]{0,40}\]|</pasted[\w -]{0,40}>", re.IGNORECASE)
_FRAMES = lazy_regex(r"[\n\r\t:>\[<\x1b|@]|\"{3}|'{3}|^\s*(?:npm |\d|[^\w\s\"'(])")
"""A line in ASCII without any of these has no frame that is known here."""
_FENCE = lazy_regex(r"\s{0,8}(?:```|~~~)")
_UNTYPED = lazy_regex(
    "[\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u2060-\u206f\u202a-\u202e\u3164\ufeff\uffa0\ufff9-\ufffb]"
    "|[\U000e0000-\U000e0fff]|[\ufe00-\ufe0f]{2}|(?<=[A-Za-z])[\u00ad\u200c-\u200f]|[\u200c-\u200f](?=[A-Za-z])"
    "|[\U0001d400-\U0001d7ff]|[\uff21-\uff3a\uff41-\uff5a]{3}|\x1b\\[[\\d;]{0,20}m|[\x00-\x08\x7f]"
)
"""Characters that no keyboard types; joiners of emoji and of scripts that need them are not included."""
_CONTROL = lazy_regex("[\x00-\x08\x1b\x7f]")
_LINE_BREAKS = str.maketrans(dict.fromkeys("\r\x0b\x0c\x85\u2028\u2029", "\n"))
"""What a terminal or a page puts in the place of a line break, so that lines that are pasted are seen as lines."""
_LOOK_ALIKE = lazy_regex(
    "[A-Za-z][аеорсухіѕԁɡкмтнвАЕОРСУХІЅΑΒΕΗΙΚΜΝΟΡΤΥΧαορυν][A-Za-z]|(?<!\\w)[аеорсухіѕԁАЕОРСУХІ][A-Za-z]{3}"
)
"""Letters of one alphabet within words of another."""


_MIN_FORMATTED_LENGTH, _MIN_FORMATTED_LINES, _MIN_TYPOGRAPHIC = 200, 3, 3
"""Minimum length, lines and typographic characters of a text that is formatted rather than typed."""
_MAX_NAME_WORDS = 4
"""How many words a name has at most."""
_LONG, _WRAPPED = 1_000, 8
"""A text of this length with this many lines wrapped at the same width was written elsewhere."""


def own_words(text: str) -> str:
    """Return the user's own words in a typed message; the same object if all of it is."""
    passages = split_passages(text)
    if len(passages) == 1 and passages[0].kind is PassageKind.OWN:
        return text
    return "\n\n".join(own for each in passages if each.kind is PassageKind.OWN and (own := each.text.strip()))


@lru_cache(maxsize=512)
def split_passages(text: str) -> tuple[MessagePassage, ...]:
    """Return the passages of a message, in order."""
    if text.isascii() and _FRAMES.search(text) is None:
        return (MessagePassage(PassageKind.OWN, text),)
    spans = sorted(_spans(text.replace("\r\n", " \n").translate(_LINE_BREAKS)))
    passages, at = list[MessagePassage](), 0
    for start, end, kind in spans:
        if end <= at:
            continue
        if text[at:start].strip():
            passages.append(MessagePassage(PassageKind.OWN, text[at:start]))
        passages.append(MessagePassage(kind, text[max(at, start) : end]))
        at = end
    if text[at:].strip() or not passages:
        passages.append(MessagePassage(PassageKind.OWN, text[at:]))
    return tuple(passages)


_Span = tuple[int, int, PassageKind]


def _spans(text: str) -> Iterator[_Span]:
    """Yield the spans of material; they may overlap."""
    yield from _paste_spans(text)
    lines = list(_lines(text))
    if not text.isascii() or _CONTROL.search(text):
        yield from _hidden_spans(text, lines)
    object_span = find_object(text, lines)
    if object_span is not None:
        yield *object_span, PassageKind.OBJECT
    if _FRAMES.search(text) is None and "：" not in text:
        return
    for start, end in enclosed_spans(text, lines):
        yield start, end, PassageKind.ENCLOSED
    for start, end in report_spans(lines):
        yield start, end, PassageKind.REPORT
    yield from _quotation_spans(lines)
    output = list(_output_spans(lines))
    yield from output
    # The context of a diff is not formatted by whoever pasted it: a heading in it makes no document of the message.
    diffs = [each for each in output if each[2] is PassageKind.DIFF]
    lines = [each._replace(fenced=True) if _is_inside(each, diffs) else each for each in lines] if diffs else lines
    yield from _chat_spans(lines, len(text))
    yield from _form_spans(lines, len(text))
    yield from _document_spans(text, lines)


def _lines(text: str) -> Iterator[MessageLine]:
    at, fenced = 0, False
    for line in text.split("\n"):
        fence = _FENCE.match(line) is not None
        yield MessageLine(at, at + len(line), line, fenced or fence)
        fenced = fenced is not fence
        at += len(line) + 1


def _paste_spans(text: str) -> Iterator[_Span]:
    """Yield what follows the marker that a terminal or an agent puts where something was pasted."""
    if "[" not in text and "<" not in text:
        return
    match = _PASTED.search(text)
    if match is None:
        return
    ends = list(_PASTE_ENDS.finditer(text, match.end()))
    if ends:
        yield match.start(), ends[-1].end(), PassageKind.PASTE
        return
    end = len(text)
    if match["lines"]:
        position = match.end()
        for _ in range(int(match["lines"]) + 1):
            line_end = text.find("\n", position)
            if line_end < 0:
                break
            position = line_end + 1
        else:
            end = position
    yield match.start(), end, PassageKind.PASTE


def _hidden_spans(text: str, lines: Sequence[MessageLine]) -> Iterator[_Span]:
    if _UNTYPED.search(text) is None and _LOOK_ALIKE.search(text) is None:
        return
    for paragraph in _paragraphs(lines):
        start, end = paragraph[0].start, paragraph[-1].end
        if _UNTYPED.search(text, start, end) or _LOOK_ALIKE.search(text, start, end):
            yield start, end, PassageKind.HIDDEN


def _quotation_spans(lines: Sequence[MessageLine]) -> Iterator[_Span]:
    last: MessageLine | None = None
    for line in lines:
        is_marked = not line.fenced and (shapes.QUOTATION.match(line.text) or shapes.TABLE.match(line.text))
        if is_marked or (last is not None and not line.blank and _continues(last.text, line.text)):
            yield line.start, line.end, PassageKind.QUOTATION
            last = line
        else:
            last = None


def _continues(quoted: str, line: str) -> bool:
    """Whether a line continues a quoted one that was too long for its width."""
    first = line.lstrip()[:1]
    return len(quoted) > 60 and quoted.rstrip()[-1:] not in ".!?:;。！？" and (first.islower() or not first.isascii())


def _paragraphs(lines: Sequence[MessageLine]) -> Iterator[list[MessageLine]]:
    paragraph = list[MessageLine]()
    for line in lines:
        if line.blank:
            if paragraph:
                yield paragraph
            paragraph = []
        else:
            paragraph.append(line)
    if paragraph:
        yield paragraph


def _output_spans(lines: Sequence[MessageLine]) -> Iterator[_Span]:
    """Yield diffs and program output: from the first such line of a paragraph, and everything between two of them."""
    begin = end = -1
    for paragraph in _paragraphs(lines):
        first = next((each for each in paragraph if not each.fenced and _is_output(each.text)), None)
        diff = next((each for each in paragraph if not each.fenced and shapes.DIFF_HEAD.match(each.text)), None)
        if diff is not None:
            yield diff.start, _diff_end(lines, diff), PassageKind.DIFF
        elif _is_bare_diff(paragraph):
            yield paragraph[0].start, paragraph[-1].end, PassageKind.DIFF
        if first is None:
            if begin >= 0 and all(each.text[:1].isspace() for each in paragraph):
                end = paragraph[-1].end
            continue
        begin, end = (first.start if begin < 0 else begin), paragraph[-1].end
    if begin >= 0:
        yield begin, end, PassageKind.LOG


def _is_inside(line: MessageLine, spans: Sequence[_Span]) -> bool:
    return any(start <= line.start < end for start, end, _ in spans)


def _is_output(line: str) -> bool:
    return shapes.LOG.match(line) is not None or shapes.CODE.match(line) is not None


def _is_bare_diff(paragraph: Sequence[MessageLine]) -> bool:
    added = sum(each.text.startswith("+") for each in paragraph)
    return added > 0 and any(each.text.startswith("-") for each in paragraph)


def _diff_end(lines: Sequence[MessageLine], head: MessageLine) -> int:
    end = head.end
    for line in lines:
        if line.start <= head.start or line.blank:
            continue
        if not shapes.DIFF_BODY.match(line.text) and not shapes.DIFF_HEAD.match(line.text):
            break
        end = line.end
    return end


def _chat_spans(lines: Sequence[MessageLine], length: int) -> Iterator[_Span]:
    """Yield lines of a chat with what belongs to them; below a line that is a name and a time, everything."""
    begin = end = -1
    dialogue = _dialogue(lines)
    for paragraph in _paragraphs(lines):
        for number, line in enumerate(paragraph):
            if line.fenced:
                continue
            below = number + 1 < len(paragraph) or line.end < length
            if below and (shapes.is_speech_header(line.text) or page_headers.is_page_header(line.text)):
                yield line.start, length, PassageKind.CHAT
                return
            if (
                below
                and number
                and (shapes.is_time(line.text) or page_headers.is_age(line.text))
                and len(paragraph[number - 1].text.split()) <= _MAX_NAME_WORDS
            ):
                yield paragraph[number - 1].start, length, PassageKind.CHAT
                return
            if shapes.is_speech(line.text) or (dialogue and shapes.label_of(line.text) in dialogue):
                begin, end = (line.start if begin < 0 else begin), paragraph[-1].end
    if begin >= 0:
        yield begin, end, PassageKind.CHAT


def _dialogue(lines: Sequence[MessageLine]) -> frozenset[str]:
    """Return the labels of a conversation: two or more that alternate on most lines, one of them repeated."""
    text_lines = [each for each in lines if not each.blank and not each.fenced]
    labels = [label for each in text_lines if (label := shapes.label_of(each.text))]
    distinct = frozenset(labels)
    takes_turns = len(distinct) > 1 and len(labels) > max(len(distinct), len(text_lines) / 2)
    return distinct if takes_turns or distinct >= {"q", "a"} or distinct >= {"question", "answer"} else frozenset()


def _form_spans(lines: Sequence[MessageLine], length: int) -> Iterator[_Span]:
    """Yield the header of a mail, ticket, commit or invitation, and everything below it."""
    fields = list[MessageLine]()
    for number, line in enumerate(lines):
        if line.blank or line.fenced:
            continue
        if shapes.COMMIT.match(line.text):
            yield line.start, length, PassageKind.FORM
            return
        if shapes.TRAILER.match(line.text):
            yield _document_start(lines), length, PassageKind.FORM
            return
        if number == 0 and len(lines) > 1 and shapes.FIRST_FIELD.match(line.text):
            yield line.start, length, PassageKind.FORM
            return
        is_field = shapes.FIELD.match(line.text) is not None
        if is_field and (fields or shapes.ADDRESS_FIELD.match(line.text)):
            yield (fields or [line])[0].start, length, PassageKind.FORM
            return
        fields = [line] if is_field else []


def _document_spans(text: str, lines: Sequence[MessageLine]) -> Iterator[_Span]:
    """Yield letters, and formatted documents: headings, bold beginnings, tables, page furniture."""
    text_lines = [each for each in lines if not each.blank and not each.fenced]
    if not text_lines:
        return
    letter = _letter_start(text_lines)
    if letter is not None:
        yield letter.start, len(text), PassageKind.LETTER
    if _is_document(text, text_lines):
        yield _document_start(lines), len(text), PassageKind.DOCUMENT


def _letter_start(lines: Sequence[MessageLine]) -> MessageLine | None:
    """Return where a letter begins: at the greeting, or if it only ends like one, at its beginning."""
    greeting = next((each for each in lines[:-1] if shapes.is_greeting(each.text)), None)
    if greeting is not None:
        return greeting
    for number, line in enumerate(lines[1:-1], 1):
        following = lines[number + 1 : number + 3]
        if shapes.is_sign_off(line.text) and number >= len(lines) - 3 and _is_name(following[0].text):
            return lines[0]
    if any(each.text.rstrip() == "--" for each in lines[1:-1]):
        return lines[0]
    signed = lines[-1].text.strip()
    is_signed = len(lines) > 1 and signed[:1] in "-–—~" and shapes.is_person(signed.lstrip("-–—~ "))
    return lines[0] if is_signed and not lines[-2].text.lstrip().startswith(signed[:1]) else None


def _is_name(line: str) -> bool:
    parts = line.strip(" ,.!-–—").split()
    return 0 < len(parts) <= 4 and all(part[:1].isupper() or not part[:1].isascii() for part in parts)


def _is_document(text: str, lines: Sequence[MessageLine]) -> bool:
    if any(shapes.PAGE.match(each.text.strip(" \t*_#")) for each in lines):
        return True
    if any(shapes.HEADING.match(each.text) for each in lines) and len(lines) > 1:
        return True
    if len(lines) >= _MIN_FORMATTED_LINES and shapes.is_ticket_head(lines[0].text):
        return True
    if any(shapes.UNDERLINE.match(below.text) and above.end + 1 == below.start for above, below in pairwise(lines)):
        return True
    if len(text) < _MIN_FORMATTED_LENGTH or len(lines) < _MIN_FORMATTED_LINES:
        return False
    marks = sum(any(pattern.match(each.text) for each in lines) for _, pattern in shapes.MARKDOWN)
    marks += shapes.LINK.search(text) is not None
    marks += len(shapes.TYPOGRAPHY.findall(text)) >= _MIN_TYPOGRAPHIC
    return marks > 1 or (len(text) >= _LONG and _is_wrapped(lines))


def _is_wrapped(lines: Sequence[MessageLine]) -> bool:
    """Whether lines are wrapped at one width, in the middle of sentences."""
    broken = [len(each.text) for each in lines if len(each.text) >= 50 and each.text.rstrip()[-1:].isalpha()]
    return len(broken) >= _WRAPPED and max(broken) - min(broken) <= 25


def _document_start(lines: Sequence[MessageLine]) -> int:
    """Return where a document begins: after a first paragraph that introduces it, otherwise at once."""
    paragraphs = list(_paragraphs(lines))
    if len(paragraphs) == 1:
        return 0
    first = paragraphs[0]
    if any(shapes.HEADING.match(each.text) or shapes.PAGE.match(each.text.strip(" \t*_#")) for each in first):
        return 0
    paragraph = " ".join(each.text for each in first).strip()
    return first[-1].end if introduces_document(paragraph) else 0
