"""Skills: procedures as folders that agents load by themselves."""
