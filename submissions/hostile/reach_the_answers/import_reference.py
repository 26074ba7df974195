"""Tries: import a solution that lies beside the answers.

Must happen: no module of that name is found (RTE).
"""
import sys

TARGET = "/tmp/judge-hostile"


def encoder_block(*arguments):
    sys.path.insert(0, TARGET)
    sys.path_importer_cache.clear()
    import leaked_solution

    print("GOT", leaked_solution.__file__)
    return leaked_solution.encoder_block(*arguments)
