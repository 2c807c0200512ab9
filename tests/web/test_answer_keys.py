"""After an answer the host's page says how to go on: a key for each reason, one that takes a command back."""

import html
import json
from typing import Any

import pytest

from game.evenings import fact
from pi_bunco.game.apply import apply
from pi_bunco.game.evening import Evening
from pi_bunco.game.facts import Fact
from pi_bunco.game.prizes import results
from pi_bunco.game.reasons import (
    ChairsEmpty,
    EveningIsClosed,
    EverySeatTaken,
    GhostLeaves,
    NamesAlike,
    NeedsSubstitute,
    NobodySeated,
    NoBreak,
    NoEveningOpen,
    NotPlaying,
    PlayingAlready,
    PrizeNeedsWinner,
    ResultFinalAlready,
    RoundRuns,
    StillPlaying,
)
from pi_bunco.head.reasons import (
    CanBeClosed,
    CloseItFirst,
    DieSilent,
    EveningClosed,
    EveningIsOpen,
    NeverThere,
    NoSeatLeft,
    OtherEnd,
    ReadsTheEnd,
    Refused,
    ReopenItFirst,
    RoundsPlayed,
    StartWithoutIt,
    SwitchedOff,
    ThatTable,
)
from pi_bunco.reason import InEnglish, Reason
from pi_bunco.web.pages.host.answer_keys import keys_back, keys_of_fault, keys_on
from pi_bunco.web.site.notices import Action, Notice
from pi_bunco.web.site.reasons import HeadAway
from pi_bunco.wire.messages import WayOn
from web.backends import OPEN, SEATS, START, FakeBackend
from web.nights import Night, opened
from web.test_host_pages import logged_in

SITTING = Night(12).draw()
NIGHT = opened(12)


def keys(found: tuple[Action, ...]) -> list[tuple[str, Any]]:
    return [(one.href, None) if one.href else (one.command, json.loads(one.args)) for one in found]


def keys_after(
    evening: Evening, command: str, *why: Reason, ways: tuple[WayOn, ...] = ()
) -> list[tuple[str, Any]]:
    """The keys under an answer of the head that refuses for these reasons."""
    return keys(keys_on(evening, command, why, (*ways, *Refused(*why).leads_to)))


@pytest.mark.parametrize(
    ("command", "why", "expected"),
    [
        ("undo", EveningClosed(), ("evening_reopen", {})),
        ("undo", EveningIsClosed(), ("evening_reopen", {})),
        ("evening_close", CanBeClosed(), ("/host?ask=evening_close", None)),
        ("evening_open", EveningIsOpen(RoundsPlayed(3, 12)), ("/host/prepare?panel=money", None)),
        ("pause", NoEveningOpen(), ("/host/prepare", None)),
        ("confirm", ResultFinalAlready(3), ("reopen", {"table": 3})),
        ("undo", ReopenItFirst(2), ("reopen", {"table": 2})),
        ("confirm", StillPlaying(2), ("/host?table=2", None)),
        ("light", SwitchedOff(2), ("/host?table=2", None)),
        ("light", SwitchedOff(99), ("/host", None)),
        ("round_start", SwitchedOff(2), ("/host", None)),
        ("round_start", ChairsEmpty(4), ("/host?ask=seats_draw", None)),
        ("arrive", NoSeatLeft(), ("/host?panel=people", None)),
        ("arrive", EverySeatTaken(("Gus",)), ("/host?panel=people", None)),
        ("arrive", NeedsSubstitute("Ann"), ("/host?panel=people", None)),
        ("arrive", NamesAlike("Gus", "gus"), ("/host?panel=people", None)),
        ("arrive", PlayingAlready("Gus"), ("/host?panel=people", None)),
        ("substitute", GhostLeaves("Ghost 1", "Gus"), ("arrive", {"player": "Gus"})),
        ("prize", PrizeNeedsWinner(), ("/host/results", None)),
        ("undo", ReadsTheEnd(), ("/host/health", None)),
        ("undo", HeadAway(), ("/host/health", None)),
        ("pause", RoundRuns(), ("/host", None)),
        ("resume", NoBreak(), ("/host", None)),
        ("leave", NotPlaying("The evening is closed"), ("/host?panel=people", None)),
        ("undo", InEnglish("The evening is closed."), ("/host", None)),
    ],
)
def test_every_reason_leads_on(command: str, why: Reason, expected: object) -> None:
    assert keys_after(NIGHT.evening, command, why) == [expected]


