"""A root of its own for the zygote: read-only binds of what Python reads, and nothing else.

Source: mount(2), mount_namespaces(7), pivot_root(2), umount2(2), <linux/mount.h>, tmpfs(5).
"""

# The zygote boots faster without pathlib and all that it imports:
# ruff: noqa: PTH103, PTH110, PTH120

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Sequence

from judge.sandbox import kernel

MS_RDONLY = 1
MS_NOSUID = 2
MS_NODEV = 4
MS_NOEXEC = 8
MS_REMOUNT = 32
MS_NOATIME = 1024
MS_NODIRATIME = 2048
MS_BIND = 4096
MS_REC = 16384
MS_PRIVATE = 1 << 18
MS_RELATIME = 1 << 21
MNT_DETACH = 2

_SCAFFOLD = "/tmp"  # noqa: S108 (any folder that every machine has; covered in this namespace only)
_TMPFS_OPTIONS = b"size=64k,nr_inodes=512,mode=755"

_ST_RELATIME = 4096  # <bits/statvfs.h>, where MS_RELATIME is another number


def _mount(
    source: str | None, target: str, kind: str | None, flags: int, data: bytes = b""
) -> None:
    def text(value: str | None) -> bytes | None:
        return None if value is None else os.fsencode(value)

    kernel.call("mount", text(source), os.fsencode(target), text(kind), flags, data or None)


def enter(readable: Sequence[str], devices: Sequence[str] = ()) -> None:
    """Replace the root of this mount namespace.

    Args:
        readable: absolute paths of the files and folders to keep, without symbolic links in them.
        devices: device files to keep, such as /dev/null.

    Raises:
        OSError: not allowed, or the root is one that can't be left (an initramfs).
    """
    # Before all else, or the mounts below would appear in the namespace that this one came from.
    _mount(None, "/", None, MS_REC | MS_PRIVATE)
    sources = _open_all([*readable, *devices])
    _mount("none", _SCAFFOLD, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, _TMPFS_OPTIONS)
    try:
        for path, descriptor in sources.items():
            _bind(descriptor, _SCAFFOLD + path, keep_devices=path in devices)
        os.chdir(_SCAFFOLD)
        # pivot_root(2), NOTES: with "." twice the old root is stacked on the new one.
        kernel.call("pivot_root", b".", b".")
    except OSError:
        # What the scaffold covers may be what Python is read from.
        os.chdir("/")
        kernel.call("umount2", os.fsencode(_SCAFFOLD), MNT_DETACH)
        raise
    finally:
        for descriptor in sources.values():
            os.close(descriptor)
    kernel.call("umount2", b".", MNT_DETACH)
    os.chdir("/")
    flags = MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC
    _mount(None, "/", None, flags)


def _open_all(paths: Iterable[str]) -> dict[str, int]:
    """Open the sources while they can be reached: the scaffold may cover them."""
    descriptors: dict[str, int] = {}
    for path in paths:
        if os.path.exists(path):
            descriptors[path] = os.open(path, os.O_PATH | os.O_CLOEXEC)
    return descriptors


def _bind(descriptor: int, target: str, *, keep_devices: bool) -> None:
    if stat.S_ISDIR(os.fstat(descriptor).st_mode):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.close(os.open(target, os.O_CREAT | os.O_CLOEXEC, 0o444))
    _mount(f"/proc/self/fd/{descriptor}", target, None, MS_BIND | MS_REC)
    # A remount in a user namespace must repeat these; statvfs(3) has the same bits but for one.
    now = os.statvfs(target).f_flag
    flags = now & (MS_NOATIME | MS_NODIRATIME) | (MS_RELATIME if now & _ST_RELATIME else 0)
    flags |= MS_RDONLY | MS_NOSUID | MS_NOEXEC | (0 if keep_devices else MS_NODEV)
    _mount(None, target, None, MS_REMOUNT | MS_BIND | flags)
