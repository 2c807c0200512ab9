"""Why a command is refused, and how an evening, a round or a table stands, in sentences for a host."""

from collections.abc import Iterable, Sequence

import msgspec

from pi_bunco.errors import BuncoError
from pi_bunco.game import facts
from pi_bunco.game.evening import Evening
from pi_bunco.game.rolloffs import awaited
from pi_bunco.game.round import Round
from pi_bunco.game.table import PLAYING, SEATS, TEAMS, Table
from pi_bunco.game.terms import STAGES, sought
from pi_bunco.reason import AndMore, Coded, InEnglish, Reason
from pi_bunco.wire.commands import COMMANDS, Arguments
from pi_bunco.wire.messages import Answer, WayOn

CLOSED = "the evening is closed; open it again if it should go on"
SHOWN = 12
"""So many tables are named one by one."""


def round_name(round_: Round) -> str:
    """ "set 1, round 3"."""
    return f"set {round_.set}, round {round_.place}"


def counted(number: int, what: str) -> str:
    """ "1 table", "3 tables"."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def numbers(tables: Sequence[int]) -> str:
    """ "table 2", "tables 1, 3 and 4", and of very many how many more there are."""
    words = [str(table) for table in tables[:SHOWN]]
    if len(tables) > SHOWN:
        return f"tables {', '.join(words)} and {len(tables) - SHOWN} more"
    if len(words) == 1:
        return f"table {words[0]}"
    return f"tables {', '.join(words[:-1])} and {words[-1]}"


def team(table: Table, number: int) -> str:
    """ "Ann and Cat"."""
    return f"{table.seats[number]} and {table.seats[number + 2]}"


def table_stands(table: Table) -> str:
    """Points and what comes next: "Table 2: US 4, THEM 3; Eve's turn."."""
    us, them = table.points
    return f"Table {table.number}: US {us}, THEM {them}; {comes_next(table)}."


def comes_next(table: Table) -> str:
    """What happens at a table now: whose turn, or what is waited for, or who has won."""
    if table.winner is not None:
        return f"{TEAMS[table.winner]} wins ({team(table, table.winner)})"
    if table.one_die:
        return "tied: one die for each team, die 1 is US, die 2 is THEM"
    if table.done:
        return "done, OK is missing"
    whose = f"{table.seats[table.seat]}'s turn (seat {SEATS[table.seat]})"
    return whose if table.phase == PLAYING else f"tied, roll-off: {whose}"


def waits_for(table: Table) -> str:
    """What a table that is not final has to do after the bell, as a sentence."""
    return f"Table {table.number}: {waiting_words(table)}."


def waiting_words(table: Table) -> str:
    """What a table that is not final has to do after the bell."""
    if table.done:
        return "press OK"
    if table.one_die:
        return "roll off with one die for each team: die 1 is US, die 2 is THEM"
    whose = f"{table.seats[table.seat]}'s turn"
    return f"finish the turn, {whose}" if table.phase == PLAYING else f"roll off, {whose}"


def unfinished(round_: Round) -> list[str]:
    """Which tables of a round whose bell has rung still play, roll off or wait for OK, in few sentences."""
    groups: dict[str, list[int]] = {"Still playing:": [], "Rolling off:": [], "OK is missing at": []}
    for table in round_.tables:
        if not table.final:
            playing = "Still playing:" if table.phase == PLAYING else "Rolling off:"
            groups["OK is missing at" if table.done else playing].append(table.number)
    return [f"{what} {numbers(tables)}." for what, tables in groups.items() if tables]


def seat_of(evening: Evening, player: str) -> str:
    """ "table 2, seat C"; empty before the draw."""
    for number, names in enumerate(evening.seating or (), 1):
        if player in names:
            return f"table {number}, seat {SEATS[names.index(player)]}"
    return ""


def last_counted(table: Table) -> int | None:
    """The log number of the latest roll that counts at a table; None if there is none."""
    return next((n for code, _, n in reversed(table.entries) if code >= 0), None)


def faces(roll: facts.Roll) -> str:
    """ "1-4-6", or the call of a roll by hand."""
    return "-".join(map(str, roll.dice)) if roll.dice else str(roll.call)


def capital(text: str) -> str:
    """The text with a capital letter."""
    return text[0].upper() + text[1:]


def listed(names: tuple[str, ...]) -> str:
    """ "Ann, Bob and Cat"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def prize(category: str) -> str:
    """ "the prize for most Buncos"."""
    named = {"champion": "the title of champion", "traveling": "the traveling bag"}
    return named.get(category, f"the prize for {sought(category)}")


