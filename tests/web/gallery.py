"""Every page in every phase, by name: what the pictures and the tests look at."""

from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

from msgspec.structs import replace

from pi_bunco.enrol.desk import AtTheDesk, Desk
from pi_bunco.enrol.protocol import draw_attempt, encoded
from pi_bunco.game.reasons import EverySeatTaken, TableDone
from pi_bunco.head.reasons import DieSilent, OtherEnd, StartWithoutIt, TableSilent, ThatTable
from pi_bunco.reason import InEnglish
from pi_bunco.table.reasons import RollAfterBell
from pi_bunco.web.pages.board.page import Wish, shown_scoreboard
from pi_bunco.web.pages.door.page import DoorLogin, shown_door, shown_slip
from pi_bunco.web.pages.host import answer_keys
from pi_bunco.web.pages.host.frame import NO_QUERY, HostQuery
from pi_bunco.web.pages.host.health.page import PANEL_BUTTONS, shown_codes, shown_health
from pi_bunco.web.pages.host.health.screen_list import shown_screens
from pi_bunco.web.pages.host.log.page import shown_log
from pi_bunco.web.pages.host.page import LoginPage, RedPage
from pi_bunco.web.pages.host.people.page import shown_people
from pi_bunco.web.pages.host.pis.page import shown_pis
from pi_bunco.web.pages.host.prepare.draft import Draft, changed
from pi_bunco.web.pages.host.prepare.page import shown_prepare
from pi_bunco.web.pages.host.results.page import shown_evenings, shown_results
from pi_bunco.web.pages.host.results.picture import shown_picture
from pi_bunco.web.pages.host.roster.page import shown_roster
from pi_bunco.web.pages.host.tonight.page import shown_tonight
from pi_bunco.web.pages.paper.page import shown_paper
from pi_bunco.web.pages.phone_table.model import shown_phone
from pi_bunco.web.pages.player.page import shown_player
from pi_bunco.web.pages.table.page import shown_table
from pi_bunco.web.site.evening_now import HeadPresence, PhonePlay, TablePresence
from pi_bunco.web.site.guests import CameOn, HallGuest
from pi_bunco.web.site.login import TableCode
from pi_bunco.web.site.notices import Notice
from pi_bunco.web.site.own_files import OwnFile
from pi_bunco.web.site.page import ErrorPage, PageModel
from pi_bunco.web.site.page_store import EveningSummary
from pi_bunco.web.site.reasons import NoSuchPage, WrongPin, WrongTenTimes
from pi_bunco.web.site.screens import Screen, Words
from pi_bunco.wire.messages import WayOn
from web.names import guests
from web.nights import BEGAN, ODD, Night, opened, people, tournament

SCREENS = (
    Screen("a" * 16, "tv", 1, "on", True, None, False, 2.0, Words("Kitchen", "show=standings")),
    Screen("b" * 16, "tv", 2, "silent", False, None, False, 1.0),
    Screen("c" * 16, "tv", 3, "on", True, None, False, 95.0),
    Screen("d" * 16, "tablet", 2, "off", True, 85, False, 3.0),
    Screen("e" * 16, "phone", 3, "on", True, 20, False, 51.0),
    Screen("f" * 16, "host", 0, "off", False, 64, False, 4.0),
)
"""Screens of every kind."""
OWN: dict[str, tuple[OwnFile, ...]] = {
    "pictures": (OwnFile("pictures", "The cake was Ida's.jpg", 1), OwnFile("pictures", "2.jpg", 1)),
    "logos": tuple(OwnFile("logos", f"{name}.png", 1) for name in ("Oak Street Bakery", "Corner Books")),
    "sounds": (OwnFile("sounds", "start.mp3", 1),),
}
"""Files of the host's own."""
Maker = Callable[[], PageModel]


def _board(night: Night, later: int = 1000, **fields: Any) -> Maker:
    return lambda: shown_scoreboard(night.evening_now(later, **fields))


def _round(count: int, **fields: Any) -> Night:
    night = opened(count, seed=count, **fields)
    return night.throws(max(10 * night.evening.tables, 22))


