"""A phone without a network shows its table as the engine would have it, or says only that taps are kept."""

from random import Random
from typing import Any

import msgspec
import pytest
from msgspec import Struct, field
from msgspec.structs import replace
from playwright.sync_api import Browser, BrowserContext, Page, expect

from game.evenings import fact
from pi_bunco.game.facts import Roll
from pi_bunco.game.table import Table
from pi_bunco.rules import PRESETS, RuleSet, override, preset
from pi_bunco.web.pages.phone_table.model import MAX_KEPT_ROLLS, Ahead, ahead_of
from pi_bunco.web.pages.shared.tables import counted
from pi_bunco.web.site.assets import read_static
from web.backends import OPEN, START, FakeBackend
from web.backends import SEATS as SEATED

pytestmark = pytest.mark.system("chromium")

ROUNDS = 10_000
SEATS = ("Ann", "Bob", "Cat", "Dee")
THROWS = (["miss"] * 5, ["one"] * 3, ["two"], ["mini"], ["bunco"], ["wipe"])
OTHERS = (
    {"scoring.wipe": 3}, {"scoring.wipe": 2, "scoring.wipe_ends": True}, {"turn.mini_ends": True},
    {"after_bell": "first_lap"}, {"after_bell": "finish_turn"}, {"end.points": 9, "end.points_by": "team"},
    {"end.points": None}, {"scoring.match": "face"},
)  # fmt: skip


class Case(Struct):
    """A table as the page has it, the taps since, and what the engine makes of them (None: unknown)."""

    view: Ahead
    taps: list[dict[str, Any]] = field(default_factory=list)
    wanted: dict[str, Any] | None = None
    why: str = ""


def roll_of(tap: dict[str, Any]) -> Roll:
    if tap["what"] == "dice":
        return Roll(t=0, table=1, dice=tuple(tap["dice"]), source="hand")
    return Roll(t=0, table=1, call=tap["what"], source="hand")


def drawn_tap(random: Random, undo: int = 18) -> dict[str, Any]:
    what = random.choices(["throw", "dice", "undo", "help"], [60, 20, undo, 2])[0]
    if what == "throw":
        what = random.choice(random.choice(THROWS))
    dice = [random.randint(1, 6) for _ in range(3)] if what == "dice" else []
    return {"what": what, "dice": dice, "round": "e.1"}


