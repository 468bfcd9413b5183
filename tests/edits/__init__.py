"""The one door through which files of people are changed."""
