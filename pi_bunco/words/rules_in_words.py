"""The words of a rule set as people say them."""

from collections.abc import Mapping

from pi_bunco.game.reasons import PRIZES, prize_name
from pi_bunco.rules.ruleset import Pattern, RoundEnd, RuleSet
from pi_bunco.words.terms import capital

PRIZE_PURPOSES: Mapping[str, str] = PRIZES | {
    "traveling": "holds the traveling bag at the end",
    "grand_prize": "grand prize of the final table",
    "first_bunco": "first Bunco of the evening",
    "last_bunco": "last Bunco of the evening",
    "loser_lottery": "drawn among those with most losses",
    "fifty_fifty": "drawn among all players",
    "dice_lottery": "rolled for by all players, a die each",
}
"""Purposes of the prizes."""


def purpose(kind: str) -> str:
    """The purpose of a prize in words; "most" and the word that it counts for a word of the host's rules."""
    return PRIZE_PURPOSES.get(kind) or f"most {prize_name(kind)}"


MEANINGS: Mapping[str, str] = {
    "name": "what status, page and log call the rule set",
    "description": "what it is, in a sentence",
    "team": "who plays together at a table: two pairs, nobody, or the whole table",
    "scoring.match": "points of each die that shows the target: its face, or one",
    "scoring.bunco": "points of a Bunco, three of the target",
    "scoring.mini": "points of a mini, three of any other face",
    "scoring.wipe": "three of this face wipe the team's points of the round out, unless it is the target",
    "scoring.wipe_ends": "that also ends the turn",
    "rolls": "what particular rolls do; the first pattern that matches counts",
    "turn.mini_ends": "a mini ends the turn",
    "end.points": "total that rings the bell",
    "end.points_by": "whose total that is",
    "end.bunco": "a Bunco rings the bell",
    "end.tables": "tables whose points or Bunco ring the bell",
    "end.minutes": "time limit of a round",
    "end.seconds": "the same in seconds",
    "after_bell": "what is still played when the bell has rung",
    "after_bell_head": "the same for the tables that can ring, where it is another",
    "winner.auto": "whoever rolled a Bunco or got the points wins at once, with the partner",
    "tie.method": "how a table breaks a tie",
    "move.tables": "where winners and losers go",
    "begins": "who rolls first at a table: seat A, the highest die of each, or who is drawn",
    "evening.sets": "sets of rounds",
    "evening.faces": "the target faces of a set in order, one round each",
    "evening.break_after": "the set after which there is a break",
    "evening.break_minutes": "how long the break is",
    "card": "what a player's card records",
    "champion": "what ranks the players, first things first",
    "prizes": "what is won; percentages of the pot add up to 100",
    "prize_tie": "how a tie for a prize is settled",
    "prize_once": "whoever has won a prize passes the next one on to the next in rank",
    "stake": "what each pays into the pot",
    "keep": "percent of the pot that stay for the next night",
    "holds": "things that somebody holds and that go over to the next night",
    "bonus": "points on the card of whoever holds a thing at the end",
    "traveling": "what hands the bag on: a Bunco, a mini, or three of a face",
    "traveling_nth": "the bag goes on with the nth such roll of a round alone",
    "ghosts": "seats may stay empty, the partner rolls",
    "ghost_marks": "who gets the Buncos and minis of a turn without a person",
    "ghost_turn": "a ghost's turn comes in its place, or directly behind its partner's",
    "tournament": "groups, a semi-final and a final table follow the sets",
    "signal.start": "what sounds at the start of a round",
    "signal.end": "what sounds at its end",
}
"""The subject of each dimension."""

_MODES = {
    "stop": "stops everybody at once",
    "finish_turn": "lets a turn that scored be finished",
    "finish_lap": "lets every table finish its lap",
    "first_lap": "lets a turn that scored be finished, and every seat have a turn",
}
_TIES = {
    "session": "a turn each, targets only",
    "one_die": "one die each",
    "lap": "an ordinary turn each",
    "one_roll": "one roll each, targets only",
    "no_chance": "a turn for whoever had none, then one roll each",
}
_MOVES = {
    "losers_to_last": "Winners go up a table, the head table's losers to the last.",
    "down_one": "Winners go up a table, losers down.",
    "stay": "Nobody changes tables, partners change.",
    "losers_round": "Winners stay, losers go on to the next table.",
    "winners_round": "Losers stay, winners go up a table, those of table 1 to the last.",
    "chain": "Everybody goes one chair on, through all tables.",
    "partners": "Everybody changes tables, and nobody has a partner twice as long as that can be.",
}

