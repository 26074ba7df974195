"""Tries: find secrets or descriptor numbers in the environment and the command line.

Must happen: neither holds anything of the judge (WA).
"""
import os
import sys

HARMLESS = {"PATH", "LC_CTYPE", "LD_LIBRARY_PATH", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS",
            "MKL_NUM_THREADS", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "NPY_DISABLE_CPU_FEATURES",
            "NVPL_BLAS_DEBUG_CPU_TYPE"}


def encoder_block(x, *rest):
    for name in set(os.environ) - HARMLESS:
        print("GOT", name)
    if any("/" in argument for argument in sys.argv):
        print("GOT", sys.argv)
    return x
