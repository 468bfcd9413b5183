"""The report: what a run found, as one value."""
