"""A folder in memory, for tests whose files need not outlast them and which would wait for a disk."""

import os
import shutil
from pathlib import Path

SHARED = Path("/dev/shm")
ENOUGH = 256 * 1024 * 1024


def _folder() -> Path | None:
    """Linux's folder in memory, where it takes files and programs: a container's may be small."""
    if not os.access(SHARED, os.W_OK) or os.statvfs(SHARED).f_flag & os.ST_NOEXEC:
        return None
    return SHARED if shutil.disk_usage(SHARED).free >= ENOUGH else None


MEMORY = _folder()
"""The place for temporary folders; None for the usual one."""
