"""People who come, go, are replaced, and all seats: between rounds."""

import math

from game.independent.evening import Evening, Fact, Why
from game.independent.moving import ghosts_apart
from game.independent.people import ghost_number


def seating(evening: Evening, fact: Fact) -> Why:
    if evening.running is not None:
        return "a round is running"
    why = _past(evening)
    if why or evening.stage() not in (None, "groups", "semi_final"):
        return why or "nobody changes seats now"
    names = [name for table in fact["tables"] for name in table]
    teams = fact.get("teams")
    if teams is not None and len(set(teams)) != len(fact["tables"]):
        return "a name for each table"
    if len(set(names)) != len(names) or not all(names):
        return "a name twice"
    persons = [name for name in names if ghost_number(name) is None]
    if not persons:
        return "nobody is left"
    there = set(evening.people.there)
    if evening.began:
        there &= {chair for table in evening.chairs() or [] for chair in table}
    missing = [person for person in there if evening.people.names[person] not in persons]
    if missing:
        return "not everybody has a chair"
    strangers = [name for name in persons if evening.people.person(name) not in there]
    if strangers and (not evening.rounds or evening.began):
        return "no guests now"
    count = len(fact["tables"])
    if count != math.ceil(len(persons) / 4) and count != len(evening.chairs() or []):
        return "too many or too few tables"
    if not evening.rules["ghosts"] and len(persons) < len(names):
        return "no ghosts"
    evening.teams = evening.teams if teams is None else teams
    before = evening.chairs()
    for name in strangers:
        evening.people.arrives(name)
    tables = [[evening.people.chair(name) for name in table] for table in fact["tables"]]
    if evening.rules["team"] == "pairs":
        tables = [ghosts_apart(table) for table in tables]
    if before is not None and len(before) != count:
        evening.groups = None
    if evening.rounds:
        evening.latest().fixed, evening.latest().changes = tables, []
    else:
        evening.seated, evening.since = tables, evening.new_since()
    return None


def _past(evening: Evening) -> Why:
    """The reason why nobody comes, goes or moves any more."""
    if evening.over():
        return "the last round has been played"
    return "a place is rolled for" if evening.place_is_open() else None


def _may_change(evening: Evening, name: str) -> Why:
    if evening.running is not None:
        return "a round is running"
    if evening.over():
        return "the last round has been played"
    if ghost_number(name) is not None:
        return "a ghost's name"
    return None


def leave(evening: Evening, fact: Fact) -> Why:
    why = _may_change(evening, fact["player"])
    if why:
        return why
    if not evening.people.is_there(fact["player"]):
        return "not playing"
    person = evening.people.chair(fact["player"])
    if evening.chairs() is not None:
        used = {-chair for table in evening.chairs() or [] for chair in table if chair < 0}
        ghost = next(number for number in range(1, len(used) + 2) if number not in used)
        seated = any(person in table for table in evening.chairs() or [])
        evening.latest().changes.append((person, -ghost))
    evening.people.there.discard(person)
    stages, at_order = evening.stages, evening.stage() in ("order", "final")
    if stages is not None and evening.stage() != "groups" and stages.now.winner is None:
        played = evening.stage() == "semi_final" and len(evening.rounds) > evening.began[0].after
        if not played or stages.now.finalists or at_order:
            chair = -ghost if seated and evening.stage() != "qualification" else None
            evening.know()
            stages.left(person, chair)
            evening.seat_found()
    return None


def arrive(evening: Evening, fact: Fact) -> Why:
    why = _may_change(evening, fact["player"])
    if why:
        return why
    if evening.people.is_there(fact["player"]):
        return "playing already"
    if evening.stage() not in (None, "groups"):
        return "too late"
    chairs = evening.chairs()
    if chairs is None:
        evening.people.arrives(fact["player"])
        return None
    ghosts = [chair for table in chairs for chair in table if chair < 0]
    if not ghosts:
        return "no empty chair"
    evening.latest().changes.append((max(ghosts), evening.people.arrives(fact["player"])))
    return None


def substitute(evening: Evening, fact: Fact) -> Why:
    why = _may_change(evening, fact["in"])
    if why:
        return why
    if not evening.people.is_there(fact["out"]):
        return "not playing"
    if evening.people.person(fact["in"]) is not None:
        return "has a card"
    evening.people.names[evening.people.chair(fact["out"])] = fact["in"]
    for thing, name in evening.brought.items():
        if name == fact["out"]:
            evening.brought[thing] = fact["in"]
    if evening.stages is not None:
        evening.stages.barrier()
    return None
