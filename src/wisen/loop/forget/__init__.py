"""Forgets: finds every place in which something stands, and keeps it from coming back."""
