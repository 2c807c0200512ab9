"""Conditions on an evening that is over: the ledger of all throws and bells against the journal."""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct

from pi_bunco.game import facts
from pi_bunco.hall.evidence import FactKey
from pi_bunco.log.entry import Entry
from pi_bunco.wire.messages import Envelope

from ._seats import Mark, Thrown

PROMPT = 1000.0
"""Milliseconds from the ringing roll, or from the return of what it needed, to the bell."""
SURE = 100.0  # ms; what was made that close to the bell may be judged either way


class Verdict(Struct):
    """Counts of one or more evenings; a complaint is a sentence for everything that must not be."""

    kills: int = 0
    others: int = 0
    throws: int = 0
    lost: int = 0
    double: int = 0
    bells: int = 0
    worst_ms: float = 0.0
    late: list[str] = []
    complaints: list[str] = []

    def add(self, other: "Verdict") -> None:
        for name in ("kills", "others", "throws", "lost", "double", "bells", "late", "complaints"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.worst_ms = max(self.worst_ms, other.worst_ms)


def examined(
    log: Sequence[Entry],
    saved: dict[FactKey, Envelope],
    thrown: Sequence[Thrown],
    rang: dict[str, list[float]],
    back: Callable[[int], list[float]],
) -> Verdict:
    """The verdict on an evening; `back` gives when that which a table's bell needs came back (ms)."""
    marks = Counter(entry.origin.mark for entry in log if entry.origin and entry.origin.mark)
    places = Counter((o.table, o.stream, o.seq) for o in (entry.origin for entry in log) if o)
    lost = [throw for throw in thrown if throw.lit and not marks[throw.mark]]
    gone = [key for key, one in saved.items() if key not in places and not (one.mark and marks[one.mark])]
    twice = [mark for mark, times in marks.items() if times > 1]
    twice_placed = [place for place, times in places.items() if times > 1]
    found = Verdict(throws=len(thrown), lost=len(lost) + len(gone), double=len(twice) + len(twice_placed))
    found.complaints = [f"lost: {one}" for one in (*lost, *gone)]
    found.complaints += [f"twice: {one}" for one in (*twice, *twice_placed)]
    known = {throw.mark: throw for throw in thrown}
    found.complaints += [why for entry in log if (why := _changed(entry, known))]
    _bells(log, known, rang, back, found)
    return found


def rings(path: Path, evening: str) -> dict[str, list[float]]:
    """Per signal of the evening (`epoch:name`) when it sounded (ms of the clock)."""
    found: defaultdict[str, list[float]] = defaultdict(list)
    for line in path.read_bytes().splitlines() if path.exists() else ():
        ring = json.loads(line)
        of, _, signal = ring["id"].partition(":")
        if of == evening:
            found[signal].append(ring["t"])
    return found


def _changed(entry: Entry, known: dict[Mark, Thrown]) -> str:
    fact, mark = entry.decoded(), entry.origin.mark if entry.origin else None
    if mark is None or not isinstance(fact, facts.Roll | facts.Faceoff):
        return ""
    throw = known.get(mark)
    fits = throw and throw.faces[: len(fact.dice or ())] == fact.dice and throw.table == fact.table
    return "" if fits else f"changed: {bytes(entry.fact)!r} of {throw}"


def _bells(
    log: Sequence[Entry],
    known: dict[Mark, Thrown],
    rang: dict[str, list[float]],
    back: Callable[[int], list[float]],
    found: Verdict,
) -> None:
    """Each signal once, each end in time, and no roll that was made before an end judged as after it."""
    epoch, expected, ends = 0, set[str](), dict[int, tuple[int, float]]()
    for before, entry in zip([None, *log], log, strict=False):
        fact = entry.decoded()
        if isinstance(fact, facts.RoundOpen):
            epoch = fact.epoch or epoch + 1
            expected.add(f"{epoch}:start")
        elif isinstance(fact, facts.BellRang):
            end = f"{epoch}:end"
            expected.add(end)
            found.bells += 1
            if rang.get(end):
                ends[epoch] = fact.t, rang[end][0]
                _prompt(end, rang[end][0], _thrown(before, known), back, found)
    found.complaints += [
        f"{signal} sounded {len(rang.get(signal, ()))} times"
        for signal in sorted(expected | rang.keys())
        if len(rang.get(signal, ())) != 1 or signal not in expected
    ]
    for entry in log:
        fact, throw = entry.decoded(), _thrown(entry, known)
        if throw and isinstance(fact, facts.Roll) and fact.epoch in ends:
            bell_t, at = ends[fact.epoch]
            if throw.settled < at - SURE and fact.t > bell_t:
                found.complaints.append(f"judged as after the bell at {at}: {throw}")


def _thrown(entry: Entry | None, known: dict[Mark, Thrown]) -> Thrown | None:
    mark = entry.origin.mark if entry and entry.origin else None
    return known.get(mark) if mark else None


def _prompt(
    end: str, at: float, throw: Thrown | None, back: Callable[[int], list[float]], found: Verdict
) -> None:
    """The bell at `at` is not later than `PROMPT` after its throw and all returns since."""
    if throw is None:
        return
    since = max([throw.settled, *(one for one in back(throw.table) if one <= at)])
    found.worst_ms = max(found.worst_ms, at - since)
    if at - since > PROMPT:
        found.late.append(f"{end} sounded at {at}, {at - since:.0f} ms late: {throw}, back {since}")
