"""The checks, grouped by what they look at; importing this registers them all, in order."""

from judge.authoring.verify.checks import bundle, cases, margins, submissions, texts

__all__ = ["bundle", "cases", "margins", "submissions", "texts"]
