"""Every page in every phase, by name: what the pictures and the tests look at."""

from collections.abc import Callable
from typing import Any

from pi_bunco.web import present
from pi_bunco.web.models import PageModel
from web.nights import Night, opened

Maker = Callable[[], PageModel]


def _board(night: Night, later: int = 1000, **fields: Any) -> Maker:
    return lambda: present.scoreboard(night.situation(later, **fields))


def _round(count: int, **fields: Any) -> Night:
    night = opened(count, seed=count, **fields)
    return night.throws(max(10 * night.evening.tables, 22))


def scoreboards() -> dict[str, Maker]:
    """The scoreboard in every phase, for halls of every size."""
    found = {"tv-none": _board(Night(12, empty=True))}
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
    """Table 3 is level after the bell and its roll-off goes on, table 2 has a result."""
    round_ = night.evening.round
    assert round_ is not None
    for table in round_.tables[1:]:
        while not table.done:
            night.throw(table.number, _miss(round_.target))
    round_.tables[2].points[:] = [12, 12]
    night.say("confirm", table=2)
    night.say("confirm", table=3)
    for dice in ([1, 1, 5], [2, 3, 5], [1, 3, 5]):
        night.throw(3, dice)
    return night


def _miss(target: int) -> list[int]:
    return [target % 6 + 1, (target + 1) % 6 + 1, target % 6 + 1]


def _of(number: int, night: Night, **fields: Any) -> Maker:
    """The phone page of table `number`, which the phone knows as well as the head does."""
    round_ = night.evening.round
    table = round_.tables[number - 1] if round_ else None
    play = present.PhonePlay(table, **fields)
    return lambda: present.phone(night.situation(), number, play)


def players() -> dict[str, Maker]:
    """A player's own page and one table in large."""

    def me(night: Night, name: str = "Kay", tab: str = "me", **fields: Any) -> Maker:
        return lambda: present.player(night.situation(**fields), name, tab)

    played = Night(12).draw().rounds(3)
    now = Night(12, odd=True).draw().rounds(2).begin().throws(30)
    found = {
        "me-none": me(Night(12, empty=True), ""),
        "me-pick": me(Night(12, odd=True).draw(), ""),
        "me-unknown": me(Night(12).draw(), "Mallory"),
        "me-before": me(Night(12).draw()),
        "me-now": me(now),
        "me-long": me(now, "Alexandrina Papadopoulou-Smith"),
        "me-next": me(played),
        "me-bell": me(Night(12).draw().rounds(1).begin().throws(30).ring()),
        "me-tables": me(now, tab="tables"),
        "me-standings": me(now, tab="standings"),
        "me-break": me(Night(12, rules="mybunco").draw().rounds(12)),
        "me-end": me(Night(12, rules="gong").draw().rounds(12)),
        "me-silent": me(now, head=present.HeadSigns(False, 42)),
    }
    for name, night in (
        ("before", Night(12).draw()),
        ("round", now),
        ("bell", Night(12).draw().begin().throws(30).ring()),
        ("between", played),
        ("end", Night(12, rules="gong").draw().rounds(12)),
    ):
        for number in (1, 2):
            found[f"table-{number}-{name}"] = lambda night=night, number=number: present.table(  # type: ignore[misc]
                night.situation(), number
            )
    return found


def phones() -> dict[str, Maker]:
    """A phone as a table."""
    night = _round(12)
    again = _round(12)
    again.throw(2, [1, 1, 4])
    tie = _tied(_round(12, rules="gong").ring("host"))
    die = _tied(_round(12, rules="classic").ring("host"))
    return {
        "play-code": _of(2, night, allowed=False, code_wrong=True),
        "play-wait": _of(2, Night(12).draw()),
        "play-none": _of(2, Night(12)),
        "play-keys": _of(2, night),
        "play-again": _of(2, again, dice=(1, 1, 4)),
        "play-dice": _of(2, _round(12, odd=True), mode="dice"),
        "play-head": _of(1, night),
        "play-unsent": _of(2, night, unsent=3, online=False),
        "play-why": _of(2, night, why="The bell rang before this throw; it does not count."),
        "play-done": _of(2, _round(12, rules="gong").ring()),
        "play-lap": _of(3, tie),
        "play-faceoff": _of(3, die),
        "play-between": _of(2, Night(12).draw().rounds(1)),
        "play-end": _of(2, Night(12, rules="gong").draw().rounds(12)),
    }


def pages() -> dict[str, Maker]:
    """All of them."""
    return scoreboards() | players() | phones()