def test_an_open_evening_is_closed_or_another_opened_in_its_place() -> None:
    why = EveningIsOpen(RoundsPlayed(3, 12)), CloseItFirst()
    places = ["/host?ask=evening_close", "/host/prepare?panel=money"]
    assert keys_after(NIGHT.evening, "evening_open", *why) == [(place, None) for place in places]


def test_nobody_seated_is_mended_by_a_draw() -> None:
    assert keys_after(Night(12).evening, "round_start", NobodySeated()) == [("seats_draw", {})]


def test_a_round_starts_without_all_that_is_missing() -> None:
    missing = NeverThere(2), DieSilent(3, 1, "unheard"), StartWithoutIt()
    without = WayOn("round_start", {"bypass": [1, 2, 3]})
    found = keys_after(NIGHT.evening, "round_start", *missing, ways=(without,))
    assert found == [("round_start", {"bypass": [1, 2, 3]})]


def test_a_guest_gets_a_chair_by_a_draw_once_a_round_was_played() -> None:
    evening = Night(12).draw().rounds(1).evening
    assert keys_after(evening, "arrive", EverySeatTaken(("Gus",))) == [("seats_draw", {"guests": ["Gus"]})]


def test_a_way_of_a_newer_head_makes_no_key() -> None:
    ways = WayOn("seats_swap", {"a": "Ann"}), WayOn("reopen", {"board": 3})
    assert keys_after(NIGHT.evening, "undo", ways=ways) == [("/host", None)]


def test_another_end_of_the_log_is_taken_over_here() -> None:
    (key,) = keys_of_fault(OtherEnd(ThatTable(3), 40, 9, 3))
    wanted = "branch", {"table": 3}, True, "branch.3"
    assert (key.command, json.loads(key.args), key.ask, key.question) == wanted
    assert [key.command for key in keys_of_fault(ReadsTheEnd())] == ["go_on"]
    assert keys_of_fault(InEnglish("The card is read-only.")) == ()


@pytest.mark.parametrize(
    ("command", "args", "expected"),
    [
        ("bypass", {"table": 2}, ("restore", {"table": 2})),
        ("restore", {"table": 2}, ("bypass", {"table": 2})),
        ("decide", {"table": 2, "winner": "US"}, ("reopen", {"table": 2})),
        ("tally", {"table": 2}, ("/host?table=2&panel=tally", None)),
        ("confirm", {"table": 2}, ("reopen", {"table": 2})),
        ("turn", {"table": 1, "seat": "C"}, ("turn", {"table": 1, "seat": "A", "rolls": 0})),
        ("hand", {"table": 1, "allowed": True}, ("hand", {"table": 1, "allowed": False})),
        ("undo", {"table": 2, "n": 812}, ("hand", {"table": 2, "allowed": True})),
        ("pause", {}, ("resume", {})),
        ("silence", {"minutes": 30}, ("silence", {"minutes": 0})),
        ("leave", {"player": "Ann"}, ("arrive", {"player": "Ann"})),
        ("arrive", {"player": "Gus"}, ("leave", {"player": "Gus"})),
        ("substitute", {"out": "Ann", "in": "Gus"}, ("substitute", {"out": "Gus", "in": "Ann"})),
        ("evening_close", {}, ("evening_reopen", {})),
        ("round_end", {}, ("/host?ask=bell_void", None)),
    ],
)
def test_a_command_is_answered_with_the_key_that_takes_it_back(
    command: str, args: dict[str, Any], expected: object
) -> None:
    assert keys(keys_back(NIGHT.evening, command, args)) == [expected]


def test_seats_that_were_drawn_anew_are_put_back() -> None:
    before = [list(names) for names in SITTING.evening.seating or ()]
    assert keys(keys_back(SITTING.evening, "seats_draw", {})) == [("seats_set", {"tables": before})]
    assert keys_back(Night(12).evening, "seats_draw", {}) == ()


