"""Edits by wisen, the user, other tools and git in any order: what is not ours is never touched."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.edits.edit_ports import make_edit_ports, plan
from tests.edits.fake_checkouts import MemoryCheckouts
from wisen.edits.editor import Editor, ValuePlan
from wisen.edits.managed_lines import MARK
from wisen.edits.settings_text import parse_settings, with_value, without_value
from wisen.edits.user_edits import detect_user_edits
from wisen.errors import SettingsUnclear, UsageError
from wisen.model.change import ChangeFate, content_digest

if TYPE_CHECKING:
    from wisen.edits.settings_text import Format
    from wisen.model.change import CheckedOutFile

HIS = [b"# A", b"## Rules", b"- his item", b"his text", b"", b"\xff", b"~~~", b"~~~ "]
PLACES = st.integers(min_value=0, max_value=30)


class Edits(RuleBasedStateMachine):
    """One Markdown file that we, its owner, other tools and git change."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "AGENTS.md"
        self.checkouts = MemoryCheckouts()
        self.edit_ports = make_edit_ports(checkouts=self.checkouts)
        self.editor = Editor(self.edit_ports)
        self.number = 0
        self.moved = 0
        self.open: list[str] = []
        self.commits: list[CheckedOutFile] = []
        self.touched = False
        """Whether anybody else ever changed the file."""
        self.by_hand = False
        """Whether anybody but git did since the last look."""
        self.found: set[tuple[str, ChangeFate]] = set()
        """Which change had which fate when we looked."""
        self.base: bytes | None = None

    @initialize(
        lines=st.lists(st.sampled_from(HIS), max_size=6),
        end=st.sampled_from([b"\n", b"\r\n"]),
        last=st.booleans(),
        bom=st.booleans(),
        tracked=st.booleans(),
    )
    def begin(self, lines: list[bytes], end: bytes, last: bool, bom: bool, tracked: bool) -> None:
        self.base = (b"\xef\xbb\xbf" if bom else b"") + end.join(lines) + (end if last and lines else b"")
        self.path.write_bytes(self.base)
        if tracked:
            self.commits.append(self.checkouts.commit(self.path, self.base))

    @rule(heading=st.sampled_from(["Rules", "More"]))
    def put(self, heading: str) -> None:
        self.number += 1
        theirs, before, mode = self.his_lines(), self.content(), self.mode()
        try:
            change = self.editor.add_line(plan(self.path, self.number, f"Rule {self.number}.", heading)).change
        except UsageError:
            assert self.content() == before
            return
        self.open.append(change.id)
        assert self.his_lines() == theirs
        assert mode in (None, self.mode())

    @precondition(lambda self: self.open)
    @rule(which=PLACES)
    def undo(self, which: int) -> None:
        id_ = self.open.pop(which % len(self.open))
        theirs, mode = self.his_lines(), self.mode()
        self.editor.undo(id_)
        assert self.his_lines() == theirs
        assert self.mode() in (None, mode)

    @rule()
    def look(self) -> None:
        found = {(look.change, look.fate) for look in detect_user_edits(self.edit_ports)}
        if not self.by_hand:  # what was found before is found again when another commit is checked out
            assert not {ChangeFate.REWORDED, ChangeFate.REMOVED}.intersection(fate for _, fate in found - self.found)
        self.found |= found
        self.by_hand = False

    @rule(which=PLACES, line=st.sampled_from([b"- new of his", b"new text", b"- new <!-- wisen:R-0001 -->"]))
    def he_adds(self, which: int, line: bytes) -> None:
        lines = self.content().split(b"\n")
        lines.insert(which % (len(lines) + 1), line)
        self.by_other(b"\n".join(lines))

    @rule(which=PLACES)
    def he_removes(self, which: int) -> None:
        lines = self.content().split(b"\n")
        del lines[which % len(lines)]
        self.by_other(b"\n".join(lines))

    @rule(which=PLACES, where=PLACES)
    def he_moves_a_line(self, which: int, where: int) -> None:
        lines = self.content().split(b"\n")
        line = lines.pop(which % len(lines))
        lines.insert(where % (len(lines) + 1), line)
        self.by_other(b"\n".join(lines))

    @rule(which=PLACES)
    def he_moves_a_line_to_another_file(self, which: int) -> None:
        lines = self.content().split(b"\n")
        line = lines.pop(which % len(lines))
        other = self.path.with_name("NOTES.md")
        other.write_bytes((other.read_bytes() if other.exists() else b"") + line + b"\n")
        self.by_other(b"\n".join(lines))

    @rule(content=st.sampled_from([b"", b"# Other\r\n\r\n## Rules\r\n- theirs", b"\xef\xbb\xbf## More\n"]))
    def another_tool_overwrites(self, content: bytes) -> None:
        self.by_other(content)

    @rule()
    def he_moves_it_and_leaves_a_link(self) -> None:
        self.moved += 1
        real = self.path.resolve()
        new = real.with_name(f"moved-{self.moved}.md")
        if real.exists():
            real.rename(new)
        else:
            new.write_bytes(b"")
            self.touched = self.by_hand = True
        self.path.unlink(missing_ok=True)
        self.path.symlink_to(new.name)
        at = self.checkouts.checkout_of(str(real))
        if at is not None:
            self.checkouts.switch(new, at)

    @rule()
    @precondition(lambda self: not self.moved)
    def he_renames_it(self) -> None:
        if self.path.exists():
            self.path.rename(self.path.with_name("NOTES.md"))
            self.touched = self.by_hand = True

    @rule()
    @precondition(lambda self: self.commits)
    def he_commits(self) -> None:
        self.commits.append(self.checkouts.commit(self.path.resolve(), self.content()))

    @rule(which=PLACES)
    @precondition(lambda self: self.commits)
    def he_switches_the_branch(self, which: int) -> None:
        chosen = self.commits[which % len(self.commits)]
        at = self.checkouts.checkout_of(str(self.path.resolve()))
        if at is not None and at.head == chosen.head:
            self.by_hand = True  # HEAD stays where it is: the user restored the file as it was committed
        self.path.resolve().write_bytes(chosen.content)
        self.checkouts.switch(self.path.resolve(), chosen)
        self.touched = True

    @rule(mode=st.sampled_from([0o600, 0o644, 0o664]))
    def another_mode(self, mode: int) -> None:
        if self.path.exists():
            self.path.chmod(mode)

    @invariant()
    def a_link_stays_a_link(self) -> None:
        assert self.path.is_symlink() == bool(self.moved)

    @invariant()
    def untouched_files_are_restored(self) -> None:
        if not self.open and not self.touched and self.base is not None:
            assert self.path.read_bytes() == self.base

    @invariant()
    def nothing_is_left_beside(self) -> None:
        assert all(each.suffix == ".md" for each in self.path.parent.iterdir())

    def content(self) -> bytes:
        return self.path.read_bytes() if self.path.exists() else b""

    def mode(self) -> int | None:
        return self.path.stat().st_mode if self.path.exists() else None

    def by_other(self, content: bytes) -> None:
        self.path.write_bytes(content)
        self.touched = self.by_hand = True

    def his_lines(self) -> Counter[bytes]:
        """Return what is not ours in all files, without what may be part of the frames of our lines."""
        contents = [each.read_bytes() for each in self.path.parent.iterdir() if not each.is_symlink()]
        lines = [line.strip(b"\r") for content in contents for line in content.split(b"\n")]
        around = (b"## Rules", b"## More")
        return Counter(line for line in lines if line.strip() and MARK.search(line) is None and line not in around)

    def teardown(self) -> None:
        self.folder.cleanup()


