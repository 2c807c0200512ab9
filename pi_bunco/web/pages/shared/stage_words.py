"""Sentences of what is rolled between rounds: ties for prizes, a tournament's places, its final."""

from pi_bunco.web.pages.board.model import PlaceShown
from pi_bunco.web.pages.shared.model import RollHere
from pi_bunco.words.terms import Terms


class StageWords(Terms):
    """The sentences in one language."""

    def rolls_for(self, roll: RollHere) -> str:
        """The place or prize that is rolled for."""
        _ = self._
        if roll.purpose in ("order", "final"):
            return self.title(roll.purpose)
        values = {"prize": self.prize(roll.purpose), "n": roll.group}
        return (_("Roll-off: %(prize)s, group %(n)d") if roll.group else _("Roll-off: %(prize)s")) % values

    def roll_rule(self, roll: RollHere) -> str:
        """The way to win it, in a sentence."""
        _ = self._
        if roll.purpose == "final":
            return _("Three dice in turn. The first three of a kind wins.")
        if roll.purpose == "order":
            again = _("Level again: one die each, the lowest begins.")
            return again if roll.again else _("One die each, the lowest begins.")
        if roll.dice == 1:
            again = _("Level again: one die each, the highest wins.")
            return again if roll.again else _("One die each, the highest wins.")
        lowest = _("Three dice each, the lowest sum wins.")
        return lowest if roll.lowest else _("Three dice each, the highest sum wins.")

    def rollers(self, roll: RollHere) -> str:
        """The people whose dice the next throw holds."""
        return self.names([one.call for one in roll.now])

    def title(self, stage: str) -> str:
        """The title of a tournament's scene."""
        _ = self._
        return {
            "qualification": _("Who is in the semi-final?"),
            "semi_final": _("Who is in the final?"),
            "order": _("Who begins the final?"),
            "final": _("The final"),
        }[stage]

    def place(self, by: str) -> str:
        """The way to win a place in the next stage."""
        _ = self._
        if by in ("wins", "buncos"):
            return self.prize(by)
        return {
            "drawn": _("Drawn from the semi-final"),
            "wild_card": _("Wild card, drawn from everybody"),
        }[by]

    def won_with(self, place: PlaceShown) -> str:
        """The marks that won a place: 6 wins; empty where it was drawn."""
        if place.by == "wins":
            return self.ngettext("%(n)d win", "%(n)d wins", place.count) % {"n": place.count}
        if place.by == "buncos":
            return self.ngettext("%(n)d Bunco", "%(n)d Buncos", place.count) % {"n": place.count}
        return ""
