"""Which layers stop which attack: any one of those named is enough, so that all must fail at once.

Attacks that are not named here need no layer of the operating system: the judge's own checks, its
deadlines, or the process of their own that submissions run in contain them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

HOSTILE = Path(__file__).parent.parent.parent / "submissions" / "hostile"

FILES = frozenset({"own-root", "landlock"})
FORKING = frozenset({"seccomp", "limits"})
JUDGE = frozenset({"seccomp", "process-namespace", "landlock"})
NOBODY = frozenset({"unused-user"})
SECCOMP = frozenset({"seccomp"})

BOTH = frozenset({"root", "user"})
AS_ROOT = frozenset({"root"})
NEVER: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Stopped:
    """By what an attack is stopped.

    Args:
        by: layers that stop it, each alone, whoever judges.
        as_root: further ones where root judges.
        as_user: further ones where an ordinary user judges.
        shown: the roles in which the attack is also shown to get through without all of them; none
            where the machine may lack what it uses, or something of the machine would be changed.
        also_off: layers that do not stop it for sure, but have to be out of its way to show it.
    """

    by: frozenset[str]
    as_root: frozenset[str] = frozenset()
    shown: frozenset[str] = BOTH
    also_off: frozenset[str] = frozenset()
    as_user: frozenset[str] = frozenset()

    def layers(self, role: str) -> frozenset[str]:
        """Return the layers that stop it in a role."""
        return self.by | (self.as_root if role.endswith("root") else self.as_user)

    def without(self, role: str) -> frozenset[str]:
        """Return what has to be off for it to get through."""
        return self.layers(role) | self.also_off


TRACING = Stopped(
    JUDGE | {"not-dumpable"},
    NOBODY,
    also_off=frozenset({"capabilities"}),
    # A process of another user namespace counts as one with fewer rights (ptrace(2)).
    as_user=frozenset({"user-namespace"}),
)

STOPPED = {
    "reach_the_answers/read_answer_file": Stopped(FILES, NOBODY),
    "reach_the_answers/list_folder": Stopped(FILES),
    "reach_the_answers/read_password_file": Stopped(FILES),
    "reach_the_answers/climb_out_of_root": Stopped(FILES),
    "reach_the_answers/import_reference": Stopped(FILES),
    "reach_the_answers/carry_out_by_file_name": Stopped(FILES),
    "reach_the_judge/signal_zygote": Stopped(JUDGE),
    "reach_the_judge/signal_judge": Stopped(JUDGE, NOBODY),
    "reach_the_judge/signal_by_descriptor_owner": Stopped(JUDGE, NOBODY),
    "reach_the_judge/signal_by_pidfd": Stopped(JUDGE, NOBODY),
    "reach_the_judge/trace_judge": TRACING,
    "reach_the_judge/trace_from_child": Stopped(FORKING, also_off=frozenset({"not-dumpable"})),
    "reach_the_judge/read_judge_memory": TRACING,
    "reach_the_judge/read_proc_files": Stopped(
        FILES | {"not-dumpable"}, NOBODY, also_off=frozenset({"capabilities"})
    ),
    "reach_the_judge/write_own_memory_file": Stopped(
        FILES | {"not-dumpable"}, NOBODY, also_off=frozenset({"capabilities"})
    ),
    "reach_the_judge/limit_judge": Stopped(frozenset({"seccomp", "process-namespace"}), NOBODY),
    "reach_the_judge/slow_judge_down": Stopped(
        frozenset({"seccomp", "process-namespace"}), NOBODY, also_off=frozenset({"capabilities"})
    ),
    "forge_a_result/write_to_descriptors": Stopped(frozenset({"descriptors"})),
    "forge_a_result/change_the_library": Stopped(FILES, NOBODY, shown=NEVER),
    "forge_a_result/shadow_a_module": Stopped(FILES, NOBODY, shown=NEVER),
    "exhaust/fork_bomb": Stopped(FORKING),
    "exhaust/thread_bomb": Stopped(FORKING),
    "exhaust/allocate_at_once": Stopped(frozenset({"limits"})),
    "exhaust/memory_file": Stopped(FORKING),
    "exhaust/write_files": Stopped(FILES, also_off=frozenset({"limits"})),
    "outlive/daemon": Stopped(FORKING | {"sweep"}),
    "outlive/ignore_hangup": Stopped(FORKING | {"sweep"}),
    "outlive/shared_memory": Stopped(frozenset({"seccomp", "ipc-namespace"})),
    "outlive/message_queue": Stopped(frozenset({"seccomp", "ipc-namespace"})),
    "outlive/named_memory": Stopped(FILES, also_off=frozenset({"limits"})),
    "escape/exec_shell": Stopped(FILES | SECCOMP),
    "escape/spawn_program": Stopped(FILES | FORKING),
    "escape/become_root": Stopped(SECCOMP, NOBODY, shown=AS_ROOT),
    "escape/connect_by_tcp": Stopped(frozenset({"seccomp", "network-namespace", "landlock"})),
    "escape/send_by_udp": Stopped(frozenset({"seccomp", "network-namespace"})),
    "escape/abstract_socket": Stopped(frozenset({"seccomp", "network-namespace", "landlock"})),
    "escape/socket_file": Stopped(frozenset({"seccomp", "own-root"})),
    "escape/io_uring": Stopped(FORKING),
    "escape/bpf": Stopped(SECCOMP, shown=NEVER),
    "escape/userfaultfd": Stopped(SECCOMP, shown=NEVER),
    "escape/new_user_namespace": Stopped(SECCOMP),
    "escape/add_key": Stopped(SECCOMP),
    "escape/perf_event": Stopped(SECCOMP, shown=NEVER),
    "escape/open_by_handle": Stopped(SECCOMP, shown=NEVER),
    "escape/personality": Stopped(SECCOMP),
    "escape/own_filter": Stopped(SECCOMP),
    "escape/mount": Stopped(SECCOMP | {"landlock", "capabilities"}, NOBODY),
    "escape/make_device": Stopped(FILES | SECCOMP | {"capabilities"}, NOBODY, shown=NEVER),
    "escape/change_root": Stopped(SECCOMP | {"capabilities"}, NOBODY),
    "escape/executable_memory": Stopped(SECCOMP),
    "escape/make_memory_executable": Stopped(SECCOMP),
    "escape/calls_of_another_abi": Stopped(SECCOMP, shown=NEVER),
    "escape/raise_own_limits": Stopped(SECCOMP | {"capabilities"}, NOBODY, shown=NEVER),
    "escape/load_library": Stopped(FILES | SECCOMP),
}

# What a name in `layers_off` takes with it: a layer that stands on another, or is made by it.
STANDS_ON = {
    "mount-namespace": frozenset({"own-root"}),
    "user-namespace": frozenset(
        {"process-namespace", "network-namespace", "ipc-namespace", "host-name-namespace",
         "mount-namespace", "own-root"}
    ),
    "no-new-privileges": frozenset({"landlock", "seccomp"}),
}  # fmt: skip

HEAVY = frozenset({"exhaust/recurse_in_c", "exhaust/recurse_forever", "exhaust/allocate_and_go_on"})
"""Attacks that take a lot of work, and in which no layer but the limits has a part."""


def names() -> list[str]:
    """Return every attack by its path below `submissions/hostile/`, without ".py"."""
    return sorted(
        path.relative_to(HOSTILE).with_suffix("").as_posix() for path in HOSTILE.glob("*/*.py")
    )


def in_force(states: dict[str, str]) -> frozenset[str]:
    """Return the names of the layers that a report says are in force."""
    return frozenset(name for name, state in states.items() if state.startswith("ok"))


def contained(name: str, role: str, force: frozenset[str]) -> bool:
    """Tell whether an attack must be contained by the layers in force."""
    stopped = STOPPED.get(name)
    return stopped is None or bool(stopped.layers(role) & force)
