"""`PYTHONPATH=.:tests python -m vopr SEED` plays a night again and tells its story, shortened if it fails.
A seed such as "7: lie, power" has more faults of the kinds that it names; in "7 by the clock"
nobody starts or ends a round, and "7: calm" has few of any kind.

`FIRST-LAST` searches these seeds and counts what it finds; with `--out FILE` each night is a line there, and
seeds that have one are not played again. `--faults N` searches the seeds from a drawn one on until N faults
have happened. Without a file the first night of each kind is told shortened.
"""

import argparse
import gc
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from random import SystemRandom
from typing import Any
from zlib import crc32

from vopr.faults import Fault
from vopr.night import Night, play
from vopr.shrink import shrunk

STORY_LINES = 25
"""Lines of a shortened story that a search prints."""
NIGHTS_OF_A_PROCESS = 20
"""A process of a search collects no garbage, and ends instead."""
REPORT_EVERY = 500
"""Nights between two counts of a search."""
Record = dict[str, Any]
"""A night as a line of a file."""


def tell(seed: str) -> bool:
    """Plays a seed, and prints the story of a failure; True if nothing was found."""
    night = play(seed)
    print(line(record(night)))
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


def record(night: Night) -> Record:
    """A night without its story, but for the sum by which two plays are the same."""
    return {
        "seed": night.seed,
        "faults": dict(night.happened),
        "throws": night.throws,
        "bells": night.rounds,
        "true_s": round(night.true_ms / 1000, 1),
        "took_s": round(night.took_s, 3),
        "found": dict(Counter(finding.kind for finding in night.findings)),
        "first": night.findings[0].text if night.findings else "",
        "story": crc32(repr((night.story, night.findings)).encode()),
    }


def line(night: Record) -> str:
    """A night in one line."""
    found = ", ".join(f"{many} {kind}" for kind, many in night["found"].items()) or "nothing"
    return (
        f"seed {night['seed']}: {sum(night['faults'].values())} faults, {night['throws']} throws, "
        f"{night['bells']} bells, {night['true_s']:.0f} s in {night['took_s']:.2f} s "
        f"({night['true_s'] / night['took_s']:.0f}x): {found}"
    )


def played(seed: int) -> Record:
    """Plays a seed in a process of a search."""
    return record(play(seed))


def search(seeds: Iterable[int], cores: int) -> Iterator[Record]:
    """The nights of these seeds, as they are done."""
    with get_context("fork").Pool(cores, gc.disable, maxtasksperchild=NIGHTS_OF_A_PROCESS) as pool:
        yield from pool.imap_unordered(played, seeds)


class Search:
    """The sums of nights, and what was found in them."""

    def __init__(self) -> None:
        self.happened, self.found, self.sums = Counter[str](), Counter[str](), Counter[str]()

    def take(self, night: Record) -> list[str]:
        """Counts a night; the kinds of what it found that no night before had."""
        new = [kind for kind in night["found"] if not self.found[kind]]
        self.happened += Counter(night["faults"])
        self.found += Counter(list(night["found"]))
        self.sums += Counter(nights=1, throws=night["throws"], bells=night["bells"])
        self.sums["true s"] += round(night["true_s"])
        self.sums["processor ms"] += round(night["took_s"] * 1000)
        return new

    @property
    def faults(self) -> int:
        """Faults that have happened."""
        return sum(self.happened.values())

    def __str__(self) -> str:
        took_s = max(self.sums["processor ms"], 1) / 1000
        return (
            f"{self.faults} faults: {dict(self.happened.most_common())}\n{dict(self.sums)}, "
            f"{self.sums['true s'] / took_s:.0f} times real time and {self.faults / took_s:.0f} faults "
            f"a second of a core\nfound in nights: {dict(self.found) or 'nothing'}"
        )


def searched(seeds: Iterable[int], faults: int | None, cores: int, out: Path | None) -> bool:
    """Searches seeds until `faults` have happened, and prints what was found; True if it is nothing."""
    search_, done = Search(), set[str]()
    for night in records(out) if out else ():
        search_.take(night)
        done.add(night["seed"])
    for night in search((seed for seed in seeds if str(seed) not in done), cores):
        new = search_.take(night)
        if out:
            with out.open("a") as file:
                file.write(f"{json.dumps(night)}\n")
        if night["found"]:
            print(line(night), flush=True)
        for kind in new if not out else ():
            shorten(play(night["seed"]), kind, STORY_LINES)
        if search_.sums["nights"] % REPORT_EVERY == 0:
            nights = search_.sums["nights"]
            print(f"{nights} nights, {search_.faults} faults: {dict(search_.found)}", flush=True)
        if faults and search_.faults >= faults:
            break
    print(search_)
    return not search_.found


def records(path: Path) -> list[Record]:
    """The nights in a file; a line that was not written to its end is no night."""
    text = path.read_text() if path.exists() else ""
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        path.write_text(whole)
    return [json.loads(one) for one in whole.splitlines()]


def main() -> None:
    parser = argparse.ArgumentParser(prog="vopr", description=__doc__)
    parser.add_argument("seeds", nargs="*")
    parser.add_argument("--faults", type=int, default=0)
    parser.add_argument("--from", type=int, dest="first", help="the first seed; drawn if not given")
    parser.add_argument("--cores", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--out", type=Path, help="a file to which each night of a search is added")
    arguments = parser.parse_args()
    well = True
    for seed in arguments.seeds:
        if ends := re.fullmatch(r"(\d+)-(\d+)", seed):
            seeds = range(int(ends[1]), int(ends[2]) + 1)
            well = searched(seeds, None, arguments.cores, arguments.out) and well
        else:
            well = tell(seed) and well
    if arguments.faults:
        first = SystemRandom().randrange(10**9) if arguments.first is None else arguments.first
        print(f"from seed {first} on")
        well = searched(count(first), arguments.faults, arguments.cores, arguments.out) and well
    sys.exit(0 if well else 1)


if __name__ == "__main__":
    main()
