"""The verbs of the loop, in order. Stages do not import each other: the cycle hands values on."""
