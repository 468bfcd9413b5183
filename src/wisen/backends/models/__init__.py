"""Language models: vendors' and local servers, the agents' own programs, and the meter around all of them."""
