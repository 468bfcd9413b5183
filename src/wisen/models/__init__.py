"""Language models, as far as the user has any."""
