"""An outbox whose head may have lost everything."""

from pathlib import Path

from disks import Told
from pi_bunco.wire.outbox import Outbox
from pi_bunco.wire.sending import PATIENCE


def tell(outbox: Outbox, times: int, up: int = 0) -> None:
    for _ in range(times):
        outbox.append(
            evening="e1", epoch=1, t=up, err=1.0, up=up, boot="b", fact={"kind": "roll", "dice": [1, 2, 3]}
        )


def sent(outbox: Outbox, now: float) -> list[tuple[str, int]]:
    return [(one.stream, one.seq) for one in outbox.due(now)]


def test_everything_is_sent_again_until_the_head_says_what_it_has(tmp_path: Path) -> None:
    told = Told()
    first = Outbox(tmp_path / "outbox.db", told.reports, 0, "s1")
    tell(first, 3)
    first.acked("s1", 3)
    first.close()
    outbox = Outbox(tmp_path / "outbox.db", told.reports, 0, "s2")
    tell(outbox, 2)
    outbox.acked("s2", 2)
    assert sent(outbox, 0) == []
    outbox.lost()
    assert len(outbox) == 5
    assert sent(outbox, 0) == [("s1", 1)]
    outbox.acked("s1", 2)
    assert sent(outbox, 1) == [("s1", 3)]
    outbox.acked("s1", 3)
    assert sent(outbox, 2) == [("s2", 1), ("s2", 2)]
    outbox.lost()
    outbox.close()
    again = Outbox(tmp_path / "outbox.db", told.reports, 0, "s3")
    assert len(again) == 5
    again.close()


def test_what_is_sent_once_more_is_not_old(tmp_path: Path) -> None:
    """Its age tells that a head does not acknowledge, and this one had."""
    outbox = Outbox(tmp_path / "outbox.db", Told().reports, 0, "s1")
    tell(outbox, 2)
    outbox.acked("s1", 2)
    outbox.due(100_000)
    outbox.lost()
    assert outbox.oldest_ms(100_000 + PATIENCE) == PATIENCE
    outbox.due(110_000)
    outbox.acked("s1", 1)
    assert outbox.oldest_ms(110_000) == 10_000
    outbox.acked("s1", 2)
    outbox.acked("s1", 0)
    assert outbox.oldest_ms(110_000) == 0
    outbox.lost()
    outbox.close()
