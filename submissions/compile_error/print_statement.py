"""Python 2."""

def encoder_block(x, *rest):
    print x
    return x
