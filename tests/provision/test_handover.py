"""The file for a Pi after what editors, and cards that were pulled out too early, do to files."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pi_bunco.provision import handover
from pi_bunco.provision.handover import Handover, HandoverError, PiSettings

GIVEN = Handover(
    PiSettings("table", 7, "home"),
    {"hall": "home", "number": 7},
    {"ca.pem": "-----BEGIN\nabc\n-----END\n", "secrets/table/table7": "password\n"},
)
TEXT = handover.dump(GIVEN)
EDITORS: dict[str, Callable[[str], bytes]] = {
    "none": str.encode,
    "windows": lambda text: text.replace("\n", "\r\n").encode(),
    "notepad": lambda text: text.replace("\n", "\r\n").encode("utf-8-sig"),
    "no end of line": lambda text: text.rstrip().encode(),
}


@pytest.mark.parametrize("edited", EDITORS.values(), ids=EDITORS)
def test_an_editor_changes_nothing(tmp_path: Path, edited: Callable[[str], bytes]) -> None:
    file = tmp_path / "pi-bunco.toml"
    file.write_bytes(edited(TEXT))
    assert handover.read(file) == GIVEN
    file.write_bytes(edited(handover.taken(GIVEN)))
    assert handover.read(file) is None


@pytest.mark.parametrize(
    "content", [TEXT.encode("utf-16"), b"", b"\0" * 4096, TEXT[:100].encode() + bytes(99)]
)
def test_what_is_left_of_a_file_is_told_in_a_sentence(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "pi-bunco.toml"
    file.write_bytes(content)
    with pytest.raises(HandoverError, match=r"^pi-bunco\.toml is no") as raised:
        handover.read(file)
    assert "codec" not in str(raised.value)


def test_truncated_handover_is_refused_whole() -> None:
    for length in range(len(TEXT.rstrip())):
        with pytest.raises(HandoverError, match=r"copy it again|is not made by pi-bunco provision"):
            handover.parse(TEXT[:length])


def test_brackets_within_brackets_are_a_clear_error() -> None:
    with pytest.raises(handover.HandoverError, match="brackets within brackets"):
        handover.parse("a = " + "[" * 20_000)
