"""The doctor's findings about a Pi's own files, and about texts in them that nobody has seen."""

import os
import time
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doctor.machines import MEMORY, MOUNTS, OVERLAY, PI_4, PI_5, WIRELESS, Pi
from pi_bunco.doctor import card, findings, installation, machine_state
from pi_bunco.doctor.findings import SELF, Finding, guarded, reported
from pi_bunco.doctor.machine_state import run
from pi_bunco.doctor.watch import check_at_work

GOOD_TIME = 1_800_000_000.0


@pytest.fixture(params=[PI_4, PI_5])
def pi(request: pytest.FixtureRequest, tmp_path: Path) -> Pi:
    return Pi(tmp_path, request.param)


def only(found: Iterable[Finding]) -> Finding:
    (one,) = found
    assert one.mend or one.level in ("ok", "skipped")
    return one


def levels(found: Iterable[Finding]) -> list[str]:
    return [one.level for one in found]


def bad(pi: Pi, slowest_ms: float = 0.0, now: float = GOOD_TIME) -> list[Finding]:
    """The findings of a service's round."""
    found = check_at_work(pi.machine.places, pi.root, now, lambda: slowest_ms)
    return [one for one in found if one.level in ("fault", "warning")]


def test_a_healthy_pi_is_well(pi: Pi) -> None:
    assert bad(pi) == []
    assert pi.asked == [], "the round starts no program"


@pytest.mark.parametrize(
    ("bits", "expected"),
    [
        ("0", ("power", "ok", "temperature", "ok")),
        ("50005", ("power", "fault", "temperature", "ok")),
        ("50000", ("power", "warning", "temperature", "ok")),
        ("80000", ("power", "ok", "temperature", "warning")),
        ("80008", ("power", "ok", "temperature", "warning")),
        ("rubbish", ("power", "ok", "temperature", "ok")),
    ],
)
def test_firmware_flags_of_the_power_supply_are_reported(
    pi: Pi, bits: str, expected: tuple[str, ...]
) -> None:
    pi.put(pi.firmware, f"{bits}\n")
    found = list(machine_state.look_power(pi.machine))
    assert tuple(word for one in found for word in (one.check, one.level)) == expected


def test_the_supply_is_asked_of_whoever_knows(tmp_path: Path) -> None:
    pi = Pi(tmp_path)
    pi.without(pi.firmware)
    pi.put("sys/class/hwmon/hwmon1/in0_lcrit_alarm", "1\n")
    assert levels(machine_state.look_power(pi.machine)) == ["fault", "ok"]
    assert pi.asked == []
    pi.put("dev/vcio", "")
    pi.without("sys/class/hwmon/hwmon1/name")
    pi.says["vcgencmd"] = "throttled=0x50000\n"
    assert levels(machine_state.look_power(pi.machine)) == ["warning", "ok"]
    pi.without("dev/vcio")
    assert levels(machine_state.look_power(pi.machine)) == ["skipped", "ok"]


@given(st.integers(0, 2**32 - 1))
def test_the_bits_are_read_in_every_form(bits: int) -> None:
    for text in (f"{bits:x}\n", f"throttled=0x{bits:x}\n", f"0x{bits:X}"):
        assert machine_state.throttled(text) == bits


@pytest.mark.parametrize(("celsius", "level"), [(48, "ok"), (81, "warning"), (86, "fault"), (-5, "ok")])
def test_a_hot_processor_is_told_by_its_temperature(pi: Pi, celsius: int, level: str) -> None:
    pi.put("sys/class/thermal/thermal_zone0/temp", f"{celsius * 1000}\n")
    assert levels(machine_state.look_power(pi.machine)) == ["ok", level]


