"""Tracks a shell's variables along a command line: only values that are certain.

Plain Python without imports, because the hook client loads this file inside an agent's turn.
"""

from __future__ import annotations

from .shell_words import UNKNOWN

_UNCERTAIN_SEPARATORS = ("|", "|&", "||", "&")
"""A command next to such a separator may run in its own shell, or not at all."""


class Variables:
    """The variables of one shell."""

    def __init__(self, known: dict[str, str]) -> None:
        self.known = known
        self.pending: dict[str, str | None] = {}
        """The previous values of the variables assigned before the command that is being read."""
        self._chained: list[str] = []
        """Variables whose value is certain only if everything before them in a chain of `&&` succeeded."""
        self._opened: list[tuple[dict[str, str] | None, bool]] = []
        """What was known before each open block, None for a mere group; and whether it is a function."""
        self._set_by_functions: set[str] = set()
        """Variables that a function sets whenever it is called."""

    def assign(self, word: str) -> None:
        """Assign a variable, and remember the previous value."""
        name, _, value = word.partition("=")
        if name.endswith("+"):
            name = name[:-1]
            value = self.known.get(name, UNKNOWN) + value
        self.pending.setdefault(name, self.known.get(name))
        self.known[name] = UNKNOWN if name in self._set_by_functions else value

    def restore(self) -> None:
        """End the values that were meant for one command only."""
        for name, value in self.pending.items():
            if value is None:
                self.known.pop(name, None)
            else:
                self.known[name] = value
        self.pending.clear()

    def keep_certain(self, before: str, after: str) -> None:
        """Keep the values just assigned only where the separators around make them certain."""
        if before in _UNCERTAIN_SEPARATORS or after in ("|", "|&", "&"):
            self.forget(self.pending)
        elif before == "&&":
            self._chained += self.pending
        self.pending.clear()

    def forget(self, names: dict[str, str | None] | list[str]) -> None:
        """Mark variables as unknown from now on."""
        self.known.update(dict.fromkeys(names, UNKNOWN))

    def end_chain(self) -> None:
        """End a chain of `&&`, which may have stopped anywhere."""
        self.forget(self._chained)
        self._chained.clear()

    def open_block(self, *, function: bool = False, group: bool = False) -> None:
        """Begin a block that may run once, repeatedly, or not at all."""
        self._opened.append((None if group else dict(self.known), function))
        if function:
            self.known.clear()  # it runs later, when they may have other values

    def start_branch(self) -> None:
        """Begin another branch: what was assigned since the opening may be set or not."""
        before, function = self._opened[-1] if self._opened else (None, False)
        if before is not None:
            unsure = [name for name, value in self.known.items() if function or before.get(name) != value]
            self._set_by_functions.update(unsure if function else ())
            self.known.update(before)
            self.forget(unsure)

    def close_block(self) -> None:
        """End the block that was opened last."""
        self.start_branch()
        del self._opened[-1:]
