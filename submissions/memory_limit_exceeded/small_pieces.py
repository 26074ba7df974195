"""Fills 2 GB with many small objects."""

def encoder_block(x, *rest):
    hoard = []
    while len(hoard) < 1 << 11:
        hoard.append(bytes(1 << 20))
    return x
