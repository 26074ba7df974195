"""What packages of the Kattis family have in common: data, validators, driver, statement.

Source: the Kattis problem package format, versions 2023-07-draft and 2025-09
(https://www.kattis.com/problem-package-format/).
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec
import yaml

from judge.authoring.export.bundle import Bundle, Case, data
from judge.authoring.export.known import Known
from judge.authoring.export.latex import to_latex
from judge.authoring.export.statement import (
    JUDGING,
    SAMPLES,
    STARTER,
    narrowed,
    unfolded,
    unlinked,
)
from judge.authoring.export.tree import Tree
from judge.casefiles import CASE_FORMAT, LARGEST_NESTED
from judge.report.words import WORDS
from judge.verdicts import Reason, Verdict

STARTING_SECONDS = 1
"""Added to the time limit of a call: the systems count starting Python and NumPy as well."""

STARTING_MEMORY = 512
"""MiB of address space that Python and NumPy take before the submission starts."""

DRIVER = "main.py"
DRIVER_CODE = 8
"""KiB that the driver may have where it counts as part of the submission."""

FOLDERS = {
    Verdict.AC: "accepted",
    Verdict.WA: "wrong_answer",
    Verdict.TLE: "time_limit_exceeded",
    Verdict.RTE: "run_time_error",
    Verdict.MLE: "run_time_error",
}
"""Where a submission with a verdict stands; running out of memory is a run-time error there."""

_SCALARS = {"float64": ["float64"], "int64": ["int64"], "bool": ["bool", "bool_"]}


def seconds(bundle: Bundle) -> int:
    """Return the time limit of a test case: whole seconds, as systems want it."""
    return math.ceil(bundle.problem.limits.time_limit) + STARTING_SECONDS


def memory(bundle: Bundle) -> int:
    """Return the memory limit in MiB, Python and NumPy included."""
    return bundle.problem.limits.memory + STARTING_MEMORY


def driver(bundle: Bundle) -> str:
    """Return the program that runs a submission on one case."""
    function = bundle.problem.function
    scalars = _SCALARS[function.result.dtype] if function.result.dims == () else []
    return fill(
        "driver.py",
        function=function.name,
        parameters=_parameters(bundle),
        returns=function.returns,
        scalars=scalars,
        seconds=seconds(bundle),
    )


def input_validator(bundle: Bundle) -> str:
    """Return the program that checks an input."""
    holds = [constraint.holds for constraint in bundle.problem.constraints if constraint.holds]
    return fill(
        "input_validator.py",
        format=CASE_FORMAT,
        parameters=_parameters(bundle),
        constraints=holds,
        largest_nested=LARGEST_NESTED,
    )


def output_validator(bundle: Bundle) -> str:
    """Return the program that compares an output with the answer."""
    reasons = (Reason.TYPE, Reason.DTYPE, Reason.SHAPE, Reason.NON_FINITE, Reason.VALUE)
    return fill(
        "output_validator.py",
        returns=bundle.problem.function.returns,
        absolute=bundle.problem.tolerance.absolute,
        relative=bundle.problem.tolerance.relative,
        reasons={
            **{reason.value: WORDS[reason].title for reason in reasons},
            "format": "not written by the driver",
        },
    )


def fill(name: str, **spec: Any) -> str:
    """Return one of the programs with what it has to know of the problem."""
    empty = 'json.loads(r"""{}""")'
    text = data(name)
    if text.count(empty) != 1:
        raise ValueError(f"{name} has no place for what it has to know")
    return text.replace(empty, f'json.loads(r"""{json.dumps(spec, indent=1)}""")')


def _parameters(bundle: Bundle) -> list[dict[str, str]]:
    parameters = bundle.problem.function.parameters
    return [{"name": parameter.name, "type": parameter.type} for parameter in parameters]


def answer(case: Case) -> str:
    """Return the answer in the form in which the driver writes results."""
    return output_text(case.expected.dtype.name, case.expected.shape, case.expected.ravel())


def output_text(dtype: str, shape: tuple[int, ...], elements: Any) -> str:
    """Return an output: dtype, sizes and elements."""
    header = f"array {dtype} ({','.join(map(str, shape))})"
    lines = [repr(float(value)) if dtype == "float64" else str(int(value)) for value in elements]
    return "\n".join([header, *lines]) + "\n"


def metadata(bundle: Bundle) -> dict[str, Any]:
    """Return the keys of `problem.yaml` that the versions share, in the format's order."""
    problem = bundle.problem
    limits = problem.limits
    keys = {
        "name": problem.name,
        "uuid": problem.uuid,
        "version": problem.version,
        "credits": {k: v for k, v in msgspec.to_builtins(problem.credits).items() if v},
        "source": [{"name": s.name, **({"url": s.url} if s.url else {})} for s in problem.source],
        "license": problem.license,
        "rights_owner": problem.rights_owner,
        "limits": {
            "time_limit": seconds(bundle),
            "memory": memory(bundle),
            "output": limits.output,
            "code": limits.code,
        },
        "keywords": problem.keywords,
    }
    return {key: value for key, value in keys.items() if value}


