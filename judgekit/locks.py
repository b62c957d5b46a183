"""Claims on numbers of a file: each is held by one live process, and the kernel gives it back when that process ends."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress
from pathlib import Path

__all__ = ["claim", "release"]

_guard = threading.Lock()
_held: dict[tuple[int, Path], tuple[int, set[int]]] = {}
"""By process and file, its descriptor and the numbers that are held.

A process's locks on a file are gone as soon as it closes the file anywhere, so it has it open once. The process is in
the key because a forked child inherits this table and not the locks.
"""


def claim(path: Path, number: int) -> bool:
    """Take the number, and say whether it was free.

    Args:
        path: the lock file; made when absent, and left behind: a file that comes and goes could be locked twice.
        number: one of its bytes.

    Raises:
        OSError: the file cannot be opened for writing, or its file system has no locks.
    """
    place = (os.getpid(), path.resolve())
    with _guard:
        descriptor, numbers = _held.get(place) or (os.open(path, os.O_RDWR | os.O_CREAT, 0o666), set())
        _held[place] = (descriptor, numbers)
        try:
            if number in numbers or not _lock(descriptor, number):
                return False
            numbers.add(number)
            return True
        finally:
            _close_unused(place)


def release(path: Path, number: int) -> None:
    """Give the number back; one that this process does not hold is left alone."""
    place = (os.getpid(), path.resolve())
    with _guard:
        descriptor, numbers = _held.get(place, (-1, set()))
        if number in numbers:
            numbers.remove(number)
            _unlock(descriptor, number)
            _close_unused(place)


def _close_unused(place: tuple[int, Path]) -> None:
    descriptor, numbers = _held[place]
    if not numbers:
        del _held[place]
        os.close(descriptor)


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int, number: int) -> bool:
        os.lseek(descriptor, number, os.SEEK_SET)
        with suppress(PermissionError):
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            return True
        return False

    def _unlock(descriptor: int, number: int) -> None:
        os.lseek(descriptor, number, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
else:
    import fcntl

    def _lock(descriptor: int, number: int) -> bool:
        with suppress(BlockingIOError, PermissionError):
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, number)
            return True
        return False

    def _unlock(descriptor: int, number: int) -> None:
        fcntl.lockf(descriptor, fcntl.LOCK_UN, 1, number)
