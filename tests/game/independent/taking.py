"""Takes one fact after another, and says why it does not take one."""

from collections.abc import Callable

from game.independent import asking, coming, playing
from game.independent.evening import Began, Evening, Fact, Why
from game.independent.tournament import Place

AT_TABLES = ("roll", "undo", "begins", "turn", "confirm", "faceoff", "decide", "tally")
AFTER_CLOSE = ("evening_reopen", "paid", "prize", "rolloff", "roll", "undo", "tie")


def take(evening: Evening, fact: Fact, line: int) -> Why:
    """Takes a fact; returns why it changes nothing, if so."""
    evening.line = line
    kind = fact["kind"]
    if kind in ("bell_seen", "branch", "clock"):
        return None
    if kind == "evening":
        return "an evening is open"
    if evening.closed and kind not in AFTER_CLOSE:
        return "the evening is closed"
    if kind in ("bypass", "restore", "hand", "pace"):
        return None
    if evening.closed and evening.running is not None and kind in AT_TABLES:
        return "the evening is closed"
    if evening.running is not None and fact.get("tie") is not None and kind in ("roll", "undo"):
        return "this tie does not stand"
    if kind in AT_TABLES and (evening.running is not None or kind not in ("roll", "undo")):
        return playing.at_table(evening, fact)
    return TAKEN_BY[kind](evening, fact)


def evening_close(evening: Evening, fact: Fact) -> Why:
    evening.closed = True
    return None


def evening_reopen(evening: Evening, fact: Fact) -> Why:
    if not evening.closed:
        return "not closed"
    evening.closed = False
    return None


def stage(evening: Evening, fact: Fact) -> Why:
    stages, wanted = evening.stages, fact["stage"]
    if stages is None or evening.next_stage() != wanted:
        return "not yet"
    evening.know()
    if wanted == "semi_final" and not evening.people.there:
        return "nobody is left"
    tables = evening.stage_seats(wanted)
    if fact.get("tables") is not None and fact["tables"] != tables:
        return "the draw seats other players"
    if tables:
        chairs = [[evening.people.chair(name) for name in table] for table in tables]
        if all(chair < 0 for table in chairs for chair in table):
            return "nobody is left"
        evening.began.append(Began(wanted, len(evening.rounds), chairs, evening.new_since()))
    stages.begin(wanted, len(evening.rounds))
    if wanted == "order":
        stages.now.finalists += [Place("drawn"), Place("wild_card")]
        stages.fill()
        stages.recall()
    return None


def paid(evening: Evening, fact: Fact) -> Why:
    """Somebody has paid the stake, or has not."""
    person = evening.people.person(fact["player"])
    if person is None:
        return "not a player"
    (evening.paid.add if fact.get("paid", True) else evening.paid.discard)(person)
    return None


TAKEN_BY: dict[str, Callable[[Evening, Fact], Why]] = {
    "seating": coming.seating, "leave": coming.leave, "arrive": coming.arrive,
    "substitute": coming.substitute, "round_open": playing.round_open, "bell": playing.bell,
    "round_close": playing.round_close,
    "bell_void": playing.bell_void, "round_cancel": playing.round_cancel, "reopen": playing.reopen,
    "pause": playing.pause, "resume": playing.resume, "stage": stage, "paid": paid,
    "evening_close": evening_close, "evening_reopen": evening_reopen,
    "roll": asking.roll, "undo": asking.undo, "rolloff": asking.rolloff, "prize": asking.prize,
    "tie": asking.tie,
}  # fmt: skip
