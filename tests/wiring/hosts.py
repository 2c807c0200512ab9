"""A host who does what the wiring check asks for, at a panel and dice that may be wired wrong."""

from collections.abc import Mapping

from msgspec import Struct, field

from pi_bunco.devices.bell import host_button, relays
from pi_bunco.devices.dice import header_dice
from pi_bunco.devices.lights import display, shift_registers
from pi_bunco.devices.panel import buttons
from pi_bunco.devices.pins import shipped
from pi_bunco.devices.protocols import Button, Press, ThreeFaces, Throw
from pi_bunco.wiring.check_steps import (
    BellButtonStep,
    BellPress,
    BellStep,
    CheckEffect,
    CheckMessage,
    Light,
    PanelStep,
    Question,
    RollStep,
    SeenStep,
    Sound,
    Sounded,
    Statement,
    Typed,
)
from pi_bunco.wiring.wiring_check import Check


def whole() -> Check:
    plan = shipped()
    return Check(
        [
            PanelStep(buttons.parts(plan)),
            RollStep(header_dice.parts(plan, "bus")),
            SeenStep((*shift_registers.parts(plan), display.part(plan))),
            BellButtonStep((host_button.part(plan),)),
            BellStep(relays.parts(plan)),
        ]
    )


class Host(Struct):
    """Presses what is asked for, twice at most; `wires` is which button answers, None for a broken wire."""

    wires: Mapping[str, Button | None] = {}
    faces: ThreeFaces = (1, 4, 2)
    told: ThreeFaces = (1, 4, 2)
    dark: frozenset[str] = frozenset()
    silent: frozenset[str] = frozenset()
    now: float = 1000.0
    said: list[str] = field(default_factory=list)
    lit: str | None = None

    def walk(self, check: Check) -> Check:
        """Answers until the check is done."""
        effects = check.begin(self.now)
        while not check.done:
            question = self._take(effects)
            self.now += 2000
            effects = check.step(self._answer(question), self.now)
        self._take(effects)
        return check

    def _take(self, effects: list[CheckEffect]) -> CheckEffect:
        for effect in effects:
            if isinstance(effect, Statement):
                self.said.append(effect.text)
            if isinstance(effect, Light):
                self.lit = effect.name
        return effects[-1]

    def _answer(self, asked: CheckEffect) -> CheckMessage:
        if isinstance(asked, Sound):
            return Sounded("it is in use") if asked.relay in self.silent else Sounded()
        assert isinstance(asked, Question)
        match asked.text.split():
            case ["Press", "the", "bell", *_]:
                return BellPress()
            case ["Press" | "Hold", name, *_]:
                return self._press(name.strip(".").lower())
            case ["Roll", *_, "wires.", _, _, _, _, _] if not any(f"a {f}" in asked.text for f in self.told):
                return Typed("s")
            case ["Roll", *_]:
                return Throw(self.told, self.now, self.now + 1)
            case ["Die", die, *_]:
                place = int(die) - 1
                return self._says(self.faces[place] == self.told[place])
        return self._says("now?" in asked.text or "sound?" in asked.text or self.lit not in self.dark)

    def _press(self, name: str) -> CheckMessage:
        button = self.wires.get(name, name)
        return Press(button, self.now, 5) if button else Typed("s")  # type: ignore[arg-type]

    def _says(self, yes: bool) -> CheckMessage:
        return Typed("y" if yes else "n")
