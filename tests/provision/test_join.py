"""A new Pi asks heads that are there, are not, forget it, send it away or lie; it keeps nothing or all."""

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from pi_bunco.cli.join import label, states
from pi_bunco.devices.protocols import Button, Press
from pi_bunco.enrol import protocol
from pi_bunco.enrol.desk import Desk
from pi_bunco.enrol.keys import JoiningPanel
from pi_bunco.enrol.protocol import Joined, JoinQuestion, Reply
from pi_bunco.errors import ProvisionError
from pi_bunco.provision.join import (
    Means,
    NewTable,
    check_is_no_head,
    handed_over,
    heads_by_mdns,
    join,
    keep,
    kept,
    steps,
)
from pi_bunco.provision.system import TABLE, Completed, carry_out
from provision.pis import head, pi, took

CA = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"


class Hall:
    """A head and its host in virtual time; `at` does something at a second."""

    def __init__(self, name: str = "home") -> None:
        self.desk = Desk(name, CA, Random(name).randbytes)
        self.accounts: dict[int, str] = {}
        self.at: dict[int, Callable[[], None]] = {}

    def tap(self, table: int) -> None:
        (one,) = self.desk.now(self.now_ms).asking
        assert one.request
        self.accounts[table] = one.request.password_hash
        self.desk.take_in(one, table, "usb", self.now_ms)

    now_ms = 0.0


class World:
    """A Pi among halls by their addresses."""

    def __init__(self, **halls: Hall) -> None:
        self.halls = halls
        self.now_s = 0.0
        self.said: list[str] = []
        self.words: list[tuple[str, str]] = []
        self.away: set[str] = set()
        self.random = Random(5)
        self.panel = JoiningPanel(Random(6).randbytes, lambda: self.now_s * 1000)
        self.found: tuple[str, ...] = ()

    def ask(self, address: str, question: JoinQuestion) -> Reply:
        if address not in self.halls or address in self.away:
            raise OSError
        hall = self.halls[address]
        hall.now_ms = self.now_s * 1000
        return protocol.reply(protocol.encoded(hall.desk.answer(protocol.encoded(question), hall.now_ms)))

    def let_in(self, new: NewTable) -> str:
        account = self.halls[new.head].accounts.get(new.joined.table)
        return "" if account == new.attempt.password_hash else "Not authorized"

    def wait(self, seconds: float) -> None:
        self.now_s += seconds
        assert self.now_s < 4000, self.said
        for hall in self.halls.values():
            hall.now_ms = self.now_s * 1000
            for second in [one for one in hall.at if one <= self.now_s]:
                hall.at.pop(second)()

    def type(self, *keys: Button) -> None:
        for key in (*keys, *(("ok",) if keys else ())):
            self.panel.put(Press(key, self.now_s * 1000, 60))

    def join(self) -> NewTable:
        means = Means(
            lambda: self.found or tuple(self.halls),
            self.ask,
            self.let_in,
            self.said.append,
            lambda _hall, words, _blinks: self.words.append(words),
            self.wait,
            self.random.randbytes,
            self.panel,
        )
        return join(means, "Raspberry Pi 4")


def test_a_pi_joins_by_the_tap_and_shows_the_words_of_its_page() -> None:
    hall, seen = Hall(), list[tuple[str, str]]()

    def tap() -> None:
        seen.append(hall.desk.now(hall.now_ms).asking[0].words)
        hall.tap(7)

    hall.at[100] = tap
    world = World(head=hall)
    new = world.join()
    assert new.joined == Joined(7, "usb")
    assert world.words == seen
    assert world.said == []
    assert 100 <= world.now_s < 105


def test_a_head_that_is_switched_on_later_is_found() -> None:
    world, hall = World(head=Hall()), Hall()
    world.away = {"head"}
    world.halls["head"].at[60] = world.away.clear
    world.halls["head"].at[120] = lambda: world.halls["head"].tap(3)
    assert world.join().joined.table == 3
    assert world.said == ["No head answers at head: is it switched on, and in this network?"]
    assert hall.accounts == {}


def test_a_head_that_starts_again_forgets_the_pi_and_it_asks_with_other_words() -> None:
    hall = Hall()
    world = World(head=hall)

    def restart() -> None:
        hall.desk = Desk("home", CA, Random(9).randbytes)

    hall.at[10] = restart
    hall.at[60] = lambda: hall.tap(3)
    assert world.join().joined.table == 3
    assert len(set(world.words)) == 2
    assert world.said == ["The head has forgotten this request: the Pi asks anew, by itself."]


