import numpy as np


def encoder_block(x: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray,
                  W_o: np.ndarray, W1: np.ndarray, b1: np.ndarray,
                  W2: np.ndarray, b2: np.ndarray,
                  gamma1: np.ndarray, beta1: np.ndarray,
                  gamma2: np.ndarray, beta2: np.ndarray,
                  num_heads: int) -> np.ndarray:
    """Return the post-norm encoder states of x, an array of x's shape.

    x                            (batch, sequence, d_model)
    W_q, W_k, W_v, W_o           (d_model, d_model)
    W1, b1                       (d_model, d_ff), (d_ff,)
    W2, b2                       (d_ff, d_model), (d_model,)
    gamma1, beta1, gamma2, beta2 (d_model,)
    num_heads                    divides d_model
    """
    # Write your code here.
    pass