@pytest.mark.parametrize(
    ("text", "level"),
    [
        (MOUNTS, "ok"),
        (MOUNTS.replace("ext4 rw", "ext4 ro"), "fault"),
        (OVERLAY, "fault"),
        (MOUNTS + "tmpfs /var/lib/pi-bunco/table tmpfs rw 0 0\n", "ok"),
        (MOUNTS + "/dev/mmcblk0p2 /var/lib/pi-bunco/table ext4 rw 0 0\n", "ok"),
        # As a service in its sandbox sees it (ProtectSystem=strict).
        (MOUNTS.replace("ext4 rw", "ext4 ro") + "/dev/mmcblk0p2 /var/lib/pi-bunco ext4 rw 0 0\n", "ok"),
        (MOUNTS + "overlay / overlay rw,upperdir=/docker/7/diff,workdir=/docker/7/work 0 0\n", "ok"),
        ("", "skipped"),
    ],
)
def test_whether_the_card_can_be_written_and_lasts(tmp_path: Path, text: str, level: str) -> None:
    pi = Pi(tmp_path)
    pi.put("proc/mounts", text)
    assert only(card.look_mounts(pi.machine, ["/var/lib/pi-bunco/table"])).level == level


def test_a_folder_in_memory_may_be_meant(pi: Pi) -> None:
    assert only(card.look_folders(pi.machine, ["/run/demo", "/var/lib/pi-bunco"])).level == "warning"


@given(st.text(min_size=1))
def test_any_path_can_be_mounted(name: str) -> None:
    escaped = "".join(f"\\{ord(one):03o}" if one in " \t\n\\" else one for one in f"/{name}")
    (mount,) = card.mounts(f"/dev/sda1 {escaped} ext4 rw 0 0\n")
    assert mount.place == f"/{name}"


def test_a_card_that_fails_is_told_before_it_is_gone(pi: Pi) -> None:
    pi.put("sys/fs/ext4/mmcblk0p2/errors_count", "3\n")
    assert "3 errors" in only(card.look_wear(pi.machine)).text
    pi.put("sys/fs/ext4/mmcblk0p2/errors_count", "0\n")
    pi.put("sys/block/mmcblk0/device/life_time", "0x02 0x0a\n")
    assert only(card.look_wear(pi.machine)).level == "warning"
    pi.without("sys/fs/ext4/mmcblk0p2/errors_count")
    pi.put("sys/block/mmcblk0/device/life_time", "nonsense\n")
    assert only(card.look_wear(pi.machine)).level == "skipped"


def test_the_card_is_timed_and_left_as_it_was(tmp_path: Path) -> None:
    before = os.listdir(tmp_path)
    ticks = iter(range(1000))
    assert card.time_writes(tmp_path, lambda: next(ticks) / 100) == pytest.approx((0.01, 0.01))
    assert os.listdir(tmp_path) == before
    slow = iter(range(1000))
    assert card.time_writes(tmp_path, lambda: float(next(slow)))[0] == 1.0, "one write, and no more"
    assert next(slow) < 10
    grades = [(0.01, 0.02, "ok"), (0.3, 0.5, "warning"), (0.02, 4.0, "warning"), (1.2, 1.3, "fault")]
    for median, slowest, level in grades:
        assert card.judge_writes(median, slowest).level == level


def test_the_room_of_a_folder_that_is_still_to_be_made_is_that_of_where_it_goes(tmp_path: Path) -> None:
    assert card.read_room(tmp_path / "not" / "yet")[0] > 0


def test_room_and_memory(pi: Pi) -> None:
    rooms = {(5e9, 10**6): "ok", (4e8, None): "warning", (5e7, None): "fault", (5e9, 10): "fault"}
    for (free, names), level in rooms.items():
        assert only([card.judge_room(int(free), names)]).level == level
    for left, level in (("512000", "ok"), ("70000", "warning"), ("20000", "fault"), ("", "skipped")):
        pi.put("proc/meminfo", MEMORY.format(free=left))
        assert only(card.look_memory(pi.machine)).level == level