def test_a_head_that_goes_and_comes_back_within_half_a_minute_is_asked_on() -> None:
    hall = Hall()
    world = World(head=hall)
    hall.at[10] = lambda: world.away.add("head")
    hall.at[30] = world.away.clear
    hall.at[60] = lambda: hall.tap(3)
    assert world.join().joined.table == 3
    assert len(world.words) == 1


def test_of_two_heads_the_one_that_sends_it_away_leaves_it_to_the_other() -> None:
    first, second = Hall("attic"), Hall("home")
    first.at[20] = lambda: first.desk.send_away(first.desk.now(first.now_ms).asking[0].id)
    second.at[60] = lambda: second.tap(2)
    world = World(first=first, second=second)
    new = world.join()
    assert (new.head, new.offer.hall) == ("second", "home")
    assert len(set(world.words)) == 2


def test_two_heads_in_one_network_are_said_and_asked_in_turn_for_five_minutes_each() -> None:
    """The host of the first sleeps; the second one's need not wait for that."""
    first, second = Hall("attic"), Hall("home")
    second.at[400] = lambda: second.tap(2)
    world = World(first=first, second=second)
    assert world.join().offer.hall == "home"
    assert world.said == [
        "2 heads are in this network, at first and second: this Pi asks one after the other, five minutes"
        " each. The host of a hall that it is not for sends it away.",
        "Nobody has taken this Pi in at that head: it asks the next one.",
    ]


def test_a_second_head_that_comes_later_is_said_within_a_minute_and_has_its_turn() -> None:
    first, second = Hall("attic"), Hall("home")
    world = World(first=first, second=second)
    world.found = ("first",)
    first.at[200] = lambda: setattr(world, "found", ("first", "second"))
    first.at[262] = lambda: seen.extend(world.said)
    second.at[400] = lambda: second.tap(2)
    seen: list[str] = []
    assert world.join().offer.hall == "home"
    assert len(seen) == 1
    assert seen[0].startswith("2 heads are in this network, at first and second: ")


def test_of_two_heads_the_one_that_is_left_is_asked_on_with_the_same_words() -> None:
    first, second = Hall("attic"), Hall("home")
    first.at[20] = lambda: first.desk.send_away(first.desk.now(first.now_ms).asking[0].id)
    second.at[1000] = lambda: second.tap(2)
    world = World(first=first, second=second)
    assert world.join().offer.hall == "home"
    assert len(world.words) == 2
    assert not any(said.startswith("1 heads") for said in world.said)


def test_a_head_that_a_look_leaves_out_is_asked_when_the_other_has_sent_the_pi_away() -> None:
    first, second = Hall("attic"), Hall("home")
    world = World(first=first, second=second)
    first.at[10] = lambda: setattr(world, "found", ("first",))
    first.at[20] = lambda: first.desk.send_away(first.desk.now(first.now_ms).asking[0].id)
    second.at[60] = lambda: second.tap(2)
    assert world.join().offer.hall == "home"


def test_one_head_alone_is_asked_on_for_hours() -> None:
    hall = Hall()
    hall.at[3600] = lambda: hall.tap(2)
    world = World(head=hall)
    assert world.join().joined.table == 2
    assert (len(world.words), world.said) == (1, [])


def test_a_head_with_several_addresses_is_found_once_by_mdns() -> None:
    shown = """\
+;eth0;IPv6;Bunco\\032on\\032pi-bunco-head;_pi-bunco._tcp;local
+;eth0;IPv4;Bunco\\032on\\032pi-bunco-head;_pi-bunco._tcp;local
=;eth0;IPv6;Bunco\\032on\\032pi-bunco-head;_pi-bunco._tcp;local;pi-bunco-head.local;fe80::1;80;
=;eth0;IPv4;Bunco\\032on\\032pi-bunco-head;_pi-bunco._tcp;local;pi-bunco-head.local;10.43.7.1;80;
=;wlan0;IPv4;Bunco\\032on\\032pi-bunco-head;_pi-bunco._tcp;local;pi-bunco-head.local;192.168.8.20;80;
=;eth0;IPv4;Bunco\\032on\\032pi-bunco-head\\032\\0352;_pi-bunco._tcp;local;pi-bunco-head-2.local;10.43.9.1;81;
"""
    assert heads_by_mdns(lambda *_: Completed(0, shown)) == ["192.168.8.20", "10.43.9.1:81"]
    assert heads_by_mdns(lambda *_: Completed(127, err="avahi-browse: No such file")) == []


def test_a_pi_without_a_screen_joins_by_the_keys_that_the_page_shows() -> None:
    hall = Hall()
    world = World(head=hall)

    def type_keys() -> None:
        hall.desk.ask_for_keys(hall.desk.now(hall.now_ms).asking[0], hall.now_ms)
        (pi,) = hall.desk.now(hall.now_ms).asking
        assert pi.keys
        world.type(*pi.keys.keys)

    def tap() -> None:
        (pi,) = hall.desk.now(hall.now_ms).asking
        assert pi.keys
        assert pi.keys.state == "right"
        hall.tap(5)

    hall.at[20], hall.at[56] = type_keys, tap
    assert world.join().joined.table == 5


