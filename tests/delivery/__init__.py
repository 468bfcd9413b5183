"""What agents are told, when, and what is written for the hook client."""
