"""What typed turns say, in whatever language and wording."""
