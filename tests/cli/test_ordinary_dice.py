"""A round with dice from a shop, through the real services: entered at a panel, or at a USB number pad."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.processes import Service, done, head, replayed, started, status, table
from devices.test_keypad import report
from pi_bunco.devices.panel.keypad import keys
from pi_bunco.wire.broker import Broker

PLAYERS = "Ann,Bob,Cat,Dee"
CODES: dict[str, int] = {button: code for code, button in keys().items()}


class Pad:
    """A number pad whose keys the test presses."""

    def __init__(self, path: Path) -> None:
        self._pipe = os.open(path, os.O_WRONLY)

    def press(self, button: str, times: int = 1) -> None:
        ends = ((1000.0 + 300 * number, 1080.0 + 300 * number) for number in range(times))
        code = CODES[button]
        os.write(self._pipe, b"".join(report(code, 1, down) + report(code, 0, up) for down, up in ends))

    def close(self) -> None:
        os.close(self._pipe)


@pytest.mark.parametrize("panel", ["typed", pytest.param("keypad", marks=pytest.mark.long)])
def test_a_round_is_entered_by_hand(panel: str, broker: Broker, tmp_path: Path) -> None:
    rings, pad_file = tmp_path / "rings", tmp_path / "pad"
    options = ["--stdin"]
    if panel == "keypad":
        os.mkfifo(pad_file)
        options = ["--panel", f"keypad:{pad_file}"]
    with (
        head(broker, tmp_path / "head", "--bell", f"virtual:{rings}") as referee,
        table(broker, tmp_path / "one", 1, "--dice", "none", *options) as one,
    ):
        assert referee.ready().startswith("ready:")
        assert one.ready().startswith("ready:")
        press, close = _hand(panel, pad_file, one)
        done(broker, "open", "--rules", "bonko", "--players", PLAYERS)
        done(broker, "draw")
        started(broker)
        counted = None
        for button in ("miss", "one", "one", "two", "miss"):
            press(button)
            while (latest := status(broker)["score"]["board"]["tables"][0]["n"]) == counted:
                pass
            counted = latest
        _until(broker, lambda shown: shown["tables"][0]["points"] == [0, 4])
        press("bunco")  # would ring, so it is asked for twice
        assert len(rings.read_bytes().splitlines()) == 1
        for _ in range(3):  # status takes longer than two presses are apart
            assert status(broker)["score"]["board"]["state"] == "round_open"
        while status(broker)["score"]["board"]["state"] == "round_open":
            press("bunco")  # the first may come too late for the one before; behind the bell one is ignored
        press("ok")
        _until(broker, lambda shown: shown["state"] == "between_rounds")
        assert len(rings.read_bytes().splitlines()) == 2
        shown = str(status(broker))
        close()
    assert "die 1" not in shown
    (played,) = replayed(tmp_path / "head")["rounds"]
    assert played["bell"]["by"] == "bunco"
    assert played["tables"][0]["cards"][2]["buncos"] == 1


def _hand(panel: str, pad_file: Path, one: Service) -> tuple[Callable[..., None], Callable[[], None]]:
    if panel == "keypad":
        pad = Pad(pad_file)
        return pad.press, pad.close

    def press(button: str, times: int = 1) -> None:
        for _ in range(times):
            one.tell(f"press {button}")

    return press, lambda: None


def _until(broker: Broker, condition: Callable[[dict[str, Any]], bool]) -> None:
    while not condition(status(broker)["score"]["board"]):
        pass
