"""Reports for people and programs: text, JSON, JUnit XML and one self-contained HTML page.

The JSON form is `Report.to_json`, described in docs/formats.md. The other formats are made by
`judge.report.text`, `.junit` and `.html`, each imported only when it is asked for.
"""

from judge.report.audience import PUBLIC_GROUPS, Audience, for_audience

__all__ = ["PUBLIC_GROUPS", "Audience", "for_audience"]
