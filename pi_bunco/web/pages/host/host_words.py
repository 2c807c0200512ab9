"""The sentences of the host's pages: keys, reasons, what a command did, the log, the rules."""

from msgspec import Struct

from pi_bunco.reason import N_
from pi_bunco.web.pages.host.checks import HostNote
from pi_bunco.web.pages.host.health.page import KeyCheck
from pi_bunco.web.pages.host.log.page import LogRow
from pi_bunco.web.pages.host.roster.roster import BadRow
from pi_bunco.web.pages.host.tonight.page import BigKey
from pi_bunco.web.pages.shared.model import DiceCount
from pi_bunco.web.pages.shared.words import Wording
from pi_bunco.web.site.guests import HallGuest
from pi_bunco.web.site.notices import Action
from pi_bunco.web.site.screens import Screen
from pi_bunco.web.site.sounds import QUIET_UNTIL_HOUR
from pi_bunco.words.catalogue import Texts
from pi_bunco.words.sentences import sentences


class CommandWords(Struct, frozen=True):
    """The texts of a command: on its key, its question and effect where it asks first, once it was done."""

    key: str = ""
    question: str = ""
    effect: str = ""
    done: str = N_("Done.")


COMMAND_WORDS = {
    "arrive": CommandWords(N_("%(name)s plays again")),
    "bell_test": CommandWords(
        N_("Ring once to try"),
        N_("Ring the bell now?"),
        N_("It rings once, in the whole hall."),
        N_("Done: the bell rang."),
    ),
    "bell_void": CommandWords(
        N_("That bell was false"),
        N_("Was the bell false?"),
        N_("The round is open again at every table; OKs and roll-offs since then are taken back."),
    ),
    "branch": CommandWords(
        N_("Take it over"),
        N_("Take this end over?"),
        N_("The evening goes on from there. What the head alone has of it does not count any more."),
    ),
    "bypass": CommandWords(N_("Play on paper"), done=N_("Done: that table plays on paper.")),
    "confirm": CommandWords(N_("Press OK for them"), done=N_("Done: OK was pressed for them.")),
    "evening_close": CommandWords(
        N_("Close the evening"),
        N_("Close before the last round?"),
        N_("The results are those of the rounds played. You can open the evening again."),
    ),
    "evening_reopen": CommandWords(N_("Open the evening again")),
    "name_delete": CommandWords(
        N_("Delete a name"), done=N_("Done: the name is in no log of the head any more.")
    ),
    "go_on": CommandWords(
        N_("Begin with what is here"),
        N_("Begin with what is here?"),
        N_("The head waits no longer. What a table sends later still counts where it fits."),
    ),
    "leave": CommandWords(N_("%(name)s leaves again")),
    "light": CommandWords(N_("Light it up"), done=N_("Done: its lights blink.")),
    "reopen": CommandWords(N_("Open its result again")),
    "restore": CommandWords(N_("Wait for it again")),
    "resume": CommandWords(N_("End the break")),
    "round_cancel": CommandWords(
        N_("Cancel this round"),
        N_("Cancel this round?"),
        N_("Its points and marks are gone for good. The face is played again from the same seats."),
    ),
    "round_end": CommandWords(N_("End the round"), done=N_("Done: the bell rang.")),
    "round_start": CommandWords(N_("Start without them"), done=N_("Done: the round has begun.")),
    "seats_draw": CommandWords(
        N_("Draw the seats anew"),
        N_("Draw everybody anew?"),
        N_("Everybody gets another seat; the score cards stay. You can put the seats back."),
    ),
    "seats_set": CommandWords(N_("Put the seats back")),
    "silence": CommandWords(N_("Let the horn sound again")),
    "stage": CommandWords(
        "",
        N_("Is everything settled?"),
        N_("The tournament goes on from here: the stage before is not opened again."),
    ),
    "substitute": CommandWords(N_("%(name)s comes back")),
    "turn": CommandWords(N_("%(name)s has the dice again")),
    "undo": CommandWords(N_("Undo the last throw"), done=N_("Done: that roll is taken back.")),
}
"""The commands that a key gives, or that have words of their own when they are done."""
BIG = {
    "start": (N_("Start round %(n)d"), N_("rings the bell")),
    "start_anyway": (N_("Start round %(n)d"), N_("though a phone is missing")),
    "start_without": (N_("Start round %(n)d"), N_("without what is missing")),
    "end": (N_("End round %(n)d"), N_("rings the bell at every table")),
    "draw": (N_("Draw the seats"), N_("they go to the TV")),
    "prepare": (N_("Prepare an evening"), N_("people, rules, seats")),
    "semi_final": (N_("Begin the semi-final"), N_("its seats are drawn")),
    "order": (N_("Seat the final table"), N_("two places are drawn")),
    "final": (N_("Begin the final"), N_("the first three of a kind wins")),
    "done": (N_("Confirm the grand prize"), N_("champions and prizes go to the TV")),
    "close": (N_("Close the evening"), N_("its results are kept")),
    "tell": (N_("Tell who won"), N_("one after the other on the TV")),
    "dice": (N_("The dice decide"), N_("see above who rolls")),
}
"""The large key by its kind: its words, and the small line under it."""
NOTES = {
    "all_well": (N_("Everything plays"), N_("Every table answers.")),
    "dice": (N_("Table %(n)d: a die does not answer"), N_("Die %(name)s. Hand entry helps meanwhile.")),
    "battery": (
        N_("Table %(n)d: a die has a weak battery"),
        N_("Die %(name)s. It can be rolled; charge it, or change its battery, in the next break."),
    ),
    "doubled": (
        N_("Two boxes say that they are table %(n)d"),
        N_("Light it up, find the other one, and give it its own number."),
    ),
    "finishing": (N_("Table %(n)d: %(name)s has the dice"), N_("The turn scored before the bell.")),
    "head_away": (
        N_("The head does not answer"),
        N_("The tables play on and keep everything. Is its machine switched on?"),
    ),
    "head_well": (N_("The head and its bell"), N_("The head answers.")),
    "help": (N_("Table %(n)d calls you"), N_("Somebody pressed HELP there.")),
    "late": (
        N_("By the clock the evening is over %(name)s min too late"),
        N_("Shorter moves may do, or fewer rounds: nothing is left out unless you say so."),
    ),
    "left_out": (N_("Table %(n)d plays on paper"), N_("You enter its score after the bell.")),
    "needs_word": (N_("Table %(n)d waits for your word"), N_("It played on paper.")),
    "not_ok": (
        N_("Table %(n)d has not pressed OK"),
        N_("%(score)s. Without an OK it goes on by itself after a while."),
    ),
    "not_there": (N_("Table %(n)d is not there yet"), N_("Is it switched on?")),
    "phone_gone": (
        N_("Table %(n)d’s phone was last seen %(ago)s ago"),
        N_("Wake it, or show its code to another phone. What it keeps comes when it is back."),
    ),
    "phone_never": (
        N_("No phone has joined table %(n)d yet"),
        N_("Show its code to a phone that lies there."),
    ),
    "phone_well": (N_("A phone plays table %(n)d"), N_("It was seen just now.")),
    "phones_gone": (
        N_("No phone is there at tables %(name)s"),
        N_("Wake them, or show each table’s code to a phone that lies there."),
    ),
    "roll_each": (N_("Table %(n)d rolls off"), N_("A tie at %(n_points)d, one die each.")),
    "rolloff": (N_("Table %(n)d rolls off"), N_("%(score)s; %(name)s rolls.")),
    "rolls_for": (N_("Table %(n)d rolls for a place or a prize"), N_("One die each: %(name)s.")),
    "rolls_triple": (N_("Table %(n)d: %(name)s rolls three dice"), N_("The table shows it too.")),
    "screen_gone": (
        N_("A TV was last seen %(ago)s ago"),
        N_("Is it switched on, and in the Wi-Fi? The list of screens says which."),
    ),
    "screens_silent": (
        N_("A TV is silent until somebody taps it once"),
        N_("A click of its remote or mouse does too. Then the bell sounds from it."),
    ),
    "silent": (N_("Nothing from table %(n)d for %(ago)s"), N_("It keeps its throws and sends them later.")),
    "table_well": (N_("Table %(n)d"), N_("Dice, keys and lights answer.")),
}
"""The head and the sentence of a note, by its kind."""
FACTS = {
    "evening": N_("The evening was opened"),
    "seating": N_("Everybody has a seat"),
    "round_open": N_("The round began"),
    "roll": N_("Table %(n)d: %(what)s"),
    "undo": N_("Table %(n)d: a roll was taken back"),
    "turn": N_("Table %(n)d: seat %(what)s has the dice"),
    "begins": N_("Table %(n)d: seat %(what)s begins"),
    "bell": N_("The bell rang"),
    "round_close": N_("The round was ended"),
    "confirm": N_("Table %(n)d: OK"),
    "faceoff": N_("Table %(n)d: one die each, %(what)s"),
    "decide": N_("Table %(n)d: decided for %(what)s"),
    "substitute": N_("%(name)s stands in for %(what)s"),
    "leave": N_("%(name)s left"),
    "arrive": N_("%(name)s arrived"),
    "bell_void": N_("The bell was false"),
    "round_cancel": N_("The round was cancelled"),
    "reopen": N_("Table %(n)d: the result is open again"),
    "evening_close": N_("The evening was closed"),
    "evening_reopen": N_("The evening was opened again"),
    "name_delete": N_("A name was deleted from the logs"),
    "bypass": N_("Table %(n)d plays on paper"),
    "restore": N_("Table %(n)d is waited for again"),
    "hand": N_("Table %(n)d: hand entry"),
    "tally": N_("Table %(n)d: the paper score"),
    "pace": N_("The clock of the rounds was set"),
    "pause": N_("Break"),
    "tie": N_("A tie for a place or a prize"),
    "prize": N_("A prize was given"),
    "paid": N_("%(name)s: the stake"),
    "rolloff": N_("Dice were rolled for a place or a prize"),
    "stage": N_("The tournament went on"),
    "resume": N_("The break ended"),
    "bell_seen": N_("Table %(n)d knows of the bell"),
    "branch": N_("Another log was taken over"),
    "clock": N_("The clock of the evening goes on after a restart of the head's machine"),
}
"""A fact of each kind, as a line of the log."""


