"""Imports a module that is not there, in the call."""

def encoder_block(x, *rest):
    import torch

    return torch.tensor(x).numpy()
