"""Tries: fork until no more processes can be made (20 at most, for 2 seconds).

Must happen: not one can be made (RTE).
"""
import os
import signal
import time


def encoder_block(x, *rest):
    for _ in range(20):
        if os.fork() == 0:
            signal.alarm(2)
            time.sleep(2)
            os._exit(0)
        print("GOT")
    return x
