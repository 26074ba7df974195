"""The function takes the input and one weight matrix only."""

def encoder_block(x, W):
    return x @ W
