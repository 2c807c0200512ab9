"""The length of a search: as long as it is written in CI, a tenth of it on a developer's machine."""

import os

CI = os.environ.get("CI") == "true"


def times(number: int) -> int:
    """The number of repeats of something worth doing `number` times."""
    return number if CI else -(-number // 10)
