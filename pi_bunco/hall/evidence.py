"""What the files of a night prove: nothing lost, nothing doubled, every bell once. Counted, never assumed."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import asdict

from pi_bunco.game import facts
from pi_bunco.game.board import Board
from pi_bunco.game.replay import Replay
from pi_bunco.game.scoreboard import scoreboard
from pi_bunco.head.publisher import fitting_board
from pi_bunco.log.entry import Entry
from pi_bunco.runtime.store import rows
from pi_bunco.wire import outbox
from pi_bunco.wire.gate import plain_fact
from pi_bunco.wire.messages import Envelope

Key = tuple[int, str, int]


class Evidence(Struct, frozen=True):
    """Counts of one evening.

    `absent` are facts that a table has saved and the journal has not, `changed` those that it has otherwise,
    `double` those that it has twice. `gaps` are places of streams that nobody has: a table lost its power
    before its roll was saved anywhere. `wrong_bells` are signals that did not sound exactly once.
    """

    rolls: int
    rounds: int
    starts: int
    ends: int
    absent: int
    changed: int
    double: int
    gaps: int
    wrong_bells: tuple[str, ...]

    @property
    def complaints(self) -> list[str]:
        """Every reason why the evening is not complete and consistent, each a sentence."""
        found = []
        if self.absent:
            found.append(f"Not in the journal: {counted(self.absent, 'fact')} that a table had saved.")
        if self.changed:
            found.append(f"Otherwise in the journal than a table saved it: {counted(self.changed, 'fact')}.")
        if self.double:
            found.append(f"Twice in the journal: {counted(self.double, 'fact')}.")
        return found + [f"The signal {bell}." for bell in self.wrong_bells]


def counted(number: int, what: str) -> str:
    """A number of something in words: `1 fact`, `2 facts`."""
    return f"{number} {what}{'s' * (number != 1)}"


def saved(folder: Path, evening: str) -> dict[Key, Envelope]:
    """What the tables with their data in `folder` have saved of the evening, by table, stream and place."""
    found = {}
    for path in folder.glob("table*/outbox.db"):
        table = int(path.parent.name.removeprefix("table"))
        texts = rows(path, outbox.SCHEMA, "SELECT envelope FROM envelopes WHERE evening = ?", (evening,))
        for (text,) in texts:
            envelope = msgspec.json.decode(text, type=Envelope)
            found[table, envelope.stream, envelope.seq] = envelope
    return found


def missing(saved: Iterable[Key], log: Iterable[Entry]) -> int:
    """How many of the facts in `saved` are not in the log."""
    return len(set(saved) - {_key(entry) for entry in log if entry.origin})


def examine(log: Sequence[Entry], saved: dict[Key, Envelope], bells: Path) -> Evidence:
    """The evidence of an evening that is over."""
    known = Counter(_key(entry) for entry in log if entry.origin)
    evening = log[0].evening if log else ""
    opened = sum(isinstance(entry.decoded(), facts.RoundOpen) for entry in log)
    rang = Counter(_bell_ids(bells, evening))
    return Evidence(
        rolls=sum(isinstance(entry.decoded(), facts.Roll) for entry in log),
        rounds=opened,
        starts=sum(number for id, number in rang.items() if id.endswith(":start")),
        ends=sum(number for id, number in rang.items() if id.endswith(":end")),
        absent=len(saved.keys() - known.keys()),
        changed=sum(_changed(entry, saved) for entry in log),
        double=sum(number - 1 for number in known.values()),
        gaps=_gaps(known),
        wrong_bells=tuple(_wrong_bells(evening, opened, _ended(log), rang)),
    )


def _key(entry: Entry) -> Key:
    assert entry.origin is not None
    return entry.origin.table, entry.origin.stream, entry.origin.seq


def _changed(entry: Entry, saved: dict[Key, Envelope]) -> bool:
    """Whether the journal has another fact than the table saved; the time is for the head to judge."""
    envelope = saved.get(_key(entry)) if entry.origin else None
    if envelope is None:
        return False
    known = entry.plain()
    return any(known.get(name) != value for name, value in plain_fact(envelope).items())


def _gaps(known: Iterable[Key]) -> int:
    places: defaultdict[tuple[int, str], set[int]] = defaultdict(set)
    for table, stream, seq in known:
        places[table, stream].add(seq)
    return sum(max(seqs) - len(seqs) for seqs in places.values())


def _ended(log: Iterable[Entry]) -> set[int]:
    """The rounds, counted from 1, whose bell is in the log."""
    bells = (fact for entry in log if isinstance(fact := entry.decoded(), facts.BellRang))
    return {bell.epoch or 0 for bell in bells}


def _bell_ids(bells: Path, evening: str) -> list[str]:
    lines = bells.read_bytes().splitlines() if bells.exists() else []
    ids = [str(json.loads(line)["id"]) for line in lines]
    return [id for id in ids if id.startswith(f"{evening}:")]


def _wrong_bells(evening: str, opened: int, ended: set[int], rang: Counter[str]) -> Iterable[str]:
    expected = {f"{evening}:{epoch}:start" for epoch in range(1, opened + 1)}
    expected |= {f"{evening}:{epoch}:end" for epoch in ended}
    for id in sorted(expected | rang.keys()):
        if rang[id] != 1 or id not in expected:
            times = {0: "did not sound", 1: "sounded without a reason"}.get(
                rang[id], f"sounded {rang[id]} times"
            )
            yield f"{id.partition(':')[2]} (round:signal) {times}"


def differences(board: Board | None, played: Replay) -> list[str]:
    """Where the scoreboard of an evening that is over does not show what `played` gives.

    The throws that are awaited for a prize end with the close, which the last scoreboard may not show yet.
    """
    if board is None:
        return ["there is none"]
    expected = asdict(fitting_board(scoreboard(played.evening, {}, board.waiting)))
    return [
        f"{key} {value!r:.80} for {expected[key]!r:.80}"
        for key, value in sorted(asdict(board).items())
        if key != "rolling" and value != expected[key]
    ]
