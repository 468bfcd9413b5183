"""What praise strengthens."""
