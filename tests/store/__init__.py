"""Tests of the stores: their contracts, and that nothing is lost when disks, bytes and processes fail."""
