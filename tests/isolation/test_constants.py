"""Every number that is told to the kernel is the one in its headers, for both architectures."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from judge.sandbox import (
    bpf,
    capabilities,
    kernel,
    landlock,
    namespaces,
    probes,
    root,
    seccomp,
    syscalls,
)

pytestmark = pytest.mark.isolation

HEADERS = {
    # Debian's linux-libc-dev and linux-libc-dev-arm64-cross
    "x86_64": (Path("/usr/include"), "x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": (Path("/usr/aarch64-linux-gnu/include"), "asm-generic/unistd.h"),
}
INCLUDE = Path("/usr/include")


def defined(path: Path, prefix: str = "") -> dict[str, int]:
    """Return the plain numbers that a header gives names to, by #define or in an enum."""
    text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)
    found: dict[str, str] = {}
    for name, value in re.findall(
        r"^#[ \t]*define[ \t]+(\w+)[ \t]+(\S.*?)\s*$", text, re.MULTILINE
    ):
        found.setdefault(name, value)
    for name, value in re.findall(r"^\s*(\w+)\s*=\s*([^,\n]+),", text, re.MULTILINE):
        found.setdefault(name, value.strip())
    numbers = {name: number(value, found) for name, value in found.items()}
    return {name: value for name, value in numbers.items() if value is not None}


def number(text: str, names: dict[str, str], depth: int = 0) -> int | None:
    """Return the value of a header's expression: a number, a shift, another name, or an "or"."""
    text = text.strip()
    if text.startswith("(") and text.endswith(")"):
        text = text[1:-1].strip()
    if "|" in text:
        parts = [number(part, names, depth + 1) for part in text.split("|")]
        return None if None in parts else sum({part for part in parts if part is not None})
    shift = re.fullmatch(r"(\w+)\s*<<\s*(\w+)", text)
    if shift:
        left, right = (number(part, names, depth + 1) for part in shift.groups())
        return None if left is None or right is None else left << right
    plain = re.fullmatch(r"(0[xX][0-9a-fA-F]+|\d+)[uUlL]*", text)
    if plain:
        digits = plain[1]
        octal = digits.startswith("0") and digits.isdigit() and len(digits) > 1
        return int(digits, 8 if octal else 0)
    return number(names[text], names, depth + 1) if text in names and depth < 8 else None


@pytest.mark.parametrize("architecture", syscalls.ARCHITECTURES)
def test_system_call_numbers(architecture: str) -> None:
    folder, name = HEADERS[architecture]
    numbers = defined(folder / name)
    table = syscalls.table(architecture)
    assert table
    for call, value in table.items():
        names = (f"__NR_{call}", f"__NR3264_{call}")
        assert value in [numbers[each] for each in names if each in numbers], call
    for call in syscalls.table("x86_64").keys() - table.keys():
        assert not {f"__NR_{call}"} & {n for n in numbers if "stat" not in n}, call


MODULES = {
    "linux/landlock.h": landlock,
    "linux/prctl.h": kernel,
    "linux/sched.h": namespaces,
    "linux/mount.h": root,
    "linux/seccomp.h": seccomp,
    "linux/capability.h": capabilities,
}


@pytest.mark.parametrize("header", MODULES)
def test_constants_by_their_names(header: str) -> None:
    numbers = defined(INCLUDE / header)
    ours = {
        name: value
        for name, value in vars(MODULES[header]).items()
        if re.fullmatch(r"_?[A-Z][A-Z0-9_]+", name) and isinstance(value, int)
    }
    compared = {name: value for name, value in ours.items() if name.lstrip("_") in numbers} | {
        name: value for name, value in ours.items() if name in numbers
    }
    assert len(compared) >= 3
    for name, value in compared.items():
        assert numbers.get(name, numbers.get(name.lstrip("_"))) == value, name


def test_rights_of_landlock_that_old_headers_do_not_name() -> None:
    # Documentation/userspace-api/landlock.rst: since ABI 3, 4, 5, 6 and 7.
    assert landlock.LANDLOCK_RESTRICT_SELF_LOG_SAME_EXEC_OFF == 1
    assert landlock.LANDLOCK_ACCESS_FS_TRUNCATE == 1 << 14
    assert landlock.LANDLOCK_ACCESS_FS_IOCTL_DEV == 1 << 15
    assert [len(landlock.ruleset_attributes(abi)) // 8 for abi in range(1, 8)] == [
        1, 1, 1, 2, 2, 3, 3,
    ]  # fmt: skip


def test_constants_that_have_other_names_or_homes() -> None:
    filters = defined(INCLUDE / "linux/bpf_common.h")
    jump, load, ret = filters["BPF_JMP"], filters["BPF_LD"], filters["BPF_RET"]
    assert load | filters["BPF_W"] | filters["BPF_ABS"] == bpf.LOAD_WORD
    assert jump | filters["BPF_JEQ"] | filters["BPF_K"] == bpf.JUMP_EQUAL
    assert jump | filters["BPF_JGE"] | filters["BPF_K"] == bpf.JUMP_GREATER_EQUAL
    assert jump | filters["BPF_JSET"] | filters["BPF_K"] == bpf.JUMP_ANY_BIT
    assert ret | filters["BPF_K"] == bpf.RETURN
    audit = (INCLUDE / "linux/audit.h").read_text()
    machines = defined(INCLUDE / "linux/elf-em.h")
    for architecture, value in seccomp.AUDIT_ARCH.items():
        name = f"AUDIT_ARCH_{architecture.upper()}"
        assert f"{name}\t(EM_{architecture.upper()}|__AUDIT_ARCH_64BIT|__AUDIT_ARCH_LE)" in audit
        assert machines[f"EM_{architecture.upper()}"] | 0xC0000000 == value
    assert defined(INCLUDE / "asm-generic/mman-common.h")["PROT_EXEC"] == seccomp.PROT_EXEC
    commands = defined(INCLUDE / "asm-generic/fcntl.h")
    for name in ("F_DUPFD", "F_GETFD", "F_SETFD", "F_GETFL"):
        assert commands[name] == getattr(seccomp, name)
    assert seccomp.F_DUPFD_CLOEXEC == 1024 + 6
    futexes = defined(INCLUDE / "linux/futex.h")
    for name in [name for name in vars(seccomp) if name.startswith("FUTEX_")]:
        assert futexes[name] == getattr(seccomp, name)
    x32 = (INCLUDE / "x86_64-linux-gnu/asm/unistd.h").read_text()
    assert f"__X32_SYSCALL_BIT\t{seccomp.X32_SYSCALL_BIT:#x}" in x32
    traced = defined(INCLUDE / "linux/ptrace.h")
    assert traced["PTRACE_SEIZE"] == probes._PTRACE_SEIZE
    for architecture, (ptrace, readv) in probes._CALLS.items():
        folder, name = HEADERS[architecture]
        numbers = defined(folder / name)
        assert numbers["__NR_ptrace"] == ptrace
        assert numbers["__NR_process_vm_readv"] == readv
