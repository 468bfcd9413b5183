"""Tests of the log readers and hook integrations of each supported agent."""
