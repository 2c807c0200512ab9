"""Rule sets of all kinds for property tests."""

from typing import Any

from hypothesis import strategies as st

MARKS = ("score", "wins", "losses", "buncos", "minis")
SIGNALS = ("bell", "horn", "bell+horn")
some = st.integers(1, 999)
optional = some | st.just("none")
flags = st.booleans()
faces = st.integers(1, 6)
texts = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=20)
MODES = ("stop", "finish_turn", "finish_lap", "first_lap")
prizes = st.lists(
    st.fixed_dictionaries(
        {"for": st.sampled_from(["buncos", "wins", "lowest_score", "traveling"])},
        optional={"award": st.text(max_size=20)},
    ),
    max_size=4,
    unique_by=lambda prize: prize["for"],
)

WHEN = ("fff", "ff.", "f..", "xxx", "xx.", "1-2-3", "2-2-5", "4-4-4", "sum=5", "sum=11", "...")
patterns: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {"when": st.sampled_from(WHEN)},
    optional={
        "target": st.integers(1, 6),
        "points": st.integers(0, 5) | st.just("face"),
        "turn": st.sampled_from(["on", "pass"]),
        "wipe": st.sampled_from(["none", "seat", "team"]),
        "mark": st.sampled_from(["none", "bunco", "mini", "wipe", "fives"]),
        "hands": st.sampled_from(["none", "bag", "die"]),
        "bell": st.booleans(),
        "called": st.booleans(),
    },
)

overrides: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "scoring.match": st.sampled_from(["face", "one"]),
        "scoring.bunco": some,
        "scoring.mini": st.integers(0, 999),
        "scoring.wipe": faces | st.just("none"),
        "scoring.wipe_ends": flags,
        "name": texts,
        "description": texts,
        "rolls": st.lists(patterns, max_size=3),
        "turn.mini_ends": flags,
        "end.points": optional,
        "end.points_by": st.sampled_from(["team", "player"]),
        "end.bunco": flags,
        "end.tables": st.sampled_from(["head", "any"]),
        "end.minutes": optional,
        "after_bell": st.sampled_from(MODES),
        "after_bell_head": st.sampled_from([*MODES, "none"]),
        "winner.auto": flags,
        "tie.method": st.sampled_from(["session", "one_die", "lap", "one_roll", "no_chance"]),
        "move.tables": st.sampled_from(["losers_to_last", "winners_round", "chain", "partners"]),
        "evening.sets": st.integers(1, 99),
        "evening.faces": st.lists(faces, min_size=1, max_size=24),
        "evening.break_after": optional,
        "evening.break_minutes": optional,
        "card": st.lists(st.sampled_from(MARKS), max_size=5),
        "champion": st.lists(st.sampled_from(MARKS), min_size=1, max_size=5),
        "prizes": prizes | st.just("none"),
        "prize_tie": st.sampled_from(["split", "one_die", "three_dice", "ask"]),
        "prize_once": flags,
        "begins": st.sampled_from(["A", "rolled", "drawn"]),
        "stake": st.sampled_from(["none", "5", "2.50"]) | st.integers(0, 99),
        "keep": st.integers(1, 100) | st.just("none"),
        "holds": st.lists(st.sampled_from(["bag", "doormat", "die"]), max_size=3) | st.just("none"),
        "ghost_turn": st.sampled_from(["partner", "partner_twice"]),
        "traveling": flags | faces | st.sampled_from(["bunco", "mini", "none"]),
        "ghost_marks": st.sampled_from(["nobody", "partner"]),
        "ghosts": flags,
        "tournament": flags,
        "signal.start": st.sampled_from(SIGNALS),
        "signal.end": st.sampled_from(SIGNALS),
    },
)
