"""What is wrong at a table, and whether the host is called: sentences for its beat, and its fault light."""

from pi_bunco.runtime.loop import Health
from pi_bunco.wire.gate import fitting

NAME = "name"
"""Health of this table's name: another machine may use it too."""


class Faults:
    """Kept by the controller; a sentence that begins small goes on from "Table 2"."""

    def __init__(self) -> None:
        self.store = ""
        """Why nothing can be saved, empty while it can."""
        self.panel = ""
        """Why the panel cannot be read, empty while it can."""
        self.help = False
        """Whether the host is called."""
        self._stuck: set[str] = set()
        self._dice: dict[int, str] = {}
        self._health: dict[str, tuple[str, ...]] = {}

    def button(self, name: str, stuck: bool) -> None:
        """A button is stuck, or free again."""
        (self._stuck.add if stuck else self._stuck.discard)(name)

    def die(self, die: int, why: str) -> None:
        """What is wrong with a die and its wires; nothing if `why` is empty."""
        self._dice[die] = why

    def health(self, health: Health) -> list[str]:
        """Takes what is wrong with the machine or its devices now; returns what of it is new."""
        before = self._health.get(health.of, ())
        self._health[health.of] = health.faults
        return [fault for fault in health.faults if fault not in before]

    @property
    def conflict(self) -> str:
        """Who else uses this table's name, a sentence for its display; empty where nobody does."""
        return " ".join(self._health.get(NAME, ()))

    @property
    def lit(self) -> bool:
        """Whether something is out of order."""
        wrong = (self.store, self.panel, *self._stuck, *self._dice.values(), *self._health.values())
        return any(wrong)

    def sentences(self) -> tuple[str, ...]:
        """All of it."""
        help_ = ["calls for the host."] if self.help else []
        stuck = [f"has a stuck button: {name.upper()}." for name in sorted(self._stuck)]
        dice = [f"has a fault at the dice: {why}." for why in dict.fromkeys(self._dice.values()) if why]
        store = [one for one in (self.store, self.panel) if one]
        return fitting(
            (*help_, *store, *stuck, *dice, *(fault for one in self._health.values() for fault in one))
        )
