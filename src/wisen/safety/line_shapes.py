"""Patterns of lines that people paste rather than type: quotations, diffs, logs, chats, forms, documents.

Every pattern matches one line and is bounded, so that no text can make it slow.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from wisen.safety import paste_words as words
from wisen.text.lazy_regex import lazy_regex
from wisen.text.letter_ranges import letter_ranges

if TYPE_CHECKING:
    from collections.abc import Iterable


class MessageLine(NamedTuple):
    """A line of a message, with its position."""

    start: int
    end: int
    text: str
    fenced: bool
    """Whether it is inside a code fence, which nothing reads as words anyway."""

    @property
    def blank(self) -> bool:
        """Whether it has no visible characters."""
        return not self.text.strip()


_DENSE_RANGES = (("\u3040", "\u30ff"), ("\u3400", "\u9fff"), ("\uac00", "\ud7af"), ("\uf900", "\ufaff"))
_DENSE = letter_ranges("".join(f"{first}-{last}" for first, last in _DENSE_RANGES))
"""Letters of scripts in which words need not be separated by spaces."""
_TIME = r"\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?:\s?[AaPp]\.?\s?[Mm]\.?)?"
_DAY = r"\d{1,4}[./年-]\d{1,2}[./月-]\d{1,4}日?"


def listed(text: str) -> tuple[str, ...]:
    """Return the words or phrases of a list."""
    parts = re.split(r"[,\n]", text) if "," in text else text.split()
    return tuple(part.strip() for part in parts if part.strip())


def any_of(phrases: Iterable[str]) -> str:
    """Return a pattern for any of the phrases, in lower case, as whole words if the script separates words."""
    spaced, dense = list[str](), list[str]()
    for phrase in phrases:
        if any(first <= letter <= last for letter in phrase for first, last in _DENSE_RANGES):
            dense.append(re.escape(phrase))
        else:
            spaced.append(re.escape(phrase.rstrip("*")) + (r"\w{0,12}" if phrase.endswith("*") else ""))
    found = [rf"(?<!\w)(?:{'|'.join(spaced)})(?!\w)"] if spaced else []
    return "|".join([*found, *dense])


QUOTATION = lazy_regex(r"\s{0,12}(?:>(?![:;=.]|\S?[({<\\/|])|&gt;|[│┃▌▏]\s)")
"""The marker of a quotation, but not an emoticon made of it."""
DIFF_HEAD = lazy_regex(
    r"diff --(?:git|cc) |index [0-9a-f]{6,40}\.\.[0-9a-f]|--- (?:a/|/dev/null|\S{1,200}\t)|\+\+\+ (?:b/|/dev/null|\S)"
    r"|@@ -\d+|Index: \S|\*\*\* (?:Begin|Update|Add|Delete)\b"
)
DIFF_BODY = lazy_regex(
    r"[+\-\\@ ]|diff --|index [0-9a-f]{6}|(?:new|deleted) file mode|old mode|new mode|similarity index|rename |Binary files"
    r"|\*\*\* |={3}|<<<<<<<|>>>>>>>"
)
LOG = lazy_regex(
    r"\W{0,3}\d{4}[-/]\d\d[-/]\d\d[T ,_]\s?\d\d:\d\d"
    r"|\W{0,2}\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?\]?\s+\[?(?:[A-Z]{4,8}\b|[\w.$-]{1,60}\])"
    r"|\W{0,2}\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?\]?\s+\S|\[\d{4}-\d\d-\d\d|[IWEF]\d{4} \d\d:\d\d|[EW]: \S|\w{1,20}=\S{1,80} \w{1,20}=\S"
    r"|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\s+\d{1,2} \d\d:\d\d:\d\d\s"
    r"|\W{0,2}(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL|CRITICAL|TRACE|NOTICE|SEVERE|ERR!)(?:[:\]\s|)-]|$)"
    r"|(?:Error|Exception|Fatal error|Uncaught \w{1,40}): \S|(?:error|fatal|panic|remote)(?:\[\w{1,12}\])?: \S"
    r"|Traceback \(most recent|\s{1,12}File \"|\s{1,12}at \S.{0,200}[(:]|Caused by:|Exception in thread|goroutine \d"
    r"|thread '[^'\n]{1,60}' panicked|E\s{2,8}\S|\s{2,80}\^{1,80}\s*$"
    r"|(?:[\w$]{1,60}[.:]{1,2}){0,8}[A-Z]\w{0,60}(?:Error|Exception|Warning|Failure|Fault)\b(?:\s?[:\[(]|\s*$)"
    r"|##\[|::(?:error|warning|notice|group|endgroup|debug)\b|npm (?:ERR!|error|warn|WARN|notice)|[$%❯#] [a-z.\/]"
    r"|[\w.-]{1,40}@[\w.-]{1,40}:\S{0,80}[$#] |(?:FAILED|PASSED|SKIPPED|FAIL|PASS|not ok|ok \d+)\b\s{1,4}\S|\s{0,8}[✓✗✖✘×] \S"
    r"|make(?:\[\d+\])?: \*\*\*|={3,80}.{0,80}={3,80}\s*$|-{3,80} .{1,80} -{3,80}\s*$|Step \d+/\d+|#\d+ \[|#\d+ \d+\.\d"
    r"|[\w./\\-]{1,120}\.\w{1,5}:\d+(?::\d+)?(?:[:,]?(?:\s|$)|[:-]\S)|[\w./\\-]{1,120}\.[a-z]{1,5}:[^\W\d]|[\w./\\-]{1,120}\.\w{1,5}\(\d+,\d+\)|\s{0,6}\d{1,5}\s?\|\s"
    r"|(?:Process exited|Exit code|exit status|Command failed|Build failed|Error: Process completed)\b"
    r"|[A-Z][A-Z0-9_]{2,40}=\S|\d+\.\d+\.\d+\.\d+ [-–] |Run \S{1,40}/\S{1,60}@|error (?:TS|CS|E)?\d+:|\[(?:stdout|stderr|build|test"
    r"|deploy|ci|runner|job|worker|pipeline|stage|error|warn|warning|info|debug|trace|fatal|notice)[\w :.-]{0,20}\]"
    r"|[\w.-]{1,60}(?:-\d{1,3}\s{1,20}|\s{2,20})\|\s|(?:warn|info|debug|trace|event|wait|ready)\s{1,4}- \S|\^?[0-9a-f]{7,40} .{0,80}\(.{2,60}\d{4}-\d\d-\d\d"
    r"|[\w.-]{1,40}@[\w.-]{1,60} \S{1,80} [%$#] |PS [A-Z]:\\[^>\n]{0,200}> |[A-Z]:\\[^>\n]{0,200}>\s?\S|[➜❯λ»]\s{1,3}\S"
    r"|>>> [A-Za-z_][\w.]{0,80}(?:[(\[]| =| import\b)|(?:In|Out) ?\[\d{1,4}\]: |(?:[Tt]ool|[Ff]unction|[Cc]ommand) (?:result|output|response)s?: |usage: \S{1,60} [\[<-]|\s{1,8}--?\w[\w-]{0,40}.{0,40}\s{2,20}\S"
)
"""The beginning of a line that a program printed."""
CODE = lazy_regex(
    r"\s{0,40}(?:// |/\*|\*/|<!--|;; )|\s{2,40}# |\+\S\S|\s{0,40}</?[a-z][a-z0-9-]{0,20}(?:\s[^>\n]{0,200})?>.{0,2000}</"
    r"|\s{0,40}(?:def|class|import|function|const|let|var|fn|func|public|private|package|#include|@\w{1,40}|if|for|while|return)\b"
    r".{0,200}(?:[;{]|\):)\s*$|\s{0,40}[{\[]\s{0,8}[\"{\[]|\s{0,40}\"[\w .-]{1,60}\"\s?:\s|[\w.-]{1,40} ?= ?[\"'\[{]"
    r"|\s{0,40}&lt;/?[a-z]"
)
"""A comment, an added line, an element, a member of JSON, or a statement that ends as only code does."""
TABLE = lazy_regex(r"\s{0,4}\|.{1,1000}\|\s*$|\S[^\t\n]{0,400}\t\s{0,8}\S")
"""A row between bars, or of columns that tabs separate."""

_NAMES = frozenset(listed(words.GIVEN_NAMES))
_SPEAKERS = frozenset(listed(words.SPEAKERS))
_WHERE = lazy_regex(r" (?:via|in|on|from|at|@) ")
_WORD = r"[^\s:：()<>\[\]{}\"“”,;，、]"
"""A character of a name; a class of letters would separate the signs of Indic scripts from them."""
_STAMPED = lazy_regex(
    rf"[\[(]?\s?(?:{_DAY}[, ]{{1,3}})?(?:{_TIME})?\s?[\])]?\s{{0,3}}[-–—|]?\s{{0,3}}"
    r"(?P<name>[^\s:：<>\d][^\n:：<>]{0,40})[:：]\s?\S"
)
_STAMP = lazy_regex(rf"[\[(]?\s?(?:{_DAY}[, ]{{1,3}})?{_TIME}|[\[(]\s?{_DAY}")
_NICK = lazy_regex(
    rf"(?:[\[(]?{_TIME}[\])]?\s{{1,4}})?<[@+%~&]?[\w.\-\[\]\\`^{{}}|]{{1,30}}>\s{{1,4}}\S|[\w.-]{{2,30}}>\s\S"
    r"|@(?:channel|here|everyone|all|team)\b|[\w.+-]{1,60}@[\w.-]{1,60}\.\w{2,10}\s?:\s"
)
_PART = lazy_regex(rf"{_TIME}|\d{{4}}|(?:she|he|they)/|lead|manager|CEO|CTO|PM", re.IGNORECASE)
"""What is in brackets after a speaker's name."""
_ROLE_TAG = lazy_regex(
    r"\s{0,8}(?:</?\|?(?:im_start\||im_end\||start_header|end_header)?(?:user|human|assistant|system|developer|tool|inst|instructions?"
    r"|rules?|function_results?|tool_\w{1,20}|user_\w{1,20}|user-\w{1,20}|system_\w{1,20})\|?\s?>|\[/?(?:user|human|assistant|system|developer|INST|(?:tool|function)[ _-]?\w{0,20})\]|<(?:start|end)_of_turn>"
    r"|<\|[\w ]{1,30}\|>|<</?SYS>>)",
    re.IGNORECASE,
)
_HEADER = lazy_regex(
    rf"\s{{0,4}}(?P<name>@?[^\W\d_]{_WORD}{{0,30}}(?: {_WORD}{{1,30}}){{0,2}})(?:\s{{1,6}}(?:APP|BOT|\(\w{{1,20}}\)))?"
    rf",?\s{{1,6}}[—–\-|,·]{{0,1}}\s{{0,3}}[\[(]?(?:(?:today|yesterday|heute|gestern|hier|hoy|ayer|hoje|ontem|oggi|ieri|idag|dziś|wczoraj"
    rf"|сегодня|вчера|bugün|dün|hôm nay|今日|昨日|今天|昨天|오늘|어제|اليوم|आज|mon|tue|wed|thu|fri|sat|sun|{_DAY})\w{{0,6}}[,.]?\s?"
    rf"(?:at|um|à|a las|às|alle|kl\.?|o|в|saat|lúc)?\s?)?{_TIME}[\])]?(?:\s?\(edited\))?\s*$",
    re.IGNORECASE,
)
_BETWEEN = frozenset(
    "at by on in for until before after around um bis vor à vers a las às alle kl o do saat lúc в до".split()
)
_LABEL = lazy_regex(
    rf"\s{{0,8}}(?:[-*•]\s|#{{1,6}}\s)?(?:\*\*|__)?(?P<at>@)?(?P<name>[^\W\d_]{_WORD}{{0,30}}?(?: {_WORD}{{1,30}}?){{0,3}})(?P<part>\s?[(\[][^)\]\n]{{1,40}}[)\]])?"
    r"(?:\*\*|__)?\s?(?::(?:\*\*|__)?\s{1,4}|：(?:\*\*|__)?\s?)(?=\S)"
)


