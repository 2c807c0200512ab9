"""The evening in the host's hands: the large key, every reason against it, each table, each mend."""

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from pi_bunco.game.pace import MINUTE_MS, Forecast, forecast, phase
from pi_bunco.reason import N_, Reason
from pi_bunco.rules.length import rolls as rolls_to_bell
from pi_bunco.rules.odds import ROLL_S as SECONDS_A_ROLL
from pi_bunco.web.pages.host import answer_keys
from pi_bunco.web.pages.host.checks import TO_SCREENS, HostNote, phone_note, show_code, silent_note
from pi_bunco.web.pages.host.frame import HostPage, HostQuery, frame, host_page
from pi_bunco.web.pages.host.log.page import LogRow, lately
from pi_bunco.web.pages.shared import heading, tables
from pi_bunco.web.pages.shared.model import TableShown, ThrowShown
from pi_bunco.web.pages.shared.names import order
from pi_bunco.web.pages.shared.standings import revealed_finale, rolls, stage_now
from pi_bunco.web.site.evening_now import EveningNow, TablePresence
from pi_bunco.web.site.login import TableCode
from pi_bunco.web.site.notices import Action

LONGEST_S = 7200
"""Seconds of a round, at most, that a host is told the end of an evening by."""
DEAD_KEY_MS = 1000
"""Milliseconds for which a large key that has become another takes no tap: the second of a double tap."""
EACH_PHONE = 2
"""Missing phones that are told one by one; more are one sentence with the key to all codes."""
QUARTER_S, QUARTERS = 900, 24
"""Quarters of an hour that are offered as ends of the evening."""
LATEST_SHOWN = 6
"""The latest facts that stand beside the tables."""
TONIGHT_PANELS = ("people", "break", "horn", "tally", "tools", "pace")
HORN = Action(N_("Horn silent"), href="/host?panel=horn")
SHOW_CODES = Action(N_("Show all codes"), href="/host/codes")
CANCEL = answer_keys.act("round_cancel", "bad", True)
FALSE_BELL = answer_keys.act("bell_void", "bad", True)
CLOSE_EARLY = answer_keys.act("evening_close", "bad", True, unfinished=True)


class BigKey(Struct, frozen=True):
    """The one large key: `kind` names a text of `wording.BIG`; without `action` it waits, saying for what.

    `soon`: for nothing but a moment.
    """

    kind: str
    round: int = 0
    waits: int = 0
    action: Action | None = None
    soon: bool = False


class PersonRow(Struct, frozen=True):
    """Somebody who can leave or be substituted; `table` 0 for a guest without a chair."""

    name: str
    table: int


class HostTable(Struct, frozen=True):
    """The drawer of one table: `undo` names the roll and its place `undo_n`; `done` means that OK is next."""

    table: TableShown
    undo: ThrowShown | None = None
    undo_n: int = 0
    hand: bool = False
    bypassed: bool = False
    done: bool = False
    final: bool = False
    code: TableCode | None = None
    faults: tuple[Reason, ...] = ()


USUAL_S = {
    "play_s": (60, 90, 120, 180, 240, 300, 420, 600),
    "move_s": (30, 60, 90, 120, 150, 180, 300),
    "wait_s": (15, 30, 60, 120, 300),
}
"""Seconds that the form for the clock offers."""


class PaceForm(Struct, frozen=True):
    """The clock as it is set, in seconds; `over` is the time of day at which the evening ends by it, about.

    `ends` are quarters of an hour to end at, as Unix time (s) and time of day; `end_by` is the host's.
    An evening that is later ends in time after `rounds`, or whole `sets`; by `move_s` if that `helps`.
    """

    play_s: int | None
    move_s: int
    wait_s: int | None
    ends: tuple[tuple[int, str], ...]
    over: str = ""
    end_by: int = 0
    helps: bool = False
    rounds: int | None = None
    sets: int = 0

    @property
    def choices(self) -> dict[str, list[int]]:
        """Per field the seconds to choose from, those that are set among them."""
        return {field: sorted({*usual, getattr(self, field) or usual[0]}) for field, usual in USUAL_S.items()}


