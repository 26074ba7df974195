"""Tries: start threads until no more can be made (20 at most, for 2 seconds).

Must happen: not one can be started (RTE).
"""
import threading
import time


def encoder_block(x, *rest):
    for _ in range(20):
        threading.Thread(target=time.sleep, args=(2,), daemon=True).start()
        print("GOT")
    return x
