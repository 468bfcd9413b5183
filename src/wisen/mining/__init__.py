"""Mining: finds failures with their signatures, the changes that fixed calls, and goals in recorded sessions."""
