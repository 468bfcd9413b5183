"""Tests of delivery: what agents are given and when, and the snapshots that the hook client reads."""
