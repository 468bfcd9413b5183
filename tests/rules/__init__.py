"""Rules in files that people edit."""
