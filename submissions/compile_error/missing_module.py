"""Is written for another library."""

import torch


def encoder_block(x, *rest):
    return torch.tensor(x).softmax(-1).numpy()
