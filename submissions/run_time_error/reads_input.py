"""Asks for input, of which there is none."""

def encoder_block(*arguments):
    return input("x? ")
