"""A judge for NumPy exercises: proved answers, a derived tolerance, and the name of the mistake.

The rooms follow the way of a submission, and each imports only what stands before it:
faults, verdicts, problem, testcases, compare, sandbox, runner, diagnosis, report, batch, web, cli.
`authoring` (for problem setters) stands on all but web and cli.
"""

__version__ = "1.0.0"
