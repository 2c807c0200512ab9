"""The guide of a hall in plain words: the README of its folder, and "Your first night"."""

import textwrap
from typing import NamedTuple

from pi_bunco.provision.addresses import OWN_ADDRESS, PORT
from pi_bunco.provision.plan import Plan
from pi_bunco.wire.topics import table_node

_LINE_LETTERS = 104
_README = """\
The hall {hall}: {tables} and the head
{line}

This folder is the key to your hall. Keep it on this laptop, keep a copy in a safe place, and show it to
nobody. Print labels.html and first-night.html, on which nothing is secret, and host.html: its first sheet is
for the guests, the second one, with the PIN, for you. Below, "Here" is where this folder was made: pi-bunco
is the same command as then, and THIS_FOLDER stands for this folder.

To make a Pi what it is to be
  1. Write Raspberry Pi OS Lite (64-bit), of Debian 13 (Trixie), onto its card, without any settings.
  2. With the card in this laptop, a small drive shows up, called bootfs. Copy all that is in the Pi's own
     folder here onto it, or let it be done and checked:
     pi-bunco provision --out THIS_FOLDER --only {example} --card /path/to/bootfs
{folders}
  3. Put the card into the Pi and switch it on. The first start takes some minutes and does the rest. It needs
     the internet{cable}, unless all packages that pi-bunco needs lie beside it on the card, too
     (8 MB). To get them, on a Pi with the same fresh system and the internet:
     sudo apt-get update; sudo apt-get install --download-only --no-install-recommends ./pi-bunco_*_all.deb
     Copy /var/cache/apt/archives/*.deb and pi-bunco_*_all.deb into one folder for --packages.
Nothing secret is left on that drive then. Tables look for the head at {head}.{phones}

If a Pi is not there after ten minutes
  A screen at its HDMI socket says why, and so does pi-bunco-first-start.log on its card. Its small green
  light blinks in groups:
  2 times  It needs the internet once: a cable from a router, or all packages on the card, as above.
  5 times  The package on the card cannot be installed: write the card anew.
  6 times  Its pi-bunco.toml cannot be used: run pi-bunco provision again, and copy its folder onto the card.
  It tries again by itself, and goes on where it was when its plug is pulled meanwhile.

If a table's card is lost, stolen or broken, for example that of table {some}
  1. Here:  pi-bunco provision --out THIS_FOLDER --replace {some}
  2. Copy the folder {own} onto the new card, as above.
  3. Copy head-update/pi-bunco.toml onto the head's card, as above; or, while the head runs, onto the
     head's Pi, and there:  sudo pi-bunco adopt pi-bunco.toml
     From then on the old card is shut out. Until then it is not.

If the head's card is broken, in the middle of a night too
  1. Here:  pi-bunco provision --out THIS_FOLDER --replace head
  2. Copy the folder head onto the new card, as above. The new head takes the evening from the tables.

If the head's card, this laptop or this folder is stolen
  Whoever has it can be any Pi of yours. Provision a new folder, and give every Pi its new file.

More tables
  Here:  pi-bunco provision --out THIS_FOLDER --tables {more}
  The Pis that play already keep what they have; the head needs head-update/pi-bunco.toml.

A host who gives commands from a laptop, for example Ann
  1. Here:  pi-bunco provision --out THIS_FOLDER --host ann
  2. The head needs head-update/pi-bunco.toml, and Ann the folder host-ann, by a stick and not by mail. There:
     pi-bunco host status --config host-ann/pi-bunco.toml
  Her laptop is stolen:  pi-bunco provision --out THIS_FOLDER --replace host-ann
  From the head's next head-update/pi-bunco.toml on it is shut out.

A new version, or back to the one before
  1. Here:  pi-bunco provision --out THIS_FOLDER --packages pi-bunco_VERSION_all.deb
  2. Copy each Pi's folder onto its card, as above, and switch it on. Evening and settings stay.
  Who has a key on the Pis (--ssh-key) can do it there:  sudo apt install ./pi-bunco_VERSION_all.deb
  and back, without a network:  sudo dpkg -i /var/lib/pi-bunco/packages/pi-bunco_VERSION_all.deb

Another network
  Here:  pi-bunco provision --out THIS_FOLDER  and one of  --cable,  --own-wifi --country XX,
  --wifi NAME --wifi-password-file FILE --country XX.  Then copy each Pi's folder onto its card, as above.

Your first night
{night}"""


