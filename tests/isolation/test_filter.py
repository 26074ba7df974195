"""The seccomp filter of both architectures, run by an interpreter: no kernel is asked."""

from __future__ import annotations

import errno

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.sandbox import bpf, seccomp, syscalls
from judge.sandbox.seccomp import ALLOWED, AUDIT_ARCH, CHECKED
from tests.isolation import roles
from tests.isolation.machine import data, execute

WORKER = 4242
ALLOW = seccomp.SECCOMP_RET_ALLOW
EPERM, EACCES = (seccomp.SECCOMP_RET_ERRNO | code for code in (errno.EPERM, errno.EACCES))
ENOSYS, ENOTTY = (seccomp.SECCOMP_RET_ERRNO | code for code in (errno.ENOSYS, errno.ENOTTY))
KILL = seccomp.SECCOMP_RET_KILL_PROCESS
HIGH = 1 << 32

CODE = {name: bpf.assemble(seccomp.program(name, WORKER)) for name in syscalls.ARCHITECTURES}

both = pytest.mark.parametrize("architecture", syscalls.ARCHITECTURES)


def ask(architecture: str, name: str, *arguments: int) -> int:
    number = syscalls.table(architecture)[name]
    return execute(CODE[architecture], data(number, AUDIT_ARCH[architecture], arguments))


@both
def test_every_number_without_a_rule_is_refused(architecture: str) -> None:
    table = syscalls.table(architecture)
    ruled = {table[name] for name in (*ALLOWED, *CHECKED) if name in table}
    for number in range(1024):
        action = execute(CODE[architecture], data(number, AUDIT_ARCH[architecture]))
        assert (action == EPERM) or number in ruled, number


@both
def test_what_is_allowed_is_allowed_with_any_argument(architecture: str) -> None:
    for name in ALLOWED.keys() & syscalls.table(architecture).keys():
        for argument in (0, 1, HIGH - 1, 1 << 63):
            assert ask(architecture, name, *[argument] * 6) == ALLOW, name


@both
@pytest.mark.parametrize(
    "name",
    ["pivot_root", "prctl", "mount", "umount2", "sethostname", "capset", "unshare", "seccomp",
     "landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self", "close_range"],
)  # fmt: skip
def test_what_built_the_jail_is_refused_in_it(architecture: str, name: str) -> None:
    assert ask(architecture, name) == EPERM


@both
def test_calls_of_another_architecture_kill(architecture: str) -> None:
    (other,) = set(AUDIT_ARCH) - {architecture}
    number = syscalls.table(architecture)["read"]
    assert execute(CODE[architecture], data(number, AUDIT_ARCH[other])) == KILL
    assert execute(CODE[architecture], data(number, 0x40000003)) == KILL  # AUDIT_ARCH_I386


def test_x32_calls_kill() -> None:
    for number in (0, 39, 512, 547, 0x3FFFFFFF):
        call = data(0x40000000 | number, AUDIT_ARCH["x86_64"])
        assert execute(CODE["x86_64"], call) == KILL


@both
@pytest.mark.parametrize("name", ["mmap", "mprotect"])
@pytest.mark.parametrize("protection", range(8))
def test_memory_is_never_executable(architecture: str, name: str, protection: int) -> None:
    wanted = EACCES if protection & seccomp.PROT_EXEC else ALLOW
    assert ask(architecture, name, 0, 4096, protection, 0x22, -1, 0) == wanted
    assert ask(architecture, name, 0, 4096, protection | 0x01000000, 0x22) == wanted


@both
@pytest.mark.parametrize("name", ["kill", "tgkill"])
def test_signals_go_to_the_worker_itself_only(architecture: str, name: str) -> None:
    assert ask(architecture, name, WORKER, WORKER, 9) == ALLOW
    for other in (0, 1, -1, -WORKER, WORKER + 1):
        assert ask(architecture, name, other, WORKER, 9) == EPERM


