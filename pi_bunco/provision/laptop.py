"""A hall whose head is this laptop: the cards of its Pis, and what the broker here asks of everybody."""

from collections.abc import Collection
from pathlib import Path
from random import Random

from msgspec import Struct

from pi_bunco.provision import accounts
from pi_bunco.provision.addresses import BROKER_NAME, TLS_PORT
from pi_bunco.provision.folder import Folder
from pi_bunco.provision.plan import Plan
from pi_bunco.provision.provision import provision
from pi_bunco.wire.broker import Access

HERE = "here"
"""The folder with the passwords of the services on the laptop itself."""


class LaptopHall(Struct, frozen=True):
    """The way in for a hall's Pis; `new` are the tables whose cards were made just now.

    `ca` signs the broker's certificate; `secrets` is the folder with the passwords of the laptop's services.
    """

    plan: Plan
    access: Access
    ca: Path
    secrets: Path
    new: tuple[int, ...]

    @property
    def options(self) -> list[str]:
        """The command line of a service that goes there."""
        tls = ["--ca", str(self.ca), "--server-name", BROKER_NAME]
        return [*tls, "--secrets", str(self.secrets), "--hall", self.plan.hall]


def laptop_hall(
    out: Path, pis: Collection[int], tables: int, head: str | None, random: Random, port: int = TLS_PORT
) -> LaptopHall:
    """Makes the cards of the tables `pis` in the folder `out`, or finds them there.

    `head` is how Pis reach this laptop; None leaves it as it was. The broker listens at `port`.
    `ConfigError` or `ProvisionError` says what is wrong.
    """
    before = Folder(out).kept()
    last = max(tables, *pis, before.plan.tables if before else 1)
    known = before.plan.tables if before else 0
    phones = [*(before.plan.phone if before else ()), *range(known + 1, last + 1)]
    asked = {"tables": last, "laptop": True, "phone": tuple(n for n in phones if n not in pis)}
    made = provision(out, asked | ({"head": head} if head else {}), (), random)
    folder, hall = Folder(out), made.hall
    for node in accounts.OWN:
        folder.write(f"{HERE}/{node}", f"{hall.accounts[node].password}\n")
    access = Access(
        port,
        out / "ca" / "cert.pem",
        out / "ca" / "key.pem",
        passwd=accounts.passwd(hall.accounts),
        acl=accounts.acl(hall.plan.hall),
        users=accounts.users(hall.accounts, hall.plan.hall),
    )
    old = before.plan.alone if before else ()
    new = tuple(sorted(set(pis) - set(old)))
    return LaptopHall(hall.plan, access, out / "ca" / "ca.pem", out / HERE, new)


def known_pis(out: Path) -> tuple[int, ...]:
    """The tables that have a card in the folder `out`; none where there is no hall."""
    before = Folder(out).kept() if out.is_dir() else None
    return before.plan.alone if before else ()
