"""What a Dask cluster costs: an empty task, and a judgement, beside this machine's own pool.

python -m benchmarks.cluster [--tasks N]
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path

import click

from benchmarks.contestants import ROOT, seconds
from judge.batch.cluster import connect
from judge.batch.drive import Work
from judge.batch.jobs import Job, Setting, judge_job
from judge.batch.pool import usable_cores, zygote_pool
from judge.problem import Problem, bundle_digest


def nothing(number: int) -> int:
    """Be an empty task."""
    return number


def each_ms(
    executor: Executor, work: Callable[..., object], calls: list[tuple[object, ...]]
) -> float:
    """Return milliseconds a task, many at a time, as a batch hands them in."""
    taken = seconds(lambda: [f.result() for f in [executor.submit(work, *call) for call in calls]])
    return taken / len(calls) * 1e3


@click.command()
@click.option("--tasks", default=300, show_default=True)
def main(tasks: int) -> None:
    """Measure with two worker processes, as many as this machine's pool has at most."""
    from distributed import LocalCluster

    problem = Problem.find(Path(__file__).parent)
    setting = Setting(problem.folder, bundle_digest(problem.folder), weak=True)
    source = (ROOT / "reference" / "encoder_block.py").read_bytes()
    jobs = [(setting, Job(str(n), "s.py", source + b"\n# %d" % n)) for n in range(tasks)]
    empty = [(n,) for n in range(tasks)]
    workers = min(2, usable_cores())

    def measure(name: str, executor: Executor, work: Work) -> None:
        each_ms(executor, work, jobs[:20])
        task = statistics.median(each_ms(executor, nothing, empty) for _ in range(3))
        judged = statistics.median(each_ms(executor, work, jobs) for _ in range(3))
        click.echo(f"{name:22} {task:6.2f} ms an empty task, {judged:6.2f} ms a judgement")

    with zygote_pool(workers) as pool:
        measure(f"pool of {workers}", pool, judge_job)
    with LocalCluster(
        n_workers=workers, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
    ) as cluster:
        joined = connect(cluster.scheduler_address, problem.folder, ca=None, cert=None, key=None)
        measure(f"Dask, {workers} workers", joined.executor(), joined.work)
        joined.close()


if __name__ == "__main__":
    main()
