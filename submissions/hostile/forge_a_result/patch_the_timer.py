"""Tries: stop the clocks of this process, then take longer than allowed.

Must happen: the judge measures by its own clock (TLE).
"""
import time


def encoder_block(x, *rest):
    sleep = time.sleep
    time.time = time.monotonic = time.perf_counter = time.process_time = lambda: 0.0
    sleep(1000)
