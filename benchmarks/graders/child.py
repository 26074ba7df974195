"""A child process a submission (or a case), compared in the parent; the child never has answers.

Usage: child.py submission|case BUNDLE SUBMISSION
"""

import io
import runpy
import subprocess
import sys

import numpy as np

from benchmarks.graders.bare import cases, right


def ask(submission, inputs):
    """Run a child on some cases' inputs and return the arrays that it gave."""
    sent = io.BytesIO()
    np.savez(sent, **{f"{i}-{j:02}": v for i, one in enumerate(inputs) for j, v in enumerate(one)})
    command = [sys.executable, "-m", "benchmarks.graders.child", "--serve", submission]
    done = subprocess.run(command, input=sent.getvalue(), stdout=subprocess.PIPE, check=True)
    with np.load(io.BytesIO(done.stdout)) as arrays:
        return [arrays[str(i)] for i in range(len(inputs))]


def serve(submission):
    """Be the child: read inputs, call, write results."""
    function = runpy.run_path(submission)["encoder_block"]
    with np.load(io.BytesIO(sys.stdin.buffer.read())) as arrays:
        grouped = {}
        for name in sorted(arrays.files):
            grouped.setdefault(int(name.split("-")[0]), []).append(arrays[name])
    results = {}
    for number, inputs in grouped.items():
        plain = [v if v.ndim else int(v) for v in inputs]
        results[str(number)] = function(*plain)
    np.savez(sys.stdout.buffer, **results)


def main(how, bundle, submission):
    loaded = list(cases(bundle))
    if how == "case":
        outputs = [ask(submission, [inputs])[0] for _, inputs, _ in loaded]
    else:
        outputs = ask(submission, [inputs for _, inputs, _ in loaded])
    pairs = zip(outputs, (expected for _, _, expected in loaded), strict=True)
    passed = sum(right(actual, expected) for actual, expected in pairs)
    print(f"{passed} of {len(loaded)}")
    return passed == len(loaded)


if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        serve(sys.argv[2])
    else:
        sys.exit(not main(*sys.argv[1:4]))