STARTS: dict[Format, list[str]] = {
    "json": ["", "{}", '{\n  "his": [1, 2]\n}\n', '{"his":{"x":null},"list":[1,2]}', '{\r\n\t"a": {"his": 1.50}\r\n}'],
    "json5": ["", "// his\n{his: 1,}\n", "{\n  // his\n  'list': [\n    1, // one\n  ],\n}\n"],
    "toml": ["", "his = 1 # his\n", "[a]\nhis = 1\n\n[b]\nx = 2\n", "list = [\n  1, # one\n]\r\n[a.his]\n"],
    "yaml": ["", '{"his": 1}\n', '{\n  "a": {"his": 1},\n  "list": [1]\n}\n', '{"his": {"x": 1},\r\n "list": [1]}\r\n'],
}
KEYS: list[tuple[str | int, ...]] = [
    ("a",),
    ("b",),
    ("a", "b"),
    ("a", "c"),
    ("d", "e", "f"),
    ("d", "e", "g"),
    ("list", "-"),
    ("new", "-"),
]
VALUES = [1, True, "x", "", [], ["y"], {"z": 1}, 2.5]


class SettingsEdits(RuleBasedStateMachine):
    """One settings file that we, its owner and other tools change; or we alone, few keys over and over."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.format: Format = "json"
        self.edit_ports = make_edit_ports()
        self.editor = Editor(self.edit_ports)
        self.open: dict[str, tuple[str | int, ...]] = {}
        self.added: dict[str, tuple[str, str]] = {}
        """Which value each open change added to which list."""
        self.alone = False
        """Whether nobody else touches the file: then edits meet what earlier ones left."""
        self.keys, self.values = KEYS, VALUES
        self.touched = self.by_hand = False
        self.found: set[tuple[str, ChangeFate]] = set()

    @initialize(
        start=st.sampled_from([(format, text) for format, texts in STARTS.items() for text in texts]),
        alone=st.booleans(),
        keys=st.lists(st.sampled_from(KEYS), min_size=1, max_size=3),
        values=st.lists(st.sampled_from(VALUES), min_size=1, max_size=2),
    )
    def begin(
        self, start: tuple[Format, str], alone: bool, keys: list[tuple[str | int, ...]], values: list[object]
    ) -> None:
        self.format, self.alone = start[0], alone
        if alone:
            self.keys, self.values = keys, values
        self.path = Path(self.folder.name) / f"settings.{start[0]}"
        self.base = start[1].encode()
        self.path.write_bytes(self.base)

    @rule(which=PLACES, what=PLACES, removes=st.booleans())
    def set(self, which: int, what: int, removes: bool) -> None:
        keys, value = self.keys[which % len(self.keys)], self.values[what % len(self.values)]
        before = self.path.read_bytes()
        try:
            digest = content_digest(before)
            edit = self.editor.set_value(ValuePlan(str(self.path), keys, value, "needed", digest, removes))  # type: ignore[arg-type]
        except SettingsUnclear:
            assert self.path.read_bytes() == before
            return
        self.open[edit.change.id] = keys
        if keys[-1] == "-" and not removes:
            self.added[edit.change.id] = (str(keys[0]), repr(value))
        assert self.besides(before, keys) == self.besides(self.path.read_bytes(), keys)

    @precondition(lambda self: self.open)
    @rule(which=PLACES)
    def undo(self, which: int) -> None:
        id_, keys = list(self.open.items())[which % len(self.open)]
        del self.open[id_]
        self.by_hand |= self.touched  # an earlier one of ours may have been rejected before this one
        before = self.path.read_bytes()
        try:
            self.editor.undo(id_)
        except UsageError:
            assert self.touched
            assert self.path.read_bytes() == before
        else:
            assert self.besides(before, keys) == self.besides(self.path.read_bytes(), keys)

    @rule()
    def look(self) -> None:
        found = {(look.change, look.fate) for look in detect_user_edits(self.edit_ports)}
        if not self.by_hand:  # what was found before is found again when another commit is checked out
            assert not {ChangeFate.REWORDED, ChangeFate.REMOVED}.intersection(fate for _, fate in found - self.found)
        self.found |= found
        self.by_hand = False

    @precondition(lambda self: not self.alone)
    @rule(keys=st.sampled_from(KEYS), value=st.sampled_from(VALUES), removes=st.booleans())
    def he_sets(self, keys: tuple[str | int, ...], value: object, removes: bool) -> None:
        text = self.path.read_bytes().decode()
        try:
            new = without_value(text, self.format, keys) if removes else with_value(text, self.format, keys, value)  # type: ignore[arg-type]
        except SettingsUnclear:
            return
        self.path.write_bytes(new.encode())
        self.touched = self.by_hand = True

    @rule()
    @precondition(lambda self: not self.alone and self.format != "json")
    def he_comments(self) -> None:
        mark = b"// his own words\n" if self.format == "json5" else b"# his own words\n"
        self.path.write_bytes(mark + self.path.read_bytes())
        self.touched = self.by_hand = True

    @precondition(lambda self: not self.alone)
    @rule(start=PLACES)
    def another_tool_overwrites(self, start: int) -> None:
        texts = STARTS[self.format]
        self.path.write_bytes(texts[start % len(texts)].encode())
        self.touched = self.by_hand = True

    @precondition(lambda self: not self.alone)
    @rule()
    def he_saves_half_of_it(self) -> None:
        self.path.write_bytes(self.path.read_bytes()[:-3])
        self.touched = self.by_hand = True

    @invariant()
    def untouched_files_are_restored(self) -> None:
        if not self.open and not self.touched:
            assert self.path.read_bytes() == self.base

    @invariant()
    def values_of_ours_stand_in_a_list_as_often_as_they_were_added(self) -> None:
        if self.touched or any(keys[-1] != "-" for keys in self.open.values()):
            return
        data, base = (parse_settings(each.decode(), self.format) for each in (self.path.read_bytes(), self.base))
        assert isinstance(data, dict)
        assert isinstance(base, dict)
        for name in ("list", "new"):
            more = Counter(map(repr, data.get(name, ()))) - Counter(map(repr, base.get(name, ())))
            ours = [self.added[id_][1] for id_ in self.open if id_ in self.added and self.added[id_][0] == name]
            assert more == Counter(ours)

    @invariant()
    def an_untouched_file_can_be_read(self) -> None:
        if not self.touched:
            parse_settings(self.path.read_bytes().decode(), self.format)

    def besides(self, content: bytes, keys: tuple[str | int, ...]) -> object:
        """Return what a file says except at the first of some keys, and the user's comments."""
        try:
            data = parse_settings(content.decode(), self.format)
        except SettingsUnclear:
            return content
        if not isinstance(data, dict):
            return content
        data.pop(str(keys[0]), None)
        return repr(data), content.count(b"his own words")

    def teardown(self) -> None:
        self.folder.cleanup()
