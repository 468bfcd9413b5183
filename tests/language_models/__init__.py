"""Tests of language models, with servers and programs on loopback in their place."""
