"""Install: the hooks in the settings of agents, put in and taken out."""
