"""Stage: what programs record of their own work, made safe to keep, and what it amounts to."""
