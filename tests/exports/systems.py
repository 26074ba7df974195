"""Each target carried out as its documentation says, by its own tool where there is one.

Every function returns what the system said of submissions: verdict by path ("accepted/prints").
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from judge.authoring.export import Export
from judge.authoring.export.vendor import cached_wheel
from tests.conftest import ROOT
from tests.exports.tools import BAPCTOOLS, PROBLEMTOOLS, environment, run

TWENTY = Path(__file__).parent / "twenty.yaml"

MINUTES = 60.0
_PATH = "/usr/local/bin:/usr/bin:/bin"
_AS_IN_A_CONTAINER = """
import json, os, sys
from tests.isolation.roles import play

folder, settings, *command = sys.argv[1:]
os.chdir(folder)
play("container-root" if os.geteuid() == 0 else "container-user")
os.execvpe(command[0], command, json.loads(settings))
"""
_VERIFIED = re.compile(
    r"^(?:\s+|ERROR )(\w+/\w+)\.py \(Python 3\) (?:OK: |OK with extra time: |got )(\w+)",
    re.MULTILINE,
)
_VERDICT = re.compile(r"\b(AC|WA|TLE|MLE|OLE|RTE|CE|JE)\b")


@dataclass(frozen=True)
class Outcome:
    """What a system said.

    Args:
        verdicts: by submission.
        text: everything that its tool printed.
        results: the results files by submission, where the system takes such.
    """

    verdicts: Mapping[str, str]
    text: str = ""
    results: Mapping[str, dict] = field(default_factory=dict)


def twenty() -> list[str]:
    """Return the submissions that every target judges, in the order of the table."""
    return [path for group in yaml.safe_load(TWENTY.read_text()).values() for path in group]


def unpacked(package: Export, folder: Path) -> Path:
    """Write a package's files, and return the folder."""
    for path, content in package.files.files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        if path in package.files.programs:
            target.chmod(0o755)
    return folder


def problemtools(package: Export, folder: Path) -> Outcome:
    """Verify a package with `verifyproblem`, on both processors."""
    programs = environment(PROBLEMTOOLS)
    unpacked(package, folder)
    name = next(iter(package.archives.values()))[0]
    done = run(["verifyproblem", "-j", "2", name], folder, programs, 30 * MINUTES)
    return Outcome(dict(_VERIFIED.findall(done.stdout)), done.stdout)


def bapctools(package: Export, folder: Path) -> Outcome:
    """Run every submission of a package with `bt run`."""
    done = bt(package, folder, "run", "--no-bar", "--jobs", "2")
    line = re.compile(r"^(\w+/\w+): +(AC|WA|TLE|RTE) ", re.MULTILINE)
    return Outcome(dict(line.findall(done)), done)


def bt(package: Export, folder: Path, *arguments: str) -> str:
    """Run BAPCtools on a package and return what it printed."""
    programs = environment(BAPCTOOLS)
    if not (folder / "languages.yaml").exists():
        unpacked(package, folder)
    name = next(iter(package.archives.values()))[0]
    command: list[str | Path] = ["bt", *arguments]
    return run(command, folder / name, programs, 30 * MINUTES).stdout


def gradescope(package: Export, folder: Path, submissions: Mapping[str, bytes]) -> Outcome:
    """Do what Gradescope does: unzip, set up once, then run the autograder for each submission."""
    root = folder / "autograder"
    source = root / "source"
    _unzip(package.archive("autograder.zip"), source)
    container = {"PATH": _PATH, "HOME": str(folder)}
    setup = _container(["bash", str(source / "setup.sh")], folder, container)
    shutil.copy(source / "run_autograder", root / "run_autograder")
    (root / "run_autograder").chmod(0o755)
    text = [setup]
    results = {}
    for name, code in submissions.items():
        for part in ("submission", "results"):
            shutil.rmtree(root / part, ignore_errors=True)
            (root / part).mkdir()
        (root / "submission" / "encoder_block.py").write_bytes(code)
        text.append(_container([str(root / "run_autograder")], folder, container))
        results[name] = json.loads((root / "results" / "results.json").read_bytes())
    return Outcome({k: _of_gradescope(v) for k, v in results.items()}, "".join(text), results)


