"""Who judges: root, an ordinary user, or either of them as inside a container.

"old-container" is one on a kernel without Landlock.

A container's part is played by what its engine adds: a seccomp filter like the default profile of
common engines, and the capabilities that they leave to root (capabilities(7)).
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct

from judge.sandbox import bpf, kernel, seccomp, syscalls

ORDINARY_USER = 54_321
"""No account of any machine that these tests run on; it owns nothing."""

ROOT_ROLES = ("root", "user", "container-root", "container-user")
USER_ROLES = ("user", "container-user")

# <linux/capability.h>: CHOWN DAC_OVERRIDE FOWNER FSETID KILL SETGID SETUID SETPCAP NET_BIND_SERVICE
# NET_RAW SYS_CHROOT MKNOD AUDIT_WRITE SETFCAP
CONTAINER_CAPABILITIES = (0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 27, 29, 31)

# What the default profiles leave to processes with CAP_SYS_ADMIN or the like, or to nobody:
# name: (x86_64, aarch64)
CONTAINER_REFUSES = {
    "add_key": (248, 217),
    "bpf": (321, 280),
    "finit_module": (313, 273),
    "init_module": (175, 105),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "mount": (165, 40),
    "move_mount": (429, 429),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "perf_event_open": (298, 241),
    "pivot_root": (155, 41),
    "quotactl": (179, 60),
    "reboot": (169, 142),
    "request_key": (249, 218),
    "setns": (308, 268),
    "settimeofday": (164, 170),
    "swapon": (167, 224),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
    "fsopen": (430, 430),
    "fsmount": (432, 432),
}
CLONE = {"x86_64": 56, "aarch64": 220}
# <linux/sched.h>: CLONE_NEWNS NEWCGROUP NEWUTS NEWIPC NEWUSER NEWPID NEWNET
NAMESPACE_FLAGS = 0x7E020000


def container_filter(architecture: str, *, landlock: bool = True) -> bpf.Program:
    """Return a filter that refuses with EPERM what an engine's default profile refuses.

    Args:
        architecture: "x86_64" or "aarch64".
        landlock: whether the kernel has Landlock; where it has none, its calls are unknown.
    """
    column = syscalls.ARCHITECTURES.index(architecture)
    program: bpf.Program = seccomp.ALLOW
    no_such_call = (bpf.give(seccomp.SECCOMP_RET_ERRNO | errno.ENOSYS),)
    if not landlock:
        for name, number in syscalls.table(architecture).items():
            if name.startswith("landlock"):
                program = bpf.choose(bpf.JUMP_EQUAL, number, no_such_call, program)
    for numbers in CONTAINER_REFUSES.values():
        program = bpf.choose(bpf.JUMP_EQUAL, numbers[column], seccomp.REFUSE, program)
    clone = (
        bpf.argument(0),
        *bpf.choose(bpf.JUMP_ANY_BIT, NAMESPACE_FLAGS, seccomp.REFUSE, seccomp.ALLOW),
    )
    program = bpf.choose(bpf.JUMP_EQUAL, CLONE[architecture], clone, program)
    clone3 = syscalls.table(architecture)["clone3"]
    program = bpf.choose(bpf.JUMP_EQUAL, clone3, no_such_call, program)
    return (bpf.load(bpf.NUMBER_OFFSET), *program)


def play(role: str) -> None:
    """Become what a role is, for good."""
    contained = "container" in role
    code = bpf.assemble(container_filter(syscalls.machine(), landlock=not role.startswith("old")))
    if contained:
        _drop_bounding_set()
    if contained and role.endswith("root"):
        # Engines install their filter before they give privileges up, without no_new_privs.
        seccomp.install(code)
        _set_capabilities()
    if role.endswith("user") and os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(ORDINARY_USER, ORDINARY_USER, ORDINARY_USER)
        os.setresuid(ORDINARY_USER, ORDINARY_USER, ORDINARY_USER)
        # As every process is that a user starts; setuid closed this one's memory.
        kernel.prctl(kernel.PR_SET_DUMPABLE, 1)
    if contained and role.endswith("user"):
        kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
        seccomp.install(code)


def _drop_bounding_set() -> None:
    if os.geteuid() != 0:
        return
    for capability in range(64):
        if capability not in CONTAINER_CAPABILITIES:
            try:
                kernel.prctl(kernel.PR_CAPBSET_DROP, capability)
            except OSError:
                break  # past the last that this kernel knows


def _set_capabilities() -> None:
    """Reduce this process's own sets to those of the bounding set; capset(2)."""
    mask = sum(1 << capability for capability in CONTAINER_CAPABILITIES)
    header = struct.pack("=Ii", 0x20080522, 0)
    data = struct.pack("=IIIIII", mask, mask, 0, 0, 0, 0)
    kernel.call("capset", ctypes.create_string_buffer(header), ctypes.create_string_buffer(data))
