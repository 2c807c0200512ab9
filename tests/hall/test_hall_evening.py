"""Whole evenings in a hall on one machine, with phones for all tables."""

import time
from collections.abc import Callable

import pytest

from hall.night import PATIENCE, Host, Night, Phone

PLAYERS = ["Ann", "Bob", "Cat", "Dee", "Eve", "Flo", "Gus", "Hal"]
pytestmark = pytest.mark.system("mosquitto")


def opened(night: Night, host: Host) -> list[Phone]:
    """An evening of two tables is open and seated; its phones."""
    host.done("evening_open", rules="gong", players=PLAYERS, sets=1)
    host.done("seats_draw")
    night.until(lambda evening: evening["next_seating"] is not None)
    phones = [Phone(night, table) for table in (1, 2)]
    for phone in phones:
        phone.join(night.id)
    return phones


def start(night: Night, host: Host) -> None:
    """Starts a round as soon as the tables are there."""
    end = time.monotonic() + PATIENCE
    while not (said := host.say("round_start"))["done"]:
        assert time.monotonic() < end, said
    night.until(lambda evening: evening["state"] == "round_open")


def play(night: Night, host: Host, phones: list[Phone]) -> None:
    """A round: US scores at every table, and a Bunco at the first one rings."""
    start(night, host)
    played = len(night.evening()["rounds"])
    for phone in reversed(phones):
        assert phone.tap("two") == 204
    assert phones[0].tap("bunco") == 204
    night.until(lambda evening: evening["state"] == "after_bell")
    confirm(night, phones, played + 1)


def confirm(night: Night, phones: list[Phone], rounds: int) -> None:
    """Everybody presses OK, again where the table was not done yet, until `rounds` rounds are over."""
    end = time.monotonic() + PATIENCE
    while len(night.evening()["rounds"]) < rounds:
        assert time.monotonic() < end, night.evening()
        for phone in phones:
            assert phone.tap("ok") in (204, 409)


def test_an_evening_from_nothing_to_its_results(night: Night) -> None:
    host = Host(night)
    phones = opened(night, host)
    for _ in range(6):
        play(night, host, phones)
    evening = night.evening()
    assert evening["state"] == "finished"
    assert [round_["bell"]["by"] for round_ in evening["rounds"]] == ["bunco"] * 6
    assert sum(card["buncos"] for card in evening["standings"].values()) == 6


def test_a_repeated_tap_counts_once_and_phones_lose_nothing_while_head_and_page_are_killed(
    night: Night,
) -> None:
    host = Host(night)
    one, two = opened(night, host)
    start(night, host)
    one.tap("one", times=3)
    night.kill("head")
    two.tap("dice", "1,1,4")
    night.kill("web")
    one.tap("two", times=2)
    two.tap("two")
    one.tap("undo", times=3)
    host = Host(night)
    host.done("round_end")
    confirm(night, [one, two], 1)
    evening = night.evening()
    (round_,) = evening["rounds"]
    assert [table["points"] for table in round_["tables"]] == [[1, 0], [4, 0]]


@pytest.mark.parametrize("ends", [Night.again, Night.killed_again])
def test_the_evening_goes_on_after_the_laptop_was_switched_off_or_the_hall_killed(
    night: Night, ends: Callable[[Night], None]
) -> None:
    host = Host(night)
    phones = opened(night, host)
    play(night, host, phones)
    before = night.evening()
    ends(night)
    assert night.until(lambda evening: len(evening["rounds"]) == 1) == before
    play(night, Host(night), phones)