def test_the_wall_clock(pi: Pi) -> None:
    assert only(machine_state.look_clock(pi.machine, 0)).level == "warning"
    for said, word in {"yes\n": "set by the network", "no\n": "not set", "": "not known"}.items():
        pi.says["timedatectl"] = said
        found = only(machine_state.look_clock(pi.machine, GOOD_TIME))
        assert found.level == "ok"
        assert word in found.text


@pytest.mark.parametrize(
    ("level", "grade"), [(-56, "ok"), (200, "ok"), (-78, "warning"), (178, "warning"), (-90, "fault")]
)
def test_the_wifi(pi: Pi, level: int, grade: str) -> None:
    pi.put("proc/net/wireless", WIRELESS.format(link=20, level=level))
    assert only(machine_state.look_wifi(pi.machine)).level == grade


def test_no_wifi_is_no_weak_wifi(pi: Pi) -> None:
    pi.put("proc/net/wireless", WIRELESS.format(link=0, level=0))
    assert only(machine_state.look_wifi(pi.machine)).level == "skipped"
    pi.without("proc/net/wireless")
    assert only(machine_state.look_wifi(pi.machine)).level == "skipped"


@given(st.text())
def test_no_text_of_a_kernel_makes_a_parser_raise(text: str) -> None:
    machine_state.throttled(text)
    card.mounts(text)
    card.life(text)
    card.available(text)
    machine_state.wifi_levels(text)
    installation.parse_units(text)


def test_public_facts_of_a_machine_are_shown_for_a_table(pi: Pi) -> None:
    """Everything at once: each sentence goes on from "Table 2", and fits into a beat."""
    pi.put(pi.firmware, "d000f\n")
    pi.put("sys/class/thermal/thermal_zone0/temp", "90000\n")
    pi.put("proc/mounts", f"{MOUNTS}/dev/mmcblk0p2 {pi.root} ext4 ro 0 0\n")
    pi.put("sys/fs/ext4/mmcblk0p2/errors_count", "3\n")
    pi.put("proc/meminfo", MEMORY.format(free=1000))
    pi.put("proc/net/wireless", WIRELESS.format(link=5, level=-95))
    found = bad(pi, 7000.0, 0.0)
    assert [one.check for one in found] == [
        "power", "temperature", "card", "card health", "card speed", "memory", "clock", "Wi-Fi",
    ]  # fmt: skip
    for one in found:
        assert one.text.startswith(f"{SELF} ")
        assert reported(one)[0].islower()
        assert len(reported(one)) <= 400
        assert reported(one, "The head's Pi").startswith("The head's Pi ")


def test_a_check_that_fails_is_a_finding() -> None:
    def look() -> list[Finding]:
        raise ValueError("never seen")

    found = only(guarded("power", look))
    assert found.level == "warning"
    assert "never seen" in found.text


def test_the_most_urgent_comes_first() -> None:
    listed = [
        Finding("a", "ok", "Fine."),
        findings.skipped("b", "it is dark"),
        Finding("c", "warning", "Hm.", "Look."),
        Finding("d", "fault", "Ouch.", "Mend."),
        Finding("e", "fault", "Ouch too.", "Mend."),
    ]
    lines = list(findings.lines(listed))
    words = [line.strip() for line in lines if line.startswith("  ")]
    assert words == ["d: Ouch.", "-> Mend.", "e: Ouch too.", "-> Mend.", "c: Hm.", "-> Look.",
                     "b: skipped: it is dark", "a: Fine."]  # fmt: skip
    assert lines[-1] == "2 faults, 1 warning, 1 not checked, 1 fine."
    assert findings.faulty(listed)
    assert not findings.faulty(listed[:3])


def test_programs_have_little_time() -> None:
    assert run(("no-such-program",)) is None
    assert run(("sh", "-c", "exit 1")) is None
    assert run(("sh", "-c", "echo well; exit 3")) == "well\n"
    began = time.monotonic()
    assert run(("sleep", "60"), 0.05) is None
    assert time.monotonic() - began < 30
