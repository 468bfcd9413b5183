"""Tests of the whole learning cycle, and of what happens when one part of it fails."""
