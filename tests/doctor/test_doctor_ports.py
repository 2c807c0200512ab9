"""`pi-bunco doctor` looks for what is plugged in: the dice box and the number pad."""

from pathlib import Path

import pytest

from doctor.machines import Pi
from pi_bunco.config import Config
from pi_bunco.doctor.header import ServiceUser, look_files

ROOT = ServiceUser("root", frozenset())
BY_ID = "dev/input/by-id"


def found(pi: Pi, panel: str) -> tuple[str, str, str]:
    """What is said of the number pad: its level, the sentence, the mend."""
    (one,) = (
        one for one in look_files(pi.machine, Config(panel=panel, dice="none"), ROOT) if "port" in one.check
    )
    return one.level, one.text, one.mend


@pytest.mark.parametrize("panel", ["keypad", f"keypad:/{BY_ID}/usb-A_Pad-event-kbd"])
def test_a_number_pad_with_and_without_a_path(tmp_path: Path, panel: str) -> None:
    pi = Pi(tmp_path)
    named = panel.partition(":")[2] or f"/{BY_ID}/*-event-kbd"
    missing = f"The number pad is not plugged in: there is no {named}."
    assert found(pi, panel) == ("fault", missing, "Plug it in.")
    pi.put(f"{BY_ID}/usb-A_Pad-event-kbd", "")
    level, text, _ = found(pi, panel)
    assert (level, text.endswith("usb-A_Pad-event-kbd is there, and root may use it.")) == ("ok", True)


def test_another_pad_than_the_one_that_is_named(tmp_path: Path) -> None:
    pi = Pi(tmp_path)
    pi.put(f"{BY_ID}/usb-B_Pad-event-kbd", "")
    assert found(pi, f"keypad:/{BY_ID}/usb-A_Pad-event-kbd")[2] == (
        f"Plug it in. There is /{BY_ID}/usb-B_Pad-event-kbd: name that in the settings."
    )
