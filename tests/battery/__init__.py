"""The battery: faults and attacks with sizes and goals. `python -m tests.battery --help`; `docs/battery.md`."""