def label_of(line: str) -> str | None:
    """Return the words before the colon at the start of a line."""
    match = _LABEL.match(line)
    return None if match is None else match["name"].casefold()


def is_speech(line: str) -> bool:
    """Whether a line begins with a speaker: a time and a name, a nick, a role, or a person's name."""
    if _NICK.match(line) or _ROLE_TAG.match(line):
        return True
    if _STAMP.match(line) and _STAMPED.match(line):
        return True
    match = _LABEL.match(line)
    if match is None:
        return False
    if match["at"] is not None or is_person(match["name"]):
        return True
    return match["part"] is not None and _PART.search(match["part"]) is not None


def is_person(name: str) -> bool:
    """Whether words are a person's name or a role in a conversation."""
    folded = name.casefold()
    if not folded.isascii() and folded not in _NAMES:
        apart = unicodedata.normalize("NFD", folded)
        folded = "".join(letter for letter in apart if not "\u0300" <= letter <= "\u036f")
    if folded in _SPEAKERS or folded in _NAMES or name.casefold() in _SPEAKERS:
        return True
    parts = re.split(r"[\s._\-]+", _WHERE.split(folded)[0])
    first = parts[0].rstrip("0123456789")
    # Two words are a person only if they are capitalized like a name: "max size" is not.
    return first in _NAMES and (len(parts) == 1 or name[:1].isupper() or "." in name or "_" in name)


