"""Prints for ever when it is imported."""

while True:
    print("Epoch 1: loss 0.693\n" * 1000)
