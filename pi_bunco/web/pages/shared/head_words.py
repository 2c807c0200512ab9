"""The head's and the game's sentences in the language of the page.

They come in English, as the head wrote them for the command line too. Each is found by the template that
it was made of, and filled into that template's translation; a field may be a phrase of its own, such as
`tables 1 and 3`. Where the head names a word of the command line, English has a sentence of the page's own
as well. What has no template stays as it is. `tests/web/test_head_words.py` names the refusals without one.
"""

import re
from collections.abc import Callable
from functools import cache, lru_cache

from pi_bunco.words.catalogue import texts

Say = Callable[[str], str]


def _of_the_game(_: Say) -> tuple[str, ...]:
    return (
        _("a round is running"),
        _("an evening is open already"),
        _("ghosts are not allowed"),
        _("ghosts are not allowed; a substitute can take over from %(name)s"),
        _("no evening is open"),
        _("no round has been played"),
        _("no round is open"),
        _("nobody has a seat yet"),
        _("nobody is left to play"),
        _("nothing has rung the bell"),
        _("players change only between rounds"),
        _("the bell has not rung"),
        _("the bell has rung already"),
        _("the bell of this round has rung already"),
        _("the evening is closed"),
        _("the evening is closed; open it again if it should go on"),
        _("the evening is not closed"),
        _("the last round has been played"),
        _("there is no break"),
        _("no three alike wipe the points out in this round"),
        _("fewer than two people sit at the head table"),
        _("%(n)s chairs are empty: everybody fits at fewer tables"),
        _("%(n)s players sit at %(needed)s tables, not %(tables)s"),
        _("everybody needs one seat; look at %(names)s"),
        _("it was made in round %(then)s of the evening, this is round %(now)s"),
        _("table %(n)s has nobody but ghosts; draw or set the seats anew"),
        _("%(name)s is not playing"),
        _("%(name)s is playing already"),
        _("%(name)s is a ghost; %(new)s can just arrive"),
        _("%(name)s has a card already and can only arrive"),
        _("a player has no name"),
        _("at least %(least)s players are needed, not %(n)s"),
        _("the name %(name)s is there twice"),
        _("%(n)s players do not fill the tables and ghosts are not allowed"),
        _("%(n)s players need %(needed)s ghosts, not %(given)s"),
        _("the groups must have each of the tables 1 to %(n)s once, and none may be empty"),
        _("every seat is taken; draw the seats anew with the guest, or name a substitute"),
    )


def _of_a_table(_: Say) -> tuple[str, ...]:
    return (
        _("table %(n)s has no result to reopen"),
        _("table %(n)s was not in that round"),
        _("table %(n)s has no roll to take back"),
        _("table %(n)s has no roll-off with one die open"),
        _("table %(n)s has rolled fewer than %(rolls)s times in this round"),
        _("table %(n)s is done for this round"),
        _("table %(n)s is in a roll-off"),
        _("table %(n)s is still playing"),
        _("table %(n)s is still playing; a score on paper is taken after the bell"),
        _("table %(n)s rolls off with one die for each team"),
        _("table %(n)s's result is final"),
        _("table %(n)s's result is final already"),
        _("table %(n)s's result is final; reopen it first"),
        _("table %(n)s has rolled again since; its latest roll is now no. %(last)s: %(dice)s"),
        _("table %(n)s has that roll taken back already; its latest roll is now no. %(last)s: %(dice)s"),
    )


def _of_dice_between_rounds(_: Say) -> tuple[str, ...]:
    return (
        _("%(name)s has rolled already"),
        _("%(name)s is not in this roll-off"),
        _("%(name)s rolls one die"),
        _("%(name)s rolls three dice"),
        _("%(names)s still roll for %(purpose)s"),
        _("it is %(name)s's turn, with three dice"),
        _("nobody rolls for %(purpose)s now"),
        _("the roll-off is over"),
        _("there is no throw to take back"),
        _("table %(n)s has rolled since"),
        _("this roll-off needs the faces of the dice"),
        _("a winner is named twice"),
        _("the prize needs a winner"),
        _("there is no prize for %(prize)s; there are %(prizes)s"),
        _("%(name)s has no card this evening"),
        _("%(name)s has not played this evening"),
    )