class Player:
    """Plays a round by the engine; `t` is the time of the next step."""

    def __init__(self, table: Table) -> None:
        self.table, self.t = table, 0

    def outcome(self, tap: dict[str, Any]) -> int | None:
        return self.table.outcome_of(roll_of(tap))

    def take(self, tap: dict[str, Any]) -> None:
        self.t += 1000
        if tap["what"] == "undo":
            self.table.undo()
        elif tap["what"] != "help" and self.outcome(tap) is not None:
            self.table.roll(replace(roll_of(tap), t=self.t), self.t // 1000)


def drawn_case(random: Random, rules: RuleSet) -> Case | None:
    table = Table(random.choice((1, 2)), SEATS, (False,) * 4, rules, random.randint(1, 6))
    player = Player(table)
    for _ in range(random.choice((0, 3, 10, MAX_KEPT_ROLLS + 8))):
        tap = drawn_tap(random)
        outcome = None if tap["what"] in ("undo", "help") else player.outcome(tap)
        if outcome is None or not table.would_ring(outcome):
            player.take(tap)
        if random.random() < 0.03:
            table.turn(random.randint(0, 3), 0, player.t)
    if random.random() < 0.2:
        player.t += 1000
        table.ring(player.t)
    view = ahead_of(table, counted(table), "a.1", "e.1")
    if view is None:
        return None
    case = Case(view)
    left, undo = len(view.rolls), random.choice((18, 400))
    for _ in range(random.randint(1, MAX_KEPT_ROLLS + 4 if undo > 18 else 10)):
        tap = drawn_tap(random, undo)
        case.taps.append(tap)
        case.why = case.why or why_unknown(case.view, player, tap, left)
        if case.why:
            continue
        player.take(tap)
        left += {"undo": -1, "help": 0}.get(tap["what"], 1)
        left = max(left, 0)
    if not case.why and table.done:
        case.why = "done"
    if not case.why:
        case.wanted = shown(table, view)
    return case


def why_unknown(view: Ahead, player: Player, tap: dict[str, Any], left: int) -> str:
    if tap["what"] == "help":
        return ""
    if player.table.done:
        return "done"
    if tap["what"] == "undo":
        return "bell" if view.bell else "" if left or view.whole else "rolls before"
    if tap["what"] != "dice" and tap["what"] not in view.keys:
        return "key"
    outcome = player.outcome(tap)
    assert outcome is not None
    if player.table.would_ring(outcome):
        return "rings"
    return "" if view.dice or tap["what"] != "dice" else "dice"


def shown(table: Table, view: Ahead) -> dict[str, Any]:
    rolls = counted(table)
    back: list[int] = []
    for roll in reversed(rolls):
        if roll.seat != table.seat or not roll.goes_on:
            break
        back.insert(0, roll.points)
    last = rolls[-1] if rolls else None
    return {
        "seat": table.seat,
        "points": list(table.points),
        "turn": back,
        "last": [last.seat, last.result, last.points, last.goes_on] if last else None,
    }


def cases(random: Random, count: int) -> list[Case]:
    sets = [preset(name) for name in PRESETS]
    sets += [override(preset(random.choice(list(PRESETS))), other) for other in OTHERS]
    found: list[Case] = []
    while len(found) < count:
        if case := drawn_case(random, random.choice(sets)):
            found.append(case)
    return found


def answers(browser: Browser, drawn: list[Case]) -> list[dict[str, Any] | None]:
    page = browser.new_page()
    page.add_script_tag(content=read_static("ahead.js").decode())
    given = msgspec.json.encode([[case.view.plain, case.taps] for case in drawn]).decode()
    text = page.evaluate("all => JSON.stringify(JSON.parse(all).map((one) => ahead(...one)))", given)
    page.close()
    found: list[dict[str, Any] | None] = msgspec.json.decode(text)
    return found


def test_a_phone_without_a_network_shows_what_the_engine_has(browser: Browser) -> None:
    drawn = cases(Random(7), ROUNDS)
    known = 0
    for case, found in zip(drawn, answers(browser, drawn), strict=True):
        if found is None:
            long = len(case.view.rolls) == MAX_KEPT_ROLLS or not case.view.whole
            assert case.why or long, (case.view, case.taps)
            continue
        known += 1
        last = case.wanted and case.wanted["last"]
        if last and not case.view.whole and found["last"] is None:
            case.wanted["last"] = None  # type: ignore[index]
        assert found == case.wanted, (case.view, case.taps, case.why)
    assert known > ROUNDS // 3
    assert {"rings", "key", "bell", "done", "rolls before", "dice"} <= {case.why for case in drawn}


@pytest.fixture
def page(phone: BrowserContext, place: str, backend: FakeBackend) -> Page:
    """A phone that is table 1 of an open round."""
    backend.take(OPEN, SEATED, START)
    backend.plays_on_a_phone()
    opened = phone.new_page()
    opened.goto(f"{place}/table/1/play?code={backend.code()}")
    return opened


def until(page: Page, true: str) -> None:
    """Lets the page go on until it is true; the test's bound ends it."""
    while not page.evaluate(true):
        pass


def tap(page: Page, key: str) -> None:
    page.click(f"button[name=tap][value={key}]:visible")
    until(page, "!document.body.classList.contains('rests')")


def test_a_phone_whose_network_is_cut_goes_on_until_the_head_has_its_word(
    page: Page, backend: FakeBackend
) -> None:
    line, undo, miss = page.locator("#turnline"), page.locator("#undoes"), page.locator("button[value=miss]")
    keeps = page.locator("#keeps")
    tap(page, "one")
    until(page, "JSON.parse(localStorage.getItem('taps' + location.pathname)).length === 0")
    backend.take(fact("roll", 2000, table=1, call="one", source="hand"))
    backend.phones[1].name = "a.2"
    backend.changes.changed()
    expect(line).to_contain_text("1 point, roll again!")
    page.context.set_offline(True)
    tap(page, "two")
    expect(line).to_contain_text("2 points, roll again!")
    expect(line).to_contain_text("3 in this turn")
    tap(page, "miss")
    expect(line.locator(".plate")).to_have_text("Bob")
    expect(line.locator(".chip.us")).to_contain_text("3")
    expect(line).to_contain_text("rolls three dice")
    expect(miss).to_contain_text("the dice go to Cat")
    expect(undo).to_have_text("Undo Ann: Miss")
    expect(keeps).to_contain_text("2 throws")
    tap(page, "undo")
    expect(line.locator(".plate")).to_have_text("Ann")
    expect(undo).to_have_text("Undo Ann: Two")
    expect(keeps).to_contain_text("1 throw is kept")
    page.context.set_offline(False)
    expect(keeps).to_be_hidden()
    expect(line).to_contain_text("1 in this turn")  # this head has counted nothing of it
    expect(line.locator(".chip.us")).to_contain_text("1")
    assert [what for _, _, what, _ in backend.phones[1].taps] == ["one", "two", "miss", "undo"]


def test_a_bunco_without_a_network_is_kept_and_its_result_not_guessed(page: Page) -> None:
    line = page.locator("#turnline")
    page.context.set_offline(True)
    tap(page, "bunco")
    page.click("#ringing [data-yes]")
    expect(line).to_contain_text("Kept on this phone")
    expect(line.locator(".plate")).to_be_hidden()
    expect(page.locator("#keeps")).to_contain_text("1 throw is kept")
