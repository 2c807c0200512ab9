"""How many files and connections a process may have open: systems begin with few, and let it ask for more."""

from types import ModuleType

resource: ModuleType | None
try:
    import resource
except ImportError:  # Windows, where no such limit is met
    resource = None

WANTED = 8192
"""So many are enough for 800 browsers and 300 phone tables; macOS gives 10240 at most."""


def allow_many(wanted: int = WANTED) -> None:
    """Raises this process' own limit, as far as the system lets it; never lowers it."""
    if resource is None:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