WORDS = {
    "tab": {
        "prepare": N_("Prepare"),
        "tonight": N_("Tonight"),
        "health": N_("Health"),
        "results": N_("Results"),
        "evenings": N_("Evenings"),
    },
    "guest": {
        "coming": N_("Coming"),
        "late": N_("Late"),
        "here": N_("Here"),
        "stands_in": N_("Stands in"),
        "left": N_("Left"),
    },
    "column": {
        "name": N_("Name"),
        "first": N_("First name"),
        "last": N_("Last name"),
        "team": N_("Team"),
        "paid": N_("Paid"),
        "wish": N_("Sits with"),
    },
    "pack": {"": N_("what the theme has"), "bell": N_("a bell"), "gong": N_("a gong"), "horn": N_("a horn")},
    "use": {
        "pictures": N_("a picture of the evening"),
        "logos": N_("the logo of a sponsor"),
        "start": N_("the sound of a start"),
        "end": N_("the sound of an end"),
        "bunco": N_("the sound of a Bunco"),
        "minute": N_("the sound of the last minute"),
    },
}
"""Pages of the host, states of guests, columns of a roster and sounds, each in a word or two."""


class HostWords(Wording):
    """The sentences in one language."""

    def __init__(self, wording: Texts, lang: str) -> None:
        super().__init__(wording)
        self._sentences = sentences(lang)

    def word(self, kind: str, name: str) -> str:
        """The word for `name` among those of a kind."""
        return self._(WORDS[kind][name])

    def action(self, action: Action) -> str:
        """The words on a key."""
        text = self._(action.label or COMMAND_WORDS[action.command].key)
        return text % {"name": action.name} if action.name else text

    def guest(self, guest: HallGuest) -> str:
        """Somebody's state, with the time of who comes late."""
        if guest.state == "late" and guest.at:
            return self._("Comes at %(time)s") % {"time": guest.at}
        return self.word("guest", guest.state) if guest.state else ""

    def bad_row(self, row: BadRow) -> str:
        """The reason why a row of a roster makes nobody."""
        _ = self._
        return {
            "no_name": _("has no name."),
            "long": _("has a name of more than 80 letters."),
            "twice": _("has the name of line %(n)d: write a letter behind one, if they are two.")
            % {"n": row.other},
            "quotes": _("has a quotation mark that is not closed."),
        }[row.why]

    def guest_key(self, state: str, to: str) -> str:
        """The words on the key that makes the likeliest next state of `state`."""
        return self._("Back") if state == "left" else self.word("guest", to)

    def asks(self, action: Action) -> tuple[str, str]:
        """The question before a command, and its effect."""
        command = COMMAND_WORDS[action.command]
        return self._(command.question), self._(command.effect)

    def big(self, big: BigKey) -> tuple[str, str]:
        """The large key: its words, and the small line under it."""
        words, small = BIG[big.kind]
        if big.kind == "start" and not (big.action or big.soon):
            small = N_("not yet, see above")
        if big.waits:
            small = self.ngettext("when one table is done", "when %(n)d tables are done", big.waits)
            return self._(words) % {"n": big.round}, small % {"n": big.waits}
        return self._(words) % {"n": big.round}, self._(small)

    def reason(self, reason: HostNote) -> tuple[str, str]:
        """The reason, and a sentence more."""
        values = {"n": reason.table, "name": reason.name}
        if reason.shown:
            values |= {"score": self.score(reason.shown), "n_points": reason.shown.points[0]}
        values["ago"] = self._ago(int(reason.name)) if reason.name.isdecimal() else ""
        if reason.why:
            sentence = self._sentences.of(reason.why)
            return (self._("Table %(n)d") % values, sentence) if reason.table else (sentence, "")
        head, more = NOTES[reason.kind]
        return self._(head) % values, self._(more) % values

    def _ago(self, seconds: int) -> str:
        """Time since something: 40 s, 12 min, 3 h."""
        _ = self._
        if seconds < 120:
            text, n = _("%(n)d s"), seconds
        elif seconds < 7200:
            text, n = _("%(n)d min"), seconds // 60
        else:
            text, n = _("%(n)d h"), seconds // 3600
        return text.replace(" ", "\u00a0") % {"n": n}

    def screen(self, screen: Screen) -> str:
        """The name of a screen."""
        _ = self._
        names = {
            "tv": _("TV %(n)d"),
            "tablet": _("Table %(n)d’s tablet"),
            "phone": _("Table %(n)d’s phone"),
            "host": _("A host’s screen"),
        }
        return screen.words.name or names[screen.kind] % {"n": screen.number}

    def screen_state(self, screen: Screen) -> str:
        """All that a screen tells of itself, in a line."""
        _ = self._
        seconds = round(screen.seen_s)
        if screen.closed:
            return _("closed %(ago)s ago") % {"ago": self._ago(seconds)}
        found = [_("seen %(ago)s ago") % {"ago": self._ago(seconds)} if screen.gone else _("here now")]
        if not screen.gone:
            found.append(
                {
                    "on": _("sound on"),
                    "silent": _("silent until somebody taps it once"),
                    "off": _("sound off"),
                }[screen.sound]
            )
            found.append(_("stays lit") if screen.awake else _("may fall asleep"))
        if screen.battery is not None:
            found.append(_("battery %(n)d %%") % {"n": screen.battery})
        return ", ".join(found)

    def screen_fault(self, screen: Screen) -> bool:
        """True for a screen that a host should look after."""
        tv = screen.kind == "tv" and not screen.closed
        return screen.gone or (tv and (screen.sound == "silent" or not screen.awake))

    def quiet(self, hour: int) -> str:
        """From when on screens are quiet, as a choice."""
        until = f"{QUIET_UNTIL_HOUR}:00"
        never = self._("never")
        return (
            self._("from %(hour)s until %(until)s") % {"hour": f"{hour}:00", "until": until}
            if hour
            else never
        )

    def shows(self, choice: str) -> str:
        """The name of a TV's content, as a choice."""
        _ = self._
        what, _eq, part = choice.partition("=")
        first, _to, last = part.partition("-")
        shows = {
            "rules": _("the rules in a minute"),
            "standings": _("the standings"),
            "pictures": _("your pictures and logos"),
        }
        return {
            "": _("the scoreboard"),
            "show": shows.get(part, ""),
            "names": _("names from %(first)s to %(last)s"),
            "tables": _("tables %(first)s to %(last)s alone"),
        }[what] % {"first": first, "last": last}

    def keys(self, check: KeyCheck | None) -> str:
        """The state of the check of a panel's keys."""
        _ = self._
        if check is None:
            return _("The tally panel: ONE, TWO, MINI, BUNCO, MISS, UNDO, OK and HELP")
        values = {"n": check.table, "key": check.next.upper(), "count": len(check.done)}
        if not check.online:
            return _("Table %(n)d is not there: nothing arrives.") % values
        if check.playing:
            return _("Not now: at table %(n)d a press counts for the game.") % values
        if not check.next:
            return _("All eight keys of table %(n)d work.") % values
        hint = {
            "undo": _("UNDO is held for a second."),
            "help": _("HELP calls you: press it twice."),
        }.get(check.next, "")
        text = _("Table %(n)d: press %(key)s. %(count)d of 8 have arrived.") % values
        return f"{text} {hint}".rstrip()

    def done(self, command: str) -> str:
        """The effect of a command that was done."""
        return self._(COMMAND_WORDS.get(command, CommandWords()).done)

    def log(self, line: LogRow) -> str:
        """A fact of the log as a sentence."""
        values = {"n": line.table, "name": line.name, "what": line.detail, "by": line.by}
        return self._(FACTS.get(line.kind, line.kind)) % values

    def fair(self, count: DiceCount) -> str:
        """A plain sentence on how fair the dice look; never that they are."""
        _ = self._
        n, most, least = sum(count.faces), max(count.faces), min(count.faces)
        values = {"n": n, "least": least, "most": most, "often": round(100 * count.p)}
        if n < 300:
            return _("%(n)d dice fell so far: too few to say anything.") % values
        if count.p < 0.001:
            face = count.faces.index(most) + 1
            text = _(
                "The %(face)d fell too often for chance: %(most)d times in %(n)d dice. Have a look at them."
            )
            return text % (values | {"face": face})
        text = _(
            "No sign of bias in %(n)d dice: each face fell between %(least)d and %(most)d times, and fair"
            " dice spread at least that far on %(often)d nights of 100."
        )
        return text % values
