"""Once nothing that ended by a moment is pending, every throw that settled by then has been reported."""

from random import Random

import pytest

from gpio.box import Box, landings
from pi_bunco.devices.protocols import Throw
from pi_bunco.devices.throws.bus import BusDice


@pytest.mark.parametrize("seed", range(20))
def test_a_throw_that_ended_before_the_moment_is_waited_for(seed: int) -> None:
    random, box = Random(seed), Box()
    at = 1000.0
    for _ in range(5):
        faces = (random.randint(1, 6), random.randint(1, 6), random.randint(1, 6))
        at = box.throw(at, landings(random, faces, False)) + random.uniform(20, 3000)
    whole, done = BusDice(), sorted(box.edges, key=lambda change: change.at)
    events = [event for edge in done for event in whole.change(edge)]
    settled = [event.settled for event in [*events, *whole.quiet(at + 5000)] if isinstance(event, Throw)]
    assert len(settled) == 5
    moment = random.uniform(1000, at)
    dice, edges, reported = BusDice(), list(done), list[float]()
    now = moment
    while True:
        while edges and edges[0].at <= now:
            reported += [event.settled for event in dice.change(edges.pop(0)) if isinstance(event, Throw)]
        reported += [event.settled for event in dice.quiet(now) if isinstance(event, Throw)]
        if not dice.pending(moment):
            break
        now += 1
    assert reported == [one for one in settled if one <= max(reported, default=0)]
    assert [one for one in settled if one <= moment] == [one for one in reported if one <= moment]
    assert now - moment < 1000
