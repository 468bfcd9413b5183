"""The machine: clock, ids, locks, processes, git, and who sits at the terminal."""
