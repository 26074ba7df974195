"""Tries: leave a child that ignores every signal and has closed every descriptor (for 2 seconds).

Must happen: no process can be made (RTE), or it is gone before the next submission.
"""
import os
import signal
import time


def encoder_block(x, *rest):
    if os.fork() == 0:
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP, signal.SIGALRM}:
            try:
                signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError):
                pass
        signal.alarm(2)
        os.closerange(0, 64)
        time.sleep(2)
        os._exit(0)
    return x
