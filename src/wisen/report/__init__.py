"""The report: the findings of a run as one value."""
