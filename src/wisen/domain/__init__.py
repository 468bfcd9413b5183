"""The nouns: frozen values without I/O. They know nothing of stages, stores or surfaces."""
