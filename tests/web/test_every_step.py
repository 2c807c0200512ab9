"""Every page at every step of the evenings that were worked out by hand."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_bunco.errors import FactError
from pi_bunco.game import codec
from pi_bunco.game.apply import apply
from pi_bunco.game.evening import Evening
from pi_bunco.game.facts import Fact
from pi_bunco.web import present
from pi_bunco.web.models import PageModel
from pi_bunco.web.pages import Context, body
from web.nights import BEGAN

LOGS = sorted((Path(__file__).parents[1] / "golden").glob("*.jsonl"))
EVERY = 23
"""So many facts lie between two looks, besides those at which the evening's state changes."""


def steps(path: Path) -> Iterator[present.Situation]:
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
            yield present.Situation(evening, log, log[-1].t + 100, BEGAN, base="http://bunco.local")


def models(s: present.Situation) -> Iterator[PageModel]:
    name = s.evening.people.holders[0]
    yield present.scoreboard(s)
    yield present.player(s, name)
    yield present.table(s, 2)
    table = s.evening.round.tables[0] if s.evening.round else None
    yield present.phone(s, 1, present.PhonePlay(table))
    yield present.tonight(s, present.HostQuery(table=1))
    yield present.results(s)
    yield present.log(s, present.HostQuery())


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
def test_an_evening_is_shown_from_its_first_fact_to_its_last(path: Path) -> None:
    scenes = set()
    for situation in steps(path):
        for model in models(situation):
            assert body(model, Context())
            scenes.add(type(getattr(model, "scene", None)).__name__)
    assert {"BeforeFirst", "Playing"} <= scenes
