"""Which system calls a worker may make, each with its reason; seccomp(2).

Everything that is not in `ALLOWED` or `CHECKED` fails with EPERM: no process, thread, socket,
namespace, mount, trace, timer, key, new file or executable memory can come from a submission.
"""

from __future__ import annotations

import ctypes
import errno
import struct
from collections.abc import Callable, Iterable
from typing import NamedTuple

from judge.sandbox import bpf, kernel, syscalls
from judge.sandbox.bpf import JUMP_ANY_BIT, JUMP_EQUAL, JUMP_GREATER_EQUAL, Program

# <linux/seccomp.h>
SECCOMP_SET_MODE_FILTER = 1
SECCOMP_RET_KILL_PROCESS = 0x80000000
SECCOMP_RET_ERRNO = 0x00050000
SECCOMP_RET_ALLOW = 0x7FFF0000
# <linux/audit.h>
AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
# <asm/unistd.h>, there with two underscores before: numbers of the x32 calls of x86_64
X32_SYSCALL_BIT = 0x40000000
# <asm-generic/mman-common.h>
PROT_EXEC = 0x4
# <asm-generic/fcntl.h>, <linux/fcntl.h>
F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC = 0, 1, 2, 3, 1030
# <linux/futex.h>
FUTEX_WAIT, FUTEX_WAKE, FUTEX_WAIT_BITSET, FUTEX_WAKE_BITSET = 0, 1, 9, 10
FUTEX_PRIVATE_FLAG, FUTEX_CLOCK_REALTIME = 128, 256

ALLOWED: dict[str, str] = {
    "read": "source, inputs and module files",
    "readv": "inputs straight into arrays",
    "write": "results, and what the submission prints",
    "writev": "header and array of a result in one piece",
    "poll": "waiting for the channel",
    "ppoll": "the same on aarch64",
    "open": "module files of the read-only root, by C libraries of old",
    "openat": "module files of the read-only root; Landlock allows reading alone",
    "close": "files that were read",
    "lseek": "reading module files and zip archives",
    "stat": "looking for modules",
    "fstat": "size of a file to read",
    "lstat": "os.path.realpath while importing",
    "newfstatat": "looking for modules",
    "readlink": "os.path.realpath while importing",
    "readlinkat": "the same on aarch64",
    "getdents64": "the import system lists each folder once",
    "getcwd": "the import system resolves an empty path",
    "munmap": "giving memory back",
    "mremap": "realloc of large blocks",
    "madvise": "malloc gives pages back; NumPy asks for huge ones",
    "brk": "malloc's small blocks",
    "sched_yield": "spinning locks of malloc and BLAS",
    "sched_getaffinity": "os.cpu_count and the like",
    "rt_sigaction": "Python's signal module, faulthandler, abort()",
    "rt_sigprocmask": "abort() and raise()",
    "rt_sigreturn": "leaving a signal handler",
    "sigaltstack": "faulthandler",
    "restart_syscall": "the kernel's own, after a stop and a continue",
    "clock_gettime": "time, where the vDSO does not answer",
    "clock_getres": "time.get_clock_info",
    "clock_nanosleep": "time.sleep",
    "nanosleep": "time.sleep of older C libraries",
    "gettimeofday": "time, where the vDSO does not answer",
    "time": "the same",
    "times": "os.times",
    "getrusage": "resource usage of itself",
    "getrandom": "os.urandom, random and numpy.random seeding themselves",
    "uname": "platform; the host name is the jail's",
    "sysinfo": "sysconf asks how much memory there is",
    "getpid": "abort() and raise(); seeds",
    "gettid": "the same",
    "getppid": "os.getppid; tells nothing that a worker can use",
    "getuid": "os.path.expanduser, site",
    "geteuid": "the same",
    "getgid": "the same",
    "getegid": "the same",
    "exit": "the end",
    "exit_group": "the end",
}

ANY_WORKER = 0x7FFFFFF0
"""Stands for a worker's process id in a filter made beforehand; larger than any (proc_pid(5))."""


def _errno(code: int) -> int:
    return SECCOMP_RET_ERRNO | code


ALLOW: Program = (bpf.give(SECCOMP_RET_ALLOW),)
REFUSE: Program = (bpf.give(_errno(errno.EPERM)),)


def _no_execute(_worker: int) -> Program:
    return (
        bpf.argument(2),
        *bpf.choose(JUMP_ANY_BIT, PROT_EXEC, (bpf.give(_errno(errno.EACCES)),), ALLOW),
    )


def _only_itself(worker: int) -> Program:
    return (bpf.argument(0), *bpf.choose(JUMP_EQUAL, worker, ALLOW, REFUSE))


def _only_reading_limits(worker: int) -> Program:
    # prlimit64(pid, resource, new, old): no new limit (both words of the pointer), and not others'.
    reading = (
        bpf.argument(2),
        *bpf.choose(
            JUMP_EQUAL,
            0,
            (bpf.argument(2, high=True), *bpf.choose(JUMP_EQUAL, 0, ALLOW, REFUSE)),
            REFUSE,
        ),
    )
    return (
        bpf.argument(0),
        *bpf.choose(JUMP_EQUAL, 0, reading, bpf.choose(JUMP_EQUAL, worker, reading, REFUSE)),
    )


