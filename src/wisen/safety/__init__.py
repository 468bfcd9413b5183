"""What may be kept at all: every string passes here before it is stored."""