_TEAMS = {
    "pairs": [],
    "none": ["Everybody plays alone, and one of a table wins."],
    "table": ["A table is a team against the other tables, and nobody changes seats."],
}
_BEGINS = {"rolled": "The highest of a die each begins.", "drawn": "Who begins is drawn."}


def time_limit(end: RoundEnd) -> str:
    """The time limit of a round: "5 minutes", "90 seconds"."""
    return f"{end.seconds} seconds" if end.seconds else f"{end.minutes} minutes"


def summary(rules: RuleSet) -> str:
    """The game under `rules`: its own description, else one that is made from its dimensions."""
    return rules.description or described(rules)


def described(rules: RuleSet) -> str:
    """The game under `rules`, made from its dimensions alone."""
    rolls = [f"{capital(pattern(one))}." for one in rules.rolls]
    moves = [] if rules.team == "table" else [_MOVES[rules.move.tables]]
    seated = [*_TEAMS[rules.team], *moves, *([_BEGINS[rules.begins]] if rules.begins != "A" else [])]
    if rules.ghost_turn == "partner_twice":
        seated.append("A ghost's partner has two turns running.")
    return " ".join([_scored(rules), *rolls, _rung(rules), _played_on(rules), *seated])


def _scored(rules: RuleSet) -> str:
    scoring = rules.scoring
    match = "its face" if scoring.match == "face" else "1"
    mini = f"a mini {scoring.mini}{' and ends the turn' if rules.turn.mini_ends else ''}"
    wipe, whose = "", _WHOSE[rules.team]
    if scoring.wipe:
        ends = " and end the turn" if scoring.wipe_ends else ""
        wipe = f"; three {scoring.wipe}s wipe the {whose}'s points out{ends}"
    return f"A match scores {match}, a Bunco {scoring.bunco}, {mini}{wipe}."


_WHOSE = {"pairs": "team", "none": "roller", "table": "table"}
_WHEN = {
    "fff": "three of the target",
    "ff.": "two of the target",
    "f..": "one of the target",
    "xxx": "three of any other face",
    "xx.": "two of any other face",
    "...": "any other roll",
}
_WIPES = {
    "seat": "wipes the roller's points out",
    "team": "wipes the team's points out",
    "none": "wipes nothing",
}
_TURNS = {"on": "the turn goes on", "pass": "ends the turn"}


def pattern(one: Pattern) -> str:
    """A pattern of `rolls` and all that such a roll does."""
    when = _WHEN.get(one.when, one.when.replace("sum=", "dice that add up to "))
    where = f" in the round of {one.target}s" if one.target else ""
    called = ", called out" if one.called else ""
    does = [_WIPES[one.wipe]] if one.wipe else []
    if one.points is not None:
        does.append(f"counts {'its face' if one.points == 'face' else one.points}")
    does += [f"is marked as {one.mark}"] if one.mark else []
    does += [f"hands on {one.hands}"] if one.hands else []
    does += [_TURNS[one.turn]] if one.turn else []
    does += ["rings the bell" if one.bell else "does not ring"] if one.bell is not None else []
    return f"{when}{where}{called}: {', '.join(does) or 'as usual'}"


def _rung(rules: RuleSet) -> str:
    end = rules.end
    whose = {"pairs": end.points_by, "none": "player", "table": "table"}[rules.team]
    causes = [f"{end.points} points of a {whose}"] if end.points else []
    causes += ["a Bunco"] if end.bunco else []
    where = "at any table" if end.tables == "any" else "at the head table"
    rung = [f"{' or '.join(causes)} {where}"] if causes else []
    rung += [f"the clock after {time_limit(end)}"] if end.limit_s else []
    return f"The bell is rung by {' or '.join(rung or ['the host'])}."


def _played_on(rules: RuleSet) -> str:
    head = rules.after_bell_head
    others = f"It {_MODES[rules.after_bell]}"
    if head and head != rules.after_bell:
        others += f"; at the tables that ring it {_MODES[head]}"
    auto = "whoever rolled a Bunco or has the points wins; " if rules.winner.auto else ""
    return f"{others}; {auto}a tie is broken by {_TIES[rules.tie.method]}."
