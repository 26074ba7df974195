"""Tries: import the judge's own modules and load the test cases with them.

Must happen: there are no such modules in the jail (RTE).
"""


def encoder_block(x, *rest):
    from judge.problem import Problem
    from judge.testcases import load_cases

    cases = load_cases(Problem.find())
    print("GOT", len(cases))
    return next(case.expected for case in cases if case.arguments[0].shape == x.shape)
