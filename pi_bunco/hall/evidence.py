"""The proof that files of a night give: nothing lost, nothing doubled, every bell once."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import asdict, replace

from pi_bunco.game import facts
from pi_bunco.game.board import Board
from pi_bunco.game.replay import Replay
from pi_bunco.game.scoreboard import scoreboard
from pi_bunco.head.publisher import fitting_board
from pi_bunco.log.entry import Entry, Origin
from pi_bunco.runtime.store import rows
from pi_bunco.wire import outbox
from pi_bunco.wire.gate import plain_fact
from pi_bunco.wire.messages import Envelope

FactKey = tuple[int, str, int]


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


def saved(folder: Path, evening: str) -> dict[FactKey, Envelope]:
    """The facts of the evening that tables have saved in `folder`, by table, stream and place."""
    found = {}
    for path in folder.glob("table*/outbox.db"):
        table = int(path.parent.name.removeprefix("table"))
        texts = rows(path, outbox.SCHEMA, "SELECT envelope FROM envelopes WHERE evening = ?", (evening,))
        for (text,) in texts:
            envelope = msgspec.json.decode(text, type=Envelope)
            found[table, envelope.stream, envelope.seq] = envelope
    return found


def missing(saved: Iterable[FactKey], log: Iterable[Entry]) -> int:
    """The number of facts in `saved` that are not in the log."""
    return len(set(saved) - {_key(entry.origin) for entry in log if entry.origin})


def examine(log: Sequence[Entry], saved: Mapping[FactKey, Envelope], bells: Path) -> Evidence:
    """The evidence of an evening that is over; `bells` has a line for each signal that sounded."""
    known = Counter(_key(entry.origin) for entry in log if entry.origin)
    places: defaultdict[tuple[int, str], set[int]] = defaultdict(set)
    for table, stream, seq in known:
        places[table, stream].add(seq)
    evening = log[0].evening if log else ""
    happened = [entry.decoded() for entry in log]
    opened = sum(isinstance(fact, facts.RoundOpen) for fact in happened)
    ended = {fact.epoch or 0 for fact in happened if isinstance(fact, facts.BellRang)}
    lines = bells.read_bytes().splitlines() if bells.exists() else []
    ids = (str(json.loads(line)["id"]) for line in lines)
    rang = Counter(id.removeprefix(f"{evening}:") for id in ids if id.startswith(f"{evening}:"))
    return Evidence(
        rolls=sum(isinstance(fact, facts.Roll) for fact in happened),
        rounds=opened,
        starts=sum(number for id, number in rang.items() if id.endswith(":start")),
        ends=sum(number for id, number in rang.items() if id.endswith(":end")),
        absent=len(saved.keys() - known.keys()),
        changed=sum(_changed(entry, saved) for entry in log),
        double=sum(number - 1 for number in known.values()),
        gaps=sum(max(seqs) - len(seqs) for seqs in places.values()),
        wrong_bells=tuple(_wrong_bells(opened, ended, rang)),
    )


def _key(origin: Origin) -> FactKey:
    return origin.table, origin.stream, origin.seq


def _changed(entry: Entry, saved: Mapping[FactKey, Envelope]) -> bool:
    """True if the journal has another fact than the table saved; the time is for the head to judge."""
    envelope = saved.get(_key(entry.origin)) if entry.origin else None
    if envelope is None:
        return False
    known = entry.plain()
    return any(known.get(name) != value for name, value in plain_fact(envelope).items())


def _wrong_bells(opened: int, ended: Iterable[int], rang: Mapping[str, int]) -> Iterator[str]:
    """Complaints about signals, `epoch:signal`, that did not sound exactly once."""
    expected = {f"{epoch}:start" for epoch in range(1, opened + 1)} | {f"{epoch}:end" for epoch in ended}
    for id in sorted(expected | rang.keys()):
        if id not in expected and rang[id] == 1:
            yield f"{id} (round:signal) sounded without a reason"
        elif id not in rang:
            yield f"{id} (round:signal) did not sound"
        elif rang[id] != 1:
            yield f"{id} (round:signal) sounded {rang[id]} times"


def differences(board: Board | None, played: Replay) -> list[str]:
    """The places in which the scoreboard of an evening that is over differs from what `played` gives.

    The throws that are awaited for a prize end with the close, which the last scoreboard may not show yet.
    """
    if board is None:
        return ["there is none"]
    waits = {key: getattr(board, key) for key in ("waiting", "waiting_at", "reasons")}
    expected = asdict(fitting_board(replace(scoreboard(played.evening, {}), **waits)))
    return [
        f"{key} {value!r:.80} for {expected[key]!r:.80}"
        for key, value in sorted(asdict(board).items())
        if key != "rolling" and value != expected[key]
    ]
