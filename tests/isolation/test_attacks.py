"""Every hostile submission is contained, whoever judges, with all layers and with each one off."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from judge.sandbox.selftest import PROPERTIES
from judge.sandbox.states import LAYERS
from judge.verdicts import Verdict
from tests.conftest import ROOT
from tests.isolation import attacks
from tests.isolation.conftest import BARE, ROLES, Drive
from tests.judge.expectations import find, read_expectations

pytestmark = pytest.mark.isolation

EXPECTED = {name: find(read_expectations(ROOT), f"hostile/{name}.py") for name in attacks.names()}
HANGING = [name for name in attacks.names() if EXPECTED[name].verdict is Verdict.TLE]
QUICK = [name for name in attacks.names() if name not in HANGING]

TELLING = frozenset(
    name for name in attacks.names() if name.startswith("reach_the_answers/carry_out")
)


def faults(name: str, result: dict[str, Any], *, exactly: bool = False) -> list[str]:
    """Return what is wrong with what came of an attack that must be contained.

    Which error an attack meets depends on the layer that stops it: the verdict is fixed `exactly`
    only when all layers are there. It is accepted only where the returned arrays are right.
    """
    found = []
    said, wanted = result["verdict"], EXPECTED[name]
    if said == "JE" or (said == "AC") != (wanted.verdict == "AC"):
        found.append(f"the verdict is {said}: {result['messages']}")
    if exactly and (said, result["reason"]) != (wanted.verdict, wanted.reason):
        found.append(f"it got {said}, {result['reason']}: {result['messages']}")
    if result["got"] and name not in TELLING:
        found.append(f"it got through: {result['output']}")
    if result["changed"]:
        found.append(f"it changed something outside: {result['changed']}")
    if result["left"]:
        found.append(f"it left {result['left']} processes")
    if result["gone"]:
        found.append("it ended the zygote or its supervisor")
    if result["next"] != "AC":
        found.append(f"the next submission, a right one, got {result['next']}")
    return found


def test_there_are_many_and_each_says_what_it_tries_and_what_must_happen() -> None:
    assert len(attacks.names()) >= 45
    for name in attacks.names():
        text = (attacks.HOSTILE / f"{name}.py").read_text()
        assert text.startswith('"""Tries: '), name
        assert "\nMust happen: " in text, name
    assert attacks.STOPPED.keys() <= set(attacks.names())


@pytest.mark.parametrize("role", ROLES)
def test_all_are_contained_with_all_layers(role: str, drive: Drive) -> None:
    quick, hanging = drive(role, QUICK), drive(role, HANGING, scale=0.1)
    assert quick["proved"] == list(PROPERTIES)
    results = quick["results"] | hanging["results"]
    assert len(results) == len(attacks.names())
    wrong = {name: faults(name, result, exactly=True) for name, result in results.items()}
    assert {name: what for name, what in wrong.items() if what} == {}


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("role", BARE)
def test_other_layers_hold_when_one_is_off(role: str, layer: str, drive: Drive) -> None:
    gone = frozenset({layer}) | attacks.STANDS_ON.get(layer, frozenset())
    concerned = [
        name
        for name in QUICK
        if name not in attacks.HEAVY
        and not name.startswith("fool_the_comparison/")
        and (name not in attacks.STOPPED or attacks.STOPPED[name].layers(role) - gone)
    ]
    found = drive(role, concerned, frozenset({layer}))
    assert found["layers"][layer] == "off"
    force = attacks.in_force(found["layers"])
    wrong = {
        name: faults(name, result)
        for name, result in found["results"].items()
        if attacks.contained(name, role, force)
    }
    assert len(wrong) == len(concerned)
    assert {name: what for name, what in wrong.items() if what} == {}


SHOWN = [
    (role, name)
    for role in BARE
    for name, stopped in attacks.STOPPED.items()
    if role in stopped.shown
]


@pytest.fixture(scope="module")
def unprotected(drive: Drive) -> Callable[[str, str], dict[str, Any]]:
    """Run an attack without the layers that stop it, together with all that need the same."""
    found: dict[tuple[str, frozenset[str]], dict[str, Any]] = {}

    def run(role: str, name: str) -> dict[str, Any]:
        off = attacks.STOPPED[name].without(role)
        if (role, off) not in found:
            alike = [
                each
                for one, each in SHOWN
                if one == role and attacks.STOPPED[each].without(role) == off
            ]
            found[role, off] = drive(role, alike, off)["results"]
        result: dict[str, Any] = found[role, off][name]
        return result

    return run


@pytest.mark.parametrize(("role", "name"), SHOWN)
def test_an_attack_gets_through_without_what_stops_it(
    role: str, name: str, unprotected: Callable[[str, str], dict[str, Any]]
) -> None:
    result = unprotected(role, name)
    outside = bool(result["changed"] or result["left"] or result["gone"])
    assert result["got"] or outside or result["verdict"] == "AC", result


@pytest.mark.parametrize("role", ROLES)
def test_nothing_secret_comes_out_in_a_learners_report(role: str, drive: Drive) -> None:
    found = drive(role, sorted(TELLING))
    for name, result in found["results"].items():
        text = "".join(result["learner_sees"])
        assert "GOT" not in text, name
        for value in result["inputs"].values():
            assert repr(value) not in text, name
            assert repr(value)[:8].replace("-", "") not in text, name
        kept = [
            line for output in result["learner_sees_of_samples"] for line in output.splitlines()
        ]
        secret = [v for case, v in result["inputs"].items() if not case.startswith("sample")]
        assert not any(repr(value) in line for value in secret for line in kept), name
