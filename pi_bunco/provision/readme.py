"""What the folder of a hall says to its host, in plain words."""

from pi_bunco.provision.plan import Plan

_TEXT = """\
The hall {hall}: {tables} and the head
{line}

This folder is the key to your hall. Keep it on this laptop, keep a copy in a safe place, and show it to
nobody. Only labels.html has no secret in it: print it and stick the labels onto the boxes. Below, "Here"
is where this folder was made: pi-bunco is the same command as then, and THIS_FOLDER stands for this folder.

To make a Pi what it is to be
  1. Write Raspberry Pi OS Lite (64-bit) onto its card.{named}
  2. With the Pi switched off, put its card into this laptop. A small drive shows up, called bootfs.
  3. Copy pi-bunco.toml from the Pi's own folder here onto that drive:
{folders}
  4. Put the card back and switch the Pi on. If pi-bunco is on the card already, it takes the file by itself.
  5. If not, copy the folder that pi-bunco bundle made onto the Pi, and there:  sudo sh bundle/install.sh
     (on the head's Pi before that:  sudo apt install mosquitto). This takes the file as well.
Either way nothing secret is left on that drive.
Tables look for the head at {head}.

If a table's card is lost, stolen or broken, for example that of table {some}
  1. Here:  pi-bunco provision --out THIS_FOLDER --replace {some}
  2. Copy {own}/pi-bunco.toml onto the new card, as above.
  3. Copy head-update/pi-bunco.toml onto the head's card, as above; or, while the head runs, onto the
     head's Pi, and there:  sudo pi-bunco adopt pi-bunco.toml
     From then on the old card is shut out. Until then it is not.

If the head's card is broken
  1. Here:  pi-bunco provision --out THIS_FOLDER --replace head
  2. Copy head/pi-bunco.toml onto the new card, as above. The new head takes the evening from the tables.

If the head's card, this laptop or this folder is stolen
  Whoever has it can be any Pi of yours. Provision a new folder, and give every Pi its new file.

More tables
  Here:  pi-bunco provision --out THIS_FOLDER --tables {more}
  The Pis that play already keep what they have; the head needs head-update/pi-bunco.toml.
"""


def text(plan: Plan) -> str:
    """The text of `README.txt`, where nothing is secret."""
    named = "\n     Call the head's Pi pi-bunco-head (its hostname): the others find it by that name."
    return _TEXT.format(
        hall=plan.hall,
        tables=plan.counted,
        line="=" * len(f"The hall {plan.hall}: {plan.counted} and the head"),
        named=named if plan.head.endswith(".local") else "",
        folders="\n".join(_folders(plan)),
        head=plan.head,
        some=plan.tables,
        own=f"table{plan.tables}" if plan.tables in plan.alone else "head",
        more=plan.tables + 2,
    )


def _folders(plan: Plan) -> list[str]:
    also = ", which is table 1's too" if plan.head_table else ""
    first, *_ = [*plan.alone, 0]
    head = [f"       head     for the head's Pi{also}"]
    return [*head, f"       table{first}   for the Pi of table {first}, and so on"] if first else head
