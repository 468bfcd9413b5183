"""Stems and synonyms of English words, and the words that say nothing about a subject.

Plain Python without imports, because the hook client loads this file inside an agent's turn; lessons are compared by
the same.
"""

from __future__ import annotations

EMPTY = frozenset(
    "a an the this that these those it its is are was were be been being do does did done doing to of in on at by "
    "for with from as and or nor so if then than there here we you i us our your my me they them their he she have "
    "has had having can could would should will shall may might must need needs needed want wants please pls just "
    "also too very really all any some one ones every each both ever what which who when where how why let lets "
    "make making makes sure get got go goes into up about now still again always use uses using used utilize "
    "utilise prefer remember note ensure thanks thank anything something everything anyway like instead but ok okay "
    "yes hey while inside within during own yourself exactly simply actually already going forward onwards time "
    "and/or via onto supposed ought able since because even yet well sorry everywhere hmm hmmm yeah yep nope "
    "think guess maybe probably still here's there's theres there feel great right ready fine somehow actually "
    "forgot forget forgotten other another such same way thing things stuff bit lot much quite "
    "said told asked tell back done end "
    "benutze benutzen nutze nutzen verwende verwenden nimm usa usar usad utiliza utilizar utilise utiliser utilisez "
    "usare usiamo usate gebruik använd brug bruk użyj używaj используй используйте використовуй kullan "
    "用 使用 使って を使って 를 을".split()
)
"""Stop words: they say nothing about the subject of a lesson."""
_SYNONYMS = (
    "repository repo project codebase",
    "directly straight",
    "folder dir directory",
    "documentation doc",
    "delete remove drop erase removal deletion",
    "add include insert put belong contain",
    "write wrote written create",
    "keep kept stay leave",
    "check verify",
    "lint linter",
    "format formatter",
    "javascript js",
    "typescript ts",
    "python py",
    "environment env",
    "configuration config",
    "database db",
    "message msg",
    "pr prs",
    "function func",
    "variable var",
    "argument arg parameter param",
    "answer reply response respond replie",
    "test spec",
    "emoji emojis emoticon smiley",
    "fail failure broken error crash",
    "discuss talk chat discussion",
    "address handle resolve",
    "dependency dep package",
    "fix repair mend",
    "edit modify alter touch",
    "run ran execute",
    "short brief concise terse succinct shorter briefly concisely",
    "long verbose lengthy wordy longer",
    "alphabetically alphabetical alphabetic",
    "entire whole",
    "library lib",
    "application app",
    "build built",
    "indent indentation",
)
"""Synonyms in lessons about code; the first of each row represents all."""
_VOWELS = "aeiouy"
_MIN_STEM = 3


def stem(word: str) -> str:
    """Strip the plural and tense endings of a word."""
    if len(word) <= _MIN_STEM:
        return word
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if (
            rest != word
            and len(rest) >= _MIN_STEM - (rest[:1] in "aeiou")
            and any(letter in _VOWELS for letter in rest)
        ):
            word = rest
            break
    if len(word) > _MIN_STEM and word[-1] == word[-2] and word[-1] not in "aeious":
        word = word[:-1]
    if len(word) > _MIN_STEM and word.endswith("e"):
        word = word[:-1]
    return f"{word[:-1]}i" if len(word) > _MIN_STEM and word.endswith("y") else word


CANONICAL = {stem(word): stem(words.split()[0]) for words in _SYNONYMS for word in words.split()}
"""The stem that represents a stem and its synonyms."""