class HostTonight(HostPage, frozen=True):
    """`/host`: the evening tonight. `sheet` asks before a dangerous command, `drawer` is one table.

    `rather` is the key of the sheet for the other thing that a host may mean.

    `stage` is a tournament's where no round comes next. `steers` are the keys of the clock that starts and
    ends rounds, `pace` what a host can ask of it.
    """

    template = "host/tonight/host_tonight.html"
    scripts = ("drawer.js",)

    state: str
    minutes: int
    big: BigKey
    reasons: tuple[HostNote, ...]
    tables: tuple[TableShown, ...]
    lately: tuple[LogRow, ...]
    people: tuple[PersonRow, ...]
    tools: tuple[Action, ...]
    drawer: HostTable | None = None
    panel: Literal["", "people", "break", "horn", "tally", "tools", "pace"] = ""
    sheet: Action | None = None
    rather: Action | None = None
    page: int = 1
    pages: int = 1
    stage: str = ""
    steers: tuple[Action, ...] = ()
    pace: PaceForm | None = None
    shows: bool | None = None
    """True if scoreboards tell more than the seats between rounds; None while no seats are told."""


def shown_tonight(now: EveningNow, query: HostQuery) -> HostTonight:
    """`/host`."""
    evening, shown = now.evening, tables.tables_now(now)
    tools, big = _tools(now), _big(now, shown)
    first = sorted(
        shown, key=lambda one: (one.doing in ("ready", "playing", "final") and one.online, one.number)
    )
    pages = max(-(-len(first) // tables.ON_A_PAGE), 1)
    page = min(max(query.page, 1), pages)
    on_page = first[(page - 1) * tables.ON_A_PAGE : page * tables.ON_A_PAGE] if pages > 1 else shown
    sheet = next((one for one in _questions(now, big, tools) if one.question == query.ask), None)
    return HostTonight(
        frame=frame(now, "tonight", query),
        state=evening.state if evening.rules else "none",
        minutes=max(now.t - now.recent.opened, 0) // MINUTE_MS if evening.round else 0,
        big=big,
        reasons=tuple(_reasons(now, shown)),
        tables=tuple(on_page),
        lately=tuple(lately(now, LATEST_SHOWN)),
        people=tuple(_people(now)),
        tools=tuple(tools),
        drawer=_drawer(now, shown, query.table),
        panel=query.panel if query.panel in TONIGHT_PANELS else "",  # type: ignore[arg-type]
        sheet=sheet,
        rather=_false_roll(now) if sheet and sheet.command == "bell_void" else None,
        page=page,
        pages=pages,
        stage=stage_now(evening),
        steers=_steers(now),
        pace=_pace(now) if query.panel == "pace" else None,
        shows=not now.skipped if evening.rounds and evening.state in ("break", "between_rounds") else None,
    )


def _steers(now: EveningNow) -> tuple[Action, ...]:
    """Keys of the clock that starts and ends rounds, while it does."""
    timed = phase(now.evening)
    if now.evening.pace is None or timed is None:
        return ()
    if timed.left is None:
        stop = answer_keys.act("steer", label=N_("Stop the clock"), to="hold")
    else:
        stop = answer_keys.act("steer", "brass", label=N_("Go on"), to="go")
    return stop, answer_keys.act("steer", label=N_("A minute more"), to="minute")


def _forecast(now: EveningNow) -> Forecast | None:
    """The rest of the evening by the clock; rounds that no time ends take what the odds of the rules say."""
    evening = now.evening
    if evening.rules is None or evening.pace is None:
        return None
    expected = rolls_to_bell(evening.rules) * SECONDS_A_ROLL
    return forecast(evening, now.t, round(expected) if expected <= LONGEST_S else None)


def _late(now: EveningNow) -> list[HostNote]:
    """A notice that the evening ends later than planned: where shorter moves help, or when it can close."""
    found, played = _forecast(now), len(now.evening.rounds)
    if found is None or found.late < MINUTE_MS:
        return []
    ripe = now.evening.round is None and played and played >= (found.rounds or 0) and not found.move_s
    keys = (CLOSE_EARLY, answer_keys.TO_PACE) if ripe else (answer_keys.TO_PACE,)
    return [HostNote("late", name=str(found.late // MINUTE_MS), actions=keys)]


def _pace(now: EveningNow) -> PaceForm:
    """The form for the clock, and the end of the evening by it."""
    pace, ends = now.evening.pace, _forecast(now)
    first = int(now.began + now.t / 1000) // QUARTER_S + 2
    quarters = {QUARTER_S * quarter for quarter in range(first, first + QUARTERS)}
    end_by = round((now.began + pace.end_by / 1000) / QUARTER_S) * QUARTER_S if pace and pace.end_by else 0
    late = ends if ends and ends.late >= MINUTE_MS else None
    move_s = pace.move_s if pace and pace.move_s is not None else 120
    return PaceForm(
        pace.play_s if pace else 180,
        late.move_s // 5 * 5 if late and late.move_s else move_s,
        pace.wait_s if pace else 60,
        tuple((at, heading.clock(now, 1000 * (at - now.began))) for at in sorted(quarters | {end_by} - {0})),
        heading.clock(now, ends.ends) if ends else "",
        end_by,
        bool(late and late.move_s),
        late.rounds if late else None,
        late.rounds // now.evening.rounds_of_a_set if late and late.rounds else 0,
    )


def _phones_gone(now: EveningNow) -> list[int]:
    """Tables that are waited for and answer, but have no phone."""
    evening = now.evening
    awaited = [n for n in range(1, evening.tables + 1) if n not in evening.bypassed]
    signs = {n: now.tables.get(n, TablePresence()) for n in awaited}
    return [n for n, sign in signs.items() if sign.online and sign.phone_gone]


def _big(now: EveningNow, shown: list[TableShown]) -> BigKey:
    evening = now.evening
    number = heading.place(evening)[1]
    if evening.rules is None or (evening.state == "finished" and evening.closed):
        return BigKey("prepare", action=answer_keys.PREPARE)
    if now.revealed is not None and revealed_finale(now).revealed is not None:
        return BigKey("tell", action=answer_keys.TO_RESULTS)
    if evening.state == "finished":
        return BigKey("close", action=answer_keys.act("evening_close"))
    settled = now.t - now.recent.changed >= DEAD_KEY_MS
    if evening.state == "round_open":
        return BigKey("end", number, action=answer_keys.act("round_end", "felt") if settled else None)
    if evening.state == "after_bell":
        following = number + 1 if number < len(evening.rules.evening.faces) else 1
        waits = sum(table.doing != "final" for table in shown)
        return BigKey("start", following, waits)
    if evening.seating is None:
        return BigKey("draw", action=answer_keys.act("seats_draw"))
    if evening.tournament and (stage := evening.tournament.next) and now.head.online:
        return BigKey(
            stage, action=answer_keys.act("stage", "brass", True, label=answer_keys.BEGIN_STAGE[stage])
        )
    if stage_now(evening):
        return BigKey("dice")
    if evening.why_not_open() or not now.head.online:
        return BigKey("start", number)
    silent = list(heading.silent(now))
    if silent:
        without = answer_keys.act("round_start", bypass=silent)
        return BigKey("start_without", number, action=without if settled else None)
    start = answer_keys.act("round_start", "brass") if settled else None
    if start and _phones_gone(now):
        return BigKey("start_anyway", number, action=start)
    return BigKey("start", number, action=start, soon=not settled)


def _reasons(now: EveningNow, shown: list[TableShown]) -> list[HostNote]:
    """Everything that the host may want to do something about, most urgent first."""
    evening = now.evening
    found = [] if now.head.online else [HostNote("head_away", level="bad")]
    rolling = list(_rolling(now))
    waits = evening.rules and evening.state in ("between_rounds", "break") and not rolling
    why = evening.why_not_open() if waits and not (evening.tournament and evening.tournament.next) else None
    found += rolling
    if why := why or (evening.why_draw_anew if evening.rules else None):
        found.append(HostNote("text", why=why, actions=(answer_keys.act("seats_draw"),)))
    gone = _phones_gone(now)
    together = len(gone) > EACH_PHONE
    if together:
        numbers = ", ".join(map(str, gone))
        found.append(HostNote("phones_gone", name=numbers, actions=(SHOW_CODES,)))
    found += [reason for table in shown for reason in _of_table(now, table, together)]
    found += _late(now)
    if evening.state == "round_open" and not found:
        found.append(HostNote("all_well", level="good"))
    return found


def _rolling(now: EveningNow) -> Iterator[HostNote]:
    """Tables whose throw is waited for between rounds, for a place of a tournament or a prize."""
    for roll in rolls(now):
        kind = "rolls_for" if roll.dice == 1 else "rolls_triple"
        light, undo = answer_keys.act("light", table=roll.table), answer_keys.act("undo", table=roll.table)
        names = ", ".join(one.call for one in roll.now)
        yield HostNote(kind, roll.table, names, actions=(undo, light) if roll.undo else (light,))


def _of_table(now: EveningNow, table: TableShown, phones_told: bool) -> list[HostNote]:
    number = table.number
    bypassed = number in now.evening.bypassed
    presence = now.tables.get(number, TablePresence())
    light = answer_keys.act("light", table=number)
    paper = answer_keys.act("bypass", table=number)
    found = []
    if presence.help:
        found.append(HostNote("help", number, actions=(light, _open(number))))
    if bypassed:
        found.append(_left_out(now, table))
    elif not presence.online:
        found.append(silent_note(number, presence, paper, light))
    elif presence.phone_gone and not phones_told:
        found.append(phone_note(number, presence, show_code(number), paper))
    if table.doing == "done":
        confirm = answer_keys.act("confirm", table=number, name=table.keeper)
        found.append(HostNote("not_ok", number, shown=table, actions=(confirm, _open(number))))
    elif table.doing == "rolloff":
        call = table.turn.call if table.turn else ""
        kind = "rolloff" if call else "roll_each"
        found.append(HostNote(kind, number, call, table, actions=(_decide(number),)))
    elif table.doing == "finishing" and table.turn:
        found.append(HostNote("finishing", number, table.turn.call))
    return found


def _left_out(now: EveningNow, table: TableShown) -> HostNote:
    number = table.number
    restore = answer_keys.act("restore", table=number)
    if now.evening.state == "after_bell" and table.doing != "final":
        if _tallied(now, number):
            confirm = answer_keys.act("confirm", table=number, name=table.keeper)
            keys = confirm, answer_keys.tally(number), _open(number)
            return HostNote("not_ok", number, shown=table, actions=keys)
        return HostNote("needs_word", number, actions=(answer_keys.tally(number), _decide(number), restore))
    return HostNote("left_out", number, actions=(restore,))


def _tallied(now: EveningNow, number: int) -> bool:
    """True if the score of the table was taken from paper, and stands."""
    round_ = now.evening.round
    return round_ is not None and round_.tables[number - 1].paper_stands


def _open(number: int) -> Action:
    return Action(N_("Look closer"), href=f"/host?table={number}")


def _decide(number: int) -> Action:
    return Action(N_("Decide for them"), href=f"/host?table={number}")


def _tools(now: EveningNow) -> list[Action]:
    """Keys of all that can be done now besides."""
    state = now.evening.state
    if now.evening.rules is None:
        return []
    if state == "round_open":
        return [HORN, TO_SCREENS, answer_keys.TO_PACE, CANCEL]
    if state == "after_bell":
        return [FALSE_BELL, HORN, TO_SCREENS, answer_keys.TO_PACE, CANCEL]
    if state == "finished":
        return [answer_keys.act("evening_reopen")] if now.evening.closed else []
    pause = answer_keys.act("resume") if state == "break" else answer_keys.BREAK
    seats = [answer_keys.act("seats_draw", ask=True)] if now.evening.seating else []
    last = [pause] if now.evening.rounds else []
    return [*last, answer_keys.TO_PEOPLE, answer_keys.TO_PACE, HORN, TO_SCREENS, *seats, CLOSE_EARLY]


def _questions(now: EveningNow, big: BigKey, tools: list[Action]) -> list[Action]:
    """Keys that ask first; the evening can be closed in the middle of a round too."""
    evening = now.evening
    close = [CLOSE_EARLY] if evening.rules and not evening.closed and not evening.over else []
    keys = [*tools, *([big.action] if big.action else []), *close]
    return [key for key in keys if key.ask]


def _false_roll(now: EveningNow) -> Action | None:
    """Key that takes back the bell and the roll that rang it; None where no roll did."""
    bell = heading.bell(now)
    if bell is None or not bell.call:
        return None
    bunco, roll = N_("It was no Bunco: take back both"), N_("That roll was wrong: take back both")
    return answer_keys.act("bell_void", "bad", label=bunco if bell.by == "bunco" else roll, roll=True)


def _people(now: EveningNow) -> list[PersonRow]:
    evening = now.evening
    where = tables.where(evening)
    return [PersonRow(name, where.get(name, 0)) for name in sorted(evening.people.present, key=order)]


def _drawer(now: EveningNow, shown: list[TableShown], number: int) -> HostTable | None:
    table = next((one for one in shown if one.number == number), None)
    if table is None:
        return None
    evening, presence = now.evening, now.tables.get(number, TablePresence())
    rolls = tables.counted(evening.round.tables[number - 1]) if evening.round else []
    return HostTable(
        table=table,
        undo=table.throw if rolls and table.doing != "final" else None,
        undo_n=max(now.recent.last_rolls.get(number, 0), rolls[-1].n) if rolls else 0,
        hand=number in evening.by_hand,
        bypassed=number in evening.bypassed,
        done=table.doing == "done" or (table.doing == "out" and _tallied(now, number)),
        final=table.doing == "final",
        code=now.codes.get(number),
        faults=presence.faults,
    )


PAGE = host_page("/host", shown_tonight)
