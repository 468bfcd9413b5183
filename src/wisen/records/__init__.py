"""Records: what programs tell through the API, and what can be learnt from it."""
