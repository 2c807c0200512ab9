"""What somebody wants this Pi to be, from what is said, handed over, or was so before."""

from pathlib import Path

from msgspec import Struct

from pi_bunco.ops.install import adopt, settings
from pi_bunco.ops.install.machine import Machine
from pi_bunco.ops.install.settings import Table
from pi_bunco.ops.install.steps import InstallError
from pi_bunco.provision import endpoint
from pi_bunco.provision.handover import Handover, Role
from pi_bunco.wire.address import BrokerAddress


class Wish(Struct, frozen=True):
    """A table's Pi or the head's: `number` is its table's, 0 for none; `given` are settings by name.

    `head` is the address of the head's Pi for a table; `handover` is what `file` hands over.
    """

    role: Role
    number: int
    given: dict[str, str] = {}
    head: str | None = None
    handover: Handover | None = None
    file: Path = Path("pi-bunco.toml")

    @property
    def name(self) -> str:
        """Which Pi it is, in words."""
        return "the head" if self.role == "head" else f"table {self.number}"


class Said(Struct, frozen=True):
    """What the command line says, each None where it says nothing; a number is a text there."""

    role: Role | None = None
    number: str | None = None
    head: str | None = None
    file: Path | None = None
    given: dict[str, str] = {}


def wish(machine: Machine, said: Said) -> Wish:
    """What is wanted; `InstallError` or `HandoverError` if that is not clear, or not one thing."""
    before = settings.read(machine.places.settings)
    file = said.file or machine.places.handover
    handover = adopt.read(file) if said.file or file.is_file() else None
    if said.file and handover is None:
        raise InstallError(f"{file} was taken over already; provision it anew: pi-bunco provision --replace")
    role = said.role or (handover.device.role if handover else settings.role(before))
    if role is None:
        raise InstallError(
            "say what this Pi is: pi-bunco install table --number 2 --head ADDRESS, or: install head"
        )
    number = _number(said, role, handover, before)
    _agree(role, number, handover, file)
    if role == "table" and handover is None:
        _reachable(said.head, before)
    return Wish(role, number, said.given, said.head, handover, file)


def _number(said: Said, role: Role, handover: Handover | None, before: Table) -> int:
    if said.number is not None:
        path = Path("pi-bunco.toml")
        none = role == "head" and said.number == "0"
        number = 0 if none else settings.checked({"number": said.number}, {}, path)["number"]
        if role == "head" and number > 1:
            raise InstallError(f"--number {number}: the head's Pi is table 1's, or none's: --no-table")
        return int(number)
    if handover:
        return handover.device.number
    old = int(before.get("number", 0)) if settings.role(before) == role else None
    if role == "head":
        return 1 if old is None else old
    if not old:
        raise InstallError("--number is missing: which table's Pi is this?")
    return old


def _agree(role: Role, number: int, handover: Handover | None, file: Path) -> None:
    """A file of another Pi is not taken by mistake."""
    device = handover.device if handover else None
    if device and (device.role, device.number) != (role, number):
        what = "the head" if device.role == "head" else f"table {device.number}"
        raise InstallError(f"{file} is for {what}: use this Pi's own, or leave --number and the role out")


def _reachable(head: str | None, before: Table) -> None:
    if head is not None:
        if not endpoint.findable(BrokerAddress.parse(head).host):
            raise InstallError(f"--head {head}: that is neither a name nor a number, such as 192.168.8.10")
    elif settings.role(before) != "table":
        raise InstallError("--head is missing: the address of the head's Pi, as in --head 192.168.8.10")
