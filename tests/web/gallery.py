"""Every page in every phase, by name: what the pictures and the tests look at."""

from collections.abc import Callable

from pi_bunco.web import present
from pi_bunco.web.models import PageModel
from web.nights import Night, opened

Maker = Callable[[], PageModel]


def _board(night: Night, later: int = 1000, **fields: object) -> Maker:
    return lambda: present.scoreboard(night.situation(later, **fields))


def _round(count: int, **fields: object) -> Night:
    night = opened(count, seed=count, **fields)
    return night.throws(max(10 * night.evening.tables, 22))


def scoreboards() -> dict[str, Maker]:
    """The scoreboard in every phase, for halls of every size."""
    found: dict[str, Maker] = {"tv-none": lambda: present.scoreboard(Night(12).situation())}
    empty = Night(12)
    empty.evening.rules = None
    found["tv-none"] = _board(empty)
    found["tv-unseated"] = _board(Night(11))
    for people in (4, 8, 11, 12, 16, 24, 32, 50, 100, 300, 1200):
        tables = -(-people // 4)
        odd = people in (11, 32, 50)
        found[f"tv-before-{tables}{'g' if people % 4 else ''}"] = _board(
            Night(people, odd=odd).draw(), late=(("Gus", "19:00"),) if people == 12 else ()
        )
        found[f"tv-round-{tables}{'g' if people % 4 else ''}"] = _board(_round(people, odd=odd))
        found[f"tv-bell-{tables}"] = _board(_round(people, odd=odd).ring(), 9000)
        found[f"tv-between-{tables}"] = _board(_round(people, odd=odd).ring("host").finish())
    found["tv-player"] = _board(_round(12, rules="gong"))
    found["tv-no-race"] = _board(_round(12, rules="mybunco"))
    elsewhere = _round(12)
    elsewhere.throw(2, [1, 1, 1])
    found["tv-bunco-table"] = _board(elsewhere)
    found["tv-bunco"] = _board(_round(12).ring(), 900)
    found["tv-silent"] = _board(_round(12), head=present.HeadSigns(False, 42))
    tie = _round(12, rules="gong").ring("host")
    tie = _tied(tie)
    found["tv-rolloff"] = _board(tie, 9000)
    found["tv-break"] = _board(Night(12, rules="mybunco").draw().rounds(12), 140_000)
    found["tv-finale"] = _board(Night(12, rules="gong").draw().rounds(12))
    return found


def _tied(night: Night) -> Night:
    """Tables that are level open their roll-off; one is made level if none is."""
    round_ = night.evening.round
    assert round_ is not None
    table = round_.tables[2]
    table.points[0] = table.points[1] = 12
    night.say("confirm", table=3)
    night.say("confirm", table=2)
    night.throw(3, [1, 1, 5])
    night.throw(3, [2, 3, 5])
    night.throw(3, [1, 3, 5])
    return night


def pages() -> dict[str, Maker]:
    """All of them."""
    return scoreboards()
