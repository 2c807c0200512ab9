"""What is done about a fact that ends the round: the relay, then the news of the bell, then all the rest."""

from pi_bunco.head.bell import RoundBell
from pi_bunco.head.effects import Effect, Ring


class BellFirst:
    """Keeps the effects behind a ring back until what the relay reports has been told."""

    def __init__(self, bell: RoundBell) -> None:
        self._bell = bell
        self._rest: list[Effect] = []

    def of(self, effects: list[Effect]) -> list[Effect]:
        """The effects up to a ring that ends the round; `rest` has those behind it then."""
        ring = next((n for n, one in enumerate(effects, 1) if isinstance(one, Ring)), 0)
        if not ring or not self._bell.waiting:
            return effects
        self._rest = effects[ring:]
        return effects[:ring]

    def rest(self) -> list[Effect]:
        """What has waited, once."""
        rest, self._rest = self._rest, []
        return rest
