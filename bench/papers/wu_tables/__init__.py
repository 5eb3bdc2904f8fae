"""What bench/papers/wu.py is made of."""
