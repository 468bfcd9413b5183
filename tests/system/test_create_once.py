"""A file of the home is created once, however many processes ask for it at the same time."""

from __future__ import annotations

import threading
from pathlib import Path

from wisen.system.create_once import read_or_create


def test_threads_that_ask_at_once_get_the_same_content(tmp_path: Path) -> None:
    for turn in range(30):
        together, contents = threading.Barrier(6), list[str]()

        def ask(number: int, file: Path = tmp_path / str(turn), wait: threading.Barrier = together) -> None:
            def made() -> str:
                wait.wait()  # all of them found nothing, and create it
                return f"made by {number}"

            contents.append(read_or_create(file, made))  # noqa: B023 - ended before the next turn

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(contents) == 6
        assert len(set(contents)) == 1
        assert [file.name for file in tmp_path.iterdir() if "part" in file.name] == []
