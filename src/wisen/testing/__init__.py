"""Fakes and contract suites for every port, shipped so that third parties can prove their own backends."""
