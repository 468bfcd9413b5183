"""Fakes and contract suites, shipped so that people who write an agent, a store or another port can prove their own."""
