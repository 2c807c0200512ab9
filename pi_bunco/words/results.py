"""Results of an evening in words: winners of the prizes, their worth, and fairness of the dice."""

from functools import reduce

from msgspec.structs import replace

from pi_bunco.game.fairness import MIN_THROWS, Fairness
from pi_bunco.game.prizes import Award, Results
from pi_bunco.game.reasons import prize_name
from pi_bunco.reason import joined
from pi_bunco.words.catalogue import texts
from pi_bunco.words.terms import Terms, capital


class ResultWords(Terms):
    """The sentences in one language."""

    def title(self, kind: str) -> str:
        """A prize as a heading."""
        return capital(self._(prize_name(kind)))

    def heading(self, award: Award) -> str:
        """The prize of an award as a heading, with its place where that is not the first."""
        if award.counts:
            return self.prize(award.category, each=True)
        return self.placed(self.title(award.category), award.place)

    def who(self, award: Award) -> str:
        """Winners of the prize, or what is still to be done about it, as a host reads it."""
        _ = self._
        if award.lapsed:
            values = {"now": self.who(replace(award, lapsed=False))}
            return _("%(now)s; you gave it on other standings: give it again if you mean it") % values
        if award.waits_for:
            return _("open until %(prize)s is settled") % {"prize": _(prize_name(award.waits_for)).lower()}
        if award.tied:
            to_do = {
                "one_die": _("each rolls one die"),
                "three_dice": _("each rolls three dice"),
            }.get(award.by or "", _("the host decides"))
            return _("%(names)s are equal: %(to_do)s") % {"names": self.names(award.tied), "to_do": to_do}
        return self.names(award.names) or _("nobody; it is the host's to give")

    def worth(self, award: Award) -> str:
        """Each winner's share: an amount, a thing, or nothing that has a name."""
        if award.shares:
            return reduce(lambda first, more: self.names([first, more]), award.shares)
        each = award.each if award.winners else award.amount
        if each and award.each and len(award.winners) > 1:
            each = self._("%(amount)s each") % {"amount": each}
        return ", ".join(filter(None, [each, self.gift(award.award or "")]))

    def line(self, award: Award) -> str:
        """The prize, who has it, and what it is worth, where it is worth something."""
        worth = self.worth(award)
        return f"{self.heading(award)}: {self.who(award)}{f', {worth}' if worth else ''}"

    def remarks(self, ended: Results) -> list[str]:
        """The ranked teams, the sum that the pot lacks, what stays in it, who takes home which thing."""
        _, found = self._, []
        for team in ended.teams:
            text = _("%(place)s. %(name)s: wins %(wins)s, Buncos %(buncos)s, points %(points)s")
            found.append(text % (team.marks | {"place": team.place, "name": team.name}))
        if ended.short is not None:
            text = _("The pot of %(pot)s is %(short)s short of the prizes, which are cut: add that.")
            found.append(text % {"pot": ended.pot, "short": ended.short})
        if ended.keep is not None:
            text = _("%(amount)s of the pot stays in the box for the next night.")
            found.append(text % {"amount": ended.keep})
        for thing, name in ended.holders.items():
            values = {"thing": thing.replace("_", " "), "name": name}
            found.append(_("%(name)s has the %(thing)s until the next night, and brings it along.") % values)
        return found

    def fair(self, dice: Fairness) -> str:
        """The verdict on the dice, for a host."""
        _ = self._
        number = _("%(n)s throws") % {"n": f"{dice.throws:,}"}
        if dice.throws < MIN_THROWS:
            return _("%(throws)s are too few to say whether the dice are fair.") % {"throws": number}
        if not dice.biased:
            return _("No sign of bias in %(throws)s.") % {"throws": number}
        names = joined([_("die %(n)s") % {"n": die} for die in dice.biased], self.wording)
        worst = min(p for p in dice.likely if p is not None)
        values = {"dice": names, "throws": number, "rare": f"{round(1 / max(worst, 1e-12)):,}"}
        return (
            _("Look at %(dice)s: in %(throws)s fair dice fall so unevenly once in %(rare)s times.") % values
        )


ENGLISH_RESULTS = ResultWords(texts("en"))
RANG_BY = {"bunco": "rolled a Bunco", "roll": "rolled what rings", "points": "reached the points"}
"""Deeds of a player that rang the bell, by the word of the log."""
