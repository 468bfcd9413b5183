"""What instruction files say, and what their lines seem to do."""
