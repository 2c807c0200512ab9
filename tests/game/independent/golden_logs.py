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
TEAMS_FROM = 20_000
"""From this log on each plays alone, or a table is a team."""
NUMBERS = (
    *range(8_750),
    *range(PATTERNS_FROM, 11_600),
    *(12030, 12075, 12126, 12165, 12306, 12318, 12345, 12375, 12417, 12432, 12546, 12570, 12600, 12648),
    *(12747, 12951, 12975, 15246),
    *range(TEAMS_FROM, 20_600),
    *(20730, 20760, 21165, 21204, 21390, 21525, 21531, 21726, 21795, 21900, 22080, 22110, 22215, 22245),
    *(22281, 22395, 23097, 23217, 23433, 23502, 24030, 24498, 24726, 24939),
)
"""The logs of the kit; the last ones touch what few do."""
TAGGED_EVERY = 3
"""One log in this number is tried with every mistake: that takes most of the time."""

Log = list[str]


def drawn_log(seed: int) -> Log:
    """A short evening of this seed; most are brought to an end."""
    choose = random.Random(f"golden {seed}")
    staged = seed % STAGED_EVERY == 0
    kinds = ["stages"] * staged + ["patterns"] * (seed >= PATTERNS_FROM) + ["house"] * (seed >= HOUSE_FROM)
    drawn = Drawn(seed, *kinds, *["teams"] * (seed >= TEAMS_FROM))
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
                winner = choose.choice(table.may_win() or ["US"])
                if not drawn.put("decide", table=table.number, winner=winner):
                    drawn.put("confirm", table=table.number)
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


def lines(numbers: Iterable[int]) -> Iterator[str]:
    """The lines of the kit, or of a part of it."""
    cases = [case for case in map(agreed, numbers) if case is not None]
    yield _header()
    yield from _tagged(
        [
            {"id": number, "rulings": None if number % TAGGED_EVERY else [], "sums": right, "log": log}
            for number, log, right in cases
        ],
        0,
    )


def joined(parts: Iterable[Path]) -> Iterator[str]:
    """The lines of all parts; rulings that a part does not know yet are tried on its logs."""
    yield _header()
    for part in parts:
        with lzma.open(part, "rt", encoding="utf-8") as file:
            header, *cases = map(json.loads, file)
        for case in cases:
            case["log"] = [_line(fact).rstrip() for fact in case["log"]]
        yield from _tagged(cases, len(header["rulings"]))


def _header() -> str:
    names = [[ruling.name, ruling.sentence] for ruling in RULINGS]
    return _line({"format": 1, "sections": SECTIONS, "rulings": names})


def _tagged(cases: list[dict[str, Any]], known: int) -> Iterator[str]:
    """The lines of these cases, tagged with the rulings behind those that are known."""
    tagged = {case["id"]: case for case in cases if case["rulings"] is not None}
    tried = [(number, case["log"], case["sums"]) for number, case in tagged.items()]
    for at, ruling in enumerate(RULINGS[known:], known):
        for number in touched(ruling, tried):
            tagged[number]["rulings"].append(at)
    for case in cases:
        yield _line(case | {"log": [json.loads(fact) for fact in case["log"]]})


def _line(plain: dict[str, Any]) -> str:
    return json.dumps(plain, separators=(",", ":"), ensure_ascii=False) + "\n"


def main() -> None:
    """Writes the kit, or a part of it, or joins parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", type=int, nargs=2, metavar=("FIRST", "LOGS"), help="these logs alone")
    parser.add_argument("--out", type=Path, default=GOLDEN)
    parser.add_argument("--join", type=Path, nargs="+", metavar="PART", help="parts that were written before")
    options = parser.parse_args()
    numbers = range(options.part[0], sum(options.part)) if options.part else NUMBERS
    found = joined(options.join) if options.join else lines(numbers)
    with lzma.open(options.out, "wt", encoding="utf-8", preset=9 | lzma.PRESET_EXTREME) as file:
        file.writelines(found)


if __name__ == "__main__":
    main()
