"""Messages of GoDice and Pixels, by their makers' documents."""

import pytest

from devices.radio_dies import GRAVITY, gravity, i_am_a_die, i_am_an_old_die, telemetry
from pi_bunco.devices.throws import godice, pixels
from pi_bunco.devices.throws.radio_dice import (
    Battery,
    DieLies,
    DieRolls,
    Disturbed,
    FaceClaimed,
    FaceMeasured,
    Identified,
    PickedUp,
)


@pytest.mark.parametrize("face", GRAVITY)
def test_a_godice_that_lies_tells_its_face_though_it_lies_a_little_askew(face: int) -> None:
    assert godice.read(gravity(face)) == DieLies(face)
    askew = [part or 17 for part in GRAVITY[face]]
    assert godice.side(askew) == face


@pytest.mark.parametrize("edge", [(45, 45, 0), (37, 37, 37), (-46, 0, 44), (0, 0, 0)])
def test_a_godice_on_an_edge_has_no_face(edge: tuple[int, int, int]) -> None:
    assert godice.side(edge) is None


def test_every_notification_of_a_godice_has_its_meaning_and_others_have_none() -> None:
    assert godice.read(b"R") == DieRolls()
    assert godice.read(b"Bat\x50") == Battery(80)
    assert (godice.read(gravity(3, b"FS")), godice.read(gravity(3, b"MS"))) == (Disturbed("moved"),) * 2
    assert godice.read(gravity(3, b"TS")) == Disturbed("cocked")
    for data in (b"", b"S", b"S\x01\x02", b"FS\x01", b"Col\x01", b"Bat", b"\xff" * 9):
        assert godice.read(data) is None


def test_every_notification_of_a_pixels_has_its_meaning_and_others_have_none() -> None:
    said = [pixels.read(bytes([3, state, 4])) for state in range(7)]
    assert said == [
        None,
        FaceClaimed(5),
        PickedUp(),
        DieRolls(),
        Disturbed("cocked"),
        Disturbed("moved"),
        None,
    ]
    assert pixels.read(b"\x22\x50\x01") == Battery(80)
    assert pixels.read(telemetry(6)) == FaceMeasured(6, flat=True)
    assert pixels.read(telemetry(6, along=799)) == FaceMeasured(6, flat=False)
    for data in (
        b"",
        b"\x03\x01",
        b"\x03\x01\x06",
        b"\x04" + bytes(15),
        telemetry(6, state=3),
        b"\x22",
        b"R",
    ):
        assert pixels.read(data) is None


def test_a_pixels_is_played_with_if_it_is_six_sided_and_its_firmware_is_of_today() -> None:
    assert pixels.read(i_am_a_die()) == pixels.read(i_am_a_die(8)) == Identified()
    for other in (0, 1, 3, 7, 9):  # the last has no numbers
        assert pixels.read(i_am_a_die(other)) == Identified("it is not a die with six numbered sides")
    old = pixels.read(i_am_an_old_die())
    assert isinstance(old, Identified)
    assert "update it with the maker's app" in old.why
    for data in (b"\x02", i_am_a_die()[:20]):
        assert pixels.read(data) is None
