"""The cards added up, and the things that happened once: from the rounds alone."""

from collections import defaultdict
from collections.abc import Iterable

from game.independent.rounds import Round

Card = dict[str, int]


def cards(persons: int, rounds: Iterable[Round]) -> list[Card]:
    """The cards of all after these rounds."""
    found: list[Card] = [defaultdict(int) for _ in range(persons)]
    for round_ in rounds:
        for table in round_.tables:
            for seat, card in enumerate(table.cards()):
                person = round_.person(table.number, seat)
                if person < 0:
                    continue
                found[person]["wins" if round_.won(table.number, seat) else "losses"] += 1
                for key, value in card.items():
                    found[person][key] += value
    return found


Event = tuple[int, int, str, int | None]
"""Line of the log, seat, mark, and the person whose card has it."""


def _events(round_: Round, *, handed: bool) -> list[Event]:
    events: list[Event] = []
    for table in round_.tables:
        now = table.now()
        for line, seat, mark in now.handed if handed else now.marks:
            card = table.card_of(line, seat)
            events.append((line, seat, mark, None if card is None else round_.person(table.number, card)))
    return sorted(events, key=lambda event: event[:2])


def buncos(rounds: Iterable[Round]) -> list[int]:
    """The rollers of the Buncos, in the order of the log."""
    return [
        person for round_ in rounds for _, _, mark, person in _events(round_, handed=False)
        if mark == "bunco" and person is not None
    ]  # fmt: skip


def handed_to(rounds: Iterable[Round], thing: str, nth: int | None) -> int | None:
    """To whom the rolls that count now have handed a thing on; with `nth` exactly that one of a round."""
    holder: int | None = None
    for round_ in rounds:
        going = [event for event in _events(round_, handed=True) if event[2] == thing]
        if thing != "bag" or nth is not None:
            replaced = [
                line for now in (table.now() for table in round_.tables)
                for line, *_ in now.handed if now.tallied and line <= now.tallied.line
            ]  # fmt: skip
            going = [event for event in going if event[0] not in replaced]
        if nth is not None:
            going = going[nth - 1 : nth]
        for *_, person in going:
            holder = holder if person is None else person
    return holder
