"""Prints how often each pair of successive faces came in that many draws; runs on both interpreters."""

import os
import sys

from faces import FaceDraw


def pairs(draws: int) -> "list[int]":
    """The counts of the 36 pairs, 1 1 first."""
    draw = FaceDraw(os.urandom, os.urandom)
    counts = [0] * 36
    for _ in range(draws // 2):
        counts[6 * draw.face() + draw.face() - 7] += 1
    return counts


if __name__ == "__main__":
    sys.stdout.write(" ".join([str(count) for count in pairs(int(sys.argv[1]))]) + "\n")
