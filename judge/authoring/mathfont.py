"""Makes `data/math-font.woff`, the math font of the pages, from STIX Two Math.

    python -m judge.authoring.mathfont STIXTwoMath-Regular.ttf

The result is a modified version under the same licence (OFL 1.1) and another name: only the
characters of formulas, their larger variants and the MATH table are kept.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import resources
from io import BytesIO
from pathlib import Path
from typing import Any

from fontTools import subset
from fontTools.ttLib import TTFont

NAME = "Judge Math"
RADICAL = 0x221A

_RANGES = (
    (0x20, 0x7E),  # ASCII
    (0xA0, 0xFF),  # Latin-1
    (0x2C6, 0x2C6), (0x2DC, 0x2DC), (0x300, 0x304), (0x307, 0x308), (0x20D7, 0x20D7),  # accents
    (0x391, 0x3C9), (0x3D1, 0x3D1), (0x3D5, 0x3D5), (0x3F5, 0x3F5),  # Greek
    (0x2010, 0x2027), (0x2032, 0x2037), (0x203E, 0x203E), (0x2061, 0x2064),  # punctuation
    (0x2102, 0x2102), (0x210E, 0x210E), (0x2113, 0x2113), (0x2115, 0x2115),  # letter-like
    (0x211A, 0x211A), (0x211D, 0x211D), (0x2124, 0x2124),
    (0x2190, 0x2199), (0x21A6, 0x21A6), (0x21D0, 0x21D5),  # arrows
    (0x2200, 0x22FF),  # operators
    (0x2308, 0x230B), (0x239B, 0x23B1), (0x23DC, 0x23E1), (0x27E6, 0x27EB),  # brackets
    (0x25A1, 0x25A1), (0x25CB, 0x25CB),
    (0x1D400, 0x1D467), (0x1D538, 0x1D538), (0x1D53C, 0x1D53C),  # bold and italic letters
    (0x1D6A4, 0x1D6A5), (0x1D6E2, 0x1D71B), (0x1D7CE, 0x1D7D7),  # Greek italics, bold digits
)  # fmt: skip
_COPYRIGHT, _FAMILY, _STYLE, _ID, _FULL, _VERSION, _POSTSCRIPT, _TRADEMARK = range(8)
_DESCRIPTION, _LICENCE, _LICENCE_URL = 10, 13, 14


def characters() -> Iterator[int]:
    """Yield every code point that the font keeps."""
    for first, last in _RANGES:
        yield from range(first, last + 1)


def make(original: bytes) -> bytes:
    """Return the math font as WOFF.

    Args:
        original: STIX Two Math, or a font that this function made.
    """
    options = subset.Options(
        layout_features=["ssty", "dtls", "flac", "ccmp"],
        name_IDs=["*"],
        notdef_outline=True,
        hinting=False,
    )
    options.drop_tables += ["DSIG", "GPOS"]
    font = TTFont(BytesIO(original), recalcTimestamp=False)
    worker = subset.Subsetter(options)
    worker.populate(unicodes=characters())
    worker.subset(font)
    _narrow_radicals(font)
    _rename(font)
    font["head"].modified = font["head"].created
    font.flavor = "woff"
    file = BytesIO()
    font.save(file)
    return file.getvalue()


def _narrow_radicals(font: Any) -> None:
    """Make every size of the root sign as wide as the smallest.

    Chromium reserves the advance of the widest for every root, which would leave a gap behind
    small ones.
    """
    glyphs, metrics = font["glyf"], font["hmtx"]
    smallest = font.getBestCmap()[RADICAL]
    width = metrics[smallest][0]
    variants = font["MATH"].table.MathVariants
    index = variants.VertGlyphCoverage.glyphs.index(smallest)
    construction = variants.VertGlyphConstruction[index]
    sizes = {record.VariantGlyph for record in construction.MathGlyphVariantRecord}
    sizes |= {part.glyph for part in construction.GlyphAssembly.PartRecords}
    for name in sizes - {smallest}:
        glyph = glyphs[name]
        glyph.coordinates.scale((width / metrics[name][0], 1))
        glyph.coordinates.toInt()
        glyph.recalcBounds(glyphs)
        metrics[name] = (width, glyph.xMin)


def _rename(font: Any) -> None:
    """Give the modified version a name of its own, and keep copyright, trademark and licence."""
    own = {
        _FAMILY: NAME,
        _ID: f"{NAME} 1.0",
        _FULL: f"{NAME} Regular",
        _POSTSCRIPT: "JudgeMath-Regular",
    }
    kept = {_COPYRIGHT, _STYLE, _VERSION, _TRADEMARK, _LICENCE, _LICENCE_URL}
    names = font["name"]
    names.names = [record for record in names.names if record.nameID in kept | own.keys()]
    for record in names.names:
        record.string = own.get(record.nameID, record.string)
    names.setName(
        "A subset of STIX Two Math 2.11, renamed as a modified version: fewer characters, no "
        "hinting, narrower root signs.",
        _DESCRIPTION, 3, 1, 0x409,
    )  # fmt: skip


if __name__ == "__main__":
    target = Path(str(resources.files("judge.authoring") / "data" / "math-font.woff"))
    target.write_bytes(make(Path(sys.argv[1]).read_bytes()))
