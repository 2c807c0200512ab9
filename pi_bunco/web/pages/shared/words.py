"""Sentences that need more than a template: counted things, throws, tables, bells, throws between rounds."""

from collections.abc import Mapping

from pi_bunco.web.pages.shared import model
from pi_bunco.words.terms import Terms


class StageWords(Terms):
    """Sentences of what is rolled between rounds: ties for prizes, a tournament's places, its final."""

    def rolls_for(self, roll: model.RollHere) -> str:
        """The place or prize that is rolled for."""
        _ = self._
        if roll.purpose in ("order", "final"):
            return self.title(roll.purpose)
        values = {"prize": self.prize(roll.purpose), "n": roll.group}
        return (_("Roll-off: %(prize)s, group %(n)d") if roll.group else _("Roll-off: %(prize)s")) % values

    def roll_rule(self, roll: model.RollHere) -> str:
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

    def rollers(self, roll: model.RollHere) -> str:
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

    def won_with(self, place: model.PlaceShown) -> str:
        """The marks that won a place: 6 wins; empty where it was drawn."""
        if place.by == "wins":
            return self.ngettext("%(n)d win", "%(n)d wins", place.count) % {"n": place.count}
        if place.by == "buncos":
            return self.ngettext("%(n)d Bunco", "%(n)d Buncos", place.count) % {"n": place.count}
        return ""


