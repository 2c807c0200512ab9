"""`PYTHONPATH=.:tests python -m vopr SEED` plays a night again and tells its story, shortened if it fails.
A seed such as "7: lie, power" has more faults of the kinds that it names; in "7 by the clock"
nobody starts or ends a round.

`--faults N` searches the seeds from a drawn one on until N faults have happened, counts what it finds, and
tells the first night of each kind shortened.
"""

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import count
from multiprocessing import get_context
from random import SystemRandom

from vopr.faults import Fault
from vopr.night import Night, play
from vopr.shrink import shrunk

STORY_LINES = 25
"""Lines of a shortened story that a search prints."""
REPORT_EVERY = 500
"""Nights between two counts of a search."""


def tell(seed: str) -> bool:
    """Plays a seed, and prints the story of a failure; True if nothing was found."""
    night = play(seed)
    print(line(night))
    if night.findings:
        shorten(night, night.findings[0].kind)
    return not night.findings


def shorten(night: Night, kind: str, lines: int | None = None) -> None:
    """Prints the last `lines` of the shortest story in which a night fails so."""
    seed = night.seed

    def fails(faults: list[Fault]) -> bool:
        return any(one.kind == kind for one in play(seed, faults).findings)

    short = shrunk(night.faults, fails)  # type: ignore[arg-type]
    night = play(seed, short)
    print(f"\nThe shortest night of seed {seed} that fails so ({len(short)} faults):")
    for told in night.story[-lines:] if lines else night.story:
        print(f"{told.at / 1000:10.3f} s  {told.who:9} {told.text}")
    for finding in night.findings[:8]:
        print(f"\n  {finding.kind}: {finding.text}")
    for crash in night.crashes[:1]:
        print(crash)
    sys.stdout.flush()


def line(night: Night) -> str:
    """A night in one line."""
    kinds = Counter(finding.kind for finding in night.findings)
    found = ", ".join(f"{many} {kind}" for kind, many in kinds.items()) or "nothing"
    times = night.true_ms / 1000 / night.took_s
    faults = sum(night.happened.values())
    return (
        f"seed {night.seed}: {faults} faults, {night.throws} throws, {night.rounds} bells, "
        f"{night.true_ms / 1000:.0f} s in {night.took_s:.2f} s ({times:.0f}x): {found}"
    )


def search(faults: int, first: int, cores: int) -> Iterator[Night]:
    """Nights of the seeds from `first` on, until so many faults have happened."""
    happened = 0
    with get_context("fork").Pool(cores) as pool:
        for night in pool.imap_unordered(play, count(first)):
            happened += sum(night.happened.values())
            yield night
            if happened >= faults:
                pool.terminate()
                return


def main() -> None:
    parser = argparse.ArgumentParser(prog="vopr", description=__doc__)
    parser.add_argument("seeds", nargs="*")
    parser.add_argument("--faults", type=int, default=0)
    parser.add_argument("--from", type=int, dest="first", help="the first seed; drawn if not given")
    parser.add_argument("--cores", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    well = True
    for seed in arguments.seeds:
        well = tell(seed) and well
    if arguments.faults:
        first = SystemRandom().randrange(10**9) if arguments.first is None else arguments.first
        well = searched(arguments.faults, first, arguments.cores) and well
    sys.exit(0 if well else 1)


def searched(faults: int, first: int, cores: int) -> bool:
    """Searches, and prints what was found and how often each kind of fault happened."""
    happened, found, sums = Counter[str](), Counter[str](), Counter[str]()
    for night in search(faults, first, cores):
        happened += night.happened
        found += Counter({one.kind for one in night.findings})
        sums += Counter(nights=1, throws=night.throws, bells=night.rounds)
        sums["true s"] += round(night.true_ms / 1000)
        sums["processor ms"] += round(night.took_s * 1000)
        if night.findings:
            print(line(night), flush=True)
        for kind in {one.kind for one in night.findings if found[one.kind] == 1}:
            shorten(night, kind, STORY_LINES)
        if sums["nights"] % REPORT_EVERY == 0:
            print(f"{sums['nights']} nights, {sum(happened.values())} faults: {dict(found)}", flush=True)
    print(f"{sum(happened.values())} faults from seed {first} on: {dict(happened.most_common())}")
    print(f"{dict(sums)}, {sums['true s'] * 1000 / sums['processor ms']:.0f} times real time a core")
    print(f"found in nights: {dict(found) or 'nothing'}")
    return not found


if __name__ == "__main__":
    main()
