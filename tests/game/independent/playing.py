"""The facts of a round: from its start to its end, at its tables and for all of them."""

from typing import Any

from game.independent import ringing
from game.independent.evening import Evening, Fact, Why
from game.independent.rounds import Round
from game.independent.table import Bell, Table
from game.independent.tournament import Place


def round_open(evening: Evening, fact: Fact) -> Why:
    chairs = evening.chairs()
    if evening.running is not None:
        return "a round is running"
    if chairs is None:
        return "nobody has a seat"
    if not evening.rounds_left() or evening.place_is_open():
        return "no round is left"
    if any(all(chair < 0 for chair in table) for table in chairs):
        return "a table of ghosts"
    at, faces = len(evening.rounds), evening.faces()
    evening.epoch = fact.get("epoch") or evening.epoch + 1
    names = evening.people.on_chairs(chairs)
    target = faces[at % len(faces)]
    tables = [Table(number, seats, evening.rules, target) for number, seats in enumerate(names, 1)]
    every = [list(range(1, len(tables) + 1))]
    groups = every if evening.began or not evening.grouped(len(tables)) else evening.groups or every
    evening.running = Round(
        at + 1, at // len(faces) + 1, at % len(faces) + 1, target, evening.epoch, evening.stage(),
        chairs, tables, groups, evening.rules["move.tables"], evening.rules["team"],
    )  # fmt: skip
    evening.running.since.apart = evening.rules["team"] == "pairs"
    evening.running.ended_break, evening.in_break = evening.in_break, False
    return None


def _wrong_epoch(evening: Evening, fact: Fact) -> bool:
    epoch = evening.running.epoch if evening.running is not None else evening.epoch
    return fact.get("epoch") not in (None, epoch)


def at_table(evening: Evening, fact: Fact) -> Why:
    if _wrong_epoch(evening, fact):
        return "of another round"
    round_ = evening.running
    if round_ is None:
        return "no round is open"
    if fact["table"] > len(round_.tables):
        return "no such table"
    table = round_.tables[fact["table"] - 1]
    why = _done_at(evening, table, fact)
    if why is None:
        _settle(evening)
        if evening.running is None:
            evening.final_t = fact["t"]
    return why


def _done_at(evening: Evening, table: Table, fact: Fact) -> Why:
    round_ = evening.running
    assert round_ is not None
    kind, bell = fact["kind"], round_.bell
    if kind == "roll":
        rolled = table.roll(fact, evening.line, bell)
        if rolled is not None and bell is None:
            by = ringing.rings(table, rolled)
            if by is not None:
                _ring(evening, Bell(rolled.t, *by), rolled)
        return None if rolled is not None else "it does not count"
    if kind == "confirm" and (called := table.called_out(bell)) is not None:
        by = ringing.rings(table, called) if bell is None else None
        if by is not None:
            _ring(evening, Bell(fact["t"], *by), called)
        return None
    if kind == "turn":
        again = table.turn(fact, bell)
        if again is None:
            return "not now"
        for roll in again if bell is None else []:
            by = ringing.rings(table, roll)
            if by is not None:
                _ring(evening, Bell(fact["t"], *by), roll)
                break
        return None
    done = {
        "undo": lambda: table.undo(),
        "begins": lambda: table.begins("ABCD".index(fact["seat"])),
        "confirm": lambda: table.confirm(bell),
        "faceoff": lambda: table.face_off(fact),
        "decide": lambda: table.decide(fact["winner"]),
        "tally": lambda: table.tally(fact["cards"], evening.line, bell),
    }[kind]()
    return None if done else "not now"


def _ring(evening: Evening, bell: Bell, roll: Any) -> None:
    assert evening.running is not None
    ringing.ring(evening.running, bell, roll)
    evening.rang_line = evening.line


def _settle(evening: Evening) -> None:
    round_ = evening.running
    assert round_ is not None
    if round_.bell is not None and round_.bell.by in ("points", "bunco", "roll"):
        round_.bell.player = ringing.who_rang(round_) or round_.bell.player
    if round_.final():
        evening.rounds.append(round_)
        evening.running = None
        evening.in_break = evening.in_break or _break_is_due(evening)
        _stage_played(evening)


def _break_is_due(evening: Evening) -> bool:
    after, played = evening.rules["evening.break_after"], len(evening.rounds)
    if evening.began or played == evening.group_rounds():
        return not evening.began and bool(evening.rules["tournament"])
    return after is not None and played == after * len(evening.faces())


def bell(evening: Evening, fact: Fact) -> Why:
    round_ = evening.running or (evening.rounds[-1] if evening.rounds else None)
    if round_ is None or round_.bell is None or _wrong_epoch(evening, fact):
        return "nothing rang"
    if evening.rang_line != evening.line - 1:
        return "not behind what rang"
    round_.bell.t = fact["t"]
    return None


def round_close(evening: Evening, fact: Fact) -> Why:
    if evening.running is None or _wrong_epoch(evening, fact):
        return "no round is open"
    if evening.running.bell is not None:
        return "the bell has rung"
    _ring(evening, Bell(fact["t"], "time" if fact.get("by") == "time" else "host", None), None)
    return None


def bell_void(evening: Evening, fact: Fact) -> Why:
    if evening.running is None or _wrong_epoch(evening, fact):
        return "no round is open"
    if evening.running.bell is None:
        return "no bell has rung"
    evening.running.bell = None
    for table in evening.running.tables:
        table.bell_void()
    return None


def round_cancel(evening: Evening, fact: Fact) -> Why:
    round_ = evening.running
    if round_ is None or _wrong_epoch(evening, fact):
        return "no round is open"
    evening.running = None
    evening.in_break = round_.ended_break
    evening.latest().follow(round_.since)
    return None


def reopen(evening: Evening, fact: Fact) -> Why:
    round_ = evening.running or (evening.rounds[-1] if evening.rounds else None)
    if round_ is None or fact["table"] > len(round_.tables):
        return "no round"
    if evening.running is None and evening.stage() not in (None, "qualification", round_.stage):
        return "the next stage has begun"
    if not round_.tables[fact["table"] - 1].reopen():
        return "not final"
    if evening.running is None:
        evening.rounds.pop()
        evening.running = round_
        if evening.stages is not None:
            evening.stages.begin(str(round_.stage), len(evening.rounds))
            evening.stages.now.finalists, evening.stages.now.contests = [], []
            if round_.stage == "groups":
                evening.stages.now.places = []
    return None


def pause(evening: Evening, fact: Fact) -> Why:
    evening.in_break = evening.in_break or evening.running is None
    return None


def resume(evening: Evening, fact: Fact) -> Why:
    if not evening.in_break:
        return "no break"
    evening.in_break = False
    return None


def _stage_played(evening: Evening) -> None:
    stages, chairs = evening.stages, evening.chairs()
    if stages is None or evening.rounds_left() or chairs is None:
        return
    evening.know()
    if stages.now.stage == "groups":
        every = [list(range(1, len(chairs) + 1))]
        groups = evening.groups or every if evening.grouped(len(chairs)) else every
        stages.now.members = [[one for at in group for one in chairs[at - 1] if one >= 0] for group in groups]
        stages.begin("qualification", len(evening.rounds))
        stages.now.places = [
            Place(by, group) for group in range(1, len(groups) + 1) for by in ("wins", "buncos")
        ]
    else:
        stages.begin("semi_final", len(evening.rounds))
        stages.now.finalists = [Place("wins"), Place("buncos")]
    stages.fill()
    stages.recall()
    evening.seat_found()
