"""Dice and buttons as lines of text, for `--stdin`: `roll 1 4 6`, `press ok`, `hold undo`."""

from collections.abc import Iterable, Sequence
from typing import TextIO, get_args

from pi_bunco.devices.dice.virtual import VirtualDice
from pi_bunco.devices.panel.virtual import VirtualPanel
from pi_bunco.devices.protocols import Button, DeviceError, Faces
from pi_bunco.validator import closest

BUTTONS: tuple[Button, ...] = get_args(Button)
_FACES = {str(face): face for face in range(1, 7)}


def faces(words: Sequence[str]) -> Faces:
    """Three faces from three words; `DeviceError` says what was expected."""
    match [_FACES.get(word) for word in words]:
        case [int(one), int(two), int(three)]:
            return one, two, three
        case _:
            raise DeviceError("roll needs three faces from 1 to 6, for example: roll 1 4 6")


def button(words: Sequence[str]) -> Button:
    """The one button that is named; `DeviceError` lists those that exist."""
    for known in BUTTONS:
        if [known] == list(words):
            return known
    raise DeviceError(f"name one button of: {', '.join(BUTTONS)}; for example: press ok")


def obey(line: str, dice: VirtualDice | None, panel: VirtualPanel) -> None:
    """Does what one line says; nothing for an empty one. `DeviceError` says what is wrong with it."""
    match line.split():
        case []:
            return
        case ["roll", *_] if dice is None:
            raise DeviceError("this table has ordinary dice: press the button of what was rolled")
        case ["roll", *words] if dice is not None:
            dice.roll(faces(words))
        case ["press", *words]:
            panel.press(button(words))
        case ["hold", *words]:
            panel.hold(button(words))
        case [word, *_]:
            close = closest(word, ("roll", "press", "hold"))
            hint = f"did you mean {close}?" if close else "use roll, press or hold"
            raise DeviceError(f"{word[:40]!r} is not understood: {hint}")


def listen(lines: Iterable[str], dice: VirtualDice | None, panel: VirtualPanel, complaints: TextIO) -> None:
    """Obeys every line until they end; a line that is wrong is answered with a sentence on `complaints`."""
    for line in lines:
        try:
            obey(line, dice, panel)
        except DeviceError as error:
            print(error, file=complaints, flush=True)
