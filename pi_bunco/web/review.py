"""The evening looked back at: standings, prizes, the race, and whether the dice were fair."""

from collections import Counter
from collections.abc import Sequence

from pi_bunco.game import facts
from pi_bunco.game.fairness import probability
from pi_bunco.web import course
from pi_bunco.web.checkup import BELL_TEST, bad, good, keys, panels
from pi_bunco.web.finished import finale, ranks, steps
from pi_bunco.web.logbook import lines
from pi_bunco.web.models import (
    CardRow,
    Chart,
    DiceCount,
    Finale,
    HostEvenings,
    HostHealth,
    HostLog,
    HostResults,
    Notice,
    PastEvening,
    PhoneCodes,
    PrintPage,
    ScoreCard,
)
from pi_bunco.web.names import order, short
from pi_bunco.web.scenes import seat_rows
from pi_bunco.web.situation import HostQuery, Situation
from pi_bunco.web.tables import all_calls, counted, waiting
from pi_bunco.web.tonight import frame

_NOTHING = Finale((), None, 0, (), ())


def health(situation: Situation, query: HostQuery, notice: Notice | None = None) -> HostHealth:
    """`/host/health`."""
    wrong = bad(situation)
    questions = [BELL_TEST, *(action for reason in wrong for action in reason.actions if action.ask)]
    return HostHealth(
        frame=frame(situation, "health", notice),
        bad=tuple(wrong),
        good=tuple(good(situation)),
        tables=situation.evening.tables,
        sheet=next((one for one in questions if one.question == query.ask), None),
        panels=tuple(panels(situation)),
        keys=keys(situation, query.table) if query.table in panels(situation) else None,
    )


def log(situation: Situation, query: HostQuery, notice: Notice | None = None) -> HostLog:
    """`/host/log`."""
    found, page, pages = lines(situation, query.page)
    return HostLog(frame(situation, "results", notice), tuple(found), page, pages)


def results(situation: Situation, notice: Notice | None = None, evening: str = "") -> HostResults:
    """`/host/results` of this evening, or of a past one with its id in `evening`."""
    rules = situation.evening.rules
    ended = finale(situation) if rules else _NOTHING
    marks = tuple(dict.fromkeys((*(rules.champion if rules else ()), "buncos", "wins")))[:3]
    return HostResults(
        frame=frame(situation, "evenings" if evening else "results", notice),
        state=situation.evening.state if rules else "none",
        finale=ended,
        rows=tuple(ranks(situation)),
        marks=marks,
        race=race(situation),
        results=tuple(by_roll(situation)),
        dice=tuple(dice(situation)),
        date=course.date(situation),
        evening=evening,
        closed=situation.evening.closed,
        steps=steps(ended),
        revealed=None if evening else situation.revealed,
    )


def race(situation: Situation) -> Chart:
    """Wins round by round, or the mark that decides first; the best players' lines come first."""
    evening = situation.evening
    rows = [row for row in ranks(situation) if not row.gone]
    mark = "wins" if not evening.rules or evening.rules.champion[0] != "buncos" else "buncos"
    series = []
    for row in rows:
        card, total, line = evening.people.cards.get(row.name, -1), 0, [0]
        for round_ in evening.rounds:
            for table in round_.tables:
                for seat, name in enumerate(table.seats):
                    if round_.cards.get(name) == card and not table.ghosts[seat]:
                        total += table.winner == seat % 2 if mark == "wins" else table.buncos[seat]
            line.append(total)
        series.append(tuple(line))
    calls = all_calls(evening)
    return Chart(tuple(short(row.name, calls) for row in rows), tuple(series), mark)


def by_roll(situation: Situation) -> list[int]:
    """How many throws were a miss, a one, a two, a mini, a Bunco."""
    counts: Counter[int] = Counter()
    evening = situation.evening
    for round_ in [*evening.rounds, *([evening.round] if evening.round else [])]:
        for table in round_.tables:
            counts.update(roll.outcome for roll in counted(table) if not roll.rolloff)
    return [counts[outcome] for outcome in range(5)]


def dice(situation: Situation) -> list[DiceCount]:
    """How often each face fell, in all and at each table; entered throws have no faces."""
    counts: dict[int, Counter[int]] = {0: Counter()}
    for n, fact in enumerate(situation.log, 1):
        if isinstance(fact, facts.Roll) and fact.dice and n not in situation.ignored:
            counts[0].update(fact.dice)
            counts.setdefault(fact.table, Counter()).update(fact.dice)
    return [
        _dice_count(table, [found[face] for face in range(1, 7)]) for table, found in sorted(counts.items())
    ]


def _dice_count(table: int, faces: Sequence[int]) -> DiceCount:
    return DiceCount(table, tuple(faces), probability(faces) if any(faces) else 1.0)


def evenings(situation: Situation, past: Sequence[PastEvening], notice: Notice | None = None) -> HostEvenings:
    """`/host/evenings`."""
    return HostEvenings(frame(situation, "evenings", notice), tuple(past))


def codes(situation: Situation, notice: Notice | None = None) -> PhoneCodes:
    """`/host/codes`: the phone tables' codes."""
    return PhoneCodes(frame(situation, "health", notice), tuple(sorted(situation.codes.items())))


# Paper.


def paper(situation: Situation, kind: str) -> PrintPage:
    """`/host/print/KIND`: seats, cards or results."""
    evening, rules = situation.evening, situation.evening.rules
    calls = all_calls(evening)
    target = course.place(evening)[2]
    seating = evening.seating or []
    shown = [waiting(situation, names, n, target, calls) for n, names in enumerate(seating, 1)]
    return PrintPage(
        kind="cards" if kind == "cards" else "results" if kind == "results" else "seats",
        heading=course.heading(situation),
        date=course.date(situation),
        follow=situation.base.removeprefix("http://").removeprefix("https://"),
        tables=tuple(shown) if kind == "seats" else (),
        seats=tuple(seat_rows(situation, seating)) if kind == "seats" else (),
        cards=tuple(_cards(situation)) if kind == "cards" else (),
        results=results(situation) if kind == "results" else None,
        break_after=(rules.evening.break_after or 0) if rules else 0,
        after_bell=rules.after_bell if rules else "",
        moves=rules.move.tables if rules else "",
    )


def _cards(situation: Situation) -> list[ScoreCard]:
    """A card for each player in the order of names, and an empty one."""
    evening = situation.evening
    people = sorted(evening.people.holders, key=order)
    return [_card(situation, name) for name in people] + [_card(situation, "")]


def _card(situation: Situation, name: str) -> ScoreCard:
    evening, calls = situation.evening, all_calls(situation.evening)
    if evening.rules is None:
        return ScoreCard(name, ())
    faces = course.faces(evening.rules)
    rows = [CardRow(face) for _ in range(evening.rules.evening.sets) for face in faces]
    card = evening.people.cards.get(name, -1)
    for played, round_ in enumerate(evening.rounds[: len(rows)]):
        for table in round_.tables:
            for seat, who in enumerate(table.seats):
                if round_.cards.get(who) != card or table.ghosts[seat]:
                    continue
                partner = short(table.seats[(seat + 2) % 4], calls)
                marks = table.buncos[seat], table.minis[seat]
                won = table.winner == seat % 2
                rows[played] = CardRow(round_.target, partner, table.seat_points[seat], won, *marks)
    step = len(faces)
    return ScoreCard(name, tuple(tuple(rows[i : i + step]) for i in range(0, len(rows), step)))
