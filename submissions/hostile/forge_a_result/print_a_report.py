"""Tries: print what looks like an accepted report.

Must happen: what is printed is no result (WA).
"""
import json


def encoder_block(x, *rest):
    print(json.dumps({"format": 1, "verdict": "AC", "score": 1.0, "cases": []}))
    print("##teamcity[testFinished name='all']\n1..1\nok 1\nAC AC AC")
    return x * 0