def test_a_pi_that_every_head_has_sent_away_stops_with_a_sentence() -> None:
    hall = Hall()
    hall.at[20] = lambda: hall.desk.send_away(hall.desk.now(hall.now_ms).asking[0].id)
    with pytest.raises(ProvisionError, match="sent this Pi away"):
        World(head=hall).join()


def test_a_head_that_says_joined_and_whose_broker_knows_nothing_of_it_is_not_believed() -> None:
    """Somebody in between says so without a tap; and in the end the true host taps."""
    hall = Hall()

    def lie() -> None:
        one = hall.desk.now(hall.now_ms).asking[0]
        hall.desk.take_in(one, 4, "gpio", hall.now_ms)

    hall.at[10] = lie
    hall.at[90] = lambda: hall.tap(4)
    world = World(head=hall)
    assert world.join().joined.table == 4
    assert "the broker does not let it in: Not authorized." in world.said[0]
    assert world.now_s > 90


def test_no_more_words_are_shown_in_an_hour_than_the_readme_counts() -> None:
    hall = Hall()

    def forget() -> None:
        hall.desk = Desk("home", CA, Random(hall.now_ms).randbytes)
        hall.at[int(hall.now_ms / 1000) + 1] = forget

    hall.at[1] = forget
    hall.at[3600] = lambda: (_ for _ in ()).throw(TimeoutError)  # the end
    world = World(head=hall)
    with pytest.raises(TimeoutError):
        world.join()
    assert 10 < len(world.words) <= 18


def new_table(number: int = 7) -> NewTable:
    hall = Hall()
    hall.at[10] = lambda: hall.tap(number)
    return World(**{"pi-bunco-head.local": hall}).join()


def test_a_pi_that_joined_is_the_table_and_nothing_secret_is_left_beside(tmp_path: Path) -> None:
    system, traces = pi(tmp_path)
    new = new_table()
    keep(system, handed_over(new))
    assert kept(system).stat().st_mode & 0o777 == 0o600
    found = steps(system)
    assert found
    assert found[1] == "the table of hall home, table 7"
    carry_out(found[0], lambda _: None)
    assert (system.places.secrets / "table/table7").read_text() == f"{new.attempt.password}\n"
    assert (system.places.config / "ca.pem").read_text() == CA
    settings = system.places.settings.read_text()
    assert "number = 7" in settings
    assert 'dice = "serial"' in settings
    assert 'address = "pi-bunco-head.local:8883,10.43.30.193:8883"' in settings
    assert f"systemctl --no-block start {TABLE}" in traces.lines
    assert new.attempt.password not in kept(system).read_text()
    assert steps(system) is None


@pytest.mark.parametrize("cut", range(12))
def test_wherever_the_power_goes_the_next_start_makes_the_whole(tmp_path: Path, cut: int) -> None:
    system, _ = pi(tmp_path)
    new = new_table()
    assert steps(system) is None  # nothing
    keep(system, handed_over(new))
    found = steps(system)
    assert found
    for step in found[0][:cut]:
        step.apply()
    again = steps(system)
    if again is not None:
        carry_out(again[0], lambda _: None)
    assert (system.places.secrets / "table/table7").read_text() == f"{new.attempt.password}\n"
    assert (system.places.roles / "table").exists()
    assert steps(system) is None


def test_the_head_does_not_join_itself(tmp_path: Path) -> None:
    system, _ = pi(tmp_path)
    check_is_no_head(system)
    took(system, head())
    with pytest.raises(ProvisionError, match="is the head of a hall"):
        check_is_no_head(system)


def test_the_light_blinks_each_group_and_pauses_behind_it() -> None:
    shown = states((2, 1))
    assert [on for on, _ in shown] == [True, False, True, False, False, True, False, False, False]
    assert max(seconds for on, seconds in shown if on) < min(seconds for _, seconds in shown[-2:])


def test_a_pi_says_its_model_and_the_end_of_its_number(tmp_path: Path) -> None:
    assert label(tmp_path) == ""
    tree = tmp_path / "sys/firmware/devicetree/base"
    tree.mkdir(parents=True)
    (tree / "model").write_bytes(b"Raspberry Pi 4 Model B Rev 1.5\0")
    (tree / "serial-number").write_bytes(b"10000000abcd7f3a\0")
    assert label(tmp_path) == "Raspberry Pi 4 Model B Rev 1 ..7f3a"
    protocol.JoinHello("0" * 64, label=label(tmp_path))
