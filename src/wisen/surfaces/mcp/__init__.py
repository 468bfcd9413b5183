"""The surface for agents that speak the Model Context Protocol: what they may ask, and what they may suggest."""
