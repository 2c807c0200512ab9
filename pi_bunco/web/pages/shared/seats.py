"""Where everybody sits, by name."""

from collections.abc import Mapping, Sequence

from pi_bunco.game.evening import Evening
from pi_bunco.web.pages.shared.model import SeatRow, Way
from pi_bunco.web.pages.shared.names import SIDES, all_calls, order, short
from pi_bunco.web.site.evening_now import EveningNow


def seat_rows(now: EveningNow, seating: Sequence[Sequence[str]] | None) -> list[SeatRow]:
    """Everybody of `seating` by name, with the way from the last round's table where one was played."""
    evening = now.evening
    calls, late = all_calls(evening), dict(now.late)
    was = _last_tables(evening)
    rows = []
    for number, names in enumerate(seating or (), 1):
        for seat, name in enumerate(names):
            if name in evening.people.ghosts:
                continue
            partner = short(names[(seat + 2) % 4], calls)
            way = _way(was.get(name), number)
            rows.append(
                SeatRow(name, short(name, calls), number, SIDES[seat % 2], partner, way, late.get(name, ""))
            )
    return sorted(rows, key=lambda row: order(row.name))


def _last_tables(evening: Evening) -> Mapping[str, int]:
    if not evening.rounds:
        return {}
    last, renamed = evening.rounds[-1], evening.seats.taken_over
    return {renamed.get(name, name): table.number for table in last.tables for name in table.seats}


def _way(was: int | None, now: int) -> Way:
    if was is None:
        return ""
    return "stay" if was == now else "up" if now < was else "down"
