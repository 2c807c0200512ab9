"""Evenings in real browsers: the host's laptop, phones as tables, a player's phone and a TV."""

import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from hall.by_keys import without_a_mouse
from hall.night import PATIENCE, Host, Night
from hall.screens import AWAY, PHONE, TV, Screens, asked, join, login, paper, prepare, press, tap
from hall.test_hall_evening import start
from pi_bunco.web.pages.board.name_list import halves

NAMES = [
    "Ann",
    "Bob",
    "Cat",
    "Dee",
    "Eve 🎲",
    "מרים",
    "Bartholomew-Christopher Smith",
    "<script>alert(1)</script>",
]
pytestmark = pytest.mark.system("chromium", "mosquitto")


class Party:
    """The screens of an evening: `one` and `two` are phones as tables, `me` is Ann's own."""

    def __init__(self, night: Night, screens: Screens) -> None:
        self.night = night
        self.screens = screens
        self.tv = screens.open("/", TV)
        self.host = login(night, screens)
        prepare(self.host, NAMES)
        self.me = screens.open("/me", PHONE)
        self.me.click("button[name=name][value=Ann]")
        self.one, self.two = join(night, screens, 1), join(night, screens, 2)
        self.go("/host")

    @property
    def all(self) -> tuple[Page, ...]:
        return self.tv, self.me, self.one, self.host

    def go(self, path: str) -> None:
        """The host opens a page."""
        self.host.goto(path)

    def show(self, scene: str, me: str, one: str, host: str) -> None:
        """Each of the screens shows that text now, or a moment later."""
        expect(self.tv.locator(f"main.{scene}")).to_be_visible()
        expect(self.me.locator("#mine")).to_contain_text(me)
        expect(self.one.locator("#page")).to_contain_text(one)
        expect(self.host.locator("#page")).to_contain_text(host)


def played_with_a_broken_net(party: Party, boss: Host) -> None:
    """The first round: before every step of it all screens are cut off, and after it they catch up."""
    night, one = party.night, party.one
    cut, back = party.screens.cut, party.screens.back
    cut(*party.all, quietly=True)
    start(night, boss)
    back(*party.all)
    party.show("Playing", "Round 1, you sit at", "then tap what counts", "End round 1")
    cut(*party.all)
    tap(one, "miss")
    expect(one.locator("#keeps")).to_contain_text("1 throw is kept")
    tap(party.two, "two")
    back(*party.all)
    expect(one.locator("#keeps")).to_be_hidden()
    night.until(lambda evening: evening["state"] == "round_open")
    cut(*party.all)
    boss.done("round_end")
    back(*party.all)
    party.show("AfterBell", "Dice down", "Is this right?", "The bell rang")
    tap(party.two, "ok")
    cut(*party.all)
    tap(one, "ok")
    back(*party.all)
    party.show("AfterBell", "Round 1", "A tie at 0", "Table 1 rolls off")
    cut(*party.all)
    tap(one, "one")
    back(*party.all)
    expect(one.locator("#page")).to_contain_text("Undo")
    for _ in range(3):
        tap(one, "miss")
    cut(*party.all)
    tap(one, "miss")
    back(*party.all)
    party.show("Between", "Your partner", "These sit here next", "Everybody moves")
    cut(*party.all)
    boss.done("pause", minutes=15)
    back(*party.all)
    party.show("BreakTime", "It is break", "It is break", "Break")


def people_change(party: Party) -> None:
    """In the break one stands in, one leaves and one arrives."""
    host = party.host
    for form, fields in (
        ("substitute", {"arg.out": "Bob", "arg.in": "Zoë"}),
        ("leave", {"arg.player": "Cat"}),
        ("arrive", {"arg.player": "Gus"}),
    ):
        party.go("/host?panel=people")
        panel = host.locator(f"form.box:has(input[value={form}])")
        for name, value in fields.items():
            field = panel.locator(f"[name='{name}']")
            if field.evaluate("field => field.tagName") == "SELECT":
                field.select_option(value)
            else:
                field.fill(value)
        with host.expect_navigation(timeout=PATIENCE * 1000):
            panel.locator("button").click()
        expect(host.locator("#notice")).to_contain_text("Done")
    party.go("/host?panel=tools")
    press(host, "End the break")


