"""The rounds of an evening, and the changes of seats between two.

Each function does one fact and returns why it does not count, or None.
"""

from collections import Counter

from pi_bunco.game import facts, reasons, seating, stages
from pi_bunco.game.evening import Evening
from pi_bunco.game.stage_places import drawn
from pi_bunco.game.table import SEATS
from pi_bunco.reason import Reason


def drawn_first(evening: Evening, t: int, by: str | None = None) -> list[facts.Begins]:
    """The players who begin at the tables of the running round, where that is drawn."""
    if evening.rules is None or evening.rules.begins != "drawn":
        return []
    found = []
    for table in evening.running.tables:
        people = [name for name, ghost in zip(table.seats, table.ghosts, strict=True) if not ghost]
        first = drawn(evening.seed, f"begins {evening.epoch} {table.number}", people)[0]
        found.append(facts.Begins(t, table.number, SEATS[table.seats.index(first)], by=by))
    return found


def reopen(evening: Evening, fact: facts.Reopen) -> Reason | None:
    """A table's result is taken back, in the running round or the one before."""
    if evening.round is None and (why := evening.why_not_reopen()):
        return why
    round_ = evening.round or evening.rounds[-1]
    if fact.table > len(round_.tables):
        return reasons.NotInThatRound(fact.table)
    why = round_.tables[fact.table - 1].reopen()
    if why is None and evening.round is None:
        evening.reopen_round()
        if evening.tournament:
            evening.advance(evening.tournament.reopened())
    return why


def finish(evening: Evening, t: int) -> None:
    """The running round is final at all tables: everybody moves, and a break or a stage may follow."""
    evening.finish_round(t)
    sets = evening.ruleset.evening
    after = sets.break_after or 0  # a tournament's own break is that of its stages
    if after < sets.sets and len(evening.rounds) == after * len(sets.faces):
        evening.rest(sets.break_minutes)
    stages.round_finished(evening)


# Seats: a seating, and who leaves, arrives or takes over from somebody.


def sit(evening: Evening, fact: facts.Seating) -> Reason | None:
    """Everybody sits down as the host or the draw says."""
    if evening.round:
        return reasons.RoundRuns()
    if evening.over:
        return reasons.LastRoundPlayed()
    names = [name for table in fact.tables for name in table]
    if fact.teams is not None and len({*fact.teams}) != len(fact.tables):
        return reasons.NameEachTeam(len(fact.tables))
    why = evening.tournament.why_not_seat() if evening.tournament else None
    if why := why or _why_not_seated(evening, names):
        return why
    groups = evening.seats.groups if len(fact.tables) == evening.tables else None
    evening.sit_down(names, fact.t, fact.teams)
    evening.seats.sit([seating.apart(table, evening.kept_apart) for table in fact.tables], groups)
    return None


def _why_not_seated(evening: Evening, names: list[str]) -> Reason | None:
    """The reason why `names` cannot sit down; guests come by a seating only after the first round."""
    ghosts = [name for name in names if evening.people.is_ghost(name)]
    here, seated = Counter([*evening.playing, *ghosts]), Counter(names)
    missing, surplus = here - seated, seated - here
    if missing or max(seated.values(), default=0) > 1 or (surplus and not evening.rounds):
        return reasons.OneSeatEach(tuple(sorted(missing + surplus)))
    if not names:
        return reasons.NobodyLeft()
    if why := _why_not_come(evening, [name for name in names if name not in ghosts]):
        return why
    tables, needed = len(names) // 4, -(-(len(names) - len(ghosts)) // 4)
    if tables not in (needed, evening.tables):
        return reasons.WrongTables(len(names) - len(ghosts), needed, tables)
    if ghosts and evening.rules and not evening.rules.ghosts:
        return reasons.NoGhosts()
    return None


def leave(evening: Evening, fact: facts.Leave) -> Reason | None:
    """A player goes home; a ghost takes the seat."""
    why = _why_no_change(evening) or evening.people.why_not_leave(fact.player)
    if why is None and evening.rules and not evening.rules.ghosts:
        why = reasons.NeedsSubstitute(fact.player)
    if why:
        return why
    ghost = None
    if evening.seating and not any(fact.player in names for names in evening.seating):
        evening.people.leave_unseated(fact.player)  # who only watches the final table
    else:
        ghost = evening.people.leave(fact.player)
        evening.seats.replace(fact.player, ghost, evening.kept_apart)
    stages.withdrawn(evening, fact.player, ghost)
    return None


def arrive(evening: Evening, fact: facts.Arrive) -> Reason | None:
    """Somebody comes late, or back, to the chair of a ghost."""
    why = _why_no_change(evening) or _why_not_come(evening, [fact.player])
    why = why or evening.people.why_not_arrive(fact.player)
    if why is None:
        evening.seats.replace(evening.people.arrive(fact.player), fact.player, evening.kept_apart)
    return why


def substitute(evening: Evening, fact: facts.Substitute) -> Reason | None:
    """Somebody takes over from a player: seat, card and place, and what the player brought."""
    why = _why_no_change(evening) or evening.people.why_not_substitute(fact.out, fact.new)
    if why is None:
        evening.substitute(fact.out, fact.new)
        if evening.tournament:
            evening.advance(evening.tournament.renamed(fact.out, fact.new, evening.stage_cards))
        evening.seats.replace(fact.out, fact.new)
    return why


def _why_no_change(evening: Evening) -> Reason | None:
    if evening.round:
        return reasons.ChangeBetweenRounds()
    return reasons.LastRoundPlayed() if evening.over else None


def _why_not_come(evening: Evening, names: list[str]) -> Reason | None:
    return evening.tournament.why_not_come(names, evening.playing) if evening.tournament else None
