"""The parts of the Learner, one a subject: what it can be asked and told."""
