"""How guards are written and distinguished."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wisen.errors import UsageError
from wisen.kernel.matching import watch_keys
from wisen.model.guard import (
    ACTIONS,
    GUARD_SYNTAX,
    Guard,
    GuardSource,
    Mode,
    guard_id,
    guard_version,
    parse_guard,
    parse_watch,
)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("git push", (Mode.WARN, "shell: git push", "", "")),
        ("deny rtk bun -> bun # it is not there", (Mode.DENY, "shell: rtk bun", "bun", "it is not there")),
        ("ask  shell:  a   b => c", (Mode.ASK, "shell: a b", "c", "")),
        ("shell:git push", (Mode.WARN, "shell: git push", "", "")),
        ("a → b", (Mode.WARN, "shell: a", "b", "")),
        ("a => b -> c", (Mode.WARN, "shell: a", "b -> c", "")),
        ("a ->", (Mode.WARN, "shell: a", "", "")),
        ("a #", (Mode.WARN, "shell: a", "", "")),
        ("edit:migrations/**", (Mode.WARN, "edit: migrations/**", "", "")),
        ("deny read: .env # secrets", (Mode.DENY, "read: .env", "", "secrets")),
        ("WebFetch: url=*x*", (Mode.WARN, "WebFetch: url=*x*", "", "")),
        ("npm run test:unit", (Mode.WARN, "shell: npm run test:unit", "", "")),
        ("warn warn x", (Mode.WARN, "shell: warn x", "", "")),
    ],
)
def test_a_guard_is_read_as_it_is_written(text: str, form: tuple[Mode, str, str, str]) -> None:
    assert tuple(parse_guard(text)) == form


@pytest.mark.parametrize(
    ("text", "value", "step"),
    [
        ("", "''", GUARD_SYNTAX),
        ("deny", "'deny'", GUARD_SYNTAX),
        ("shell:", "'shell:'", GUARD_SYNTAX),
        ("edit:", "'edit:'", GUARD_SYNTAX),
        ("-> bun", "'-> bun'", GUARD_SYNTAX),
        ("# why", "'# why'", GUARD_SYNTAX),
        ("allow git push", "'allow git push'", GUARD_SYNTAX),
        ("-f", "'shell: -f'", "shell: git push --force"),
        ("... x", "'shell: ... x'", "shell: git push --force"),
        ("edit: a b", "'edit: a b'", "edit: migrations/**"),
        ("WebFetch: url", "'WebFetch: url'", "WebFetch: url=*example.org*"),
    ],
)
def test_what_cannot_be_read_is_named_with_the_next_step(text: str, value: str, step: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_guard(text)
    assert value in str(error.value)
    assert step in str(error.value)


_form_words = st.sampled_from(
    (
        "deny warn ask allow shell: edit: read: WebFetch: edit:a shell:a git push -f ... … * a|b -> => → # #x x:y "
        "url=* \u00a0 ü : -"
    ).split(" ")
)


@settings(max_examples=400)
@given(text=st.lists(_form_words, max_size=7).map(" ".join) | st.text(max_size=30))
def test_a_guard_that_can_be_read_is_written_so_that_it_is_read_the_same(text: str) -> None:
    message = ""
    try:
        form = parse_guard(text)
    except UsageError as error:
        message = str(error)
    if message:
        assert GUARD_SYNTAX in message or "as in `" in message
        return
    guard = Guard(
        id=guard_id("", form.watch),
        version=guard_version(form.watch, form.better, form.action),
        machine="m",
        at=datetime(2026, 1, 1, tzinfo=UTC),
        context="",
        watch=form.watch,
        better=form.better,
        reason=form.reason,
        source=GuardSource.HAND,
        action=form.action,
    )
    assert form.action in ACTIONS
    assert parse_guard(guard.source_text) == form
    assert watch_keys(parse_watch(form.watch))


_key = st.text().map(lambda text: text.replace("\0", ""))


@given(one=st.tuples(_key, _key), two=st.tuples(_key, _key))
def test_guards_are_distinguished_by_context_and_watch(one: tuple[str, str], two: tuple[str, str]) -> None:
    assert (guard_id(*one) == guard_id(*two)) is (one == two)
    assert re.fullmatch("G-[0-9a-f]{8}", guard_id(*one))
