"""Writes aider chat histories for tests: one appended file, plus the input history of typed prompts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

CHATS, TYPED = ".aider.chat.history.md", ".aider.input.history"
NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
SHELL = "Run shell command? (Y)es/(N)o/(D)on't ask again [Yes]:"


class Project:
    """A project in which aider is used."""

    def __init__(self, folder: Path, *, notes: bool = True, began: datetime = NOON) -> None:
        """`notes`: whether aider keeps what was typed."""
        self.folder, self.notes, self.now = folder, notes, began
        self.pieces: list[str] = []
        """What was appended to the chats, each piece in one write."""
        self.inputs: list[str] = []

    @property
    def path(self) -> Path:
        return self.folder / CHATS

    def start(self, *options: str) -> None:
        """Aider was started."""
        self.pass_time(60)
        began = self.now.astimezone().replace(tzinfo=None).isoformat(" ", "seconds")
        self.pieces.append(f"\n# aider chat started at {began}\n\n")
        self.tell(" ".join(["/usr/bin/aider", *options]))
        self.tell("Aider v0.86.2")
        self.tell("Main model: some-model with diff edit format")

    def pass_time(self, seconds: float = 5) -> None:
        self.now += timedelta(seconds=seconds)

    def type(self, text: str) -> None:
        """Something was typed, and noted as aider's prompt notes it."""
        self.pass_time()
        if self.notes and text:
            lines = "".join(f"+{line}\n" for line in text.split("\n"))
            stamp = self.now.astimezone().replace(tzinfo=None).isoformat(" ", "microseconds")
            self.inputs.append(f"\n# {stamp}\n{lines}")

    def block(self, text: str) -> None:
        """What stands where typed text stands."""
        lines = text.splitlines() or ["<blank>"]
        joined = "  \n#### ".join(lines)
        self.pieces.append(f"\n#### {joined}".rstrip() + "  \n")

    def prompt(self, text: str) -> None:
        self.type(text)
        self.block(text)

    def reply(self, text: str) -> None:
        """The model's answer."""
        self.pieces.append(f"\n{text.strip()}\n\n")
        self.tell("Tokens: 2.4k sent, 46 received.")

    def tell(self, text: str) -> None:
        """A message of aider, on one line or more."""
        self.pieces.append(f"> {text.strip()}".rstrip() + "  \n")

    def tell_lines(self, text: str) -> None:
        """A warning of aider, which is written line by line."""
        for line in text.splitlines():
            self.tell(line)

    def ask(self, question: str, answer: str = "y", *, typed: bool = True) -> None:
        """A question of aider, and the answer; `typed`: by the user."""
        if typed:
            self.type(answer)
        self.tell(f"{question} {answer or 'y'}")

    def run(self, command: str) -> None:
        """The user lets a command run."""
        self.tell(command)
        self.ask(SHELL)
        self.tell(f"Running {command}")
        self.type(f"/run {command}")

    def fail_edit(self, path: str) -> None:
        """The model's edit does not fit the file."""
        self.tell("The LLM did not conform to the edit format.")
        self.tell("https://aider.chat/docs/troubleshooting/edit-errors.html")
        self.tell(
            f"# 1 SEARCH/REPLACE block failed to match!\n\n## SearchReplaceNoExactMatch: no lines as in {path}\n"
            "<<<<<<< SEARCH\n#### From now on say MODEL\n=======\nother\n>>>>>>> REPLACE\n\nLook again."
        )

    def save(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.path.write_bytes("".join(self.pieces).encode("utf-8", "surrogateescape"))
        if self.inputs:
            (self.folder / TYPED).write_text("".join(self.inputs), encoding="utf-8")
