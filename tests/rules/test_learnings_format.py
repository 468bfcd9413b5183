"""Entries in the .learnings Markdown format: written, read back, and read after edits by people and other tools."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tests.cost import cost
from wisen.logs.learnings_files import file_name_of
from wisen.model.entry import PREFIXES, Category, Entry, EntryOrigin, EntrySource, EntryStatus, EntryType, Priority
from wisen.rules.learnings_text import HEADERS, WrittenEntry, format_entry, parse_entries

DAY = date(2026, 3, 4)


def entry(**fields: object) -> Entry:
    base: dict[str, object] = {
        "id": "01J",
        "name": "LRN-20260304-001",
        "machine": "desk",
        "context": "shop",
        "at": datetime(2026, 3, 4, 9, 30, tzinfo=UTC),
        "type": EntryType.LEARNING,
        "summary": "Use pnpm, not npm.",
        "source": EntrySource.USER_FEEDBACK,
        "origin": EntryOrigin.STATED,
    }
    return Entry(**base | fields)  # type: ignore[arg-type]


def format_with_defaults(one: Entry, evidence: tuple[str, ...] = ()) -> str:
    return format_entry(
        one, status=EntryStatus.PENDING, priority=one.priority, recurrence=2, first=DAY, last=DAY, evidence=evidence
    )


LEARNING = """\
## [LRN-20260304-001] correction

**Logged**: 2026-03-04T09:30:00+00:00
**Priority**: high
**Status**: pending
**Area**: deps

### Summary
Use pnpm, not npm.

### Details
The lock file is pnpm's:

```
## [a heading in code]
---
```

\\## and one outside

### Suggested Action
Run `pnpm install`.

### Evidence
- "use pnpm!" (3 March)

### Metadata
- Source: user_feedback
- Related Files: package.json, docs/a&#44; b.md
- Tags: npm, pnpm
- Pattern-Key: deps.wrong-manager
- Recurrence-Count: 2
- First-Seen: 2026-03-04
- Last-Seen: 2026-03-04

---

