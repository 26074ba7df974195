"""Uses a name that it never defines."""

def encoder_block(x, *rest):
    return layer_norm(x)
