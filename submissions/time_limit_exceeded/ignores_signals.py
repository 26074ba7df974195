"""Ignores every signal that it may, and waits."""

import signal
import time

for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGXCPU, signal.SIGALRM):
    signal.signal(number, signal.SIG_IGN)


def encoder_block(*arguments):
    while True:
        try:
            time.sleep(1000)
        except BaseException:
            pass