class Wording(Terms):
    """The sentences in one language."""

    def points(self, n: int) -> str:
        """Points, counted."""
        return self.ngettext("%(n)d point", "%(n)d points", n) % {"n": n}

    def to_the_bell(self, n: int) -> str:
        """The points that are missing to the bell."""
        return self.ngettext("%(n)d more rings the bell", "%(n)d more ring the bell", n) % {"n": n}

    def evening(self, sets: int, rounds: int, rolls: int) -> str:
        """The length of an evening, counted."""
        text = self.ngettext(
            "%(sets)d set of %(rounds)d rounds, about %(rolls)d rolls each.",
            "%(sets)d sets of %(rounds)d rounds, about %(rolls)d rolls each.",
            sets,
        )
        return text % {"sets": sets, "rounds": rounds, "rolls": rolls}

    def throw(self, throw: model.ThrowShown | None) -> str:
        """The last throw under its dice: its worth."""
        _ = self._
        if throw is None:
            return ""
        points = self.points(throw.points)
        return {
            "bunco": _("Bunco!"),
            "miss": _("Miss"),
            "wipe": _("Wiped out"),
            "mini": _("Mini, %(points)s") % {"points": points},
        }.get(throw.result, points)

    def throw_long(self, throw: model.ThrowShown | None) -> str:
        """The last throw at the head table, with what follows from it."""
        _ = self._
        if throw is None:
            return ""
        if throw.goes_on:
            return _("%(what)s, roll again!") % {"what": self.throw(throw).rstrip("!")}
        return self.throw(throw)

    def of_results(self, worths: Mapping[model.Result, int]) -> dict[str, str]:
        """For each result, and its points, a throw after which the turn goes on."""
        return {
            name: self.throw_long(model.ThrowShown("", "us", name, worth, True))
            for name, worth in worths.items()
        }

    def result_names(self) -> dict[str, str]:
        """The names of all results that a phone can work out by itself."""
        return {name: self.result(name) for name in ("miss", "one", "two", "mini", "bunco")}

    def playing_label(self, table: model.TableShown, large: bool) -> str | None:
        """The words on the felt of a table that plays; None for its number."""
        _ = self._
        if table.head:
            return _("Head table") if large else _("Table 1")
        if table.bunco and table.throw:
            return _("Bunco! %(points)s") % {"points": self.points(table.throw.points)}
        return None

    def playing_text(self, table: model.TableShown, large: bool) -> str:
        """The words under the dice of a table that plays."""
        if large:
            return self.throw_long(table.throw)
        if table.bunco and table.throw:
            return self._("%(name)s goes on") % {"name": table.throw.by}
        return self.throw(table.throw)

    def in_turn(self, n: int) -> str:
        """Points of the turn so far."""
        return self.ngettext("%(n)d in this turn", "%(n)d in this turn", n) % {"n": n}

    def table(self, number: int) -> str:
        """A table by its number."""
        return self._("Table %(n)d") % {"n": number}

    def label(self, table: model.TableShown) -> str:
        """The words on the felt of a table."""
        _ = self._
        if table.doing == "rolloff":
            return _("Roll-off")
        if table.winner is not None:
            return self.wins(table.won) if table.won else _("Another table wins")
        if table.doing in ("done", "final"):
            return self.ahead(table)
        return self.table(table.number)

    def score(self, table: model.TableShown) -> str:
        """The points of every side."""
        if table.pairs:
            return self._("Us %(us)d, them %(them)d") % {"us": table.points[0], "them": table.points[1]}
        if table.team == "table":
            return self.points(table.points[0])
        return ", ".join(f"{side.calls[0]} {side.points}" for side in table.sides)

    def ahead(self, table: model.TableShown) -> str:
        """The leader at a table without a result."""
        _ = self._
        if table.team == "table":
            return self.points(table.points[0])
        if len(table.ahead) > 1:
            return _("Level")
        if table.pairs:
            return _("Us ahead") if table.ahead[0].n == 0 else _("Them ahead")
        return _("%(name)s is ahead") % {"name": table.ahead[0].calls[0]}

    def wins(self, side: model.SideShown) -> str:
        """The players of a side who win, by name."""
        if side.key == "table":
            return self._("This table wins")
        names = {"names": self.names(side.calls)}
        return self.ngettext("%(names)s wins", "%(names)s win", len(side.calls)) % names

    def flag(self, table: model.TableShown) -> str:
        """After the bell: the table still plays, or does not."""
        _ = self._
        return {
            "finishing": _("Still playing"),
            "rolloff": _("Roll-off"),
            "done": _("Done"),
            "final": _("Finished"),
            "out": _("Left out"),
        }.get(table.doing, "")

    def doing(self, table: model.TableShown) -> str:
        """The doing of the table now, in a sentence."""
        _ = self._
        who = {"name": table.turn.call if table.turn else "", "keeper": table.keeper}
        if table.doing == "final":
            return self.label(table)
        if table.doing == "rolloff" and (off := table.rolloff):
            if off.method == "one_die" and off.count > 1:
                return _("Level again: one die each")
            return {
                "one_die": _("A tie at %(n)d: one die each"),
                "lap": _("A tie at %(n)d: one more lap"),
                "session": _("A tie at %(n)d: one turn each"),
                "one_roll": _("A tie at %(n)d: one roll each"),
                "no_chance": _("A tie at %(n)d: who had no turn has one"),
            }[off.method] % {"n": off.at}
        return {
            "playing": _("%(name)s rolls"),
            "finishing": _("%(name)s finishes the turn"),
            "done": _("Dice down. %(keeper)s, press OK"),
            "out": _("The host decides"),
        }.get(table.doing, _("Not begun")) % who

    def doing_more(self, table: model.TableShown) -> str:
        """The consequence of it, in a sentence."""
        _ = self._
        if table.doing == "finishing":
            return _("Then table %(n)d is done.") % {"n": table.number}
        if table.doing in ("done", "final"):
            return f"{self.score(table)}."
        if table.rolloff is None:
            return ""
        if table.rolloff.method == "one_die":
            return _("The higher die wins. Level again? Roll again.")
        if table.rolloff.method == "lap":
            return _("One ordinary turn each.")
        return _("Only %(faces)s count.") % {"faces": self.of_face(table.target)}

    def bell_rule(self, rule: model.BellRule | None) -> str:
        """All that rings the bell, short."""
        _ = self._
        if rule is None:
            return ""
        by = []
        if rule.points is not None:
            of_one = _("%(n)d of one player") % {"n": rule.points}
            by.append(of_one if rule.by_player else self.points(rule.points))
        if rule.bunco:
            by.append(_("a Bunco"))
        if rule.limit_s is not None:
            minutes, seconds = divmod(rule.limit_s, 60)
            if seconds:
                by.append(self.ngettext("%(n)d second", "%(n)d seconds", rule.limit_s) % {"n": rule.limit_s})
            else:
                by.append(self.ngettext("%(n)d minute", "%(n)d minutes", minutes) % {"n": minutes})
        what = _(" or ").join(by)
        if not by:
            return _("The host rings the bell")
        return (_("Any table rings at %s") if rule.any_table else _("Table 1 rings at %s")) % what

    def bell(self, bell: model.BellShown, target: int) -> str:
        """The one who rang, and with what."""
        _ = self._
        values = {"name": bell.call, "faces": self.of_face(target)}
        return {
            "bunco": _("%(name)s, Bunco of %(faces)s"),
            "roll": _("%(name)s rolled what rings"),
            "points": _("%(name)s reached the points"),
            "time": _("The time is up"),
            "host": _("The host rang"),
        }[bell.by] % values

    def round_(self, heading: model.Heading) -> str:
        """The round alone."""
        return self._("Round %(round)d of %(rounds)d") % {"round": heading.round, "rounds": heading.rounds}

    def set_(self, heading: model.Heading) -> str:
        """The set alone, or a tournament's stage; empty where there is but one set."""
        if heading.stage:
            return self.stage(heading.stage)
        if heading.sets < 2:
            return ""
        return self._("Set %(set)d of %(sets)d") % {"set": heading.set, "sets": heading.sets}

    def where(self, heading: model.Heading) -> str:
        """Round and set."""
        _ = self._
        values = {"round": heading.round, "rounds": heading.rounds, "set": heading.set, "sets": heading.sets}
        if heading.stage:
            return f"{self.stage(heading.stage)}, {self.round_(heading)}"
        if heading.sets > 1:
            return _("Round %(round)d of %(rounds)d, set %(set)d of %(sets)d") % values
        return self.round_(heading)

    def coming(self, heading: model.Heading) -> str:
        """The round that is played next, within a sentence."""
        _ = self._
        values = {"round": heading.round, "set": heading.set, "faces": self.of_face(heading.target)}
        if heading.stage:
            return _("the semi-final, round %(round)d, %(faces)s") % values
        if heading.round == 1 and heading.sets > 1:
            return _("set %(set)d, %(faces)s") % values
        return _("round %(round)d, %(faces)s") % values

    def moves_by(self, moves: str, tables: int, grouped: bool) -> tuple[tuple[str, str, str, str], ...]:
        """Moves after a round, by the rule `moves`: arrow, who, the rule, its exception.

        Where tables are `grouped` everybody moves within the group.
        """
        _, last = self._, {"n": tables}
        winners, losers, stay, always = _("Won?"), _("Lost?"), _("Stay there."), _("At every table.")
        up, down = _("Up one table."), _("Down one table.")
        if tables == 1 and moves == "chain":
            return (("down", _("Chair"), _("One chair on."), _("A to B, B to D, D to C, C to A.")),)
        if tables == 1 and moves not in ("nobody", "stay", "partners"):
            change = _("Partners change")
            return (
                ("up", winners, _("Chairs A and B."), change),
                ("down", losers, _("Chairs C and D."), change),
            )
        if grouped:
            first_stays, last_stays, first_to_last, last_to_first = (
                _("At the first table of your group you stay."),
                _("At the last table of your group you stay."),
                _("From the first table of your group go to its last."),
                _("From the last table of your group go to its first."),
            )
        else:
            first_stays, last_stays, first_to_last, last_to_first = (
                _("At table 1 you stay."),
                _("At table %(n)d you stay.") % last,
                _("From table 1 go to table %(n)d.") % last,
                _("From table %(n)d go to table 1.") % last,
            )
        return {
            "down_one": (("up", winners, up, first_stays), ("down", losers, down, last_stays)),
            "losers_to_last": (("up", winners, up, first_stays), ("stay", losers, stay, first_to_last)),
            "losers_round": (("stay", winners, stay, always), ("down", losers, down, last_to_first)),
            "winners_round": (("up", winners, up, first_to_last), ("stay", losers, stay, always)),
            "chain": (
                ("down", _("Chair"), _("One chair on."), _("A to B, B to D, D to C.")),
                ("down", _("Chair C"), down, last_to_first),
            ),
            "partners": (("down", _("Chair"), _("Look at the screen."), _("A new partner each round.")),),
            "nobody": (("stay", _("Table"), _("Nobody moves."), _("Every chair stays.")),),
            "stay": (
                ("stay", _("Table"), _("Nobody moves."), _("Chair A stays.")),
                ("down", _("Chair"), _("One chair on."), _("B to C, C to D, D to B.")),
            ),
        }[moves]

    def to_next(self, state: str, won: bool | None, direction: model.MoveDirection) -> str:
        """The way to a player's next table, after the last round or in the break."""
        _, stays = self._, direction == "stay"
        if state == "break":
            return _("It is break. Then you") if stays else _("It is break. Then you go")
        if won is None:
            return _("Now you") if stays else _("Now go")
        if won:
            return _("You won. Now you") if stays else _("You won. Now go")
        return _("You lost this one. Now you") if stays else _("You lost this one. Now go")

    def next_table(self, table: model.TableShown, direction: model.MoveDirection) -> str:
        """A player's next table, within that sentence."""
        _ = self._
        if table.head:
            return _("stay at the head table") if direction == "stay" else _("up to the head table")
        return {
            "": _("to table %(n)s"),
            "stay": _("stay at table %(n)s"),
            "up": _("up to table %(n)s"),
            "down": _("down to table %(n)s"),
        }[direction] % {"n": table.number}

    def chair(self, chair: model.Chair) -> str:
        """A seat for who does not see it: name, team, dice."""
        _ = self._
        if not chair.side:
            had = [] if chair.points is None else [self.points(chair.points)]
            return ", ".join([*had, *([_("has the dice")] if chair.turn else [])])
        side = _("us") if chair.side == "us" else _("them")
        return _("%(side)s, has the dice") % {"side": side} if chair.turn else side

    def duration(self, minutes: int) -> str:
        """A duration: 1 h 40, or 45 min."""
        hours, rest = divmod(minutes, 60)
        if not hours:
            return self._("%(n)d min") % {"n": rest}
        return f"{hours} h {rest:02}" if rest else f"{hours} h"
