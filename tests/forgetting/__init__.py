"""What is forgotten, switched off or too old leaves no trace."""
