# -*- coding: utf-7 -*-
"""Declares an encoding under which its text means something else."""


def encoder_block(*arguments):
    return arguments[0]