def _of_a_tournament(_: Say) -> tuple[str, ...]:
    return (
        _("%(name)s comes too late for the %(stage)s"),
        _("after the %(stage)s comes the %(purpose)s"),
        _("nobody changes seats in the %(stage)s"),
        _("nobody has rolled three of a kind yet"),
        _("the %(stage)s has begun since"),
        _("the %(stage)s is not over"),
        _("the groups %(numbers)s roll for it: say which group"),
        _("the %(stage)s is over: confirm the %(purpose)s"),
        _("the draw from the seed of this evening seats other players"),
        _("the groups have not been played"),
        _("the semi-final has not been played"),
        _("the tournament is over"),
        _("this evening is no tournament"),
    )


def _of_the_head(_: Say) -> tuple[str, ...]:
    return (
        _("the evening is not over: %(played)s"),
        _("close it first, or open the new one in its place"),
        _("the evening can be closed all the same, and opened again until the next one is"),
        _("Start without what is missing, or press the bell button twice within 10 s."),
        _("%(round)s is not over yet"),
        _("still playing: %(tables)s"),
        _("rolling off: %(tables)s"),
        _("OK is missing at %(tables)s"),
        _("every seat is taken; name a substitute, or seat the guest when the first round is over"),
        _("a round is running; a break can begin when it is over"),
        _("press OK for it when it is done after the bell, or decide its winner"),
        _("no round is open; reopen table %(n)s first to change its last result"),
        _("%(names)s can come when the first round is over, or now on a ghost's chair"),
        _("And %(n)s more."),
        _("Table %(n)s: die %(die)s is %(state)s."),
        _("Table %(n)s: not heard for %(s)s s."),
        _("Table %(n)s: not heard yet; is it switched on?"),
        _("Table %(n)s: switched off."),
        _("a round is running; the bell would end it in everybody's ears"),
        _("an evening is open, with %(played)s"),
        _("The head reads the end of the evening; wait a moment, or go on with what is here."),
        _(
            "The head reads the end of the evening from %(tables)s; wait a moment, or go on with what is"
            " here."
        ),
        _("no evening is being read from the tables; nothing is waited for"),
        _("%(who)s offers no other log than the head's"),
        _("there is no %(tables)s; tables are 1 to %(n)s"),
        _("%(file)s is a file, of which the head knows nothing; send its dimensions"),
        _(
            "Table %(n)s played round %(then)s of the evening, and the log ends in round %(now)s: its end is"
            " missing. Switch on the tables that were there; starting the next round goes on without it."
        ),
    )


def _of_the_page(_: Say) -> tuple[str, ...]:
    return (
        _("The head did not answer: %(why)s Try again."),
        _("The head did not answer within 5 s. See whether it was done, then press again."),
        _("The head is not there: switch its machine on, then press again."),
        _("This was tapped in another round: nothing was counted. Tell the host if it matters."),
        _("No round is open: nothing was counted."),
        _("Nothing wipes in this round: nothing was counted."),
        _("The table is in another roll-off by now: nothing was counted."),
        _("The round was another one when this key was made: look how it stands, then press again."),
        _("Somebody was moved meanwhile: look how they sit now, then change it again."),
        _("There is no page %(path)s."),
        _("This evening is not known."),
        _("The results come with the last round, or when the evening is closed."),
        _("This PIN is wrong; %(n)s more tries, then this device waits."),
        _("This PIN is wrong; 1 more try, then this device waits."),
        _("This address was opened already: type the PIN."),
        _("Wrong ten times: this device waits %(n)s minutes."),
        _("Wrong ten times: this device waits 1 minute."),
        _("Too many wrong numbers were typed in this hall: wait five minutes."),
    )


def _of_devices(_: Say) -> tuple[str, ...]:
    """What a table says of itself; it goes on from the table's name."""
    return (
        _("calls for the host."),
        _("has a stuck button: %(button)s."),
        _("has a fault at the dice: %(why)s."),
        _("is there twice: two machines have this number. Give one of them another, or switch it off."),
        _("knows the evening clock only roughly: its network is slow."),
        _("runs pi-bunco %(version)s, the head %(head)s: upgrade one of them."),
        _("cannot save: %(why)s."),
    )


