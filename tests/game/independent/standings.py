"""The cards added up, and the things that happened once: from the rounds alone."""

from collections.abc import Iterable

from game.independent.course import Tallied
from game.independent.dice import Outcome
from game.independent.rounds import Round

Card = dict[str, int]
KEYS = ("wins", "losses", "buncos", "minis", "points", "one_two_three")


def cards(persons: int, rounds: Iterable[Round]) -> list[Card]:
    """What everybody has of these rounds."""
    found = [dict.fromkeys(KEYS, 0) for _ in range(persons)]
    for round_ in rounds:
        for table in round_.tables:
            won = ["US", "THEM"].index(str(table.now().winner))
            for seat, card in enumerate(table.cards()):
                person = round_.person(table.number, seat)
                if person < 0:
                    continue
                found[person]["wins" if seat % 2 == won else "losses"] += 1
                for key in ("buncos", "minis", "points", "one_two_three"):
                    found[person][key] += card[key]
    return found


Event = tuple[int, int, Outcome, int | None]
"""Line of the log, seat, roll, and the person whose card has it."""


def _events(round_: Round, bag: bool) -> list[Event]:
    events: list[Event] = []
    for table in round_.tables:
        now = table.now()
        for line, seat, outcome in now.bag if bag else now.triples:
            card = table.card_of(line, seat)
            person = None if card is None else round_.person(table.number, card)
            events.append((line, seat, outcome, person))
    return sorted(events, key=lambda event: event[:2])


def buncos(rounds: Iterable[Round]) -> list[int]:
    """Whose Buncos they were, in the order of the log."""
    return [
        person for round_ in rounds for _, _, outcome, person in _events(round_, bag=False)
        if outcome.kind == "bunco" and person is not None
    ]  # fmt: skip


def bag_holder(rounds: Iterable[Round], travels: str | int | None, nth: int | None) -> int | None:
    """Who holds the traveling bag."""
    holder: int | None = None
    for round_ in rounds:
        paper = {
            entry.line for table in round_.tables for entry in table.entries if isinstance(entry, Tallied)
        }
        going = [event for event in _events(round_, bag=nth is None) if _hands_on(event[2], travels)]
        if nth is not None:
            going = [event for event in going if event[0] not in paper][nth - 1 : nth]
        for *_, person in going:
            holder = holder if person is None else person
    return holder


def _hands_on(outcome: Outcome, travels: str | int | None) -> bool:
    return travels == (outcome.kind if travels in ("bunco", "mini") else outcome.triple)
