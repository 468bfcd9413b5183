"""One subpackage per supported agent: finds and parses its session logs and describes its hooks."""
