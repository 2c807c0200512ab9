"""Names of faces, results, marks, prizes, stages and values of the rules, in one language."""

from collections.abc import Sequence

from pi_bunco.game.reasons import prize_name
from pi_bunco.reason import joined
from pi_bunco.rules.load import HOUSE_RULES
from pi_bunco.rules.ruleset import BAG
from pi_bunco.words.catalogue import Texts


class Terms:
    """The names in one language."""

    def __init__(self, wording: Texts) -> None:
        self.wording = wording
        self._ = wording.gettext
        self.ngettext = wording.ngettext

    def face(self, face: int) -> str:
        """The target of a round: Ones to Sixes."""
        _ = self._
        return ("", _("Ones"), _("Twos"), _("Threes"), _("Fours"), _("Fives"), _("Sixes"))[face]

    def of_face(self, face: int) -> str:
        """The same within a sentence: ones to sixes."""
        _ = self._
        return ("", _("ones"), _("twos"), _("threes"), _("fours"), _("fives"), _("sixes"))[face]

    def result(self, name: str) -> str:
        """The name of a throw."""
        _ = self._
        return {
            "miss": _("Miss"),
            "one": _("One"),
            "two": _("Two"),
            "mini": _("Mini"),
            "bunco": _("Bunco"),
            "wipe": _("Wipe"),
        }[name]

    def marks(self, name: str) -> str:
        """A column of the standings."""
        _ = self._
        return {
            "buncos": _("Buncos"),
            "wins": _("Wins"),
            "losses": _("Losses"),
            "minis": _("Minis"),
            "score": _("Points"),
            "wipes": _("Wipes"),
        }.get(name) or capital(name.replace("_", " "))

    def placed(self, name: str, place: int) -> str:
        """The name of a prize with its place, where that is not the first."""
        return self._("%(prize)s, place %(n)d") % {"prize": name, "n": place} if place > 1 else name

    def prize(self, kind: str, place: int = 1, each: bool = False) -> str:
        """The name of a prize; of one for `each` mark the name of the mark."""
        _ = self._
        if each:
            return _("%(marks)s, one for each") % {"marks": self.marks(kind)}
        shown = {
            "traveling": _("The bag travels with"),
            "one_two_three": _("Most 1-2-3"),
            "loser_lottery": _("Losers\u2019 lottery"),
        }.get(kind)
        return self.placed(shown or capital(_(prize_name(kind))), place)

    def holding(self, name: str) -> str:
        """A thing that somebody holds."""
        return capital(self._(prize_name("traveling")) if name == BAG else name.replace("_", " "))

    def gift(self, name: str) -> str:
        """A thing that is won; one of the host's keeps its name."""
        return {"the bag": self._("the bag"), "the doormat": self._("the doormat")}.get(name, name)

    def stage(self, name: str) -> str:
        """A stage of a tournament."""
        _ = self._
        return {
            "qualification": _("Who is in the semi-final?"),
            "semi_final": _("Semi-final"),
            "order": _("Who begins the final?"),
            "final": _("Final table"),
            "done": _("The tournament is over"),
        }.get(name, name)

    def won(self, wins: int, rounds: int) -> str:
        """The rounds that somebody has won, of all."""
        text = self.ngettext("%(wins)d of %(n)d round won", "%(wins)d of %(n)d rounds won", rounds)
        return text % {"wins": wins, "n": rounds}

    def names(self, people: Sequence[str]) -> str:
        """People in a row: Ann, Bob and Cat."""
        return joined(people, self.wording)

    def rules(self, name: str) -> str:
        """A rule set by its name; house rules keep theirs."""
        known = {"mybunco": "My Bunco", "tournament": "Tournament", "classic": "Classic", "gong": "Gong"}
        known |= {"bonko": "Bonko"}
        house = self._(HOUSE_RULES)
        known |= {
            HOUSE_RULES % {"rules": preset}: house % {"rules": shown} for preset, shown in known.items()
        }
        return known.get(name, name)

    def dimension(self, key: str) -> str:
        """The subject of a dimension of the rules."""
        _ = self._
        return {
            "team": _("Who plays together"),
            "end.points": _("Points that ring the bell"),
            "end.points_by": _("Points of whom"),
            "end.bunco": _("A Bunco rings the bell"),
            "end.tables": _("Which tables ring it"),
            "end.minutes": _("Minutes that a round lasts at most"),
            "end.seconds": _("Seconds that a round lasts at most"),
            "after_bell": _("After the bell"),
            "scoring.match": _("A die that hits counts"),
            "scoring.mini": _("Points of a mini"),
            "turn.mini_ends": _("A mini ends the turn"),
            "scoring.wipe": _("Three of this wipe the round out"),
            "scoring.wipe_ends": _("And end the turn"),
            "traveling": _("The traveling prize goes with"),
            "tie.method": _("A tie is broken by"),
            "move.tables": _("Between rounds"),
            "evening.sets": _("Sets of rounds"),
            "evening.break_after": _("Break after set"),
            "evening.break_minutes": _("Minutes of break"),
            "prize_tie": _("A tie for a prize"),
            "winner.auto": _("The team that rang wins"),
            "ghosts": _("Ghosts may fill a table"),
        }.get(key, key)

    def value(self, value: str) -> str:
        """A value of it."""
        _ = self._
        return {
            "none": _("none"),
            "true": _("yes"),
            "false": _("no"),
            "team": _("a team"),
            "pairs": _("two pairs"),
            "table": _("the whole table"),
            "player": _("one player"),
            "head": _("the head table"),
            "any": _("any table"),
            "nobody": _("nobody moves"),
            "stop": _("dice down at once"),
            "finish_turn": _("the turn is finished"),
            "finish_lap": _("the lap is finished"),
            "first_lap": _("everybody has had a turn"),
            "bunco": _("each Bunco"),
            "mini": _("each mini"),
            "face": _("its face"),
            "one": _("1"),
            "session": _("one turn each, targets alone"),
            "lap": _("one ordinary turn each"),
            "one_die": _("one die each"),
            "one_roll": _("one roll each, targets alone"),
            "no_chance": _("a turn for who had none, then one roll each"),
            "three_dice": _("three dice"),
            "split": _("is split"),
            "ask": _("the host decides"),
            "losers_to_last": _("winners go up, the head's losers to the last table"),
            "down_one": _("winners up one, losers down one"),
            "losers_round": _("winners stay, losers go on"),
            "winners_round": _("losers stay, winners go up"),
            "chain": _("everybody one chair on"),
            "partners": _("a new partner each round"),
            "stay": _("nobody moves, partners change"),
        }.get(value, value)


def capital(text: str) -> str:
    """The text with a capital letter."""
    return text[:1].upper() + text[1:]