_LAPTOP_README = """\
The hall {hall} on this laptop, and its tables with a Pi: {pis}

This folder is the key to your hall. Keep it on this laptop, and show it to nobody. Below, THIS_FOLDER stands
for this folder.

To make a Pi the table {some}
  1. Write Raspberry Pi OS Lite (64-bit), of Debian 13 (Trixie), onto its card, without any settings.
  2. If the Pi is to join a Wi-Fi and not a cable, say which, once for all cards, the package with it:
     pi-bunco provision --out THIS_FOLDER --wifi NAME --wifi-password-file FILE --country XX --packages FOLDER
  3. With the card in this laptop, copy all that is in the folder {folder} onto the small drive bootfs, or let
     it be done and checked:
     pi-bunco provision --out THIS_FOLDER --only {folder} --card /path/to/bootfs
  4. Put the card into the Pi and switch it on. It looks for this laptop at {head}.
On a Pi that has pi-bunco already:  sudo pi-bunco adopt pi-bunco.toml  with the file of that name in {folder}.
Nothing secret is left on the card's drive then.

To play
  pi-bunco hall --pis {listed}
  The other tables are phones. If this laptop asks whether others may connect, allow it: its port is {port}.

If a card is lost, stolen or broken, for example that of table {some}
  pi-bunco provision --out THIS_FOLDER --replace {some}
  Then copy {folder} onto a new card, and start the hall again: from then on the old card is shut out.

If this laptop has another name or address
  pi-bunco provision --out THIS_FOLDER --head ADDRESS
  Then every Pi is to get its folder again. Whoever has this folder can be any of your Pis.
"""


class Chapter(NamedTuple):
    """A heading and what to do, in this order."""

    heading: str
    steps: tuple[str, ...]


def first_night(plan: Plan) -> tuple[Chapter, ...]:
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
    if wifi := plan.wifi_name:
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
        "The small green light on a new Pi blinks in groups of 2: it needs the internet once. In groups of 5"
        " or 6: its card is to be written again. A screen at its HDMI socket says more.",
        "A table stays dark or its light keeps blinking: the page says what is wrong with it. Touch the table"
        " there, choose “Play on paper”, and let it play with ordinary dice until it is back.",
        "The bell sounded too early: “That bell was false” on the page takes it back.",
    )


def _end() -> tuple[str, ...]:
    return (
        "The page shows the standings and the prizes. Close the evening there.",
        "Pull the plugs. There is nothing to shut down.",
    )


def night_text(plan: Plan) -> str:
    """The first night as plain text, numbered through."""
    lines: list[str] = []
    number = 0
    for part in first_night(plan):
        lines.append(part.heading)
        for step in part.steps:
            number += 1
            lines += textwrap.wrap(f"{number:4}. {step}", _LINE_LETTERS, subsequent_indent=" " * 6)
        lines.append("")
    return "\n".join(lines)


def readme(plan: Plan) -> str:
    """The text of `README.txt`, where nothing is secret."""
    first, last = (plan.alone[0], plan.alone[-1]) if plan.alone else (1, 1)
    if plan.laptop:
        return _LAPTOP_README.format(
            hall=plan.hall,
            pis=", ".join(map(str, plan.alone)),
            listed=",".join(map(str, plan.alone)),
            some=first,
            folder=table_node(first),
            head=plan.at,
            port=PORT,
        )
    phones = ", ".join(map(str, plan.phone))
    also = ", which is table 1's too" if plan.head_number else ""
    folders = f"       head     for the head's Pi{also}"
    if plan.alone:
        folders += f"\n       table{first}   for the Pi of table {first}, and so on"
    return _README.format(
        hall=plan.hall,
        tables=plan.counted,
        line="=" * len(f"The hall {plan.hall}: {plan.counted} and the head"),
        example=table_node(first) if plan.alone else "head",
        folders=folders,
        phones=f"\nA phone plays at these tables, which need no card: {phones}." if phones else "",
        head=plan.at,
        cable=", by a cable from a router" if plan.own_wifi else "",
        some=last,
        own=table_node(last) if plan.alone else "head",
        more=plan.tables + 2,
        night=night_text(plan),
    )
