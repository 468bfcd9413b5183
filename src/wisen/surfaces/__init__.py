"""How people and programs reach a Learner. Each surface parses, calls one method, renders."""
