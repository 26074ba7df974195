"""Giving up every capability, and the ways to get one back; capabilities(7), capset(2)."""

from __future__ import annotations

import ctypes
import struct

from judge.sandbox import kernel

# <linux/capability.h>
_LINUX_CAPABILITY_VERSION_3 = 0x20080522
CAP_SYS_ADMIN = 21
CAP_LAST_CAP = 40  # CAP_CHECKPOINT_RESTORE, of Linux 5.9; later ones are met by trying


# struct __user_cap_header_struct {__u32 version; int pid;}, pid 0: this process
_HEADER = struct.pack("=Ii", _LINUX_CAPABILITY_VERSION_3, 0)
# struct __user_cap_data_struct {__u32 effective, permitted, inheritable;}[2]
_DATA_SIZE = 2 * 3 * 4


def holds(capability: int) -> bool:
    """Tell whether a capability below 32 is in this process's effective set; capget(2)."""
    data = ctypes.create_string_buffer(_DATA_SIZE)
    kernel.call("capget", ctypes.create_string_buffer(_HEADER), data)
    effective: int = struct.unpack_from("=I", data)[0]
    return bool(effective >> capability & 1)


def drop_bounding_set() -> None:
    """Take every capability out of the bounding set, so that no program can bring one back.

    Raises:
        OSError: this process lacks CAP_SETPCAP in its user namespace (then it has nothing to lose).
    """
    for capability in range(64):
        try:
            kernel.prctl(kernel.PR_CAPBSET_DROP, capability)
        except OSError:
            if capability > CAP_LAST_CAP:
                return  # EINVAL: past the last that this kernel knows
            raise


def drop() -> None:
    """Empty the effective, permitted and inheritable sets; ambient ones go with them. OSError."""
    kernel.call("capset", _HEADER, bytes(_DATA_SIZE))
