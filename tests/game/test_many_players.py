"""A tournament as large as the protocol allows: 1,200 players at 300 tables, in one engine."""

from random import Random

import msgspec
import pytest

from pi_bunco.game import codec
from pi_bunco.game.evening import Evening
from pi_bunco.game.stage_places import opening_groups
from pi_bunco.play.whole_evenings import opening, play
from pi_bunco.rules import override, preset


@pytest.mark.parametrize("players", [25, pytest.param(1200, marks=pytest.mark.long)])
def test_a_tournament_of_many_players_has_one_winner(players: int) -> None:
    groups, missing = opening_groups(players)
    rules = override(preset("tournament"), {"evening.sets": 1})
    ghosts = tuple(f"Ghost {k}" for k in range(1, missing + 1))
    first = msgspec.structs.replace(opening(rules, players), groups=groups, ghosts=ghosts, seed=1)
    evening = Evening()
    play(evening, first, Random(1))
    assert evening.state == "finished"
    assert evening.grand_prize in evening.people.cards
    assert len(evening.rounds) == 12
    assert len(evening.rounds[0].tables) == sum(map(len, groups))
    assert evening.tournament is not None
    assert len({place.player for place in evening.tournament.places}) == 2 * len(groups)
    assert len(codec.encode(first)) < 384 * 1024
