"""The sentences of the host's pages: keys, reasons, what a command did, the log, the rules."""

from pi_bunco.web.pages.host.model import BigKey, HostNote, KeyCheck, LogRow
from pi_bunco.web.pages.shared.model import DiceCount
from pi_bunco.web.site.guests import HallGuest
from pi_bunco.web.site.notices import Action
from pi_bunco.web.site.screens import Screen
from pi_bunco.words.catalogue import Texts
from pi_bunco.words.sentences import sentences
from pi_bunco.words.terms import Terms


class HostWords(Terms):
    """The sentences in one language."""

    def __init__(self, wording: Texts, lang: str) -> None:
        super().__init__(wording)
        self._sentences = sentences(lang)

    def action(self, action: Action) -> str:
        """The words on a key."""
        _ = self._
        values = {"name": action.name}
        text = {
            "arrives": _("%(name)s plays again"),
            "draw_with": _("Draw the seats with %(name)s"),
            "go_on": _("Begin with what is here"),
            "hand_off": _("Hand entry off"),
            "hand_on": _("Allow hand entry"),
            "health": _("To the page Health"),
            "horn_on": _("Let the horn sound again"),
            "go": _("Go on"),
            "hold": _("Stop the clock"),
            "leaves": _("%(name)s leaves again"),
            "minute": _("A minute more"),
            "pace": _("Rounds by the clock"),
            "look_at": _("To table %(name)s"),
            "reopen": _("Open its result again"),
            "prize_split": _("Split it instead"),
            "prize_to": _("To %(name)s instead"),
            "replace": _("Open the new one in its place"),
            "results": _("To the results"),
            "seats_back": _("Put the seats back"),
            "stand_in": _("Stand in for somebody"),
            "stands_back": _("%(name)s comes back"),
            "start_without": _("Start without them"),
            "take_over": _("Take it over"),
            "tonight": _("To the page Tonight"),
            "turn_back": _("%(name)s has the dice again"),
            "final": _("Begin the final"),
            "done": _("Confirm the grand prize"),
            "order": _("Seat the final table"),
            "semi_final": _("Begin the semi-final"),
            "bell_test": _("Ring once to try"),
            "break": _("Break"),
            "bypass": _("Play on paper"),
            "cancel": _("Cancel this round"),
            "close": _("Close the evening"),
            "codes": _("Show all codes"),
            "close_early": _("Close the evening"),
            "confirm": _("Press OK for them"),
            "decide": _("Decide for them"),
            "draw": _("Draw the seats"),
            "draw_anew": _("Draw the seats anew"),
            "end": _("End the round"),
            "false_bell": _("That bell was false"),
            "false_bunco": _("It was no Bunco: take back both"),
            "false_roll": _("That roll was wrong: take back both"),
            "horn": _("Horn silent"),
            "light": _("Light it up"),
            "look": _("Look closer"),
            "people": _("Leave, arrive, stand in"),
            "prepare": _("Prepare an evening"),
            "reopen_evening": _("Open the evening again"),
            "restore": _("Wait for it again"),
            "screens": _("Screens and phones"),
            "show_code": _("Show its code"),
            "resume": _("End the break"),
            "tally": _("Enter the paper score"),
            "unroll": _("Undo the last throw"),
        }.get(action.label, action.label)
        return text % values if action.name else text

    def tab(self, tab: str) -> str:
        """The name of a page of the host."""
        _ = self._
        return {
            "prepare": _("Prepare"),
            "tonight": _("Tonight"),
            "health": _("Health"),
            "results": _("Results"),
            "evenings": _("Evenings"),
        }[tab]

    def guest_state(self, state: str) -> str:
        """The state of somebody, in a word."""
        _ = self._
        return {
            "coming": _("Coming"),
            "late": _("Late"),
            "here": _("Here"),
            "stands_in": _("Stands in"),
            "left": _("Left"),
        }[state]

    def guest(self, guest: HallGuest) -> str:
        """Somebody's state, with the time of who comes late."""
        if guest.state == "late" and guest.at:
            return self._("Comes at %(time)s") % {"time": guest.at}
        return self.guest_state(guest.state)

    def guest_key(self, state: str, to: str) -> str:
        """The words on the key that makes the likeliest next state of `state`."""
        return self._("Back") if state == "left" else self.guest_state(to)

    def asks(self, action: Action) -> tuple[str, str]:
        """The question before a command, and its effect."""
        _ = self._
        return {
            "round_cancel": (
                _("Cancel this round?"),
                _("Its points and marks are gone for good. The face is played again from the same seats."),
            ),
            "bell_void": (
                _("Was the bell false?"),
                _("The round is open again at every table; OKs and roll-offs since then are taken back."),
            ),
            "evening_close": (
                _("Close before the last round?"),
                _("The results are those of the rounds played. You can open the evening again."),
            ),
            "stage": (
                _("Is everything settled?"),
                _("The tournament goes on from here: the stage before is not opened again."),
            ),
            "branch": (
                _("Take this end over?"),
                _("The evening goes on from there. What the head alone has of it does not count any more."),
            ),
            "go_on": (
                _("Begin with what is here?"),
                _("The head waits no longer. What a table sends later still counts where it fits."),
            ),
            "seats_draw": (
                _("Draw everybody anew?"),
                _("Everybody gets another seat; the score cards stay. You can put the seats back."),
            ),
            "bell_test": (_("Ring the bell now?"), _("It rings once, in the whole hall.")),
        }.get(action.command, (self.action(action) + "?", ""))

    def big(self, big: BigKey) -> tuple[str, str]:
        """The large key: its words, and the small line under it."""
        _ = self._
        values, not_yet = {"n": big.round}, _("not yet, see above")
        waits = self.ngettext("when one table is done", "when %(n)d tables are done", big.waits)
        waits %= {"n": big.waits}
        return {
            "start": (
                _("Start round %(n)d") % values,
                _("rings the bell") if big.action or big.soon else waits if big.waits else not_yet,
            ),
            "start_anyway": (_("Start round %(n)d") % values, _("though a phone is missing")),
            "start_without": (_("Start round %(n)d") % values, _("without what is missing")),
            "end": (_("End round %(n)d") % values, _("rings the bell at every table")),
            "draw": (_("Draw the seats"), _("they go to the TV")),
            "prepare": (_("Prepare an evening"), _("people, rules, seats")),
            "semi_final": (_("Begin the semi-final"), _("its seats are drawn")),
            "order": (_("Seat the final table"), _("two places are drawn")),
            "final": (_("Begin the final"), _("the first three of a kind wins")),
            "done": (_("Confirm the grand prize"), _("champions and prizes go to the TV")),
            "close": (_("Close the evening"), _("its results are kept")),
            "tell": (_("Tell who won"), _("one after the other on the TV")),
            "dice": (_("The dice decide"), _("see above who rolls")),
        }[big.kind]

    def reason(self, reason: HostNote) -> tuple[str, str]:
        """The reason, and a sentence more."""
        _ = self._
        values = {"n": reason.table, "name": reason.name, "us": reason.points[0], "them": reason.points[1]}
        values["ago"] = self._ago(int(reason.name)) if reason.name.isdecimal() else ""
        if reason.kind == "silent" and not reason.name:
            return _("Table %(n)d is not there yet") % values, _("Is it switched on?")
        if reason.kind == "text" and reason.why:
            return self._sentences.of(reason.why), ""
        if reason.kind == "fault" and reason.why:
            return _("Table %(n)d") % values, self._sentences.of(reason.why)
        if reason.kind == "rolloff" and not reason.name:
            return _("Table %(n)d rolls off") % values, _("A tie at %(us)d, one die each.") % values
        texts = {
            "all_well": (_("Everything plays"), _("Every table answers.")),
            "dice": (_("Table %(n)d: a die does not answer"), _("Die %(name)s. Hand entry helps meanwhile.")),
            "doubled": (
                _("Two boxes say that they are table %(n)d"),
                _("Light it up, find the other one, and give it its own number."),
            ),
            "finishing": (_("Table %(n)d: %(name)s has the dice"), _("The turn scored before the bell.")),
            "head_away": (
                _("The head does not answer"),
                _("The tables play on and keep everything. Is its machine switched on?"),
            ),
            "head_well": (_("The head and its bell"), _("The head answers.")),
            "help": (_("Table %(n)d calls you"), _("Somebody pressed HELP there.")),
            "left_out": (_("Table %(n)d plays on paper"), _("You enter its score after the bell.")),
            "needs_word": (_("Table %(n)d waits for your word"), _("It played on paper.")),
            "not_ok": (
                _("Table %(n)d has not pressed OK"),
                _("Us %(us)d, them %(them)d. Without an OK it counts by itself after a while."),
            ),
            "phone_gone": (
                _("Table %(n)d’s phone was last seen %(ago)s ago"),
                _("Wake it, or show its code to another phone. What it keeps comes when it is back."),
            ),
            "phone_never": (
                _("No phone has joined table %(n)d yet"),
                _("Show its code to a phone that lies there."),
            ),
            "phone_well": (_("A phone plays table %(n)d"), _("It was seen just now.")),
            "phones_gone": (
                _("No phone is there at tables %(name)s"),
                _("Wake them, or show each table’s code to a phone that lies there."),
            ),
            "rolloff": (_("Table %(n)d rolls off"), _("Us %(us)d, them %(them)d; %(name)s rolls.")),
            "screen_gone": (
                _("A TV was last seen %(ago)s ago"),
                _("Is it switched on, and in the Wi-Fi? The list of screens says which."),
            ),
            "screens_silent": (
                _("A TV is silent until somebody taps it once"),
                _("A click of its remote or mouse does too. Then the bell sounds from it."),
            ),
            "silent": (
                _("Nothing from table %(n)d for %(ago)s"),
                _("It keeps its throws and sends them later."),
            ),
            "rolls_for": (_("Table %(n)d rolls for a place or a prize"), _("One die each: %(name)s.")),
            "rolls_triple": (_("Table %(n)d: %(name)s rolls three dice"), _("The table shows it too.")),
            "table_well": (_("Table %(n)d"), _("Dice, keys and lights answer.")),
        }
        head, more = texts[reason.kind]
        return head % values, more % values

    def _ago(self, seconds: int) -> str:
        """A time since something: 40 s, 12 min, 3 h."""
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

    def shows(self, choice: str) -> str:
        """What a TV shows, as a choice."""
        _ = self._
        what, _eq, part = choice.partition("=")
        first, _to, last = part.partition("-")
        return {
            "": _("the scoreboard"),
            "show": _("the rules in a minute") if part == "rules" else _("the standings"),
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
        _ = self._
        return {
            "bypass": _("Done: that table plays on paper."),
            "confirm": _("Done: OK was pressed for them."),
            "light": _("Done: its lights blink."),
            "undo": _("Done: that roll is taken back."),
            "bell_test": _("Done: the bell rang."),
            "round_start": _("Done: the round has begun."),
            "round_end": _("Done: the bell rang."),
        }.get(command, _("Done."))

    def log(self, line: LogRow) -> str:
        """A fact of the log as a sentence."""
        _ = self._
        values = {"n": line.table, "name": line.name, "what": line.detail, "by": line.by}
        text = {
            "evening": _("The evening was opened"),
            "seating": _("Everybody has a seat"),
            "round_open": _("The round began"),
            "roll": _("Table %(n)d: %(what)s"),
            "undo": _("Table %(n)d: a roll was taken back"),
            "turn": _("Table %(n)d: seat %(what)s has the dice"),
            "begins": _("Table %(n)d: seat %(what)s begins"),
            "bell": _("The bell rang"),
            "round_close": _("The round was ended"),
            "confirm": _("Table %(n)d: OK"),
            "faceoff": _("Table %(n)d: one die each, %(what)s"),
            "decide": _("Table %(n)d: decided for %(what)s"),
            "substitute": _("%(name)s stands in for %(what)s"),
            "leave": _("%(name)s left"),
            "arrive": _("%(name)s arrived"),
            "bell_void": _("The bell was false"),
            "round_cancel": _("The round was cancelled"),
            "reopen": _("Table %(n)d: the result is open again"),
            "evening_close": _("The evening was closed"),
            "evening_reopen": _("The evening was opened again"),
            "bypass": _("Table %(n)d plays on paper"),
            "restore": _("Table %(n)d is waited for again"),
            "hand": _("Table %(n)d: hand entry"),
            "tally": _("Table %(n)d: the paper score"),
            "pace": _("The clock of the rounds was set"),
            "pause": _("Break"),
            "prize": _("A prize was given"),
            "paid": _("%(name)s: the stake"),
            "rolloff": _("Dice were rolled for a place or a prize"),
            "stage": _("The tournament went on"),
            "resume": _("The break ended"),
            "bell_seen": _("Table %(n)d knows of the bell"),
            "branch": _("Another log was taken over"),
            "clock": _("The clock of the evening goes on after a restart of the head's machine"),
        }.get(line.kind, line.kind)
        return text % values

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
