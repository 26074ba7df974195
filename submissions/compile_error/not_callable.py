"""encoder_block is a list."""

encoder_block = [1, 2, 3]
