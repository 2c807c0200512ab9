"""The end of the evening that the host named: what helps is proposed, and nothing is left out unasked."""

import pytest

from pi_bunco.web.pages import TEMPLATES
from pi_bunco.web.pages.host.frame import NO_QUERY, HostQuery
from pi_bunco.web.pages.host.tonight.page import shown_tonight
from pi_bunco.web.site.evening_now import EveningNow
from pi_bunco.web.site.page import Context
from web.nights import Night

CLOCK = "/host?panel=pace"


def evening(end_s: int, rounds: int = 0, **pace: int) -> EveningNow:
    """An evening of twelve by the clock that the host wants to end `end_s` seconds from now."""
    night = Night(12, rules="gong").draw().rounds(rounds)
    night.say("pace", play_s=180, move_s=120, **pace)
    night.say("pace", play_s=180, move_s=120, end_by=night.t + 1000 * end_s, **pace)
    return night.evening_now()


def late_notes(now: EveningNow) -> list[tuple[str, list[str]]]:
    notes = [one for one in shown_tonight(now, NO_QUERY).reasons if one.kind == "late"]
    return [(one.name, [key.command or key.href for key in one.actions]) for one in notes]


def test_an_evening_in_time_says_nothing() -> None:
    assert late_notes(evening(4 * 3600)) == []


def test_an_evening_that_is_late_offers_shorter_moves_and_the_host_takes_them() -> None:
    now = evening(3300)
    assert late_notes(now) == [("5", [CLOCK])]
    model = shown_tonight(now, HostQuery(panel="pace"))
    assert model.pace is not None
    assert (model.pace.helps, model.pace.move_s % 5) == (True, 0)
    assert 30 <= model.pace.move_s < 120
    page = TEMPLATES.render(model, Context())
    assert "to move it ends in time: press the key below" in page
    assert f'<option value="{model.pace.move_s}" selected>' in page
    assert f'<option value="{model.pace.end_by}" selected>' in page


@pytest.mark.parametrize(
    ("rounds", "keys"), [(2, ["/host?panel=pace"]), (4, ["evening_close", "/host?panel=pace"])]
)
def test_a_late_evening_that_no_shorter_move_saves_gets_the_key_that_closes_it(
    rounds: int, keys: list[str]
) -> None:
    now = evening(1260 - 300 * rounds, rounds)
    ((_, found),) = late_notes(now)
    assert found == keys
    model = shown_tonight(now, HostQuery(panel="pace"))
    assert model.pace is not None
    assert not model.pace.helps
    assert "You are asked then" in TEMPLATES.render(model, Context())
    asked = shown_tonight(now, HostQuery(ask="evening_close"))
    assert asked.sheet is not None


def test_the_form_of_the_clock_offers_what_is_set() -> None:
    night = Night(12, rules="gong").draw()
    night.say("pace", play_s=150, move_s=45, wait_s=20)
    page = TEMPLATES.render(shown_tonight(night.evening_now(), HostQuery(panel="pace")), Context())
    assert [f'<option value="{seconds}" selected>' in page for seconds in (150, 45, 20)] == [True] * 3


def test_rounds_that_no_time_ends_take_what_the_odds_say() -> None:
    night = Night(12, rules="gong").draw()
    night.say("pace", move_s=120, end_by=night.t + 3_600_000)
    assert late_notes(night.evening_now())
    night = Night(12, rules="mybunco").draw()
    night.say("pace", move_s=120, end_by=night.t + 12 * 3_600_000)
    assert late_notes(night.evening_now()) == []


def test_end_is_not_promised_once_it_is_past() -> None:
    now = evening(0, 4)
    assert [keys for _, keys in late_notes(now)] == [["evening_close", CLOCK]]
    assert "it ends in time" not in TEMPLATES.render(shown_tonight(now, HostQuery(panel="pace")), Context())
