"""The name has an underscore too many."""

def helper(x):
    return x


def _encoder_block(x, *rest):
    return helper(x)
