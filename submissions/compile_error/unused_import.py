"""Imports what is not there and never uses it."""

import numpy as np
import torch.nn.functional as F


def encoder_block(x, *rest):
    return np.zeros_like(x)