def _one_of(allowed: Iterable[int]) -> Program:
    """Allow the call when its second argument is one of these."""
    program = REFUSE
    for value in allowed:
        program = bpf.choose(JUMP_EQUAL, value, ALLOW, program)
    return (bpf.argument(1), *program)


def _only_harmless_commands(_worker: int) -> Program:
    # Not F_SETOWN and F_SETSIG: with O_ASYNC they make the kernel send any signal to any process.
    return _one_of((F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC))


def _only_waiting(_worker: int) -> Program:
    # Not priority inheritance and requeueing, which nothing here needs and faults were found in.
    flags = (0, FUTEX_PRIVATE_FLAG, FUTEX_CLOCK_REALTIME, FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME)
    operations = (FUTEX_WAIT, FUTEX_WAKE, FUTEX_WAIT_BITSET, FUTEX_WAKE_BITSET)
    return _one_of(operation | flag for operation in operations for flag in flags)


CHECKED: dict[str, tuple[Callable[[int], Program], str]] = {
    "mmap": (_no_execute, "memory and files, never executable"),
    "mprotect": (_no_execute, "the same"),
    "kill": (_only_itself, "os.kill(os.getpid(), …), abort(): of itself only"),
    "tgkill": (_only_itself, "raise() and abort(): of itself only"),
    "prlimit64": (_only_reading_limits, "resource.getrlimit: reading its own limits"),
    "futex": (_only_waiting, "Python's locks: to wait and to wake"),
    "fcntl": (_only_harmless_commands, "os.dup, inheritable flags, file modes"),
    "ioctl": (lambda _: (bpf.give(_errno(errno.ENOTTY)),), "isatty() of what is opened"),
    "clone3": (lambda _: (bpf.give(_errno(errno.ENOSYS)),), "C libraries then try clone"),
}


def program(architecture: str, worker: int) -> Program:
    """Return the filter of a worker.

    Args:
        architecture: "x86_64" or "aarch64".
        worker: the worker's process id as it sees it, the only one that it may signal.
    """
    numbers = syscalls.table(architecture)
    rules = [(numbers[name], ALLOW) for name in ALLOWED if name in numbers]
    rules += [(numbers[name], make(worker)) for name, (make, _) in CHECKED.items()]
    dispatch: Program = (bpf.load(bpf.NUMBER_OFFSET), *_search(sorted(rules)))
    if architecture == "x86_64":
        kill = (bpf.give(SECCOMP_RET_KILL_PROCESS),)
        x32 = bpf.choose(JUMP_GREATER_EQUAL, X32_SYSCALL_BIT, kill, dispatch[1:])
        dispatch = (dispatch[0], *x32)
    other = bpf.Instruction(JUMP_EQUAL, AUDIT_ARCH[architecture], 1, 0)
    return (
        bpf.load(bpf.ARCHITECTURE_OFFSET),
        other,
        bpf.give(SECCOMP_RET_KILL_PROCESS),
        *dispatch,
    )


def _search(rules: list[tuple[int, Program]]) -> Program:
    """Find the loaded number among sorted rules by halving: the kernel runs this for every call."""
    if len(rules) == 1:
        number, body = rules[0]
        return bpf.choose(JUMP_EQUAL, number, body, REFUSE)
    middle = len(rules) // 2
    return bpf.choose(
        JUMP_GREATER_EQUAL, rules[middle][0], _search(rules[middle:]), _search(rules[:middle])
    )


class Filter(NamedTuple):
    """An assembled filter without a worker's process id, and the places where that belongs."""

    code: bytes
    places: tuple[int, ...]

    def of(self, worker: int) -> bytes:
        """Return the filter of a worker."""
        code = bytearray(self.code)
        for place in self.places:
            struct.pack_into("=I", code, place, worker)
        return bytes(code)


def prepare(architecture: str) -> Filter:
    """Assemble the filter once for all workers; "x86_64" or "aarch64"."""
    steps = program(architecture, ANY_WORKER)
    places = [8 * i + 4 for i, step in enumerate(steps) if step.constant == ANY_WORKER]
    return Filter(bpf.assemble(steps), tuple(places))


def install(filter_bytes: bytes) -> None:
    """Put this process under a filter for good; seccomp(2), needs no_new_privs.

    Args:
        filter_bytes: an assembled program.

    Raises:
        OSError: the kernel has no seccomp filters, or refuses this one.
    """
    instructions = ctypes.create_string_buffer(filter_bytes, len(filter_bytes))
    # struct sock_fprog {unsigned short len; struct sock_filter *filter;}
    header = struct.pack("@HP", len(filter_bytes) // 8, ctypes.addressof(instructions))
    kernel.call("seccomp", SECCOMP_SET_MODE_FILTER, 0, ctypes.create_string_buffer(header))
