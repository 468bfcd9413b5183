"""Every row type and shared value, with pure folds over them: no I/O, no policy."""
