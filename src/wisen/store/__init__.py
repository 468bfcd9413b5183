"""Ledger and index: one module a noun, on SQLite and PostgreSQL, with migrations and backups."""