"""


def test_a_learning_is_written_like_this_and_always_the_same() -> None:
    one = entry(
        category=Category.CORRECTION,
        priority=Priority.HIGH,
        area="deps",
        details="The lock file is pnpm's:\n\n```\n## [a heading in code]\n---\n```\n\n## and one outside",
        action="Run `pnpm install`.",
        tags=("npm", "", "pnpm"),
        files=("package.json", "docs/a, b.md"),
        key="deps.wrong-manager",
    )
    assert format_with_defaults(one, ('"use pnpm!" (3 March)', "")) == LEARNING


def test_an_error_shows_what_the_machine_said_in_a_fence_longer_than_any_in_it() -> None:
    message = "  E: ```\n## [ERR-20260304-002] x\n---\n"
    one = entry(name="ERR-20260304-A7B", type=EntryType.ERROR, error=message, action="Ask.", key="shell.exit")
    text = format_with_defaults(one)
    assert f"### Error\n````\n{message}\n````\n" in text
    assert text.startswith("## [ERR-20260304-A7B] shell.exit\n")
    assert "### Suggested Fix\nAsk.\n" in text
    assert [(each.name, each.error, each.action) for each in parse_entries(text)] == [
        ("ERR-20260304-A7B", message, "Ask.")
    ]


def test_a_request_has_the_headings_of_its_file() -> None:
    text = format_with_defaults(
        entry(name="FEAT-20260304-001", type=EntryType.FEATURE, setting="Weekly.", action="A flag.")
    )
    assert "### User Context\nWeekly.\n" in text
    assert "### Suggested Implementation\nA flag.\n" in text


@pytest.mark.parametrize("name", ["ERR-20260304-001", "LRN-2026-001", "LRN-20260304-001\n", "", "lrn-20260304-001"])
def test_a_name_that_is_not_one_of_the_type_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="not the name of an entry"):
        format_with_defaults(entry(name=name))


def test_each_type_has_its_file_and_a_heading_that_is_no_entry() -> None:
    assert [file_name_of(each) for each in EntryType] == ["LEARNINGS.md", "ERRORS.md", "FEATURE_REQUESTS.md"]
    for each in EntryType:
        assert HEADERS[each].startswith("# ")
        assert parse_entries(HEADERS[each]) == ()
        one = entry(name=f"{PREFIXES[each]}-20260304-001", type=each)
        assert [
            found.name for found in parse_entries(HEADERS[each] + format_with_defaults(one) + format_with_defaults(one))
        ] == [one.name] * 2


hostile = st.sampled_from(
    [
        "---",
        "- --",
        "***",
        "- - -",
        "===",
        "-",
        "## [LRN-20260101-001] x",
        "### Metadata",
        "### Summary",
        "#",
        "# a",
        "#### deep",
        "```",
        "```py",
        "````",
        "~~~",
        "  ```",
        "\t```",
        "\\---",
        "\\\\## [x",
        "\\",
        "\\\\server\\share",
        "&#10;",
        "&amp;#10;",
        "&amp;amp;#44;",
        "&#9999999;",
        "<!--",
        "<pre>",
        "-->",
        "**Priority**: low",
        "- Tags: other",
        "- a",
        "> b",
        "  c",
        "[d]: <",
        "`e`",
        ", f",
        ": g",
        " ",
        "",
        "\r",
        "\r\n",
        "\u2028",
        "\x85",
        "\x0c",
        "\xa0",
        "\ufeff",
        "\0",
        "\ud83d",
    ]
)
fenced = st.lists(st.sampled_from(["```", "~~~", "  ```", "---", "a", "", "## [", " ", "\r"]), max_size=7)
texts = st.one_of(
    st.text(max_size=20),
    fenced.map("\n".join),
    st.lists(hostile, max_size=7).map("\n".join),
    st.lists(st.one_of(hostile, st.text(max_size=3), st.just("\n")), max_size=7).map("".join),
)
names = st.from_regex(r"[0-9]{8}-([0-9]{3}|[0-9A-Z]{3,5})", fullmatch=True)
zones = st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes)))
days = st.dates()
items = st.lists(texts.filter(bool), max_size=3).map(tuple)


@st.composite
def entries(draw: st.DrawFn) -> Entry:
    kind = draw(st.sampled_from(EntryType))
    return entry(
        name=f"{PREFIXES[kind]}-{draw(names)}",
        type=kind,
        at=draw(st.datetimes(timezones=zones)),
        category=draw(st.none() | st.sampled_from(Category)),
        source=draw(st.sampled_from(EntrySource)),
        files=draw(items),
        tags=draw(items),
        **{name: draw(texts) for name in ("summary", "details", "action", "error", "setting", "area", "key")},
    )


def expected(one: Entry, **decided: object) -> WrittenEntry:
    shared = ("name", "type", "summary", "details", "action", "error", "setting", "area", "tags", "files", "key")
    return WrittenEntry(
        category=one.category or one.key,
        source=one.source,
        logged=one.at,
        **{name: getattr(one, name) for name in shared},
        **decided,  # type: ignore[arg-type]
    )


@given(
    st.lists(
        st.tuples(
            entries(),
            st.sampled_from(EntryStatus),
            st.sampled_from(Priority),
            st.integers(0, 10**9),
            st.tuples(days, days),
            items,
        ),
        max_size=3,
    ),
    st.sampled_from(["\n", "\r\n"]),
)
def test_whatever_is_written_is_read_back_whole(
    many: list[tuple[Entry, EntryStatus, Priority, int, tuple[date, date], tuple[str, ...]]], end: str
) -> None:
    text, wanted = HEADERS[EntryType.LEARNING], []
    for one, status, priority, count, (first, last), evidence in many:
        text += format_entry(
            one, status=status, priority=priority, recurrence=count, first=first, last=last, evidence=evidence
        )
        wanted.append(
            expected(
                one,
                status=status,
                priority=priority,
                recurrence=count,
                first_seen=first,
                last_seen=last,
                evidence=evidence,
            )
        )
    assert list(parse_entries("\ufeff" + text.replace("\n", end))) == wanted
    text.encode()  # also what holds halves of characters can be written to a file


def seen_by_others(text: str) -> list[str]:
    """The headings that any reader of Markdown sees, and the rules."""
    tokens = MarkdownIt().parse(text)
    return [
        "---" if token.type == "hr" else tokens[at + 1].content
        for at, token in enumerate(tokens)
        if token.level == 0 and (token.type == "hr" or (token.type == "heading_open" and token.tag < "h4"))
    ]


@given(entries(), items)
def test_other_readers_of_markdown_see_our_headings_and_no_others(one: Entry, evidence: tuple[str, ...]) -> None:
    name, *sections = seen_by_others(format_with_defaults(one, evidence))
    texts = [one.summary, one.details, one.error, one.setting, one.action, *evidence[:1]]
    assert name.startswith(f"[{one.name}]")
    assert len(sections) == sum(map(bool, texts)) + 2
    assert sections[-2:] == ["Metadata", "---"]


@pytest.mark.parametrize(
    "text",
    [
        " ```\n---\n```",
        "```\n---\n```\n",
        "```\n---\n``` ",
        "```\na\rb\n```",
        "    ```\n## x\n    ```",
        "- a\n  ```\n## x\n  ```",
        "```\n## x\n    ```\n# y\n```",
        "```a`b\n## x\n```",
        "```\n## x",
        "a\n```\n~~~\n```\n~~~",
        ": a",
        "- a",
        "--",
        "— a",
        "`a`",
        "`",
        "a, b",
        "&#39; &#44; &amp;#44;",
        " \n\t",
    ],
)
def test_what_could_break_the_structure_does_not(text: str) -> None:
    one = entry(summary=text, details=text, error=text, area=text, key=text, tags=(text, text), files=(text,))
    block = format_with_defaults(one, (text, text))
    assert parse_entries(block) == (
        expected(
            one,
            status=EntryStatus.PENDING,
            priority=one.priority,
            recurrence=2,
            first_seen=DAY,
            last_seen=DAY,
            evidence=(text, text),
        ),
    )
    name, *sections = seen_by_others(block)
    assert name.startswith("[LRN-20260304-001]")
    assert sections == ["Summary", "Details", "Error", "Evidence", "Metadata", "---"]


def test_only_references_that_we_write_are_read_as_what_they_stand_for() -> None:
    (one,) = parse_entries(
        "## [LRN-20260304-001] x\n### Summary\n\\# Write &#39; as &#44; and \\# as\n\\\\server\\share\n"
    )
    assert one.summary == "# Write &#39; as , and \\# as\n\\\\server\\share"


pieces = st.sampled_from(
    [
        "## [LRN-20260101-001] a",
        "### [err-20260101-a7b]",
        "# FEAT-20260101-9: x",
        "## Other",
        "### Summary",
        "### Metadata",
        "#### Tags",
        "### Resolution",
        "### Error",
        "---",
        "```",
        "~~~~",
        "**Logged**: 2026-99-99T99:99",
        "Logged: 0000-00-00",
        "- First-Seen: 2026-02-30",
        "- **Recurrence-Count:** " + "9" * 5000,
        "- Recurrence-Count: ٣",
        "- Notes: done",
        "- Related Files:",
        "  - a.py",
        "**: **",
        "text",
        "",
        "&#55296;",
        "\\## x",
        "\r",
        "\ufeff",
    ]
)


@given(st.one_of(st.text(), st.lists(st.one_of(pieces, st.text(max_size=5)), max_size=14).map("\n".join)))
def test_no_text_makes_reading_fail(text: str) -> None:
    for one in parse_entries(text):
        assert one.name in text
        assert all(kept in text.replace("\r\n", "\n").replace("\r", "\n") for kept in one.rest)


def test_an_entry_of_another_tool_is_read() -> None:
    (one,) = parse_entries(
        "\ufeff# Errors\r\n\r\n## [ERR-20260211-X3Z] docker_build\r\n\r\n"
        "- **LOGGED:** 2026-02-11 08:15:00Z\r\n"
        "- **status:** In-Progress\r\n"
        "- **Skill-Path**: skills/docker\r\n"
        "\r\n### ERROR\r\n```text\r\nno space left\r\n```\r\n"
        "\r\n### Summary\r\nThe image could not be built.\r\nTwice.\r\n"
        "\r\n### Impact\r\nThe release waited.\r\n\r\n- a day\r\n"
        "\r\n### suggested fix:\r\nPrune the cache.\r\n"
        "\r\n### Metadata\r\n- Reproducible: yes\r\n- Source: error-sweep\r\n"
        "- related_files:\r\n  - `Dockerfile`\r\n  - ci/build.sh\r\n"
        "- See Also: ERR-20260101-001, ERR-20260102-001\r\n- Recurrence-Count: often\r\n- Last-Seen: 2026-02-12\r\n"
        "\r\n### Resolution\r\n- **Resolved**: 2026-02-13\r\n- **Notes**: A bigger disk.\r\n"
    )
    assert one == WrittenEntry(
        name="ERR-20260211-X3Z",
        type=EntryType.ERROR,
        category="docker_build",
        logged=datetime(2026, 2, 11, 8, 15, tzinfo=UTC),
        status=EntryStatus.IN_PROGRESS,
        summary="The image could not be built.\nTwice.",
        error="no space left",
        action="Prune the cache.",
        source="error-sweep",
        files=("Dockerfile", "ci/build.sh"),
        see_also=("ERR-20260101-001", "ERR-20260102-001"),
        last_seen=date(2026, 2, 12),
        resolution="A bigger disk.",
        rest=(
            "- **Skill-Path**: skills/docker",
            "### Impact\nThe release waited.\n\n- a day",
            "- Reproducible: yes",
            "- Recurrence-Count: often",
            "- **Resolved**: 2026-02-13",
        ),
    )


def test_a_request_of_another_tool_is_read() -> None:
    (one,) = parse_entries(
        "## [FEAT-20260211-001] dark_mode\n**Logged**: 2026-02-11\n**Priority**: `LOW`\n**Status**: won't fix\n"
        "### Requested Capability\nA dark page.\n### User Context\nWorks at night.\n"
        "### Complexity Estimate\nsimple\n### Suggested Implementation\nA style sheet.\n"
        "### Metadata\n- Frequency: first_time\n---\n"
    )
    assert (one.type, one.category, one.priority, one.status) == (
        EntryType.FEATURE,
        "dark_mode",
        Priority.LOW,
        EntryStatus.WONT_FIX,
    )
    assert (one.summary, one.setting, one.action) == ("A dark page.", "Works at night.", "A style sheet.")
    assert one.logged == datetime(2026, 2, 11, tzinfo=UTC)
    assert one.rest == ("### Complexity Estimate\nsimple", "- Frequency: first_time")


@pytest.mark.parametrize(
    ("text", "priority"),
    [
        ("**Priority**: high", Priority.HIGH),
        ("**Priority:** high", Priority.HIGH),
        ("- **Priority:** High", Priority.HIGH),
        ("* priority: **HIGH**", Priority.HIGH),
        ("Priority: high", Priority.HIGH),
        ("### Priority\nhigh", Priority.HIGH),
        ("**Priority**：high", Priority.HIGH),
        ("**Priority**: low | medium | high", None),
        ("```\n**Priority**: high\n```", None),
        ("\\**Priority**: high", None),
    ],
)
def test_a_field_is_recognized_however_it_is_marked(text: str, priority: Priority | None) -> None:
    (one,) = parse_entries(f"## [LRN-20260304-001] x\n{text}\n")
    assert one.priority is priority


@pytest.mark.parametrize(
    "heading",
    ["## [LRN-20260304-001] x", "### [LRN-20260304-001] - x", "# LRN-20260304-001: x", "  ##\t[LRN-20260304-001]   x"],
)
def test_sections_lie_one_level_below_the_heading_of_their_entry(heading: str) -> None:
    below = "#" * (heading.count("#") + 1)
    (one,) = parse_entries(
        f"{heading}\n{below} Summary\na\n{below}# deeper\nb\n{heading.strip()[: heading.count('#')]} Other\nc"
    )
    assert (one.category, one.summary, one.rest) == ("x", f"a\n{below}# deeper\nb", ())


def test_what_is_no_entry_is_skipped() -> None:
    text = (
        "---\ntitle: x\n---\n# Learnings\nWords.\n## [LRN-YYYYMMDD-XXX] category\n### Summary\nA template.\n"
        "```markdown\n## [LRN-20260101-001] example\n```\n"
        "## [LRN-20260304-001] insight\n### Summary\nReal.\n---\n## Archive\n### Summary\nNot an entry.\n"
    )
    assert [(one.name, one.summary, one.rest) for one in parse_entries(text)] == [("LRN-20260304-001", "Real.", ())]


def test_an_entry_may_stand_behind_the_mark_at_the_beginning_of_a_file() -> None:
    assert [one.name for one in parse_entries("\ufeff## [LRN-20260304-001] x\n")] == ["LRN-20260304-001"]


def test_a_fence_that_nobody_closed_hides_no_later_entry() -> None:
    text = "## [ERR-20260304-001] a\n### Error\n```\ncut off\n---\n## [ERR-20260304-002] b\n### Summary\nc\n"
    assert [(one.name, one.error, one.summary) for one in parse_entries(text)] == [
        ("ERR-20260304-001", "```\ncut off", ""),
        ("ERR-20260304-002", "", "c"),
    ]


def test_words_below_the_name_are_the_summary_where_none_is_marked() -> None:
    bare = "## [LRN-20260304-001] insight\n**Area**: docs\n\nShort lines\nare read.\n"
    assert [(one.summary, one.rest) for one in parse_entries(bare)] == [("Short lines\nare read.", ())]
    marked = bare + "### Summary\nThe summary.\n"
    assert [(one.summary, one.rest) for one in parse_entries(marked)] == [("The summary.", ("Short lines\nare read.",))]


def test_nothing_is_lost_that_follows_a_rule_or_stands_there_twice() -> None:
    (one,) = parse_entries(
        "## [LRN-20260304-001] insight\n### Details\nOne.\n---\nTwo.\n"
        "### Details\nThree.\n---\n\n### Resolution\nGone.\n"
    )
    assert (one.details, one.resolution) == ("One.", "Gone.")
    assert one.rest == ("---\nTwo.", "### Details\nThree.")


@pytest.mark.parametrize(
    "line", ["```a\n", "~~~\n```\n", "## [LRN-20260304-001] x\n", "### Tags\n", " \t", "- - ", "&amp;", "- A: b\n"]
)
def test_reading_takes_no_longer_than_the_text_is_long(line: str) -> None:
    text = "## [LRN-20260304-001] x\n### Metadata\n" + line * (300_000 // len(line))
    assert cost(lambda: parse_entries(text)) < 20_000
