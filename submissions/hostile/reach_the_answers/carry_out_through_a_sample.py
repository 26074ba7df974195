"""Tries: keep the inputs of one case and tell them while another, a sample, is judged.

Must happen: it may run (WA); what it prints is shown with samples only, and says nothing there
that was learnt from a secret case.
"""
SEEN = []


def encoder_block(x, *rest):
    SEEN.append(float(x.ravel()[0]))
    print("KEPT", SEEN)
    return x * 0
