"""The program that agents run: `PYTHON -I -S client.py --home HOME EVENT`, with the agent's JSON on its input.

It prints the agent's JSON answer or nothing, and always ends with 0: nothing here may fail an agent's turn. Where it
can, the launcher runs the same modules precompiled: see `bundle_start.py`.
"""

import sys
from posix import _exit  # type: ignore[attr-defined,unused-ignore]


def main() -> None:
    """Answer one event, whatever happens."""
    try:
        if __package__:
            from wisen.surfaces.hook.event_answers import run
        else:
            # At the end of the path, so that nothing in that folder shadows a module of the standard library.
            sys.path.append(__file__.rsplit("/", 2)[0])
            from hook.event_answers import run  # type: ignore[import-not-found,no-redef,unused-ignore]  # the same, by its folder

        run(sys.argv[1:])
    except BaseException:  # noqa: BLE001 - the agent's turn comes first
        _exit(0)
    _exit(0)


if __name__ == "__main__":
    main()
