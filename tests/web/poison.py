"""Work for a pool's processes that one submission kills."""

from __future__ import annotations

import os

from judge.batch.jobs import Job, Setting, judge_job

POISON = b"# poison"


def work(setting: Setting, job: Job) -> bytes:
    if job.source.startswith(POISON):
        os._exit(1)
    return judge_job(setting, job)
