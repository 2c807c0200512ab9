"""Evenings drawn at random by hypothesis: any rule set, any people, and facts in any order."""

from collections.abc import Collection, Iterator
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from game.evenings import CALLS, fact
from pi_bunco.game import facts
from pi_bunco.game.apply import apply
from pi_bunco.game.evening import Evening
from thorough import times

QUICK = settings(max_examples=times(40), deadline=None)

Step = dict[str, Any]

MODES = ["stop", "finish_turn", "finish_lap", "first_lap"]
METHODS = ["session", "one_die", "lap", "one_roll", "no_chance"]
MOVES = ["losers_to_last", "down_one", "stay", "losers_round", "winners_round", "chain", "partners"]
OVERRIDES: dict[str, st.SearchStrategy[Any]] = {
    "scoring.match": st.sampled_from(["face", "one"]),
    "scoring.bunco": st.integers(1, 25),
    "scoring.mini": st.integers(0, 6),
    "scoring.wipe": st.none() | st.integers(1, 6),
    "scoring.wipe_ends": st.booleans(),
    "turn.mini_ends": st.booleans(),
    "end.points": st.none() | st.integers(1, 25),
    "end.points_by": st.sampled_from(["team", "player"]),
    "end.bunco": st.booleans(),
    "end.tables": st.sampled_from(["head", "any"]),
    "after_bell": st.sampled_from(MODES),
    "after_bell_head": st.none() | st.sampled_from(MODES),
    "winner.auto": st.booleans(),
    "tie.method": st.sampled_from(METHODS),
    "move.tables": st.sampled_from(MOVES),
    "evening.sets": st.integers(1, 3),
    "evening.faces": st.lists(st.integers(1, 6), min_size=1, max_size=6),
    "evening.break_after": st.none() | st.integers(1, 3),
    "prize_tie": st.sampled_from(["split", "one_die", "three_dice", "ask"]),
    "traveling": st.booleans() | st.sampled_from(["bunco", "mini", "none"]) | st.integers(1, 6),
    "ghost_marks": st.sampled_from(["nobody", "partner"]),
}
PLAYERS = [f"p{number}" for number in range(13)]
NAMES = st.sampled_from([*PLAYERS[:6], "x", "y", "Ghost 1", "Ghost 2"])
EPOCHS = st.sampled_from([None, None, None, None, 1, 2, 3])
CALL = st.sampled_from(["one", *CALLS.values(), "miss"])

# Each as often as it should be drawn; `all decide` and `all confirm` are the fact at every table.
KINDS = [
    *["roll"] * 10, *["round_open", "all confirm"] * 4, *["undo"] * 3,
    *["turn", "confirm", "faceoff", "all decide", "reopen", "round_close", "bell"] * 2,
    *["round_cancel"] * 2, "decide", "bell_void", "bell_seen", "leave", "arrive", "substitute",
    "pause", "resume", "hand", "bypass", "restore",
]  # fmt: skip


def steps(without: Collection[str] = ()) -> st.SearchStrategy[list[Step]]:
    """Kinds and fields of facts; tables are numbered from 0 without end until they are told apart."""
    kinds = [kind for kind in KINDS if kind not in without]
    step = st.fixed_dictionaries(
        {
            "kind": st.sampled_from(kinds),
            "later": st.integers(0, 3),
            "lag": st.sampled_from([0, 0, 0, 0, 1, 5, 50]),
            "table": st.integers(0, 12),
            "epoch": EPOCHS,
            "call": CALL,
            "dice": st.tuples(st.integers(1, 3), st.integers(1, 3)),
            "throw": st.tuples(*[st.integers(1, 6)] * 3) | st.integers(1, 6).map(lambda face: (face,) * 3),
            "by_hand": st.booleans(),
            "face": st.none() | st.integers(1, 6),
            "seat": st.sampled_from("ABCD"),
            "rolls": st.integers(0, 3),
            "winner": st.sampled_from(["US", "THEM"]),
            "player": NAMES,
            "in": NAMES,
        }
    )
    return st.lists(step, max_size=50)


FIELDS = {
    "roll": ("table", "call", "epoch"),
    "undo": ("table", "epoch"),
    "turn": ("table", "seat", "rolls", "epoch"),
    "confirm": ("table", "epoch"),
    "faceoff": ("table", "dice", "epoch"),
    "decide": ("table", "winner", "epoch"),
    "bell_seen": ("table", "epoch"),
    "reopen": ("table",),
    "bypass": ("table",),
    "restore": ("table",),
    "hand": ("table",),
    "leave": ("player",),
    "arrive": ("player",),
    "substitute": ("in",),
}


def thrown(step: Step) -> Step:
    """The three dice of a roll, in place of a call; of one by hand the call, a mini with its face."""
    if step["by_hand"]:
        return {"call": step["call"]} | ({"face": step["face"]} if step["call"] == "mini" else {})
    return {"dice": step["throw"]}


def _facts(steps: list[Step], tables: int, dice: bool) -> Iterator[facts.Fact]:
    t = 0
    for step in steps:
        t += step["later"]
        kind = step["kind"].removeprefix("all ")
        fields = {name: step[name] for name in FIELDS.get(kind, ())}
        if kind == "roll" and dice:
            fields.pop("call")
            fields |= thrown(step)
        extra: dict[str, Any] = {"hand": {"allowed": True}, "substitute": {"out": step["player"]}}.get(
            kind, {}
        )
        at = max(0, t - step["lag"])
        if kind == step["kind"]:
            spot = {"table": step["table"] % tables + 1} if "table" in fields else {}
            yield fact(kind, at, **fields | extra | spot)
        else:
            fields = fields | {"epoch": None}
            yield from (fact(kind, at, **fields | {"table": number}) for number in range(1, tables + 1))


@st.composite
def logs(
    draw: st.DrawFn, /, without: Collection[str] = (), dice: bool = False, **fixed: Any
) -> list[facts.Fact]:
    """A seated evening with its first round open, then facts of all kinds in any order, sensible or not.

    Rolls are calls, or also throws with `dice`.
    """
    players = PLAYERS[: draw(st.integers(4, len(PLAYERS)))]
    ghosts = [f"Ghost {number}" for number in range(1, -len(players) % 4 + 1)]
    chairs = draw(st.permutations([*players, *ghosts]))
    tables = len(chairs) // 4
    rules = draw(st.sampled_from(["mybunco", "tournament", "classic", "gong", "bonko"]))
    overrides = draw(st.fixed_dictionaries({}, optional=OVERRIDES)) | fixed
    begin = [
        fact("evening", rules=rules, overrides=overrides, players=players, ghosts=ghosts),
        fact("seating", tables=[chairs[i : i + 4] for i in range(0, len(chairs), 4)]),
        fact("round_open"),
    ]
    return [*begin, *_facts(draw(steps(without)), tables, dice)]


def played(log: list[facts.Fact]) -> Evening:
    evening = Evening()
    for one in log:
        apply(evening, one)
    return evening
