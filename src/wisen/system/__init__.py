"""Access to the machine: clock, ids, locks, processes, git, and whether a person sits at the terminal."""
