"""What the folder of a hall says to its host, in plain words."""

from pi_bunco.provision import night
from pi_bunco.provision.endpoint import PORT
from pi_bunco.provision.plan import Plan
from pi_bunco.wire.topics import table_node

_TEXT = """\
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


_LAPTOP = """\
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


def _laptop(plan: Plan) -> str:
    first = plan.alone[0] if plan.alone else 1
    return _LAPTOP.format(
        hall=plan.hall,
        pis=", ".join(map(str, plan.alone)),
        listed=",".join(map(str, plan.alone)),
        some=first,
        folder=table_node(first),
        head=plan.at,
        port=PORT,
    )


def text(plan: Plan) -> str:
    """The text of `README.txt`, where nothing is secret."""
    if plan.laptop:
        return _laptop(plan)
    phones = ", ".join(map(str, plan.phone))
    return _TEXT.format(
        hall=plan.hall,
        tables=plan.counted,
        line="=" * len(f"The hall {plan.hall}: {plan.counted} and the head"),
        example=table_node(plan.alone[0]) if plan.alone else "head",
        folders="\n".join(_folders(plan)),
        phones=f"\nA phone plays at these tables, which need no card: {phones}." if phones else "",
        head=plan.at,
        cable=", by a cable from a router" if plan.own_wifi else "",
        some=plan.alone[-1] if plan.alone else 1,
        own=table_node(plan.alone[-1]) if plan.alone else "head",
        more=plan.tables + 2,
        night=night.text(plan),
    )


def _folders(plan: Plan) -> list[str]:
    also = ", which is table 1's too" if plan.head_number else ""
    first = next(iter(plan.alone), 0)
    head = [f"       head     for the head's Pi{also}"]
    return [*head, f"       table{first}   for the Pi of table {first}, and so on"] if first else head
