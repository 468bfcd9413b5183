"""Sentences that tell how to work by their form alone are heard; what only looks like them is not told as lasting."""

from __future__ import annotations

import pytest

from wisen.text.directives import directives_in

_HEARD = (
    "Every new migration needs a rollback script",
    "each public class must have a usage example",
    "as few dependencies as you can manage, please",
    "as little magic as possible in the router",
    "go easy on the decorators",
    "be sparing with generics",
    "ditch the headings when you explain something",
    "lose the exclamation marks in your replies",
    "resist the urge to tidy up unrelated files",
    "when in doubt, ask",
    "if you're not sure, say so and ask",
    "show me the SQL before you run any migration",
    "before touching the lockfile ask me about it",
    "I shouldn't have to remind you about the changelog",
    "treat compiler warnings as errors",
    "there's no reason to ever call sleep in a test",
    "there is no place for globals in the engine",
    "Nobody merges to release without a review",
    "no one deploys on a Friday",
    "nothing ships without a second pair of eyes",
    "in src/core no framework imports",
    "comments only in English",
    "if the build is red don't merge",
    "if you spot a typo outside your change, tell me and leave it",
    "only catch exceptions when you can recover from them",
    "default to immutable data",
    "err on the side of asking",
    "stick to the standard library",
    "follow the existing naming",
    "I'd go with httpx rather than requests in new services",
    "I'll do the releases myself",
    "leave the version bumps to me",
    "one assertion per test",
    "no more than two levels of nesting per function",
    "keep functions under 30 lines",
    "keep business rules out of the controllers",
    "less prose, more code",
    "way too many comments",
    "no pull request without tests",
    "you're not allowed to edit the snapshots",
    "you are only to touch the client package",
    "helpers are supposed to be pure functions",
    "the only branch you push to is develop",
    "you don't force-push, ever",
    "tests first, then the implementation",
    "small commits please",
    "use type hints everywhere but the notebooks",
    "write British spelling except in identifiers",
    "readability beats cleverness",
    "let's agree on kebab-case for file names",
    "skipping hooks is a last resort",
    "timestamps are only ever stored in UTC",
    "put generated code in gen/ and nowhere else",
    "strict mode or nothing",
    "the domain layer stays framework-free",
    "credentials don't belong in the repository",
    "print statements have no business in library code",
    "schema changes need my explicit approval",
    "unused imports drive me crazy",
    "i thought we agreed on conventional commits",
    "since when do we use default exports",
    "mocks are for network calls",
    "can you please not rename my variables",
    "for the love of god no more wrapper classes",
    "erst den Entwurf zeigen, dann umsetzen",
    "Logdateien haben im Repo nix verloren",
    "les dates, c'est en UTC et non en heure locale",
    "personne ne pousse sur release",
    "antes de remover qualquer arquivo voc\u00ea me avisa",
    "cada rota nova precisa de um teste",
    "sv\u00e5ra namn h\u00f6r inte hemma i koden",
    "f\u00f6rst en plan, sen koden",
    "\u043d\u0438\u043a\u0442\u043e \u043d\u0435 \u043f\u0443\u0448\u0438\u0442 \u0432 release",
    "najpierw plan, potem kod",
)
_NOT_LASTING = (
    "every request gets a 500",
    "nobody knows why it fails",
    "it stays on the loading screen",
    "the only test you broke is fixed",
    "should every endpoint need a test?",
    "if it doesn't work we try the other one",
    "let's stick with option 2",
    "stick with that",
    "save the file and run it",
    "no files in the list",
    "keep going",
)


@pytest.mark.requirement("N4")
@pytest.mark.parametrize("sentence", _HEARD)
def test_a_form_that_tells_how_to_work_is_heard(sentence: str) -> None:
    assert directives_in(sentence)


@pytest.mark.requirement("N4")
@pytest.mark.parametrize("sentence", _NOT_LASTING)
def test_what_only_looks_like_such_a_form_is_none(sentence: str) -> None:
    assert not directives_in(sentence)
