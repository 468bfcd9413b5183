"""Whether what was learnt or written does what it is there for."""
