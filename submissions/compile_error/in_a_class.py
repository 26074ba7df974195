"""The function is a method of a class Solution."""

class Solution:
    def encoder_block(self, x, *rest):
        return x