def a_false_bell_and_a_table_on_paper(party: Party) -> None:
    """The second round: the bell is false once, and table 2 plays on paper."""
    night, host, one = party.night, party.host, party.one
    press(host, "Start round 2")
    party.go("/host?table=2")
    press(host, "Play on paper")
    tap(one, "two")
    tap(one, "bunco")
    one.click("dialog[open] [data-yes]")
    expect(party.tv.locator("main.BuncoMoment, main.AfterBell")).to_be_visible()  # the moment is 5 s
    party.go("/host?panel=tools")
    asked(host, "That bell was false")
    party.show("Playing", "Round 2, you sit at", "roll again", "End round 2")
    press(host, "End round 2")
    party.go("/host?table=2&panel=tally")
    host.fill("[name='arg.cards.0.points']", "9")
    host.fill("[name='arg.cards.1.points']", "4")
    press(host, "That is the score")
    tap(one, "ok")
    party.go("/host")
    press(host, "Press OK for them")
    evening = night.until(lambda evening: len(evening["rounds"]) == 2)
    assert evening["rounds"][1]["tables"][1]["points"] == [9, 4]


def played_on(party: Party) -> None:
    """The evening that was opened again has a third round, with table 2 on its phone."""
    host = party.host
    party.go("/host")
    press(host, "Wait for it again")
    press(host, "Start round 3")
    for phone in (party.one, party.two):
        tap(phone, "two")
    press(host, "End round 3")
    for phone in (party.one, party.two):
        tap(phone, "ok")
    evening = party.night.until(lambda evening: len(evening["rounds"]) == 3)
    assert [table["points"] for table in evening["rounds"][2]["tables"]] == [[2, 0], [2, 0]]
    host.goto("/host?panel=tools")
    asked(host, "Close the evening")
    expect(party.tv.locator("main.Finale")).to_be_visible()


def test_an_evening_is_played_on_real_pages(night: Night, screens: Screens, tmp_path: Path) -> None:
    party = Party(night, screens)
    tv, me, one, host = party.all
    for name in NAMES[-2:]:
        expect(tv.locator("#page")).to_contain_text("".join(halves(name)))
    for page in (tv, me, one):
        page.evaluate("document.body.dataset.here = 'since the beginning'")
    boss = Host(night)
    played_with_a_broken_net(party, boss)
    people_change(party)
    a_false_bell_and_a_table_on_paper(party)
    party.go("/host")
    screens.cut(tv, me, one)
    host.goto("/host?panel=tools")
    asked(host, "Close the evening")
    screens.back(tv, me, one)
    party.show("Finale", "The evening is over", "The evening is over", "All rounds are over")
    for page in (tv, me, one):
        assert page.locator("body[data-here]").count() == 1, "it was loaded again"
    party.go("/host/results")
    expect(host.locator("h1")).to_contain_text("wins the night")
    sheets = {what: paper(host, f"/host/print/{what}", tmp_path / f"{what}.pdf")
              for what in ("results", "cards")}  # fmt: skip
    assert sheets["results"] in (1, 2)  # by how many share a prize
    assert sheets["cards"] == 3
    party.go("/host/results")
    host.click("button:has-text('Open the evening again')")
    party.go("/host")
    party.show("Between", "Your partner", "These sit here next", "Round 3")
    assert paper(host, "/host/print/seats", tmp_path / "seats.pdf") == 1
    played_on(party)
    assert screens.wrong == []


