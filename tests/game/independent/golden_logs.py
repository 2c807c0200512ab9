"""`PYTHONPATH=.:tests python -m game.independent.golden_logs`: writes the conformance kit from a seed.

Short evenings are drawn; both engines must say the same of each. Every ruling is then broken in a copy of
this engine, and the logs of which the copy says something else touch that ruling.
"""

import argparse
import importlib
import json
import lzma
import random
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from game.independent.drawn_logs import Drawn
from game.independent.report import replayed
from game.independent.rulings import RULINGS, Ruling
from pi_bunco.game.conformance import SECTIONS, result_of, sums

HERE = Path(__file__).parent
GOLDEN = HERE.parents[1] / "golden" / "conformance.jsonl.xz"
LENGTHS = (8, 14, 20, 30)
STAGED_LENGTH = 50
STAGED_EVERY = 5
PATTERNS_FROM = 10_000
"""From this log on they have house rules about single rolls."""
HOUSE_FROM = 11_000
"""From this log on they have pots, things that are held, and who begins."""
TAGGED_EVERY = 3
"""Of so many logs one is tried with every mistake: that takes most of the time."""

Log = list[str]


def drawn_log(seed: int) -> Log:
    """A short evening of this seed; most are brought to an end."""
    choose = random.Random(f"golden {seed}")
    staged = seed % STAGED_EVERY == 0
    kinds = ["stages"] * staged + ["patterns"] * (seed >= PATTERNS_FROM) + ["house"] * (seed >= HOUSE_FROM)
    drawn = Drawn(seed, *kinds)
    drawn.play(STAGED_LENGTH if staged else choose.choice(LENGTHS))
    if choose.random() < 0.8:
        finished(drawn, choose)
    return [json.dumps(fact, separators=(",", ":")) for fact in drawn.facts]


def finished(drawn: Drawn, choose: random.Random) -> None:
    """The running round is ended, its tables decided, and the evening closed."""
    evening = drawn.evening
    if evening.running is not None and not evening.closed:
        if evening.running.bell is None:
            drawn.put("round_close")
        for table in list(evening.running.tables):
            if not table.now().winner:
                drawn.put("decide", table=table.number, winner=choose.choice(["US", "THEM"]))
    if not evening.closed and choose.random() < 0.7:
        drawn.put("evening_close")


def agreed(seed: int) -> tuple[int, Log, str] | None:
    """The log of a seed and its sums; nothing where the engines differ, which is told."""
    log = drawn_log(seed)
    mine = sums(replayed(log))
    if mine != sums(result_of(json.loads(fact) for fact in log)):
        print(f"the engines differ on log {seed}", file=sys.stderr)
        return None
    return seed, log, mine


def broken(ruling: Ruling, folder: Path) -> Any:
    """`replayed` of a copy of this engine in which the ruling is broken."""
    copy = folder / f"broken_{ruling.name.replace('.', '_')}"
    shutil.copytree(HERE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for file in copy.glob("*.py"):
        file.write_text(file.read_text("utf-8").replace("game.independent", copy.name), "utf-8")
    module = copy / f"{ruling.module}.py"
    text = module.read_text("utf-8")
    if text.count(ruling.old) != 1:
        raise ValueError(f"{ruling.name}: its place stands {text.count(ruling.old)} times in {ruling.module}")
    module.write_text(text.replace(ruling.old, ruling.new), "utf-8")
    return importlib.import_module(f"{copy.name}.report").replayed


def touched(ruling: Ruling, cases: list[tuple[int, Log, str]]) -> list[int]:
    """The logs that this ruling touches; who crashes by its mistake is wrong too."""
    with tempfile.TemporaryDirectory() as folder:
        sys.path.insert(0, folder)
        play = broken(ruling, Path(folder))
        found = [number for number, log, right in cases if _differs(play, ruling, log, right)]
        sys.path.remove(folder)
    return found


def _differs(play: Any, ruling: Ruling, log: Log, right: str) -> bool:
    if not any(text in fact for text in ruling.needs for fact in log):
        return False
    try:
        return sums(play(log)) != right
    except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError):
        return True


def lines(numbers: range) -> Iterator[str]:
    """The lines of the kit, or of a part of it."""
    cases = [case for case in map(agreed, numbers) if case is not None]
    tagged = [case for case in cases if case[0] % TAGGED_EVERY == 0]
    rulings: dict[int, list[int]] = {number: [] for number, _, _ in tagged}
    for at, ruling in enumerate(RULINGS):
        for number in touched(ruling, tagged):
            rulings[number].append(at)
    names = [[ruling.name, ruling.sentence] for ruling in RULINGS]
    yield _line({"format": 1, "sections": SECTIONS, "rulings": names})
    for number, log, right in cases:
        facts = [json.loads(fact) for fact in log]
        yield _line({"id": number, "rulings": rulings.get(number), "sums": right, "log": facts})


def joined(parts: Iterable[Path]) -> Iterator[str]:
    """The lines of all parts, with the header of the one that knows most rulings."""
    found: list[list[str]] = []
    for part in parts:
        with lzma.open(part, "rt", encoding="utf-8") as file:
            found.append(list(file))
    yield max((lines[0] for lines in found), key=len)
    for lines in found:
        yield from lines[1:]


def _line(plain: dict[str, Any]) -> str:
    return json.dumps(plain, separators=(",", ":"), ensure_ascii=False) + "\n"


def main() -> None:
    """Writes the kit, or a part of it, or joins parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="the first log")
    parser.add_argument("--logs", type=int, default=11_000)
    parser.add_argument("--out", type=Path, default=GOLDEN)
    parser.add_argument("--join", type=Path, nargs="+", metavar="PART", help="parts that were written before")
    options = parser.parse_args()
    found = joined(options.join) if options.join else lines(range(options.seed, options.seed + options.logs))
    with lzma.open(options.out, "wt", encoding="utf-8", preset=9 | lzma.PRESET_EXTREME) as file:
        file.writelines(found)


if __name__ == "__main__":
    main()
