from collections import Counter
from itertools import islice
from random import Random

from pi_bunco.sim.dice import THROWS, throws


class EveryByte(Random):
    """Draws each of the 256 bytes equally often."""

    def randbytes(self, n: int) -> bytes:
        return bytes(range(256)) * (n // 256)


def test_every_throw_comes_from_as_many_bytes() -> None:
    assert Counter(islice(throws(EveryByte()), 4 * 216)) == dict.fromkeys(THROWS, 4)


def test_a_throw_is_three_faces() -> None:
    assert len(set(THROWS)) == 6**3
    assert {face for throw in THROWS for face in throw} == {1, 2, 3, 4, 5, 6}


def test_the_same_seed_gives_the_same_throws() -> None:
    first, again, other = (list(islice(throws(Random(seed)), 5000)) for seed in ("1/0", "1/0", "1/1"))
    assert first == again != other