@pytest.mark.parametrize("people", [12, 11])
def test_seats_and_people_come_back_in_the_game_itself(people: int) -> None:
    night = Night(people).draw().rounds(1)
    evening = night.evening
    seats, present = list(evening.seating or ()), sorted(evening.people.present)
    for kind, fields in (
        ("substitute", {"out": "Ann", "in": "Gus 2"}),
        ("leave", {"player": "Bob"}),
        ("seating", {"tables": [list(names) for names in seats[::-1]]}),
    ):
        command = "seats_set" if kind == "seating" else kind
        (back,) = keys_back(evening, command, fields)
        assert night.say(kind, **fields) is None
        undone = "seating" if back.command == "seats_set" else back.command
        assert night.say(undone, **json.loads(back.args)) is None
        assert sorted(evening.people.present) == present


def test_a_prize_goes_to_another_of_those_who_tied() -> None:
    night = Night(12, rules="gong", pot="60.00").draw().rounds(12)
    (award, *_) = [award for award in results(night.evening).prizes if award.tied]  # type: ignore[union-attr]
    first, *others = award.tied
    given: dict[str, Any] = {"for": award.category, "to": first}
    found = keys_back(night.evening, "prize", given)
    assert [json.loads(key.args)["to"] for key in found] == [list(award.tied), *others]
    assert night.say("prize", **given) is None
    assert night.say("prize", **json.loads(found[0].args)) is None
    after = next(one for one in results(night.evening).prizes if one.category == award.category)  # type: ignore[union-attr]
    assert sorted(after.winners) == sorted(award.tied)
    assert keys_back(night.evening, "prize", {"for": "champion", "to": first}) == ()


def test_a_refusal_stands_on_the_page_with_its_key_until_it_was_read(backend: FakeBackend) -> None:
    browser, token = logged_in(backend)
    backend.take(OPEN, SEATS, START)
    backend.refuse(CanBeClosed())
    browser.post("/host/command", data={"csrf": token, "command": "evening_close"})
    page = browser.get("/host").text
    assert "unfinished" not in page.split('id="notice"')[1].split("</form>")[0]
    assert '<a class="key s " href="/host?ask=evening_close">Close the evening</a>' in page
    asked = browser.get("/host?ask=evening_close").text
    assert "Close before the last round?" in asked
    browser.post("/host/setting", data={"csrf": token, "seen": "1", "back": "/host"})
    assert 'id="notice"' not in browser.get("/host").text


def test_a_key_made_for_another_round_does_nothing(backend: FakeBackend) -> None:
    browser, token = logged_in(backend)
    backend.take(OPEN, SEATS, START)
    form = {"csrf": token, "command": "round_end", "round": "e1.0"}
    browser.post("/host/command", data=form)
    assert backend.commands == []
    assert "another one when this key was made" in browser.get("/host").text
    assert '<input type="hidden" name="round" value="e1.1">' in browser.get("/host").text
    browser.post("/host/command", data=form | {"round": "e1.1"})
    assert [command.command for command in backend.commands] == ["round_end"]


def test_an_evening_that_is_open_is_closed_by_another_only_by_the_hosts_word(backend: FakeBackend) -> None:
    browser, token = logged_in(backend)
    browser.post("/host/prepare", data={"csrf": token, "names": "Ann\nBob\nCat\nDee"})
    before = browser.get("/host/prepare?panel=money").text
    assert 'name="do" value="open"' in before
    backend.take(OPEN, SEATS, START)  # another host was quicker
    browser.post("/host/prepare", data={"csrf": token, "do": "open"})
    assert "replace" not in backend.commands[0].args
    after = browser.get("/host/prepare?panel=money").text
    assert 'value="open"' not in after
    assert 'value="replace"' not in after
    assert 'value="replace"' in browser.get("/host/prepare?panel=money&ask=replace").text
    browser.post("/host/prepare", data={"csrf": token, "do": "replace"})
    assert backend.commands[-2].args["replace"] is True


