"""What may be kept and told: every string passes here before it is stored, and what agents are told is weighed here."""
