"""Login: PIN, limits, sessions."""

import pytest

from pi_bunco.web.site.login import ALL_TRIES, FEW_TRIES, MAX_TRIES, WAIT_MS, Login
from pi_bunco.web.site.reasons import NotLetIn

DAY = 86_400_000.0


def wrong(login: Login, address: str, now: float) -> str:
    with pytest.raises(NotLetIn) as refused:
        login.enter("0000", "", address, now, now)
    return str(refused.value)


def test_a_session_is_known_by_its_token_and_by_nothing_else() -> None:
    login = Login("135790")
    session = login.enter(" 135 790 ", "Ann", "192.168.4.20", 0, 0)
    assert login.session(session.token, 1000) == session
    assert login.session(session.token[:-1], 1000) is None
    assert login.session(None, 1000) is None
    assert session.csrf == login.csrf(session.token)


def test_ten_wrong_pins_make_an_address_wait_and_no_other() -> None:
    login = Login("135790")
    told = [wrong(login, "192.168.4.66", now) for now in range(MAX_TRIES)]
    assert "1 more try" in told[-2]
    assert "waits 5 minutes" in told[-1]
    with pytest.raises(NotLetIn, match="waits 5 minutes"):
        login.enter("135790", "", "192.168.4.66", 20, 0)
    assert login.enter("135790", "", "192.168.4.20", 20, 0)
    assert login.enter("135790", "", "192.168.4.66", MAX_TRIES + WAIT_MS, 0)


def test_wrong_pins_from_ten_addresses_shut_nobody_else_out() -> None:
    login = Login("135790")
    for k in range(ALL_TRIES):
        wrong(login, f"192.168.4.{k % 10}", 0)
    assert login.enter("135790", "", "192.168.5.1", 1, 0)
    assert login.enter("135790", "", "loopback", 1, 0)


def test_who_guesses_from_many_addresses_has_few_tries_at_each() -> None:
    login = Login("135790")
    for k in range(ALL_TRIES):
        wrong(login, f"192.168.4.{k}", 0)
    told = [wrong(login, "192.168.5.1", 1) for _ in range(FEW_TRIES)]
    assert "five minutes" in told[-1]
    with pytest.raises(NotLetIn, match="five minutes"):
        login.enter("135790", "", "192.168.5.1", 1, 0)
    assert login.enter("135790", "", "192.168.5.2", 1, 0)


def test_a_right_pin_forgets_the_wrong_ones() -> None:
    login = Login("135790")
    for _ in range(3):
        for _ in range(MAX_TRIES - 1):
            wrong(login, "10.0.0.1", 0)
        login.enter("135790", "", "10.0.0.1", 0, 0)


def test_a_session_outlasts_a_restart_but_not_two_days_nor_another_pin() -> None:
    before = Login("135790")
    session = before.enter("135790", "Ann", "10.0.0.1", 0, DAY)
    kept = before.kept()
    assert session.token not in str(kept)
    again = Login("135790", kept).session(session.token, DAY + 1000)
    assert again == session
    assert Login("135790", kept).session(session.token, 3 * DAY) is None
    assert Login("975310", kept).session(session.token, DAY + 1000) is None


def test_without_a_pin_nobody_is_let_in() -> None:
    with pytest.raises(NotLetIn, match="--pin-file"):
        Login(None).enter("", "", "loopback", 0, 0)


def test_logged_out_host_is_out() -> None:
    login = Login("135790")
    session = login.enter("135790", "Ann", "10.0.0.1", 0, 0)
    login.leave(session.token)
    assert login.session(session.token, 0) is None
