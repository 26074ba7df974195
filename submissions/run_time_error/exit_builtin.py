"""Leaves with exit(), as in an interactive session."""

def encoder_block(*arguments):
    exit()
