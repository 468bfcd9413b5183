"""What is known of a shell's variables along a command line: only what they are sure to hold.

Plain Python without imports, because the hook client loads this file inside an agent's turn.
"""

from __future__ import annotations

from .shell_words import UNKNOWN

_UNCERTAIN_SEPARATORS = ("|", "|&", "||", "&")
"""A command next to such a mark may be run in a shell of its own, or not at all."""


class Variables:
    """The variables of one shell."""

    def __init__(self, known: dict[str, str]) -> None:
        self.known = known
        self.pending: dict[str, str | None] = {}
        """What the variables held that are set before the command that is being read."""
        self._chained: list[str] = []
        """Those that have their value only if all before them in a chain of `&&` went well."""
        self._opened: list[tuple[dict[str, str] | None, bool]] = []
        """What was known before each loop, choice or function that is open here, None for a mere group; and whether
        it is a function."""
        self._set_by_functions: set[str] = set()
        """Those that a function sets, whenever it is called."""

    def assign(self, word: str) -> None:
        """Give a variable its value, and hold the one before."""
        name, _, value = word.partition("=")
        if name.endswith("+"):
            name = name[:-1]
            value = self.known.get(name, UNKNOWN) + value
        self.pending.setdefault(name, self.known.get(name))
        self.known[name] = UNKNOWN if name in self._set_by_functions else value

    def restore(self) -> None:
        """Values that were meant for one command only are over."""
        for name, value in self.pending.items():
            if value is None:
                self.known.pop(name, None)
            else:
                self.known[name] = value
        self.pending.clear()

    def keep_certain(self, before: str, after: str) -> None:
        """Keep the values that were just given only where the marks around make them sure."""
        if before in _UNCERTAIN_SEPARATORS or after in ("|", "|&", "&"):
            self.forget(self.pending)
        elif before == "&&":
            self._chained += self.pending
        self.pending.clear()

    def forget(self, names: dict[str, str | None] | list[str]) -> None:
        """These may hold anything from now on."""
        self.known.update(dict.fromkeys(names, UNKNOWN))

    def end_chain(self) -> None:
        """A chain of `&&` is over, and may have stopped anywhere."""
        self.forget(self._chained)
        self._chained.clear()

    def open_block(self, *, function: bool = False, group: bool = False) -> None:
        """Something begins that may be run, or not, or often."""
        self._opened.append((None if group else dict(self.known), function))
        if function:
            self.known.clear()  # it is run later, and they may hold other values then

    def start_branch(self) -> None:
        """Another branch begins: what was set since the opening may be set or not."""
        before, function = self._opened[-1] if self._opened else (None, False)
        if before is not None:
            unsure = [name for name, value in self.known.items() if function or before.get(name) != value]
            self._set_by_functions.update(unsure if function else ())
            self.known.update(before)
            self.forget(unsure)

    def close_block(self) -> None:
        """What was opened last is over."""
        self.start_branch()
        del self._opened[-1:]
