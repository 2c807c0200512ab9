"""What a service says of itself when it starts (PROTOCOL.md section 6)."""

from pi_bunco.runtime.serving import WAITING, Readiness


def started() -> tuple[Readiness, list[str]]:
    told: list[str] = []
    return Readiness(
        "head, broker b", lambda: told.append("works"), lambda *line: told.append(": ".join(line)), 0.0
    ), told


def test_it_is_ready_once_however_often_it_connects() -> None:
    one, told = started()
    one.ticked(WAITING - 1)
    one.ready()
    one.ready()
    one.ticked(WAITING + 1)
    assert told == ["ready: head, broker b", "works"]


def test_without_a_broker_it_waits_after_two_seconds_and_is_ready_later() -> None:
    one, told = started()
    one.ticked(WAITING)
    one.ticked(WAITING + 1)
    assert told == ["waiting: head, broker b is not there yet", "works"]
    one.ready()
    assert told[2:] == ["ready: head, broker b"]
