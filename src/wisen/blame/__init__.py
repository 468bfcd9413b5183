"""Blame: estimates what each line of an instruction file does."""
