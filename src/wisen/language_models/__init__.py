"""Optional language models: asking them, metering their use, and checking that they answer."""
