"""Every page at every step of the evenings that were worked out by hand."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_bunco.errors import FactError
from pi_bunco.game import codec
from pi_bunco.game.apply import apply
from pi_bunco.game.evening import Evening
from pi_bunco.game.facts import Fact
from pi_bunco.web.pages import TEMPLATES
from pi_bunco.web.pages.board.page import shown_scoreboard
from pi_bunco.web.pages.host.frame import HostQuery
from pi_bunco.web.pages.host.log.page import shown_log
from pi_bunco.web.pages.host.results.page import shown_results
from pi_bunco.web.pages.host.tonight.page import shown_tonight
from pi_bunco.web.pages.phone_table.model import shown_phone
from pi_bunco.web.pages.player.page import shown_player
from pi_bunco.web.pages.table.page import shown_table
from pi_bunco.web.site.evening_now import EveningNow, PhonePlay
from pi_bunco.web.site.page import Context, PageModel
from web.nights import BEGAN, recent

LOGS = sorted((Path(__file__).parents[1] / "golden").glob("*.jsonl"))
EVERY = 23
"""The number of facts between two looks, besides those at which the evening's state changes."""


def steps(path: Path) -> Iterator[EveningNow]:
    evening, log, state = Evening(), list[Fact](), ""
    for line in path.read_bytes().splitlines():
        log.append(codec.decode(line))
        try:
            apply(evening, log[-1])
        except FactError:
            log.pop()
            continue
        if evening.state != state or len(log) % EVERY == 0:
            state = evening.state
            yield EveningNow(evening, log, recent(log), log[-1].t + 100, BEGAN, base="http://bunco.local")


def models(s: EveningNow) -> Iterator[PageModel]:
    name = s.evening.people.holders[0]
    yield shown_scoreboard(s)
    yield shown_player(s, name)
    yield shown_table(s, 2)
    table = s.evening.round.tables[0] if s.evening.round else None
    yield shown_phone(s, 1, PhonePlay(table))
    yield shown_tonight(s, HostQuery(table=1))
    yield shown_results(s)
    yield shown_log(s, HostQuery())


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
def test_an_evening_is_shown_from_its_first_fact_to_its_last(path: Path) -> None:
    scenes = set()
    for evening_now in steps(path):
        for model in models(evening_now):
            assert TEMPLATES.body(model, Context())
            scenes.add(type(getattr(model, "scene", None)).__name__)
    assert {"BeforeFirst", "Playing"} <= scenes
