"""The values of one case on a page: inputs, expected, actual and the difference between them."""

from __future__ import annotations

import base64
import math

import numpy as np

from judge.report.details import CaseDetail
from judge.report.heatmap import draw, error_picture, legend, value_picture
from judge.report.markup import Markup, element
from judge.report.writing import brief

_LARGEST_READOUT = 4096
_WRITTEN_ELEMENTS = 16


def outputs(detail: CaseDetail) -> Markup:
    """Return expected, actual and difference side by side, with a readout of single elements."""
    expected = np.asarray(detail.expected, dtype=np.float64)
    finite = np.abs(expected[np.isfinite(expected)])
    largest = float(finite.max()) if finite.size else 1.0
    digits = 6 if detail.actual is None else _telling_digits(expected, detail.actual)
    figures = [draw(value_picture("expected", expected, largest, digits))]
    attributes: dict[str, object] = {}
    worst = None
    if detail.actual is not None:
        actual = np.asarray(detail.actual, dtype=np.float64)
        with np.errstate(all="ignore"):
            difference = actual - expected
        ratio = detail.error_over_tolerance()
        figures.append(draw(value_picture("got", actual, largest, digits)))
        picture = error_picture("difference", difference, ratio)
        figures.append(draw(picture))
        worst = _worst_elements(expected, actual, difference, ratio)
        if expected.size <= _LARGEST_READOUT:
            attributes = {
                "data_shape": ",".join(map(str, expected.shape)),
                "data_expected": _packed(expected),
                "data_actual": _packed(actual),
                "data_ratio": _packed(ratio),
            }
    return element(
        "div",
        element("div", figures, class_="figures"),
        worst,
        class_="values",
        **attributes,
    )


def legends() -> Markup:
    """Return the keys to the colours, once for a page."""
    return element("div", legend("value"), legend("error"), class_="legends")


def _telling_digits(expected: np.ndarray, actual: np.ndarray) -> int:
    """Return as many digits as it takes to see the largest difference, within reason."""
    with np.errstate(all="ignore"):
        off = np.abs(np.asarray(actual, dtype=np.float64) - expected)
    off = np.where(np.isfinite(off), off, 0.0)
    at = int(off.argmax()) if off.size else 0
    if not off.size or not off.flat[at]:
        return 6
    scale = abs(float(expected.flat[at])) or 1.0
    return min(12, max(6, math.ceil(math.log10(scale / off.flat[at])) + 2))


def _packed(values: np.ndarray) -> str:
    return base64.b64encode(np.ascontiguousarray(values, dtype="<f8").tobytes()).decode("ascii")


def _worst_elements(
    expected: np.ndarray, actual: np.ndarray, difference: np.ndarray, ratio: np.ndarray
) -> Markup | None:
    """Return the largest errors as a table of numbers: what the pictures show, in words."""
    order = np.argsort(-np.where(np.isnan(ratio), np.inf, ratio), axis=None, kind="stable")
    wrong = [int(i) for i in order[:_WRITTEN_ELEMENTS] if not ratio.flat[i] <= 1]
    if not wrong or expected.size == 1:
        return None
    heads = [element("th", text, scope="col") for text in _HEADS]
    rows = [
        element(
            "tr",
            element(
                "th",
                str([int(n) for n in np.unravel_index(i, expected.shape)]),
                scope="row",
            ),
            element("td", _exact(expected.flat[i])),
            element("td", _exact(actual.flat[i])),
            element("td", brief(float(difference.flat[i]), 3)),
            element("td", brief(float(ratio.flat[i]), 3)),
        )
        for i in wrong
    ]
    table = element("table", element("thead", element("tr", heads)), element("tbody", rows))
    more = int(np.count_nonzero(~(ratio <= 1))) - len(wrong)
    note = element("p", f"… and {more:,} more that are off") if more > 0 else None
    return element(
        "details",
        element("summary", "The largest errors as numbers"),
        element(
            "div", table, class_="scroll", tabindex=0, role="group", aria_label="largest errors"
        ),
        note,
    )


_HEADS = ("element", "expected", "got", "difference", "error / tolerance")


def _exact(value: float) -> str:
    return repr(float(value))


def inputs(detail: CaseDetail) -> Markup:
    """Return the arguments: arrays as pictures, Python values as text."""
    figures = [
        draw(value_picture(name, value))
        for name, value in detail.inputs.items()
        if isinstance(value, np.ndarray)
    ]
    plain = [
        element("p", element("code", f"{name} = {value!r}"))
        for name, value in detail.inputs.items()
        if not isinstance(value, np.ndarray)
    ]
    return element("div", plain, element("div", figures, class_="figures"), class_="inputs")
