"""Makes a failing night short: the fewest of its faults with which it still fails in the same way."""

from collections.abc import Callable, Sequence

from vopr.faults import Fault


def shrunk(faults: Sequence[Fault], fails: Callable[[Sequence[Fault]], bool], most: int = 80) -> list[Fault]:
    """Delta debugging: leaves out ever smaller parts while the rest still fails, in at most `most` plays."""
    left, parts, plays = list(faults), 2, 0
    while len(left) > 1 and plays < most:
        size = max(len(left) // parts, 1)
        for start in range(0, len(left), size):
            without = [*left[:start], *left[start + size :]]
            plays += 1
            if fails(without):
                left, parts = without, max(parts - 1, 2)
                break
            if plays >= most:
                break
        else:
            if size == 1:
                break
            parts = min(parts * 2, len(left))
    return left