_ONLY_TIME = lazy_regex(
    rf"\s{{0,4}}[\[(]?(?:(?:today|yesterday|heute|gestern|hier|hoy|ayer|{_DAY})[, ]{{1,3}}(?:at |um |à |a las )?)?{_TIME}[\])]?\s*$",
    re.IGNORECASE,
)
_TIME_AND_NAME = lazy_regex(
    rf"[\[(]?{_TIME}[\])]?\s{{1,4}}(?P<name>[^\W\d_a-z]{_WORD}{{0,30}}(?: [^\W\d_a-z]{_WORD}{{0,30}}){{0,2}})\s*$"
)


def is_time(line: str) -> bool:
    """Whether a line is a time of day and nothing else."""
    return _ONLY_TIME.match(line) is not None


def is_speech_header(line: str) -> bool:
    """Whether a line is only a name and a time, with the message below."""
    if _TIME_AND_NAME.match(line):
        return True
    match = _HEADER.match(line)
    return match is not None and _BETWEEN.isdisjoint(match["name"].casefold().split())


_STRONG = "from|subject|von|betreff|de|objet|asunto|assunto|oggetto|från|ämne|temat|от|тема|kimden|konu|từ|chủ đề|差出人|件名|发件人|主题|제목|보낸사람|الموضوع|विषय|प्रेषक"
FIRST_FIELD = lazy_regex(rf"(?:{_STRONG})\s?[:：]\s?\S", re.IGNORECASE)
"""A field that, as the first of several lines, is enough for a mail header."""
FIELD = lazy_regex(lambda: rf"[\W_]{{0,6}}(?:{any_of(listed(words.HEADERS))})[*_]{{0,3}}\s?[:：]", re.IGNORECASE)
"""A header field of a mail, a ticket, a commit or an invitation."""
ADDRESS_FIELD = lazy_regex(r"[^\W\d_][\w -]{1,20}[:：].{0,120}\S@\S{1,80}\.\w")
TRAILER = lazy_regex(r"(?:Co-authored-by|Signed-off-by|Reviewed-by|Acked-by|Change-Id|Message-ID): \S", re.IGNORECASE)
COMMIT = lazy_regex(r"commit [0-9a-f]{7,40}\b")
HEADING = lazy_regex(
    r"\s{0,3}(?:#{1,6}\s+\S|v?\d{1,4}\.\d{1,4}(?:\.\d{1,4})?\S{0,12}(?: \([^)\n]{1,30}\))?\s*$|\d{4}-\d\d-\d\d\s*$|(?:\*\*|__)[^*_\n]{2,80}(?:\*\*|__):?\s*$)"
)
MARKDOWN = (
    ("bold", lazy_regex(r"\s{0,8}(?:[-*•+]|\d{1,2}[.)])?\s{0,4}(?:\*\*|__)[^*_\n]{1,80}(?:\*\*|__)")),
    ("table", TABLE),
    ("box", lazy_regex(r"\s{0,8}[-*] \[[ xX]\] ")),
    ("ruler", lazy_regex(r"(?:-{3,}|\*{3,}|_{3,}|[═─━]{3,})\s*$")),
    ("sign", lazy_regex(r"\s{0,8}(?:•|‣|▪|◦|✅|❌|👉|🔹|🚀|⚠️|💡|📌|\d\ufe0f\u20e3)\s?\S")),
)
UNDERLINE = lazy_regex(r"(?:={3,}|-{4,}|~{4,})\s*$")
"""What turns the line above it into a heading."""
LINK = lazy_regex(r"\[[^\]\n]{1,120}\]\(https?://")
TYPOGRAPHY = lazy_regex("[\u201c\u201d\u2014\u2026\u00a0\u2022\u2192\u2011]|\\s\u2013\\s|\\w\u2019\\w")
PAGE = lazy_regex(
    r"(?:answered|asked|edited|commented|opened (?:this|an) issue|opened|reviewed|updated|posted|published|last updated)\b.{0,60}"
    r"\b(?:ago|at \d{1,2}:\d\d|on [A-Z][a-z]{2}\w{0,6} \d|[A-Z][a-z]{2} \d{1,2},? \d{4})\b"
    r"|(?:Share|Improve this answer|Follow|Add a comment|Reply|Quote reply)(?:\s{1,4}(?:Share|Improve this answer|Edit|Follow|Flag))+"
    r"|Improve this answer|(?:Accepted|Top|Best|Highest scored) answer\b|Highest score \(default\)"
    r"|\d{1,6} (?:votes?|upvotes?|answers?|reactions?|points?|comments?|stars?|Likes?)\s*$"
    r"|(?:Sure|Certainly|Absolutely|Of course|Great question|Good question)[!,.]\s+(?:[Hh]ere|[Yy]ou|[Tt]he|[Ii]t|[Tt]o|[Ll]et|I)\b"
    r"|(?:Posted|Published|Updated|Written|Submitted|Asked|Reported) (?:by|on|in)\b.{1,60}$"
    r"|Copyright \W?|© \d|All rights reserved|Skip to (?:main )?content|Table of [Cc]ontents\s*$|Cookie (?:policy|settings)"
    r"|BEGIN:VC|DTSTART|@?[\w-]{1,40} (?:commented|left a comment|requested changes|suggested changes|approved these changes"
    r"|opened this|reviewed|requested your review|mentioned you|assigned you|wants to merge)\b"
    r"|(?:Steps to [Rr]eproduce|Expected [Bb]ehaviou?r|Actual [Bb]ehaviou?r|Describe the bug|Is your feature request)\b.{0,60}$"
    r"|You are receiving this|Reply to this email directly|To unsubscribe|Unsubscribe\b|View it on GitHub|Sent from my "
    r"|[A-Z][A-Z0-9_.-]{1,30}\(\d[a-z]?\)|(?:System: )?(?:\[[^\]\n]{0,40}\])?\W{0,12}Post-Compaction Audit\b|\W{0,3}(?:Suggested change|Outdated|Show resolved|Resolve conversation|Nit(?:pick)?)\s*$"
)
"""Page furniture: who answered when, how many voted, what can be clicked."""
_NUMBERED = lazy_regex(r"(?:Issue|Bug|Ticket|PR|MR|Pull [Rr]equest|Merge [Rr]equest|Task|Story)\s?[#!]?\d+\b|[\w.-]{1,40}/[\w.-]{1,60}#\d+"
                       r"|\[?[A-Z][A-Z0-9]{1,9}-\d{1,6}\]?\s?[:|–—-]")  # fmt: skip


