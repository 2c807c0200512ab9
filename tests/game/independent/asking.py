"""Rolls and the host's word for ties between rounds, and the host's word on prizes."""

from game.independent.evening import Evening, Fact, Why
from game.independent.prizes import Word, standing_word
from game.independent.ties import Key, Throw, Tie


def _named(evening: Evening, fact: Fact) -> tuple[Tie | None, Why]:
    """The tie that a fact is for: by number, else the first open one of its purpose, place and group."""
    ties = evening.standing_ties()
    if fact.get("tie") is not None:
        key = evening.throws.numbers.get(fact["tie"])
        found = [tie for tie in ties if tie.key() == key]
        return (found[0], None) if found else (None, "this tie does not stand")
    for tie in ties:
        about = (fact["for"], fact.get("place") or 1, fact.get("group"))
        if (tie.purpose, tie.place, tie.group) == about and evening.is_open(tie):
            return tie, None
    return None, None


def tie(evening: Evening, fact: Fact) -> Why:
    if fact["id"] in evening.throws.numbers:
        return "the number is used"
    ties = evening.standing_ties()
    persons = [evening.people.person(name) for name in fact["players"]]
    for tie in ties:
        if (tie.purpose, tie.place, tie.stage, tie.group, tie.rounds) == (
            fact["for"], fact.get("place", 1), fact.get("stage"), fact.get("group"), fact["rounds"]
        ) and sorted(tie.persons) == sorted(-1 if one is None else one for one in persons):  # fmt: skip
            if tie.key() in evening.throws.numbers.values():
                return "it has a number"
            evening.throws.numbers[fact["id"]] = tie.key()
            return None
    return "no such tie stands"


def rolloff(evening: Evening, fact: Fact) -> Why:
    if (
        fact["for"] == "final"
        and evening.stage() == "final"
        and fact.get("tie") is None
        and not evening.closed
    ):
        return _final_rolloff(evening, fact)
    tie, why = _named(evening, fact)
    if tie is None or tie.purpose == "champion":
        return why or "no such tie"
    if not fact["dice"]:
        if tie.dice or tie.key() in evening.throws.opened:
            return "nobody rolled"
        evening.throws.opened.add(tie.key())
        return None
    awaited = evening.standing(tie).awaited()
    throw: dict[int, int] = {}
    for name, dice in fact["dice"].items():
        person = evening.people.person(name)
        if person not in awaited or person is None or len(dice) != evening.throws.dice(tie):
            return "not awaited"
        throw[person] = sum(dice)
    _throw(evening, tie, throw)
    return None


def _final_rolloff(evening: Evening, fact: Fact) -> Why:
    assert evening.stages is not None
    thrower = evening.stages.thrower()
    if len(fact["dice"]) != 1:
        return "one throws"
    ((name, dice),) = fact["dice"].items()
    if thrower is None or evening.people.person(name) != thrower or len(dice) != 3:
        return "not awaited"
    evening.stages.throw_in_final(dice)
    return None


def roll(evening: Evening, fact: Fact) -> Why:
    if evening.closed and fact.get("tie") is None:
        return "the evening is closed"
    if fact.get("tie") is not None:
        key = evening.throws.numbers.get(fact["tie"])
        found = [tie for tie in evening.standing_ties() if tie.key() == key]
    else:
        found = [
            tie
            for tie in evening.standing_ties()
            if evening.table_of(tie) == fact["table"] and evening.is_open(tie)
        ]
    dice = fact.get("dice")
    if fact["t"] < evening.final_t:
        return "it was made before the round was over"
    open_ = [tie for tie in found if _awaits(evening, tie)]
    if dice is None:
        return "no round is open"
    if open_:
        tie = open_[0]
        awaited = evening.standing(tie).awaited()
        if evening.throws.dice(tie) == 1:
            _throw(evening, tie, dict(zip(awaited, dice, strict=False)))
        else:
            _throw(evening, tie, {awaited[0]: sum(dice)})
        return None
    thrower = evening.stages.thrower() if evening.stages is not None else None
    if fact.get("tie") is None and thrower is not None and fact["table"] == 1 and evening.stages is not None:
        evening.stages.throw_in_final(dice)
        return None
    return "no round is open"


def _awaits(evening: Evening, tie: Tie) -> bool:
    if not tie.dice and tie.key() not in evening.throws.opened:
        return False
    return bool(evening.standing(tie).awaited())


def undo(evening: Evening, fact: Fact) -> Why:
    if fact.get("tie") is not None:
        key = evening.throws.numbers.get(fact["tie"])
        if _of_stage(evening, key):
            if evening.closed:
                return "the evening is closed"
            return _take_back(evening, key, word=False)
        tie = next((tie for tie in evening.standing_ties() if tie.key() == key), None)
        return None if tie is not None and evening.throws.take_back(tie) else "no throw"
    if evening.closed:
        return "the evening is closed"
    if evening.stages is None or not evening.stages.since:
        return "no throw"
    key = evening.stages.since[-1][0]
    contest = evening.stages.contest(key)
    at = 1 if contest is None else evening.table_of(contest.tie)
    return _take_back(evening, key, any_tie=True) if fact["table"] == at else "another table has rolled since"


def _of_stage(evening: Evening, key: Key | None) -> bool:
    return evening.stages is not None and evening.stages.contest(key) is not None


def _take_back(evening: Evening, key: Key | None, *, any_tie: bool = False, word: bool | None = None) -> Why:
    assert evening.stages is not None
    evening.know()
    done = evening.stages.take_back(key, any_tie=any_tie, word=word)
    evening.seat_found()
    return None if done else "no throw"


def prize(evening: Evening, fact: Fact) -> Why:
    to = [fact["to"]] if isinstance(fact["to"], str) else list(fact["to"])
    key = evening.throws.numbers.get(fact.get("tie") or 0)
    if not to and key is not None and _of_stage(evening, key):
        return _take_back(evening, key, word=True)
    tie, why = _named(evening, fact)
    if why:
        return why
    persons = [evening.people.person(name) for name in to]
    if any(person is None for person in persons) or len(set(persons)) < len(persons):
        return "not a player"
    if tie is not None and tie.stage is not None:
        if not persons:
            return _take_back(evening, tie.key(), word=True)
        if len(persons) != 1 or persons[0] not in evening.standing(tie).still:
            return "name one of those who are still equal"
        _throw(evening, tie, int(persons[0] or 0))
        return None
    what, place = (tie.purpose, tie.place) if tie is not None else (fact["for"], fact.get("place") or 1)
    prizes = [one for one in evening.rules["prizes"] if not one.get("each")]
    declared = {(one["for"], one.get("place", 1)) for one in prizes} | {("champion", 1)}
    if (what, place) not in declared:
        return "no such prize"
    ground = evening.ground()
    if not persons:
        stands = standing_word(evening.words.get((what, place), []), what, ground) is not None
        evening.words.pop((what, place), None) if stands else None
        return None if stands else "no word"
    word = Word([int(one) for one in persons if one is not None], ground.seen(what), ground.rounds)
    evening.words.setdefault((what, place), []).append(word)
    return None


def _throw(evening: Evening, tie: Tie, throw: Throw) -> None:
    if tie.stage is None or evening.stages is None:
        evening.throws.add(tie, throw)
        return
    evening.know()
    evening.stages.throw(tie, throw)
    evening.seat_found()
