"""Tries: open the answers as a file and return them.

Must happen: the file can't be opened (RTE). Where it can, this is accepted without computing.
"""
import hashlib
import json

import numpy as np

TARGET = "/tmp/judge-hostile"


def encoder_block(x, *rest):
    with open(f"{TARGET}/answers.json") as file:
        answers = json.load(file)
    return np.array(answers[hashlib.sha256(x.tobytes()).hexdigest()])