def is_ticket_head(line: str) -> bool:
    """Whether a line is the header of an issue or a ticket; it counts only with several lines below it."""
    return _NUMBERED.match(line.lstrip("#* ")) is not None


_GREETING = lazy_regex(
    lambda: (
        rf"\s{{0,4}}(?:{any_of(listed(words.GREETINGS))})(?P<whom>[^\n,，、!！:：.。]{{0,50}})[,，、!！:：.。]{{0,2}}\s*$"
    ),
    re.IGNORECASE,
)
_SIGN_OFF = lazy_regex(
    lambda: (
        rf"\s{{0,4}}(?:[^\W\d_]{{1,12}}\s){{0,2}}(?:{any_of(listed(words.SIGN_OFFS))})[^\n,.!，。！]{{0,40}}[,.!，。！]{{0,2}}\s*$"
    ),
    re.IGNORECASE,
)
_AGENTS = frozenset(
    "claude codex gemini hermes openclaw opencode aider openhands copilot assistant agent bot there ai buddy mate du dir again".split()
)


def is_greeting(line: str) -> bool:
    """Whether a line only greets somebody other than the agent."""
    match = _GREETING.match(line)
    if match is None:
        return False
    whom = re.findall(r"\w+", match["whom"].casefold())
    dense = _DENSE.search(line) is not None
    return (dense or bool(whom)) and len(whom) <= 5 and _AGENTS.isdisjoint(whom)


def is_sign_off(line: str) -> bool:
    """Whether a line ends a letter."""
    return _SIGN_OFF.match(line) is not None and len(line.split()) <= 5