def played(evening: Evening) -> str:
    """ "3 of 12 rounds played"."""
    return f"{len(evening.rounds)} of {evening.rounds_in_all} rounds played"


def running_table(evening: Evening, number: int) -> Table | None:
    """The table in the running round."""
    tables = evening.round.tables if evening.round else []
    return tables[number - 1] if 0 < number <= len(tables) else None


def stage_stands(evening: Evening) -> list[str]:
    """What a tournament waits for between its rounds; nothing while it has rounds to play."""
    tournament = evening.tournament
    if tournament is None or evening.why_not_open() is None or tournament.stage == "groups":
        return []
    if tournament.next:
        return [f"All is settled; begin the {STAGES[tournament.next]} (stage)"]
    rolling = [awaited(evening, table) for table in range(1, evening.tables + 1)]
    return [
        f"Table {one.table}: {listed(one.players)} {'rolls' if len(one.players) == 1 else 'roll'}"
        f" for {sought(one.purpose)}"
        for one in rolling
        if one
    ]


def where(evening: Evening) -> list[str]:
    """Where the evening stands, in a sentence or a few."""
    round_ = evening.round
    if round_:
        if round_.bell is None:
            return [f"{capital(round_name(round_))} is running"]
        return unfinished(round_)
    if evening.over:
        return ["That was the last round"]
    if found := stage_stands(evening):
        return found
    if evening.resting:
        return ["There is a break; the next round ends it"]
    return [f"{played(evening)}; start the next one"] if evening.rounds else []


MAX_REASONS = 64  # in one answer
MAX_WAYS = 8
REASON_MAX_CHARS = 400


class Refused(BuncoError):
    """A command that cannot be carried out for all `reasons`; `ways` are the commands that lead on."""

    def __init__(self, *reasons: Reason | str, ways: Sequence[Arguments | WayOn] = ()) -> None:
        self.reasons = tuple(map(as_reason, reasons))
        found = [way if isinstance(way, WayOn) else WayOn(way.name, msgspec.to_builtins(way)) for way in ways]
        for reason in self.reasons:
            found += [WayOn(way.command, way.args_of(reason)) for way in reason.ways]
        self.ways = tuple(way for n, way in enumerate(found) if way not in found[:n])[:MAX_WAYS]
        super().__init__(" ".join(sentence(reason.english()) for reason in self.reasons))

    def answer(self, id: str) -> Answer:
        """The answer to the command `id`."""
        reasons = fitting_reasons(self.reasons)
        why = tuple(sentence(reason.english()) for reason in reasons)
        return Answer(id, False, why, ways=self.ways, reasons=tuple(map(Coded.beside, reasons)))


def done(id: str, outcomes: Iterable[Reason]) -> Answer:
    """The answer to the command `id` that has been carried out: what is true since."""
    reasons = fitting_reasons(tuple(outcomes))
    after = tuple(ended(reason.english()) for reason in reasons)
    return Answer(id, True, after=after, outcomes=tuple(map(Coded.beside, reasons)))


def as_reason(text: Reason | str) -> Reason:
    """The reason; a text that has no code is English."""
    return InEnglish(text) if isinstance(text, str) else text


def fitting_reasons(reasons: Sequence[Reason]) -> tuple[Reason, ...]:
    """The reasons that fit into an answer; of too many the last counts the rest."""
    if len(reasons) <= MAX_REASONS:
        return tuple(reasons)
    return (*reasons[: MAX_REASONS - 1], AndMore(len(reasons) - MAX_REASONS + 1))


def sentence(text: str) -> str:
    """The text with a capital letter and an end; a command or dimension at its beginning stays as it is."""
    first = text.split(" ", 1)[0].removesuffix(":")
    return ended(text if first in COMMANDS or "." in first[:-1] else text[:1].upper() + text[1:])


def ended(text: str) -> str:
    """The text with an end, cut to `REASON_MAX_CHARS` characters."""
    if len(text) >= REASON_MAX_CHARS:
        return f"{text[: REASON_MAX_CHARS - 1]}…"
    return text if text.endswith((".", "?", "!", "…")) else f"{text}."
