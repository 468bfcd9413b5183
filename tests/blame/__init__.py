"""Tests of blame: what instruction files say, and what effect each line seems to have."""