def to_yaml(value: Mapping[str, Any]) -> str:
    """Return YAML in the order given."""
    text: str = yaml.safe_dump(dict(value), sort_keys=False, allow_unicode=True, width=100)
    return text


def case_names(bundle: Bundle) -> Iterator[tuple[Case, str]]:
    """Yield every case with its path below `data/`, numbered so that the order stays."""
    width = len(str(len(bundle.cases)))
    for number, case in enumerate(bundle.cases, start=1):
        group = "sample" if case.public else "secret"
        yield case, f"{group}/{number:0{width}}-{case.short}"


def add_cases(tree: Tree, bundle: Bundle, *, described: bool) -> None:
    """Add inputs and answers, and where the version knows it what each case shows."""
    for case, name in case_names(bundle):
        tree.add(f"data/{name}.in", case.input)
        tree.add(f"data/{name}.ans", answer(case))
        if described:
            tree.add(f"data/{name}.yaml", to_yaml({"description": case.entry.shows}))


def add_validators(tree: Tree, bundle: Bundle) -> None:
    """Add the programs that check inputs and outputs."""
    tree.add("input_validators/input_validator.py", input_validator(bundle))
    tree.add("output_validator/output_validator.py", output_validator(bundle))


def add_attachments(tree: Tree, bundle: Bundle) -> None:
    """Add what a learner starts from."""
    tree.add(f"attachments/{bundle.problem.function_file}", bundle.starter)
    tree.add(f"attachments/{DRIVER}", driver(bundle))


def markdown(bundle: Bundle) -> str:
    """Return the statement in Markdown, without title and samples, for one process a case."""
    return narrowed(_statement(bundle, separate_driver=False))


def latex(bundle: Bundle) -> str:
    """Return the statement in LaTeX, for learners who submit the driver with their file."""
    return to_latex(_statement(bundle, separate_driver=True), bundle.problem.name)


def _statement(bundle: Bundle, *, separate_driver: bool) -> str:
    own = bundle.statement.without(SAMPLES | JUDGING | STARTER)
    return f"{unlinked(unfolded(own))}\n{_judging(bundle, separate_driver)}"


def _judging(bundle: Bundle, separate_driver: bool) -> str:
    from jinja2 import Environment, StrictUndefined

    # Markdown, not HTML, and every value is the bundle's own.
    environment = Environment(  # noqa: S701
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    problem = bundle.problem
    return environment.from_string(data("judging.md.j2")).render(
        function=problem.function.name,
        file=problem.function_file,
        separate_driver=separate_driver,
        blobs=any(b'"base64"' in case.input for case in bundle.cases),
        largest_nested=f"{LARGEST_NESTED:,}",
        dtype=problem.function.result.dtype,
        header=answer(bundle.public[-1]).partition("\n")[0],
        absolute=_power_of_ten(problem.tolerance.absolute),
        relative=_power_of_ten(problem.tolerance.relative),
        seconds=seconds(bundle),
        memory=f"{memory(bundle):,}",
        code=problem.limits.code,
    )


def _power_of_ten(value: float) -> str:
    """Return a number in LaTeX with all its digits: 2 × 10^-12."""
    digits, exponent = f"{value!r}e0".lower().split("e")[:2]
    if exponent == "0":
        return digits
    return rf"{digits.removesuffix('.0')} \times 10^{{{int(exponent)}}}"


def expressible(known: Known) -> str | None:
    """Return why a submission has no place in these packages, or None when it has one."""
    if known.alone is not known.verdict:
        return f"{known.verdict} here, {known.alone} where every case has a process of its own"
    if known.verdict not in FOLDERS:
        return f"{known.verdict.meaning} ({known.verdict}) is no verdict there"
    return None


def add_submissions(
    bundle: Bundle, add: Callable[[str, Known], str]
) -> tuple[dict[str, Any], list[str]]:
    """Add every known submission that the format has a verdict for.

    Args:
        bundle: the bundle.
        add: adds one submission at a path without its ending, and returns its name.

    Returns:
        The content of `submissions.yaml`, and a sentence for each that was left out.
    """
    requirements: dict[str, Any] = {}
    left_out = []
    for known in bundle.known:
        why_not = expressible(known)
        if why_not:
            left_out.append(f"submissions/{known.path}: {why_not}")
            continue
        name = add(f"submissions/{FOLDERS[known.verdict]}/{known.name}", known)
        name = name.removeprefix("submissions/")
        if known.path == "accepted/reference.py":
            requirements[name] = {"model_solution": True}
        elif known.verdict is Verdict.WA and known.reason:
            requirements[name] = {"message": f"{known.reason}: "}
    return requirements, left_out