@both
def test_limits_are_read_never_set(architecture: str) -> None:
    for process in (0, WORKER):
        assert ask(architecture, "prlimit64", process, 9, 0, 0x7FFF0000) == ALLOW
        assert ask(architecture, "prlimit64", process, 9, 0x1000, 0) == EPERM
        # A pointer whose low word is zero is a pointer all the same.
        assert ask(architecture, "prlimit64", process, 9, HIGH, 0) == EPERM
    assert ask(architecture, "prlimit64", 1, 9, 0, 0x7FFF0000) == EPERM


@both
def test_a_descriptor_gets_no_owner_and_no_lock(architecture: str) -> None:
    allowed = {0, 1, 2, 3, 1030}  # F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC
    for command in range(1100):
        wanted = ALLOW if command in allowed else EPERM
        assert ask(architecture, "fcntl", 1, command, 0) == wanted, command


@both
def test_locks_wait_and_wake_and_do_nothing_else(architecture: str) -> None:
    for operation in range(1 << 10):
        wanted = ALLOW if operation & ~(128 | 256) in {0, 1, 9, 10} else EPERM
        assert ask(architecture, "futex", 0x1000, operation) == wanted, operation


@both
def test_calls_that_programs_probe_get_the_answer_that_lets_them_go_on(architecture: str) -> None:
    assert ask(architecture, "ioctl", 1, 0x5401) == ENOTTY
    assert ask(architecture, "clone3") == ENOSYS


@both
@given(
    number=st.integers(0, HIGH - 1),
    arguments=st.lists(st.integers(0, (1 << 64) - 1), min_size=6, max_size=6),
)
def test_any_call_ends_in_an_action_that_is_not_more_than_the_rules_say(
    architecture: str, number: int, arguments: list[int]
) -> None:
    action = execute(CODE[architecture], data(number, AUDIT_ARCH[architecture], arguments))
    assert action in {ALLOW, EPERM, EACCES, ENOSYS, ENOTTY, KILL}
    table = syscalls.table(architecture)
    if action == ALLOW:
        assert number in {table[name] for name in (*ALLOWED, *CHECKED) if name in table}


def test_every_allowed_call_has_its_reason_and_its_number() -> None:
    known = set(syscalls.table("x86_64")) | set(syscalls.table("aarch64"))
    assert set(ALLOWED) | set(CHECKED) <= known
    assert not set(ALLOWED) & set(CHECKED)
    for reason in (*ALLOWED.values(), *(reason for _, reason in CHECKED.values())):
        assert len(reason) >= 7


@both
def test_a_filter_made_beforehand_is_that_of_its_worker(architecture: str) -> None:
    prepared = seccomp.prepare(architecture)
    assert prepared.of(WORKER) == CODE[architecture]
    assert prepared.of(WORKER + 1) != CODE[architecture]


@both
def test_a_containers_filter_leaves_landlock_and_seccomp(architecture: str) -> None:
    code = bpf.assemble(roles.container_filter(architecture))

    def asked(number: int, *arguments: int) -> int:
        return execute(code, data(number, AUDIT_ARCH[architecture], arguments))

    table = syscalls.table(architecture)
    for name in ("seccomp", "prctl", "landlock_create_ruleset", "landlock_restrict_self", "read"):
        assert asked(table[name]) == ALLOW
    for name in ("mount", "unshare", "pivot_root", "umount2"):
        assert asked(table[name]) == EPERM
    assert asked(roles.CLONE[architecture], 0x11) == ALLOW  # fork: SIGCHLD
    assert asked(roles.CLONE[architecture], 0x10000011) == EPERM  # CLONE_NEWUSER
    assert asked(table["clone3"]) == ENOSYS


def test_a_jump_that_does_not_fit_is_no_filter() -> None:
    with pytest.raises(ValueError, match="longer than 255"):
        bpf.choose(bpf.JUMP_EQUAL, 1, seccomp.ALLOW * 256, seccomp.REFUSE)
