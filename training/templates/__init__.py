"""Hand-written dialogue material of our own, from which training examples are generated: see `generate.py`."""
