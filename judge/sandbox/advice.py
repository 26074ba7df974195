"""What each layer is for, and what to do where it is missing: the words of `judge doctor`."""

from __future__ import annotations

from dataclasses import dataclass

_NAMESPACES = (
    "allow user namespaces (sysctl user.max_user_namespaces above 0; on Debian also "
    "kernel.unprivileged_userns_clone=1, on Ubuntu 24.04 and later "
    "kernel.apparmor_restrict_unprivileged_userns=0), or run the judge as root; in a container: "
    "nothing to do, the other layers stand for it"
)
_KERNEL_5_13 = "boot Linux 5.13 or later with landlock in the kernel's list of security modules"


@dataclass(frozen=True)
class Advice:
    """One layer in words.

    Args:
        purpose: what it keeps a submission from.
        remedy: what to do where it is missing.
    """

    purpose: str
    remedy: str


ADVICE = {
    "user-namespace": Advice("lets an ordinary user make the other namespaces", _NAMESPACES),
    "process-namespace": Advice("no process outside is seen; nothing outlives", _NAMESPACES),
    "network-namespace": Advice("no network device, no abstract socket of others", _NAMESPACES),
    "ipc-namespace": Advice("no shared memory or message queue of others", _NAMESPACES),
    "host-name-namespace": Advice("the machine's name is not told", _NAMESPACES),
    "mount-namespace": Advice("a view of files of its own", _NAMESPACES),
    "own-root": Advice("only Python's library and NumPy are there, read-only", _NAMESPACES),
    "unused-user": Advice(
        "as root: a user who owns nothing", "give the container CAP_SETUID and CAP_SETGID"
    ),
    "parent-death-signal": Advice(
        "nothing runs on when the judge is killed", "run on Linux 2.6 or later"
    ),
    "no-new-privileges": Advice(
        "set-user-id programs give nothing; the filters need it", "run on Linux 3.5 or later"
    ),
    "landlock": Advice("no other file, no TCP, no signal to others", _KERNEL_5_13),
    "capabilities": Advice("no right of an administrator", "run on Linux 2.6.26 or later"),
    "not-dumpable": Advice(
        "memory of the zygote is closed to its own user", "run on Linux 2.6 or later"
    ),
    "sweep": Advice("what a worker leaves behind is killed", "mount /proc, or run as root"),
    "own-session": Advice("no terminal, no signals to the judge's group", "run on a POSIX system"),
    "limits": Advice(
        "memory, CPU time, files, processes",
        "start the judge with hard limits that are not below what a submission may use",
    ),
    "descriptors": Advice("only the channel and the output are open", "run on a POSIX system"),
    "seccomp": Advice(
        "only the few system calls that computing needs",
        "run on x86_64 or aarch64, with a kernel built with CONFIG_SECCOMP_FILTER",
    ),
}
