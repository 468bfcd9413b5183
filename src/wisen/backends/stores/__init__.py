"""The two stores: the ledger (SQLite or PostgreSQL) and the index (SQLite)."""
