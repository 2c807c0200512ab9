"""The host's page in a tournament: who rolls where, and the large key for the next stage."""

from collections.abc import Sequence

from game.evenings import Play
from game.test_tournament import enter, final_table, qualified
from pi_bunco.web.pages import TEMPLATES
from pi_bunco.web.pages.host.frame import HostQuery
from pi_bunco.web.pages.host.tonight.page import HostTonight, shown_tonight
from pi_bunco.web.site.evening_now import EveningNow, TablePresence
from pi_bunco.web.site.page import Context
from web.nights import recent


def page(play: Play) -> HostTonight:
    signs = {number: TablePresence(online=True, silent_s=0) for number in range(1, 7)}
    evening_now = EveningNow(play.evening, play.log, recent(play.log), play.t, 0, tables=signs)
    return shown_tonight(evening_now, HostQuery())


def html(play: Play, texts: Sequence[str], lang: str = "en") -> None:
    shown = TEMPLATES.render(page(play), Context(path="/host", csrf="c", lang=lang))
    for text in texts:
        assert text in shown


def test_a_tie_for_a_place_is_shown_with_its_table() -> None:
    play = qualified()
    assert page(play).big.action is None
    assert [(one.kind, one.table, one.name) for one in page(play).reasons] == [("rolls_for", 1, "e, g")]
    html(play, ["Table 1 rolls for a place or a prize", "One die each: e, g."])
    html(play, ["Tisch 1 würfelt um einen Platz oder einen Preis"], "de")


def test_the_large_key_begins_each_stage() -> None:
    play = qualified()
    enter(play, "buncos", 1, e=3, g=4)
    key = page(play).big
    assert (key.kind, key.action and key.action.command) == ("semi_final", "stage")
    assert not page(play).reasons
    html(play, ["Begin the semi-final"])
    play.say("stage", stage="semi_final")
    assert page(play).big.kind == "start"


def test_the_final_names_who_rolls() -> None:
    play = final_table()
    play.say("roll", table=1, dice=[1, 2, 3])
    play.say("roll", table=1, dice=[4, 6, 6])
    assert page(play).big.kind == "final"
    play.say("stage", stage="final")
    assert [one.kind for one in page(play).reasons] == ["rolls_triple"]
    play.say("roll", table=1, dice=[4, 4, 4])
    assert page(play).big.kind == "done"
    html(play, ["Confirm the grand prize"])
