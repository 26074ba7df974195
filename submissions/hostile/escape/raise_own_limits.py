"""Tries: raise its own limits again, and take more memory than allowed.

Must happen: limits can be read, not set (RTE).
"""
import resource


def encoder_block(x, *rest):
    most = resource.RLIM_INFINITY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    print("GOT")
    return x
