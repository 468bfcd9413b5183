"""The readers of agents: what each makes of the shapes that its client really writes."""