def test_an_evening_is_played_without_a_mouse(
    night: Night, screens: Screens, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_a_mouse(monkeypatch)
    party = Party(night, screens)
    party.go("/host")
    press(party.host, "Start round 1")
    for phone in (party.one, party.two):
        tap(phone, "two")
    tap(party.one, "bunco")
    party.one.click("dialog[open] [data-yes]")
    expect(party.tv.locator("main.BuncoMoment, main.AfterBell")).to_be_visible()
    for phone in (party.one, party.two):
        tap(phone, "ok")
    night.until(lambda evening: len(evening["rounds"]) == 1)
    party.go("/host?panel=tools")
    asked(party.host, "Close the evening")
    expect(party.tv.locator("main.Finale")).to_be_visible()
    assert screens.wrong == []


class Equipment:
    """A table with dice and panel of its own, moved by typed words."""

    def __init__(self, night: Night, number: int, data: Path) -> None:
        command = ["table", "--number", str(number), "--config", "/dev/null", "--broker", night.broker]
        command += ["--data", str(data), "--dice", "virtual", "--panel", "virtual", "--stdin"]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "pi_bunco", *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline().startswith("ready: table")

    def type(self, line: str) -> None:
        """Rolls the dice, or presses a key."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()

    def close(self) -> None:
        """Switches it off."""
        self._process.terminate()
        self._process.communicate(timeout=PATIENCE)


@pytest.mark.parametrize("night", [1], indirect=True)
def test_a_phone_and_a_table_with_dice_play_under_two_hosts_while_head_and_page_are_killed(
    night: Night, screens: Screens, tmp_path: Path
) -> None:
    host = login(night, screens, "Ann")
    prepare(host, NAMES)
    dice = Equipment(night, 2, tmp_path / "table2")
    one, tv = join(night, screens, 1), screens.open("/", TV)
    second = login(night, screens, "", PHONE)
    expect(second.locator("#big")).to_contain_text("Start round 1")
    host.goto("/host")
    expect(host.locator("header")).to_contain_text("2 hosts are here")
    press(host, "Start round 1")
    expect(second.locator("#big")).to_contain_text("End round 1")
    dice.type("roll 1 4 6")
    expect(tv.locator("#t2 .chip.us")).to_contain_text("1")
    night.kill("head")
    dice.type("roll 1 1 2")
    tap(one, "one")
    night.kill("web")
    tap(one, "two")
    expect(one.locator(AWAY)).to_have_count(0)
    expect(tv.locator("#t2 .chip.us")).to_contain_text("3")
    expect(one.locator("#page .chip.us")).to_contain_text("3")
    host.goto("/host?table=2")
    press(host, "Undo")
    expect(tv.locator("#t2 .chip.us")).to_contain_text("1")
    second.click("#big button")
    expect(second.locator("#page")).to_contain_text("The bell rang")
    expect(host.locator("#page")).to_contain_text("Table 2 has not pressed OK")
    dice.type("press ok")
    tap(one, "ok")
    night.until(lambda evening: len(evening["rounds"]) == 1)
    dice.close()
    (round_,) = night.evening()["rounds"]
    assert [table["points"] for table in round_["tables"]] == [[3, 0], [1, 0]]
    expect(second.locator("#page")).to_contain_text("Table 2")
    assert screens.wrong == []


def test_two_phones_at_one_table_see_the_same(night: Night, screens: Screens) -> None:
    host = login(night, screens)
    prepare(host, NAMES)
    one, other = (join(night, screens, 1) for _ in range(2))
    join(night, screens, 2)
    host.goto("/host")
    press(host, "Start round")
    tap(one, "two")
    expect(other.locator("#page")).to_contain_text("Undo")
    tap(other, "undo")
    expect(one.locator("button[name=tap][value=undo]")).to_be_hidden()
    kinds = [fact["kind"] for _, fact in islice(night.facts(PATIENCE), 5)]
    assert kinds == ["evening", "seating", "round_open", "roll", "undo"]
    assert screens.wrong == []
