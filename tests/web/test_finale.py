"""Winners are told at the host's pace: the same on all scoreboards, over a restart, never two at once."""

from pi_bunco.web.pages import TEMPLATES
from pi_bunco.web.pages.board.page import shown_scoreboard
from pi_bunco.web.pages.host.frame import HostQuery
from pi_bunco.web.pages.host.results.page import shown_results
from pi_bunco.web.pages.host.tonight.page import shown_tonight
from pi_bunco.web.pages.player.page import shown_player
from pi_bunco.web.pages.shared.model import Finale
from pi_bunco.web.pages.shared.standings import steps
from pi_bunco.web.site.page import Context
from web.backends import FakeBackend
from web.nights import Night
from web.test_host_pages import logged_in


def ended(**fields: object) -> Night:
    return Night(12, rules="gong", **fields).draw().rounds(12)  # type: ignore[arg-type]


def shown(night: Night, revealed: int | None) -> Finale:
    scene = shown_scoreboard(night.evening_now(revealed=revealed)).scene
    assert isinstance(scene, Finale)
    return scene


def test_prizes_are_told_from_the_last_to_the_first_then_the_champion() -> None:
    night = ended()
    whole = shown(night, None)
    assert steps(whole) == (
        "lowest_score", "losses", "minis", "wins", "score", "buncos", "champion",
    )  # fmt: skip
    for revealed in range(7):
        now = shown(night, revealed)
        assert [prize.hidden for prize in now.prizes] == [True] * (6 - revealed) + [False] * revealed
        assert (now.champions, now.rows, now.revealed) == ((), (), revealed)
        assert now.prizes[6 - revealed :] == whole.prizes[6 - revealed :]
    assert shown(night, 7) == whole
    assert shown(night, 8) == whole


def test_nobody_reads_ahead() -> None:
    night = ended()
    champion = shown(night, None).champions[0]
    html = TEMPLATES.render(shown_scoreboard(night.evening_now(revealed=2)), Context())
    assert champion not in html
    assert "Who is it?" in html
    mine = shown_player(night.evening_now(revealed=2), champion)
    assert "You are the champion" not in TEMPLATES.render(mine, Context())
    assert "place 1 of 12" not in TEMPLATES.render(mine, Context())
    other = shown_player(night.evening_now(revealed=2), "Gus", "standings")
    assert other.rows == ()
    assert champion not in TEMPLATES.render(other, Context())
    assert "You are the champion" in TEMPLATES.render(
        shown_player(night.evening_now(revealed=7), champion), Context()
    )


def test_the_large_key_leads_to_the_telling_until_all_is_told() -> None:
    night = ended()
    kinds = [shown_tonight(night.evening_now(revealed=n), HostQuery()).big.kind for n in (0, 6, 7)]
    assert kinds == ["tell", "tell", "close"]
    html = TEMPLATES.render(shown_results(night.evening_now(revealed=6)), Context(csrf="c"))
    assert "6 of 7 are told." in html
    assert "Next: the champion" in html


def test_a_grand_prize_that_everybody_saw_is_no_step() -> None:
    night = Night(12, rules="tournament", evening__sets=1).draw().rounds(6)
    night.to("final").final(3, (4, 4, 4)).to("done")
    assert steps(shown(night, None)) == ()
    assert shown(night, 0).grand == shown(night, None).grand != ""


def test_the_host_has_it_told_on_every_scoreboard(backend: FakeBackend) -> None:
    night = ended()
    backend.take(*night.log)
    browser, token = logged_in(backend)

    def press(do: str, seen: int) -> int | None:
        form = {"csrf": token, "do": do, "revealed": str(seen)}
        assert browser.post("/host/finale", data=form).headers["location"] == "/host/results"
        return backend.sources().evening_now().revealed  # as after a restart

    assert backend.sources().evening_now().revealed == 0
    assert "Who is it?" in backend.browser().get("/").text
    assert press("next", 0) == 1
    assert press("next", 0) == 1  # a second host saw the same page
    assert press("next", 1) == 2
    assert press("all", 2) == 7
    assert "Who is it?" not in backend.browser().get("/").text
    assert press("again", 7) == 0
    night.say("evening_close")
    backend.take(night.log[-1])
    assert backend.sources().evening_now().revealed is None
    assert press("next", 0) is None
    assert "Who is it?" not in backend.browser().get("/").text


def test_only_the_host_has_it_told(backend: FakeBackend) -> None:
    backend.take(*ended().log)
    form = {"do": "all", "revealed": "0"}
    assert backend.browser().post("/host/finale", data=form).headers["location"] == "/host/login"
    browser, _ = logged_in(backend)
    assert browser.post("/host/finale", data=form).status_code == 403
    assert backend.sources().evening_now().revealed == 0