def _bag(rules: str = "classic") -> Night:
    """A round with a bag and a thing of the house's own that travel."""
    hands = [{"when": "xxx", "hands": "fuzzy_dice"}]
    night = opened(12, rules=rules, seed=12, traveling="bunco", rolls=hands).throws(22)
    night.throw(3, [4, 4, 4])
    return night


def _bunco(count: int) -> Night:
    """A Bunco away from the head table."""
    night = _round(count)
    night.throw(2, [1, 1, 1])
    return night


def scoreboards() -> dict[str, Maker]:
    """The scoreboard in every phase, for halls of every size."""
    found = {
        "tv-none": _board(Night(12, empty=True)),
        "tv-door": _board(Night(12, empty=True), guests=_guests(60)),
    }
    found["tv-unseated"] = _board(Night(11))
    for count in (4, 8, 11, 12, 16, 24, 32, 50, 100, 300, 1200):
        tables = -(-count // 4)
        odd = count in (11, 32, 50)
        found[f"tv-before-{tables}{'g' if count % 4 else ''}"] = _board(
            Night(count, odd=odd).draw(), late=(("Gus", "19:00"),) if count == 12 else ()
        )
        found[f"tv-round-{tables}{'g' if count % 4 else ''}"] = _board(_round(count, odd=odd))
        found[f"tv-bell-{tables}"] = _board(_round(count, odd=odd).ring(), 9000)
        found[f"tv-won-{tables}"] = _board(_round(count, odd=odd).ring("host").finish())
        found[f"tv-between-{tables}"] = _board(_round(count, odd=odd).ring("host").finish(), 9000)
    wishes = {"tables": Wish(tables="4-9"), "two": Wish(tables="2-3"), "standings": Wish(show="standings")}
    for name, wish in wishes.items():
        night = Night(48).draw().rounds(1).begin().throws(120)
        found[f"tv-wish-{name}"] = lambda night=night, wish=wish: shown_scoreboard(night.evening_now(), wish)  # type: ignore[misc]
    found["tv-player"] = _board(_round(12, rules="gong"))
    found["tv-no-race"] = _board(_round(12, rules="mybunco"))
    found["tv-bunco-table"] = _board(_bunco(12))
    found["tv-bunco"] = _board(_round(12).ring(), 900)
    found["tv-handed"] = _board(_bag().ring().finish(), 9000)
    found["tv-between-standings"] = _board(_bag().ring().finish(), 47_000)
    found["tv-bag"] = _board(_bag().ring().finish().begin())
    found["tv-silent"] = _board(_round(12), head=HeadPresence(False, True))
    found["tv-rolloff"] = _board(_tied(_round(12, rules="gong").ring("host")), 9000)
    for step in range(1, 7):
        found[f"tv-minute-{step}"] = _board(Night(12), 50_000 + 10_000 * step)
    rules = Wish(show="rules")
    for name, night in {
        "groups": Night(300, "tournament"),
        "single": Night(4),
        "gong": Night(12, "gong"),
    }.items():
        step = 40_000 if name == "gong" else 50_000
        found[f"tv-minute-{name}"] = lambda night=night, step=step: shown_scoreboard(  # type: ignore[misc]
            night.evening_now(step), rules
        )
    found["tv-break"] = _board(Night(12, rules="mybunco").draw().rounds(12), 140_000)
    found["tv-break-picture"] = _board(Night(12, rules="mybunco").draw().rounds(12), 142_000, own_files=OWN)
    found["tv-own-pictures"] = lambda: shown_scoreboard(
        opened(12).draw().evening_now(own_files=OWN), Wish(show="pictures")
    )
    for name, play in stages().items():
        found[f"tv-stage-{name}"] = _board(play)
    found["tv-finale-roll"] = _board(Night(12, rules="gong", prize_tie="one_die").draw().rounds(12))
    ended = Night(12, rules="gong").draw().rounds(12)
    for count in (0, 3, 6):
        found[f"tv-finale-told-{count}"] = _board(ended, revealed=count)
    found["tv-finale-wins"] = _board(Night(12, rules="mybunco").draw().rounds(24), revealed=0)
    found["tv-finale"] = _board(ended)
    for count in (12, 24, 100, 300):
        clock = Night(count, seed=count).draw().by_clock()
        found[f"tv-clock-before-{count // 4}"] = _board(clock)
        clock = Night(count, seed=count).draw().by_clock().begin().throws(4 * count)
        found[f"tv-clock-round-{count // 4}"] = _board(clock)
        clock = Night(count, seed=count).draw().by_clock().begin().throws(4 * count).ring("host").finish()
        found[f"tv-clock-between-{count // 4}"] = _board(clock, 9000)
    found["tv-clock-stopped"] = _board(_round(24).by_clock(left=84_000))
    found["tv-clock-bell-2"] = _board(_round(8).by_clock().ring(), 9000)
    found["tv-clock-bell-6"] = _board(_round(24).by_clock().ring(), 9000)
    found["tv-clock-won"] = _board(_round(24).by_clock().ring("host").finish())
    found["tv-clock-standings"] = _board(Night(24).draw().by_clock().rounds(1), 47_000)
    rests = Night(12, rules="mybunco").draw().by_clock().rounds(12)
    silent = {number: TablePresence(online=number < 3) for number in range(1, 4)}
    found["tv-clock-break"] = _board(rests, 140_000, tables=silent)
    stopped = Night(12, rules="mybunco").draw().by_clock().rounds(12).by_clock(left=610_000)
    found["tv-clock-break-stopped"] = _board(stopped, 140_000)
    found["tv-clock-pictures"] = lambda: shown_scoreboard(
        opened(12).draw().by_clock().evening_now(own_files=OWN), Wish(show="pictures")
    )
    return found


def teams() -> dict[str, Maker]:
    """Each for themselves, and tables that are teams: every page of a round, its end and its result."""
    found: dict[str, Maker] = {}
    for team in ("none", "table"):
        over: dict[str, Any] = {"move__tables": "chain"} if team == "none" else {}

        def night(count: int = 11, team: str = team, over: dict[str, Any] = over) -> Night:
            return Night(count, "bonko", team=team, **over).draw()

        playing = night().rounds(1).begin().throws(33)
        rung = night().begin().throws(33).ring()
        between, ended = night().rounds(3), night().rounds(12)
        if team == "table":
            between = night()
            between.say(
                "seating", tables=between.evening.seating, teams=["Aces", "Snake Eyes", "The Wild Dice"]
            )
            between.rounds(3)
        for name, shown in (("round", playing), ("bell", rung), ("between", between), ("finale", ended)):
            found[f"tv-{team}-{name}"] = _board(shown, 9000)
            found[f"me-{team}-{name}"] = lambda shown=shown: shown_player(shown.evening_now(), "Kay")  # type: ignore[misc]
        found[f"tv-{team}-hall"] = _board(night(50).begin().throws(150))
        found[f"tv-{team}-won"] = _board(between)
        found[f"tv-{team}-minute"] = _board(Night(12, "bonko", team=team, **over), 60_000)
        found[f"play-{team}-keys"] = _of(2, playing)
        found[f"play-{team}-done"] = _of(2, rung)
        found[f"play-{team}-wait"] = _of(2, between)
        found[f"host-{team}-tonight"] = lambda rung=rung: shown_tonight(rung.evening_now(), NO_QUERY)  # type: ignore[misc]
        found[f"host-{team}-table"] = lambda rung=rung: shown_tonight(  # type: ignore[misc]
            rung.evening_now(), HostQuery(table=2)
        )
        seats = night()
        found[f"host-{team}-seats"] = lambda seats=seats: shown_prepare(  # type: ignore[misc]
            seats.evening_now(), Draft(), HostQuery(panel="seats")
        )
        found[f"host-{team}-results"] = lambda ended=ended: shown_results(ended.evening_now())  # type: ignore[misc]
        for kind in ("seats", "cards", "results"):
            paper = seats if kind == "seats" else ended
            found[f"print-{team}-{kind}"] = lambda paper=paper, kind=kind: shown_paper(
                paper.evening_now(), kind
            )  # type: ignore[misc]
    alone = Night(12, "bonko", team="none", move__tables="chain", tie__method="one_roll").draw().begin()
    found["play-none-rolloff"] = _of(2, _level(alone))
    found["tv-none-rolloff"] = _board(alone, 9000)
    return found


def _level(night: Night) -> Night:
    """Three of four who play alone are level at table 2 after the bell, and one of them has rolled."""
    for seat in range(4):
        for dice in ([[1, 2, 3]] if seat != 3 else []) + [[2, 3, 5]]:
            night.throw(2, dice)
    night.ring("host")
    while not night.evening.round.tables[1].done:  # type: ignore[union-attr]
        night.throw(2, [2, 3, 5])
    night.say("confirm", table=2)
    night.throw(2, [1, 3, 4])
    return night


def stages(full: bool = False) -> dict[str, Night]:
    """A tournament between its rounds, in every stage; with `full` of people with full names."""

    def play(count: int, **fields: Any) -> Night:
        return tournament(count, names=guests(count) if full else None, **fields)

    found = {"qualification": play(24), "tied": play(24, tied=True), "groups": play(96)}
    found["semi_final"] = play(24).to("semi_final").rounds(6)
    found["order"] = play(24, odd=True).to("order")
    found["begins"] = play(24).to("order").rolled_off()
    found["final"] = play(24).to("final")
    found["throws"] = play(24, odd=True).to("final").final(7)
    found["grand"] = play(24).to("final").final(9, (5, 5, 5))
    found["done"] = play(24).to("final").final(9, (5, 5, 5)).to("done")
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
    play = PhonePlay(table, **fields)
    return lambda: shown_phone(night.evening_now(), number, play)


def players() -> dict[str, Maker]:
    """A player's own page and one table in large."""

    def me(night: Night, name: str = "Kay", tab: str = "me", **fields: Any) -> Maker:
        return lambda: shown_player(night.evening_now(**fields), name, tab)

    played, ended = Night(12).draw().rounds(3), Night(12, rules="gong").draw().rounds(12)
    seated = Night(12).draw()
    now = Night(12, odd=True).draw().rounds(2).begin().throws(30)
    left = Night(12).draw().rounds(1)
    left.say("leave", player="Kay")
    found = {
        "me-left": me(left),
        "me-none": me(Night(12, empty=True), ""),
        "me-door": lambda: shown_player(Night(12, empty=True).evening_now(guests=_guests(12)), ""),
        "me-here": lambda: shown_player(
            Night(12, empty=True).evening_now(guests=_guests(12)), _guests(12)[0].name
        ),
        "me-can": lambda: replace(me(seated)(), portrait="can"),
        "me-has": lambda: replace(me(seated)(), portrait="has"),
        "me-asks": lambda: shown_player(Night(12, empty=True).evening_now(guests=_guests(12)), "Kat"),
        "me-pick": me(Night(12, odd=True).draw(), ""),
        "me-many": me(Night(240), ""),
        "me-unknown": me(seated, "Mallory"),
        "me-before": me(seated),
        "me-now": me(now),
        "me-long": me(now, "Alexandrina Papadopoulou-Smith"),
        "me-next": me(played),
        "me-bell": me(Night(12).draw().rounds(1).begin().throws(30).ring()),
        "me-tables": me(now, tab="tables"),
        "me-standings": me(now, tab="standings"),
        "me-bag": me(_bag().ring().finish(), "Ann"),
        "me-break": me(Night(12, rules="mybunco").draw().rounds(12)),
        "me-secret": me(ended, revealed=1),
        "me-end": me(ended),
        "me-clock": me(Night(12).draw().by_clock()),
        "me-silent": me(now, head=HeadPresence(False, True)),
    }
    for name, night in (
        ("before", seated),
        ("round", now),
        ("bell", Night(12).draw().begin().throws(30).ring()),
        ("between", played),
        ("end", ended),
    ):
        for number in (1, 2):
            found[f"table-{number}-{name}"] = lambda night=night, number=number: shown_table(  # type: ignore[misc]
                night.evening_now(), number
            )
    clock = Night(12).draw().begin().throws(30).by_clock()
    found["table-2-clock"] = lambda: shown_table(clock.evening_now(), 2)
    tied, order, final = tournament(24, tied=True), tournament(24).to("order"), tournament(24).to("final")
    prize = Night(12, rules="gong", prize_tie="one_die").draw().rounds(12)
    for name, night in (("tied", tied), ("order", order), ("final", final.final(4)), ("prize", prize)):
        found[f"table-1-{name}"] = lambda night=night: shown_table(night.evening_now(), 1)  # type: ignore[misc]
        for who in ("Kay", "Bob"):
            found[f"me-{name}-{who.lower()}"] = me(night, who)
    return found


def _still(night: Night) -> Night:
    """The bell has rung while a turn goes on at table 2."""
    target = night.evening.round.target if night.evening.round else 1
    night.throw(2, [target, target % 6 + 1, target % 6 + 1])
    return night.ring("host")


def phones() -> dict[str, Maker]:
    """A phone as a table."""
    night = _round(12)
    again = _round(12)
    again.throw(2, [1, 1, 4])
    tie = _tied(_round(12, rules="gong").ring("host"))
    die, level = (_tied(_round(12, rules="classic").ring("host")) for _ in range(2))
    level.say("faceoff", table=3, dice=[4, 4])
    return {
        "play-code": _of(2, night, allowed=False, code_wrong=True),
        "play-wait": _of(2, Night(12).draw()),
        "play-none": _of(2, Night(12)),
        "play-keys": _of(2, night),
        "play-again": _of(2, again, dice=(1, 1, 4)),
        "play-dice": _of(2, _round(12, odd=True), mode="dice"),
        "play-head": _of(1, night),
        "play-unsent": _of(2, night, unsent=3, online=False),
        "play-why": _of(2, night, why=(RollAfterBell(),)),
        "play-wipe": _of(2, _round(12, scoring__wipe=3)),
        "play-bell": _of(2, _still(_round(12))),
        "play-bell-lap": _of(2, _still(_round(12, rules="gong", after_bell="finish_lap"))),
        "play-done": _of(2, _round(12, rules="gong").ring()),
        "play-lap": _of(3, tie),
        "play-faceoff": _of(3, die),
        "play-faceoff-again": _of(3, level),
        "play-roll": _of(1, tournament(24, tied=True)),
        "play-order": _of(1, tournament(24).to("order")),
        "play-final": _of(1, tournament(24).to("final").final(3)),
        "play-between": _of(2, Night(12).draw().rounds(1)),
        "play-clock": _of(2, _round(12).by_clock()),
        "play-end": _of(2, Night(12, rules="gong").draw().rounds(12)),
    }


ROSTER = (
    "Name,Team,Paid,Notes\n"
    + "".join(
        f"{name},Corner Books,{paid},with Ann\n"
        for name, paid in zip(people(6, True), ("yes", "no", "?") * 2, strict=True)
    )
    + ',Nobody,yes\n"Ann,Torn\n'
)
"""A roster with rows that make nobody."""
DOOR_GUESTS = (
    HallGuest("d1", "Alexandra Hollingsworth", team="Corner Books", wish="with Vera", paid=False),
    HallGuest("d2", "Bob", "here", paid=True, since=int(BEGAN)),
    HallGuest("d3", "Nathaniel van der Holm", "late", "20:45"),
)
ABSENT = (
    HallGuest(
        "a1", "Wilhelmina von Hohenberg", None, visits=(CameOn(int(BEGAN) - 9 * 86_400), CameOn(int(BEGAN)))
    ),
    HallGuest("a2", "Bo", None),
)
"""People of the hall who are not expected."""


def _guests(count: int) -> tuple[HallGuest, ...]:
    """People in every state, two of them not on the list."""
    states = ("here", "coming", "late", "stands_in", "left")
    found = [
        HallGuest(f"g{n}", name, states[n % 5], "20:45" if n % 5 == 2 else "", int(BEGAN) - 60 * n)  # type: ignore[arg-type]
        for n, name in enumerate(people(count, True))
    ]
    asking = [HallGuest(name, name, "here", since=int(BEGAN), asks=True) for name in ("Kat", "Zoë")]
    return (*found, *asking)


def new_pis() -> AtTheDesk:
    """Two Pis that ask and one at which keys are to be typed, beside one that was just taken in."""
    desk = Desk("home", "certificate", Random(7).randbytes)
    for seed, label in enumerate(("Raspberry Pi 4 Model B ..7f3a", "", "Raspberry Pi 5 ..01c2", "")):
        attempt = draw_attempt(Random(seed).randbytes)
        desk.answer(encoded(attempt.hello(label)), 0.0)
        desk.answer(encoded(attempt.request()), 0.0)
    desk.take_in(desk.now(0.0).asking[2], 4, "gpio", 0.0)
    desk.ask_for_keys(desk.now(0.0).asking[1], 0.0)
    return desk.now(0.0)


def hosts(count: int = 12) -> dict[str, Maker]:
    """The host's pages on an evening of `count` people."""
    query, done = HostQuery, Notice(True, "light")
    why = TableSilent(2, 40), DieSilent(3, 1, "unheard"), StartWithoutIt()
    without = WayOn("round_start", {"bypass": [2, 3]})
    between, paper_on = Night(count).draw().rounds(3), _round(count)
    done_paper = Notice(True, "bypass", (), answer_keys.keys_back(paper_on.evening, "bypass", {"table": 2}))
    full = EverySeatTaken((ODD[0],))
    draw = WayOn("seats_draw", {"guests": [ODD[0]]})
    late = answer_keys.keys_on(between.evening, "arrive", (full,), (draw,))
    no_chair = Notice(False, "arrive", (full,), late)
    start = answer_keys.keys_on(Night(count).evening, "round_start", why, (without,))
    refused = Notice(False, "round_start", why, start)
    fork = OtherEnd(ThatTable(3), 40, 9, 3)
    now, bell = _round(count), _tied(_round(count, rules="gong").ring("host"))
    signs = {
        1: TablePresence(online=True, silent_s=0.3, help=True),
        2: TablePresence(online=False, silent_s=40.0),
        3: TablePresence(
            online=True,
            silent_s=0.2,
            faults=(InEnglish("the MINI key is pressed down for 2 minutes"),),
            doubled=True,
        ),
    }
    phones = {
        1: TablePresence(online=True, silent_s=0.3, phone=True, phone_s=0.4),
        2: TablePresence(online=True, silent_s=0.3, phone=True, phone_s=40.0),
        3: TablePresence(online=True, silent_s=0.3, phone=True),
    }
    panel = signs | {
        3: TablePresence(online=True, silent_s=0.2, presses={"one": 20.0, "two": 8.0, "miss": 0.4})
    }
    whole = {1: TablePresence(online=True, silent_s=0.2, presses=dict.fromkeys(PANEL_BUTTONS, 9.0))}
    paper = _round(count)
    paper.say("bypass", table=2)
    paper.ring("host").finish((2,))
    end = Night(count, rules="gong", pot="60.00").draw().rounds(12)
    empty = Night(count, empty=True)
    draft = changed(
        Draft(),
        {"names": "\n".join(people(count, True)).replace("Harriet", "Harriet 19:00"), "start": "18:30"},
    )
    draft = changed(draft, {"until": "22:00", "each": "5", "save_as": "Thursday", "set.end.points": "15"})
    long = changed(draft, {"rules": "mybunco"})
    pasted = changed(
        Draft(),
        {"names": "Bunco on Thursday\n1. Ann\n- Dieter\nKate;Lou\n3) Carla (brings dip)\nann\nBob"},
    )
    twice = changed(Draft(), {"names": "Ann\nAnn\nBob"})
    past = [
        EveningSummary("5f21c09e", BEGAN, "Thursday Bunco", "gong", tuple(people(12)), 12, ("Eve",)),
        EveningSummary(
            "b2", BEGAN - 37 * 86_400, "Thursday Bunco", "classic", tuple(people(11)), 12, ("Kay", "Jim")
        ),
    ]
    codes = {
        number: TableCode(digits, digits * 5 + "00") for number, digits in ((1, "123456"), (2, "654321"))
    }
    codes[3] = TableCode("111222", "0" * 32)

    def host(night: Night, view: HostQuery = NO_QUERY, **fields: Any) -> Maker:
        return lambda: shown_tonight(night.evening_now(**fields), view)

    def prepare(which: Draft, panel: str, night: Night = empty, page: int = 1) -> Maker:
        view = query(panel=panel, page=page)
        return lambda: shown_prepare(night.evening_now(), which, view, count)

    return {
        "host-none": host(empty),
        "host-unseated": host(Night(count)),
        "host-ready": host(Night(count).draw(), query(notice=done)),
        "host-round": host(now, hosts=("Ann", "Carol")),
        "host-faults": host(now, tables=signs),
        "host-phones": host(between, tables=phones),
        "host-refused": host(between, query(notice=refused), tables=signs),
        "host-done": host(paper_on, query(notice=done_paper)),
        "host-full": host(between, query(panel="people", notice=no_chair)),
        "host-ask-close": host(now, query(ask="evening_close")),
        "host-ask-stage": host(tournament(24), query(ask="stage")),
        "health-fork": lambda: shown_health(
            now.evening_now(head=HeadPresence(faults=(fork,))), query(ask="branch.3")
        ),
        "prepare-replace": lambda: shown_prepare(
            now.evening_now(), draft, query(panel="money", ask="replace"), count
        ),
        "host-bell": host(bell),
        "host-clock": host(_round(count).by_clock()),
        "host-clock-stopped": host(_round(count).by_clock(left=84_000)),
        "host-clock-between": host(Night(count).draw().rounds(3).by_clock()),
        "host-pace": host(Night(count).draw().rounds(3).by_clock(), query(panel="pace")),
        "host-between": host(between),
        "host-stage": host(tournament(24).to("final").final(3)),
        "host-break": host(Night(count, rules="mybunco").draw().rounds(12)),
        "host-end": host(end),
        "host-large": host(_round(100), query(page=2)),
        "host-drawer": host(now, query(table=2), codes=codes),
        "host-drawer-tie": host(bell, query(table=3)),
        "host-tally": host(paper, query(table=2, panel="tally")),
        "host-people": host(between, query(panel="people")),
        "host-pause": host(between, query(panel="break")),
        "host-horn": host(now, query(panel="horn")),
        "host-tools": host(between, query(panel="tools")),
        "host-bunco": host(_bunco(count)),
        "host-ask": host(now, query(ask="round_cancel")),
        "host-away": host(now, head=HeadPresence(False, True, (InEnglish("The card is read-only."),))),
        "health-bad": lambda: shown_health(now.evening_now(tables=signs), query()),
        "health-phones": lambda: shown_health(between.evening_now(tables=phones, codes=codes), query()),
        "health-good": lambda: shown_health(now.evening_now(codes=codes), query(ask="bell_test")),
        "health-keys": lambda: shown_health(Night(count).draw().evening_now(tables=panel), query(table=3)),
        "health-keys-all": lambda: shown_health(
            Night(count).draw().evening_now(tables=whole), query(table=1)
        ),
        "health-keys-round": lambda: shown_health(now.evening_now(tables=whole), query(table=1)),
        "screens": lambda: shown_screens(between.evening_now(screens=SCREENS), NO_QUERY),
        "health-screens": lambda: shown_health(between.evening_now(screens=SCREENS), query()),
        "codes": lambda: shown_codes(now.evening_now(codes=codes), NO_QUERY),
        "people": lambda: shown_people(Night(count).draw().evening_now(guests=_guests(count)), NO_QUERY),
        "pis": lambda: shown_pis(now.evening_now(pis=new_pis(), tables=signs), NO_QUERY),
        "pis-none": lambda: shown_pis(now.evening_now(), NO_QUERY),
        "people-who": lambda: shown_people(
            now.evening_now(guests=_guests(count), portraits=frozenset(("g2",))), query(who="g2")
        ),
        "people-forget": lambda: shown_people(
            now.evening_now(guests=_guests(count)), query(who="g2", ask="forget")
        ),
        "people-hall": lambda: shown_people(
            Night(4).draw().evening_now(guests=_guests(4), absent=ABSENT), NO_QUERY
        ),
        "people-kept": lambda: shown_people(
            now.evening_now(guests=_guests(count), absent=ABSENT, old_logs=(2, 4)), query(panel="kept")
        ),
        "people-absent": lambda: shown_people(now.evening_now(absent=ABSENT), query(who="a1")),
        "roster": lambda: shown_roster(empty.evening_now(), NO_QUERY),
        "roster-read": lambda: shown_roster(empty.evening_now(), NO_QUERY, ROSTER, 3),
        "door": lambda: shown_door(Night(count).draw().evening_now(guests=DOOR_GUESTS), "", "t"),
        "door-slip": lambda: shown_slip(Night(count).draw().evening_now(), HallGuest("d4", people(4)[0])),
        "door-login": lambda: DoorLogin(why=WrongPin(3)),
        "door-closed": lambda: DoorLogin(True),
        "people-helpers": lambda: shown_people(now.evening_now(helper_pin="123456"), NO_QUERY),
        "people-none": lambda: shown_people(empty.evening_now(), NO_QUERY),
        "prepare-people": prepare(draft, "people"),
        "prepare-pasted": prepare(pasted, "people"),
        "prepare-empty": prepare(Draft(), "people"),
        "prepare-twice": prepare(twice, "people"),
        "prepare-rules": prepare(draft, "rules", page=2),
        "prepare-long": prepare(long, "rules"),
        "prepare-money": prepare(draft, "money"),
        "prepare-seats": prepare(draft, "seats", Night(50, odd=True).draw()),
        "prepare-running": prepare(draft, "money", now),
        "results-none": lambda: shown_results(empty.evening_now()),
        "results-now": lambda: shown_results(Night(count, odd=True).draw().rounds(3).evening_now()),
        "results-long": lambda: shown_results(
            Night(8, rules="gong", odd=True, seed=5).draw().rounds(12).evening_now()
        ),
        "results-tell": lambda: shown_results(end.evening_now(revealed=2)),
        "results-told": lambda: shown_results(end.evening_now(revealed=7)),
        "host-tell": host(end, revealed=0),
        "results-end": lambda: shown_results(end.evening_now()),
        "picture": lambda: shown_picture(end.evening_now(), end.evening.standings),
        "picture-none": lambda: shown_picture(end.evening_now()),
        "evenings": lambda: shown_evenings(now.evening_now(), past, NO_QUERY),
        "log": lambda: shown_log(bell.evening_now(ignored={len(bell.log): TableDone(3)}), query()),
        "login-red": lambda: RedPage("Thursday Bunco", "https://192.168.4.1:8443/host"),
        "login": lambda: LoginPage("Thursday Bunco", why=WrongPin(9)),
        "login-wait": lambda: LoginPage("Thursday Bunco", why=WrongTenTimes(5)),
        "error": lambda: ErrorPage(404, NoSuchPage("/tabel/3")),
        "print-seats": lambda: shown_paper(Night(50, odd=True).draw().evening_now(), "seats"),
        "print-seats-12": lambda: shown_paper(Night(12).draw().evening_now(), "seats"),
        "print-cards-long": lambda: shown_paper(
            Night(4, evening__sets=4).draw().rounds(2).evening_now(), "cards"
        ),
        "print-cards": lambda: shown_paper(Night(count, odd=True).draw().rounds(7).evening_now(), "cards"),
        "print-results": lambda: shown_paper(end.evening_now(), "results"),
    }


@cache
def pages() -> dict[str, Maker]:
    """All of them."""
    return scoreboards() | players() | phones() | hosts() | teams()
