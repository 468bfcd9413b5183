"""Safety: which texts may be stored, whose words they are, and which commands may be suggested to agents."""
