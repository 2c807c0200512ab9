"""The one text of "Your first night": for paper, for the folder's README and for whoever else shows it."""

import textwrap
from typing import NamedTuple

from pi_bunco.provision import network
from pi_bunco.provision.endpoint import OWN_ADDRESS
from pi_bunco.provision.plan import Plan

_WIDTH = 104
"""Letters of a line of plain text."""


class Chapter(NamedTuple):
    """A heading and what to do, in this order."""

    heading: str
    steps: tuple[str, ...]


def night(plan: Plan) -> tuple[Chapter, ...]:
    """The evening from switching on to pulling the plugs, for this hall."""
    return (
        Chapter("Switch on", _switch_on(plan)),
        Chapter("Say who plays", _open()),
        Chapter("Play", _play(plan)),
        Chapter("When something is wrong", _wrong(plan)),
        Chapter("End", _end()),
    )


def _switch_on(plan: Plan) -> tuple[str, ...]:
    first = "Put the head's plug in first. Wait for two minutes."
    join: tuple[str, ...] = ()
    if wifi := network.name(plan):
        stay = " If the phone says that it has no internet, stay in it all the same." if plan.own_wifi else ""
        join = (f"Join the Wi-Fi “{wifi}” with your phone: the code on the sheet for guests does it.{stay}",)
    tables: tuple[str, ...] = ()
    no_light = " A table with a number pad may have no light: your page names it when it is there."
    no_light = no_light if plan.keypad else ""
    if plan.alone or plan.head_number:
        tables = (
            "Put the plugs of the tables in. The light of a table blinks while it looks for the head, and"
            f" stays on when it has found it.{no_light}",
        )
    phones: tuple[str, ...] = ()
    if plan.phone:
        named = ", ".join(map(str, plan.phone))
        phones = (f"A phone lies at these tables: {named}. Touch the table on your page: there is its code.",)
    host = f"Open {plan.page}/host on your phone and enter the PIN of the host's sheet."
    screen = f"Open {plan.page} on the screen that everybody sees: it is the scoreboard."
    return (first, *join, host, screen, *tables, *phones)


def _open() -> tuple[str, ...]:
    return (
        "Enter the names, one a line. A friend who comes late can be added later.",
        "Choose the rules and draw the seats. The screen shows who sits where.",
    )


def _play(plan: Plan) -> tuple[str, ...]:
    kinds = {plan.plays(number): number for number in range(1, plan.tables + 1)}
    counts = " The table counts." if kinds.keys() & {"gpio", "usb"} else ""
    typed = [number for number in range(1, plan.tables + 1) if plan.plays(number) == "ordinary"]
    where = (
        "At each table" if len(typed) == plan.tables else f"At these tables: {', '.join(map(str, typed))},"
    )
    hands = (
        f"{where} press what the dice show: ONE or TWO for so many dice with the number of the round, BUNCO"
        " for all three, MINI for three alike of another number, MISS for nothing of these.",
    )
    return (
        "Start the round: press the bell button, or “Start round 1” on the page. The bell sounds, and all"
        " lights turn green.",
        f"Whose turn it is throws all three dice.{counts} While “roll again” is lit, the same"
        " player throws again; then the dice go on to the left.",
        *(hands if typed else ()),
        "The bell sounds by itself when a round is over. What is thrown after it does not count.",
        "A tie lights up at the table: it says what to throw.",
        "Press OK at each table. The screen shows who moves where. Start the next round.",
    )


def _wrong(plan: Plan) -> tuple[str, ...]:
    number = f"type http://{OWN_ADDRESS} in place of {plan.page}"
    if not plan.own_wifi:
        number = (
            f"use the number that the router shows for {plan.at.partition('.')[0]}, as in http://192.168.8.20"
        )
    return (
        f"The phone does not find the page: is it in the same network? Then {number}.",
        "A die fell off the table: throw all three again.",
        "Wrong button or wrong player: hold UNDO for one second, or mend it on the page.",
        "A plug was pulled: put it in again. Nothing that was shown as saved is gone.",
        "A table stays dark or its light keeps blinking: the page says what is wrong with it. Touch the table"
        " there, choose “Play on paper”, and let it play with ordinary dice until it is back.",
        "The bell sounded too early: “That bell was false” on the page takes it back.",
    )


def _end() -> tuple[str, ...]:
    return (
        "The page shows the standings and the prizes. Close the evening there.",
        "Pull the plugs. There is nothing to shut down.",
    )


def text(plan: Plan) -> str:
    """It as plain text, numbered through."""
    lines: list[str] = []
    number = 0
    for part in night(plan):
        lines.append(part.heading)
        for step in part.steps:
            number += 1
            lines += textwrap.wrap(f"{number:4}. {step}", _WIDTH, subsequent_indent=" " * 6)
        lines.append("")
    return "\n".join(lines)
