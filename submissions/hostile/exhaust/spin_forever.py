"""Tries: compute for ever, deaf to every signal that can be ignored.

Must happen: the deadline of the call ends it (TLE).
"""
import signal


def encoder_block(x, *rest):
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    while True:
        pass