def test_two_hosts_type_names_at_once(backend: FakeBackend) -> None:
    ann, token = logged_in(backend)
    cat, other = logged_in(backend)
    seen = {"before": "", "do": "rules"}
    ann.post("/host/prepare", data={"csrf": token, "names": "Ann\nBob", **seen})
    cat.post("/host/prepare", data={"csrf": other, "names": "Cat\nBob", **seen})
    cat.post("/host/prepare", data={"csrf": other, "names": "Ann\nCat", "before": "Cat\nBob", "do": "rules"})
    assert backend.archive.kept["draft"]["names"] == ("Ann", "Cat")


@pytest.mark.parametrize("place", ["panel=people", "panel=horn", "table=1", "panel=tally"])
def test_an_answer_stands_where_the_command_was_given(backend: FakeBackend, place: str) -> None:
    browser, token = logged_in(backend)
    backend.take(OPEN, SEATS)
    backend.refuse(PlayingAlready("Gus"))
    browser.post("/host/command", data={"csrf": token, "command": "arrive", "arg.player": "Gus"})
    page = browser.get(f"/host?{place}").text
    before, _, after = page.partition('id="notice"')
    assert "Gus is playing already." in after
    assert ('class="drawer col"' in before) == (place != "panel=tally")


def test_a_host_who_saw_other_seats_does_not_undo_a_move(backend: FakeBackend) -> None:
    browser, token = logged_in(backend)
    backend.take(OPEN, SEATS)
    page = browser.get("/host/prepare?panel=seats").text
    before = html.unescape(page.split('name="before" value="')[1].split('"')[0])
    assert json.loads(before) == [["Ann", "Bob", "Cat", "Dee"]]
    moved = {"tables": [["Ann", "Cat", "Bob", "Dee"]]}
    form = {"csrf": token, "command": "seats_set", "args": json.dumps(moved), "before": before}
    browser.post("/host/command", data=form)
    assert [command.command for command in backend.commands] == ["seats_set"]
    backend.take(fact("seating", tables=[["Dee", "Bob", "Cat", "Ann"]]))  # by another host
    browser.post("/host/command", data=form)
    assert len(backend.commands) == 1
    assert "Somebody was moved meanwhile" in browser.get("/host").text
    browser.post("/host/command", data=form | {"before": "[["})
    assert len(backend.commands) == 1


def test_an_answer_goes_with_the_state_that_it_speaks_of(backend: FakeBackend) -> None:
    browser, token = logged_in(backend)
    backend.take(OPEN, SEATS)
    browser.post("/host/command", data={"csrf": token, "command": "seats_draw", "back": "/host?panel=tools"})
    assert "Put the seats back" in browser.get("/host?table=1").text
    backend.take(START)
    assert "Put the seats back" not in browser.get("/host?table=1").text
    assert 'id="notice"' not in browser.get("/host").text


def test_an_answer_stands_on_the_page_of_its_command_alone(backend: FakeBackend) -> None:
    browser, token = logged_in(backend)
    backend.take(OPEN, SEATS)
    form = {"csrf": token, "command": "evening_close", "back": "/host/results"}
    browser.post("/host/command", data=form)
    assert 'id="notice"' not in browser.get("/host/prepare?panel=money").text
    assert "Open the evening again" in browser.get("/host/results").text.split('id="notice"')[1]


@pytest.mark.parametrize(
    ("command", "later"),
    [
        ("bypass", fact("restore", 2000, table=1)),
        ("turn", fact("turn", 2000, table=1, seat="C")),
        ("light", fact("round_close", 2000)),
        ("undo", fact("hand", 2000, table=1, allowed=True)),
    ],
)
def test_an_answer_is_old_when_what_it_speaks_of_is_another(command: str, later: Fact) -> None:
    night = opened(12)
    notice = Notice(True, command, table=1)
    before = notice.moment(night.evening)
    night.say("roll", table=1, dice=[1, 1, 3], source="dice")
    night.say("roll", table=2, dice=[2, 3, 4], source="dice")
    assert notice.moment(night.evening) == before
    if command == "bypass":
        night.say("bypass", table=1)
        before = notice.moment(night.evening)
    apply(night.evening, later)
    assert notice.moment(night.evening) != before
