"""Makes artefacts of what was learnt: guards, each tried on the recorded past before anybody meets it."""
