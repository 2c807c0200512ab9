"""The date, for people to read: nothing in a service is decided by it, since it can be set or be wrong."""

import time


def seconds() -> float:
    """Wall time in seconds since 1970."""
    return time.time()
