"""`problem.yaml`: what a problem is called, what its function takes and returns, and its limits."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any

import msgspec

from judge import constraints
from judge.faults import BundleError, Fault, Faults, decode, did_you_mean
from judge.signature import ValueType, bind, parse_type

BUNDLE_FORMAT = 1
PROBLEM_FILE = "problem.yaml"


class Parameter(msgspec.Struct, frozen=True):
    """One parameter of the function: name, type as text, and what it is."""

    name: str
    type: str
    description: str = ""

    def __post_init__(self) -> None:
        parse_type(self.type)
        if not self.name.isidentifier():
            raise ValueError(f"{self.name!r} can't be a parameter's name")

    @property
    def kind(self) -> ValueType:
        """The parsed type."""
        return parse_type(self.type)


class Function(msgspec.Struct, frozen=True):
    """The function a submission defines: its name, parameters in order, and result type."""

    name: str
    parameters: list[Parameter]
    returns: str

    def __post_init__(self) -> None:
        parse_type(self.returns)
        if not self.name.isidentifier():
            raise ValueError(f"{self.name!r} can't be a function's name")

    @property
    def result(self) -> ValueType:
        """The parsed result type."""
        return parse_type(self.returns)


class Tolerance(msgspec.Struct, frozen=True):
    """Accept when |actual - expected| <= absolute + relative * |expected|, for every element."""

    absolute: float
    relative: float

    def __post_init__(self) -> None:
        if not (0 <= self.absolute < 1 and 0 <= self.relative < 1):
            raise ValueError("absolute and relative must be at least 0 and less than 1")


class Limits(msgspec.Struct, frozen=True):
    """What one submission may use.

    Args:
        time_limit: wall seconds of one call.
        memory: MiB of address space beyond what the interpreter and NumPy take.
        output: MiB printed to stdout and stderr together.
        code: KiB of source.
        total_time: wall seconds of all calls together.
        import_time: wall seconds of importing the file.
    """

    time_limit: float
    memory: int
    output: int
    code: int
    total_time: float = 60.0
    import_time: float = 10.0

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be more than 0")


class Group(msgspec.Struct, frozen=True):
    """A test group: every case in it has this weight in the score."""

    name: str
    weight: float = 1.0

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z][a-z0-9-]*", self.name):
            raise ValueError(f"{self.name!r}: a group's name has lower-case letters, digits and -")
        if self.weight < 0:
            raise ValueError("weight must be at least 0")


class Constraint(msgspec.Struct, frozen=True):
    """A promise about the inputs, in words, and where possible as an expression (`holds`)."""

    text: str
    holds: str = ""


class Series(msgspec.Struct, frozen=True):
    """Where the problem stands in a series of problems."""

    name: str
    position: int
    of: int


class Source(msgspec.Struct, frozen=True):
    """Where the problem comes from."""

    name: str
    url: str = ""


class Credits(msgspec.Struct, frozen=True):
    """Who made the problem, in the keys of the Kattis format."""

    authors: str | list[str]
    contributors: list[str] = []
    testers: list[str] = []
    acknowledgements: list[str] = []


class Margins(msgspec.Struct, frozen=True):
    """The margins that `judge verify` demands, as factors of the tolerance or of a time."""

    structural_margin: float = 1000.0
    precision_margin: float = 20.0
    accepted_margin: float = 100.0
    time_factor: float = 10.0


class Problem(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """A loaded `problem.yaml`; `folder` is the bundle it stands in."""

    bundle_format: int
    name: str
    uuid: str
    version: str
    credits: Credits
    source: list[Source]
    license: str
    function: Function
    tolerance: Tolerance
    limits: Limits
    groups: list[Group]
    seed: int
    rights_owner: str = ""
    keywords: list[str] = []
    difficulty: str = ""
    series: Series | None = None
    constraints: list[Constraint] = []
    requirements: list[str] = []
    hints: list[str] = []
    verify: Margins = Margins()

    @property
    def folder(self) -> Path:
        """The bundle's folder, an absolute path."""
        return Path(self.__dict__["folder"])

    @property
    def slug(self) -> str:
        """The name as files and reports write it: "row-sums"."""
        return re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")

    @property
    def weights(self) -> dict[str, float]:
        """The weight of a case by its group's name."""
        return {group.name: group.weight for group in self.groups}

    @property
    def function_file(self) -> str:
        """The file name that starter and reference have: "row_sums.py"."""
        return f"{self.function.name}.py"

    @staticmethod
    def load(folder: Path | str) -> Problem:
        """Read and check a bundle's `problem.yaml`.

        Args:
            folder: the bundle's folder.

        Raises:
            BundleError: with every fault of the file, each with its key path.
        """
        from judge.yamlfile import read_yaml  # here, for those who have it from a cache

        path = Path(folder).absolute() / PROBLEM_FILE
        faults = Faults(PROBLEM_FILE)
        value = read_yaml(path, faults)
        faults.raise_if_any()
        problem = decode(value, Problem, faults)
        if isinstance(problem, Problem):
            _check(problem, faults)
        faults.raise_if_any()
        assert isinstance(problem, Problem)  # noqa: S101 (decode gives None only with faults)
        problem.__dict__["folder"] = path.parent
        return problem

    @staticmethod
    def find(start: Path | str = ".") -> Problem:
        """Load the nearest bundle at or above a folder.

        Raises:
            BundleError: there is none, or it is broken.
        """
        return Problem.load(find_bundle(start))

    def check_inputs(self, inputs: dict[str, Any], faults: Faults) -> dict[str, int]:
        """Check a case's inputs against the signature and the constraints.

        Args:
            inputs: values by parameter name.
            faults: records every parameter that does not fit, and every constraint broken.

        Returns:
            Sizes of the dimensions and values of whole-number parameters, by name.
        """
        sizes: dict[str, int] = {}
        fits = True
        wanted = {parameter.name: parameter for parameter in self.function.parameters}
        for name in inputs:
            if name not in wanted:
                faults.scope(name).add(f"no such parameter{did_you_mean(name, wanted)}")
        for name, parameter in wanted.items():
            if name not in inputs:
                faults.scope(name).add("this parameter is missing")
                fits = False
                continue
            fault = bind(parameter.kind, inputs[name], sizes)
            if fault:
                faults.scope(name).add(fault)
                fits = False
            elif parameter.kind.dtype == "int" and not parameter.kind.is_array:
                sizes[name] = inputs[name]
        if fits:
            for constraint in self.constraints:
                if constraint.holds and not constraints.holds(constraint.holds, sizes):
                    used = sorted(constraints.names(constraint.holds))
                    have = ", ".join(f"{name} = {sizes[name]}" for name in used)
                    faults.add(f"breaks the constraint {constraint.holds!r}: {have}")
        return sizes


