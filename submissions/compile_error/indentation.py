"""A line is indented by too much."""

def encoder_block(x, *rest):
    y = x
      return y
