"""Imports the reference, which is not there."""

from reference.encoder_block import encoder_block