def prairielearn(package: Export, folder: Path, submissions: Mapping[str, bytes]) -> Outcome:
    """Do what PrairieLearn's grader does: a fresh /grade for each submission, then the entry point.

    The image's part, a Python with NumPy, is a virtual environment.
    """
    slug = next(iter(package.archives.values()))[0]
    question = unpacked(package, folder / "course" / "questions") / slug
    info = json.loads((question / "info.json").read_bytes())
    entry = info["externalGradingOptions"]["entrypoint"].removeprefix("/grade/")
    image = _image(folder / "image")
    container = {"PATH": f"{image}:{_PATH}", "HOME": str(folder)}
    text, results = [], {}
    for number, (name, code) in enumerate(submissions.items()):
        root = folder / f"grade-{number}"
        shutil.copytree(question / "tests", root / "tests")
        (root / "student").mkdir()
        (root / "student" / "encoder_block.py").write_bytes(code)
        (root / "data").mkdir()
        (root / "data" / "data.json").write_text("{}")
        (root / entry).chmod(0o755)
        text.append(_container([str(root / entry)], folder, container))
        results[name] = json.loads((root / "results" / "results.json").read_bytes())
        shutil.rmtree(root)
    verdicts = {name: _of_prairielearn(result) for name, result in results.items()}
    return Outcome(verdicts, "".join(text), results)


def handout(package: Export, folder: Path, submissions: Mapping[str, bytes]) -> Outcome:
    """Do what a learner does: unzip, `make judge`, again and again."""
    slug = next(iter(package.archives.values()))[0]
    _unzip(package.archive(f"{slug}.zip"), folder)
    home = folder / slug
    text, verdicts = [], {}
    for name, code in submissions.items():
        (home / "encoder_block.py").write_bytes(code)
        done = _make(home, "judge", "ARGS=--format json")
        reports = [line for line in done.splitlines() if line.startswith('{"format"')]
        verdicts[name] = json.loads(reports[0])["verdict"] if reports else done[-300:]
        text.append(done)
    return Outcome(verdicts, "".join(text))


def own(bundle: Path, submissions: Mapping[str, bytes], folder: Path) -> Outcome:
    """Judge with this repository's judge, on its own cases."""
    files = []
    for name, code in submissions.items():
        file = folder / name / "encoder_block.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(code)
        files.append(str(file))
    command = [sys.executable, "-m", "judge", "run", "--format", "json", "--problem", str(bundle)]
    done = subprocess.run(
        [*command, *files], capture_output=True, check=False, timeout=10 * MINUTES
    )
    reports = map(json.loads, done.stdout.splitlines())
    return Outcome({n: r["verdict"] for n, r in zip(submissions, reports, strict=True)})


def _make(folder: Path, *arguments: str) -> str:
    settings = {k: v for k, v in os.environ.items() if not k.startswith(("VIRTUAL_ENV", "MAKE"))}
    python = Path(sys.base_prefix) / "bin" / "python3"
    done = subprocess.run(
        ["make", "--no-print-directory", f"PYTHON={python}", *arguments],
        cwd=folder, env=settings, capture_output=True, text=True, check=False, timeout=10 * MINUTES,
    )  # fmt: skip
    return done.stdout + done.stderr


def _unzip(data: bytes, folder: Path) -> None:
    """Unzip as the unzip program does, with the modes of programs."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for entry in archive.infolist():
            path = Path(archive.extract(entry, folder))
            path.chmod(entry.external_attr >> 16 & 0o777)


def container_python() -> str:
    """Return the version ("3.11") of the Python that stands for a container's."""
    done = subprocess.run(
        ["python3", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
        env={"PATH": _PATH}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout.strip()


def _image(folder: Path) -> Path:
    """Make what the image has: a Python with NumPy and nothing else."""
    subprocess.run(
        ["python3", "-m", "venv", "--without-pip", str(folder)], env={"PATH": _PATH}, check=True
    )
    site = next(folder.glob("lib/python3*/site-packages"))
    with zipfile.ZipFile(cached_wheel("numpy", container_python())) as wheel:
        wheel.extractall(site)
    return folder / "bin"


def _container(command: Iterable[str], folder: Path, settings: dict[str, str]) -> str:
    """Run a command under the filter and with the capabilities that container engines give."""
    wrapped = [
        sys.executable,
        "-c",
        _AS_IN_A_CONTAINER,
        str(folder),
        json.dumps(settings),
        *command,
    ]
    done = subprocess.run(
        wrapped, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        timeout=10 * MINUTES,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def _of_gradescope(results: dict) -> str:
    """Return the verdict that learners read: of the whole text's first line."""
    if "tests" not in results:
        return "CE"
    match = _VERDICT.match(results["output"])
    return match[1] if match else results["output"][:80]


def _of_prairielearn(results: dict) -> str:
    if not results["gradable"]:
        return "CE"
    return results["message"].partition(":")[0]
