"""The Python shown in the texts, taken out of them so that tests can run it."""

from __future__ import annotations

import re


def code_blocks(markdown: str, language: str) -> list[str]:
    """Return the contents of the fences of a language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", markdown, flags=re.DOTALL | re.MULTILINE)
