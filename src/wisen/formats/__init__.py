"""Files for people: what is known as text they can edit, and such text as values again; no I/O."""
