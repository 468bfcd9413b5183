"""Scripts written without spaces: text in them is matched by pairs of letters.

Plain Python without imports, because the hook client loads this file inside an agent's turn; recall uses the same.
"""

from __future__ import annotations

RANGES = (
    ("\u3400", "\u4dbf"),  # Chinese characters
    ("\u4e00", "\u9fff"),
    ("\uf900", "\ufaff"),
    ("\u3041", "\u3096"),  # Japanese syllables
    ("\u30a1", "\u30fa"),
    ("\u30fc", "\u30fc"),
    ("\uac00", "\ud7a3"),  # Korean
    ("\u0e01", "\u0e3a"),  # Thai
    ("\u0e40", "\u0e4e"),
    ("\u1780", "\u17b3"),  # Khmer
    ("\u0e81", "\u0eae"),  # Lao
    ("\u1000", "\u102a"),  # Burmese
)
"""The first and last letter of each range."""
LETTERS = "".join(first if first == last else f"{first}-{last}" for first, last in RANGES)
"""The same as the inside of a character class of a regular expression."""


def is_unspaced_letter(letter: str) -> bool:
    """Whether a letter belongs to a script without spaces between words."""
    return letter > "\u0e00" and any(first <= letter <= last for first, last in RANGES)


def letter_pairs(run: str) -> list[str]:
    """The pairs of letters in a run of a script without spaces; each single letter as well, for words of one."""
    return [*(run[at : at + 2] for at in range(len(run) - 1)), *run] if len(run) > 1 else [run]


def letter_pairs_in(text: str) -> list[str]:
    """The pairs of letters in all runs of such scripts in a text; a run of one letter is left out."""
    if text.isascii():
        return []
    found: list[str] = []
    begins = -1
    for at, letter in enumerate(f"{text} "):
        if is_unspaced_letter(letter):
            begins = at if begins < 0 else begins
        elif begins >= 0:
            found += (text[each : each + 2] for each in range(begins, at - 1))
            begins = -1
    return found
