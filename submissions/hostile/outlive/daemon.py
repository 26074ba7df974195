"""Tries: leave a process in a session of its own, forked twice (for 2 seconds).

Must happen: no process can be made (RTE), or it is gone before the next submission.
"""
import os
import signal
import time


def encoder_block(x, *rest):
    child = os.fork()
    if child == 0:
        os.setsid()
        if os.fork() == 0:
            signal.alarm(2)
            time.sleep(2)
        os._exit(0)
    os.waitpid(child, 0)
    return x
