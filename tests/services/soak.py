"""`PYTHONPATH=tests python -m services.soak [HOURS]`: hours of play in memory, and what they leave behind.

Head, three tables, their stores on disk, every beat and tick of the hours; only the network and the clock are
simulated. An evening follows the other, as through a season without a restart.
"""

import argparse
import gc
import resource
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

from pi_bunco.play.people import Habits
from services.hall import Hall

HOUR = 3_600_000.0


class Hour(Struct, frozen=True):
    """After how much play, what this process holds (MB), and what its stores take on disk (MB)."""

    played: float
    rolls: int
    objects: float
    memory: float
    disk: float


def hours(folder: Path, most: float) -> Iterator[Hour]:
    """Plays evening after evening and tells every hour of the simulated clock."""
    hall = Hall(folder, habits=Habits(forgets=0.05, dawdles=0.3))
    began, rolls = hall.clock.time, 0
    tracemalloc.start()
    told = 0
    while told < most:
        hall.open(12, "classic", **{"evening.sets": 1})
        for _ in range(6):
            hall.play_round()
            # What the simulation itself remembers is none of the services'.
            hall.network.sent.clear()
            hall.host.answers.clear()
            hall.warnings.clear()
        log = hall.head.referee.log.entries
        rolls += sum(entry.fact.__class__.__name__ == "Roll" for entry in log)
        hall.do("evening_close", unfinished=True)
        while (played := hall.clock.time - began) >= (told + 1) * HOUR:
            told += 1
            yield _hour(played, rolls, folder)
    hall.close()


def _hour(played: float, rolls: int, folder: Path) -> Hour:
    gc.collect()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    disk = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    return Hour(played / HOUR, rolls, tracemalloc.get_traced_memory()[0] / 1e6, peak, disk / 1e6)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("hours", nargs="?", type=float, default=8.0)
    with TemporaryDirectory() as folder:
        for hour in hours(Path(folder), parser.parse_args().hours):
            print(
                f"{hour.played:5.2f} h  {hour.rolls:7,} rolls  {hour.objects:6.2f} MB of objects"
                f"  {hour.memory:6.1f} MB at most  {hour.disk:6.2f} MB on disk"
            )
            sys.stdout.flush()


if __name__ == "__main__":
    main()
