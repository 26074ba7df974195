"""Facts from the papers: sizes of published models and figures they report, each with its place.

What follows from them (parameter counts, costs) is computed, never copied.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Model:
    """A published encoder.

    Args:
        name: as tables call it.
        layers: number of blocks, N.
        d_model, d_ff, heads: sizes of one block.
        attention_biases: whether the four projections have biases.
        source: key of the work and place in it.
    """

    name: str
    layers: int
    d_model: int
    d_ff: int
    heads: int
    attention_biases: bool
    source: str

    @property
    def d_k(self) -> int:
        """Width of one head."""
        return self.d_model // self.heads


# Vaswani et al. 2017, section 3 and table 3, row "base". The paper writes no biases for the
# projections; this problem has none either.
PAPER = Model("Transformer, base", 6, 512, 2048, 8, attention_biases=False, source="vaswani2017")

# Devlin et al. 2019, section 3, "Model Architecture": sizes, and a feed-forward size of 4H. The
# published code has biases on all four projections.
BERT_BASE = Model("BERT-Base", 12, 768, 3072, 12, attention_biases=True, source="devlin2019")
BERT_LARGE = Model("BERT-Large", 24, 1024, 4096, 16, attention_biases=True, source="devlin2019")

MODELS = (PAPER, BERT_BASE, BERT_LARGE)

DROPOUT = 0.1  # Vaswani et al. 2017, section 5.4
WARM_UP_STEPS = 4000  # section 5.3
PAPER_VOCABULARY = 37_000  # section 5.1: byte pairs shared by source and target, "about 37000"
BERT_VOCABULARY = 30_000  # Devlin et al. 2019, section 3, "Input/Output Representations"
MASKED_SHARE = 15  # percent; section 3.1, "Task #1"

# Vaswani et al. 2017, table 3, rows "base" and (C): number of blocks, perplexity per word piece
# and BLEU on the development set (newstest2013).
DEPTHS = ((2, 6.11, 23.7), (4, 5.19, 25.3), (6, 4.92, 25.8), (8, 4.88, 25.5))

# Table 3, rows (A), at a constant amount of computation: heads, BLEU on the development set.
HEADS = ((1, 24.9), (4, 25.5), (8, 25.8), (16, 25.8), (32, 25.4))

# He et al. 2016, figure 1: layers of the two plain networks on CIFAR-10; the deeper one has the
# higher training error.
DEGRADATION = (20, 56)

# Takase et al. 2023, abstract: post-norm does better up to so many layers, and often fails from so
# many on.
POST_NORM_GOOD_UP_TO = 6
POST_NORM_UNSTABLE_FROM = 10

TORCH_EPSILON = 1e-5  # torch.nn.LayerNorm, documentation, parameter eps