def find_bundle(start: Path | str = ".") -> Path:
    """Return the nearest bundle's folder at or above a folder.

    Raises:
        BundleError: there is none.
    """
    here = Path(start).absolute()
    for folder in (here, *here.parents):
        if _is_bundle(folder / PROBLEM_FILE):
            return folder
    raise BundleError(
        [
            Fault(
                str(here),
                "no problem.yaml with bundle_format here or in a folder above; "
                "name the bundle's folder with --problem",
            )
        ]
    )


def bundle_digest(folder: Path) -> str:
    """Return the digest of what decides a verdict: `problem.yaml` and the manifest of the cases.

    The manifest holds the SHA-256 of every input and answer, so that it stands for them.
    """
    digest = hashlib.sha256()
    for name in (PROBLEM_FILE, "testcases/manifest.json"):
        path = folder / name
        digest.update(f"{name}\0".encode())
        digest.update(path.read_bytes() if path.is_file() else b"")
        digest.update(b"\0")
    return f"sha256:{digest.hexdigest()}"


def _is_bundle(path: Path) -> bool:
    """Tell whether a problem.yaml is of this format, without judging its faults."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return re.search(r"^bundle_format\s*:", text, re.MULTILINE) is not None


def _check(problem: Problem, faults: Faults) -> None:
    """Check what concerns several keys at once."""
    if problem.bundle_format != BUNDLE_FORMAT:
        faults.scope("bundle_format").add(
            f"expected {BUNDLE_FORMAT}, got {problem.bundle_format}: this judge knows no other"
        )
    function = problem.function
    names = [parameter.name for parameter in function.parameters]
    for name in sorted({name for name in names if names.count(name) > 1}):
        faults.scope("function").scope("parameters").add(f'"{name}" stands there twice')
    groups = [group.name for group in problem.groups]
    for name in sorted({name for name in groups if groups.count(name) > 1}):
        faults.scope("groups").add(f'"{name}" stands there twice')
    if not groups:
        faults.scope("groups").add("at least one group is needed")
    dims = {dim for parameter in function.parameters for dim in parameter.kind.dims or ()}
    for dim in function.result.dims or ():
        if not dim.isdigit() and dim not in dims:
            faults.scope("function").scope("returns").add(
                f'"{dim}" is no dimension of any parameter{did_you_mean(dim, dims)}'
            )
    scalars = {p.name for p in function.parameters if p.type == "int"}
    for index, constraint in enumerate(problem.constraints):
        place = faults.scope("constraints").scope(index).scope("holds")
        try:
            unknown = constraints.names(constraint.holds) if constraint.holds else set()
        except ValueError as error:
            place.add(str(error))
            continue
        for name in sorted(unknown - dims - scalars):
            place.add(
                f'"{name}" is neither a dimension nor an int parameter'
                f"{did_you_mean(name, dims | scalars)}"
            )
