"""Tests of detecting corrections and directives in typed messages, in any language."""