def _phrases(_: Say) -> tuple[str, ...]:
    """What stands in a field of a sentence; a list of names or tables is one too."""
    return (
        _("%(names)s and %(name)s"),
        _("%(n)s of %(of)s rounds played"),
        _("table %(n)s"),
        _("tables %(tables)s and %(n)s"),
        _("tables %(tables)s and %(n)s more"),
        _("set %(set)s, round %(n)s"),
        _("the page"),
        _("groups"),
        _("qualification"),
        _("semi-final"),
        _("roll for who begins"),
        _("final"),
        _("end"),
        _("most wins"),
        _("most Buncos"),
        _("who begins"),
    )


def _in_page_words(_: Say) -> tuple[tuple[str, str], ...]:
    """What the head says with words of the command line, and what the page says; its keys are in `ways`."""
    return (
        (
            "%(who)s has an evening of %(n)s entries that another head's key made: choose it with branch"
            " %(table)s, or start the next round to go on without it.",
            _(
                "%(who)s has an evening of %(n)s entries that another head made: take it over, or start the"
                " next round to go on without it."
            ),
        ),
        (
            "%(who)s has another end of this evening from entry %(first)s on, with %(n)s entries: choose it"
            " with branch %(table)s, or start the next round to keep this one.",
            _(
                "%(who)s has another end of this evening from entry %(first)s on, with %(n)s entries: take it"
                " over, or start the next round to keep this one."
            ),
        ),
        ("Table %(n)s: die %(die)s is unheard.", _("Table %(n)s: die %(die)s does not answer.")),
        ("Table %(n)s: die %(die)s is cocked.", _("Table %(n)s: die %(die)s leans: roll it again.")),
        ("Table %(n)s: die %(die)s is fault.", _("Table %(n)s: die %(die)s has a fault.")),
        ("%(command)s needs %(field)s: %(kind)s", _("Something is missing here: fill it in and press again")),
        (
            "%(command)s: %(field)s should be %(kind)s, not %(value)s",
            _("“%(value)s” cannot stand here: change it and press again"),
        ),
    )


ALL = (
    _of_the_game,
    _of_a_table,
    _of_dice_between_rounds,
    _of_a_tournament,
    _of_the_head,
    _of_the_page,
    _of_devices,
)


@cache
def _templates(lang: str, phrases: bool) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Per template what it matches and its translation, those with most words of their own first."""
    say: Say = texts(lang).gettext
    groups = () if lang == "en" else (_phrases,) if phrases else ALL
    pairs = [pair for group in groups for pair in zip(group(str), group(say), strict=True)]
    pairs += () if phrases else _in_page_words(say)
    pairs.sort(key=lambda pair: (pair[0].count("%("), -len(pair[0])))
    return tuple((_pattern(english), translated) for english, translated in pairs)


def _pattern(template: str) -> re.Pattern[str]:
    parts = re.split(r"%\((\w+)\)s", template.rstrip("."))
    matched = "".join(re.escape(part) if i % 2 == 0 else f"(?P<{part}>.+?)" for i, part in enumerate(parts))
    return re.compile(matched, re.IGNORECASE)


@lru_cache(maxsize=2000)
def in_language(lang: str, text: str) -> str:
    """The sentence in that language, in the page's words; as it is where no template fits."""
    found = _filled(lang, text.rstrip("."), phrases=False)
    if found is None:
        return text
    found = found[:1].upper() + found[1:] if text[:1].isupper() else found
    return found if found.endswith((".", "?", "!")) or not text.endswith(".") else f"{found}."


def _filled(lang: str, text: str, *, phrases: bool) -> str | None:
    for pattern, translated in _templates(lang, phrases):
        if match := pattern.fullmatch(text):
            found = match.groupdict()
            fields = {key: _filled(lang, value, phrases=True) or value for key, value in found.items()}
            return translated % fields if fields else translated
    return None
