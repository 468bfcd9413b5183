"""Tests of who may decide: only a person."""
