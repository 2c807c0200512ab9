"""The head's Pi of a hall with one table, whose people play by themselves."""

from pathlib import Path
from random import Random

from pi_bunco.ops.install.units import ADOPT, BROKER, HEAD, TABLE, placed
from pi_bunco.provision import accounts, cards, certificates, handover
from pi_bunco.provision.places import Places
from pi_bunco.provision.plan import Plan
from systemd.machine import CHECKOUT, CURRENT, WAIT, Machine, until

UNITS = CHECKOUT / "systemd"
SERVICES = (BROKER, HEAD, TABLE)
BUNCO = f"/{CURRENT}/bin/pi-bunco"
PEOPLE = "Ann,Bob,Cat,Dee"
ENDLESS = "end.bunco=false", "end.points=none"


def install(pi: Machine) -> None:
    """The units and snippets in their places; a Pi that nobody has told what it is adopts what comes."""
    shipped = {file.name: file.read_bytes() for file in UNITS.iterdir()}
    for path, data in placed(shipped, Places(Path())).items():
        pi.write(str(path), data.decode())
    pi.change("systemctl", "disable", "mosquitto.service")
    pi.change("systemctl", "enable", ADOPT)


def hand_over(pi: Machine) -> None:
    """Drops the head's file on the boot partition; its header is one of mock pins, but all else is real."""
    plan = Plan(1, dice="smart", panel="smart", lights="virtual")
    kept = accounts.completed({}, plan.tables, (), Random(1))
    handed = cards.head(cards.Hall(plan, kept, certificates.made(plan.hall)))
    handed.settings["gpio"] = "mock"
    pi.write(str(Places(Path()).handover), handover.dump(handed))


def bunco(pi: Machine, *words: str) -> str:
    """What the command says, which has to succeed."""
    return pi.done(BUNCO, *words)


def host(pi: Machine, verb: str, *words: str) -> str:
    """What the head answers to a host who waits; a service is ready before it has found the broker."""
    return bunco(pi, "host", verb, f"--wait={WAIT / 2}", *words)


def play(pi: Machine) -> None:
    """Opens an evening and starts a round that no roll ends."""
    endless = (argument for rule in ENDLESS for argument in ("--set", rule))
    host(pi, "open", *endless, "--players", PEOPLE)
    host(pi, "draw")
    until(lambda: pi.run(BUNCO, "host", "start").returncode == 0)


def journaled(pi: Machine) -> list[str]:
    """The facts of the evening in the head's journal."""
    return bunco(pi, "export", "--data", "/var/lib/pi-bunco/head").splitlines()
