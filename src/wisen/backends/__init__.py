"""The brands behind the ports. Only `wiring.py` names them."""
