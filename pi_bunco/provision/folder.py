"""The folder on the host's laptop that holds a hall: all that must be kept, and the files that each Pi takes.

`hall.toml` has the plan and the passwords, `ca/` the certificates; all else follows from them and is written
again by each run. Nothing that was handed out is ever drawn anew unasked.
"""

import contextlib
import os
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import msgspec
import tomli_w
from msgspec import Struct

from pi_bunco.errors import ProvisionError
from pi_bunco.provision.accounts import Account, Secrets
from pi_bunco.provision.certificates import Certificates
from pi_bunco.provision.plan import Plan
from pi_bunco.runtime import files

KEPT, JOINED = "hall.toml", "joined"
_WARNING = "# The passwords of the hall: this file stays on this laptop.\n"
CERTIFICATES = {"ca": "ca.pem", "ca_key": "ca-key.pem", "cert": "cert.pem", "key": "key.pem"}


class KeptHall(Struct, frozen=True, forbid_unknown_fields=True):
    """The content of `hall.toml`."""

    plan: Plan
    accounts: dict[str, Account]
    secrets: Secrets


class Folder:
    """The folder at `path`; `ProvisionError` if it is another's."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with _explained(path):
            if path.exists() and not path.is_dir():
                raise ProvisionError(f"{path} is a file; name a folder")
            begun = {f".{KEPT}.new"}  # all that there is after a power cut in the very first moment
            if (
                path.is_dir()
                and {file.name for file in path.iterdir()} - begun
                and not (path / KEPT).exists()
            ):
                raise ProvisionError(f"{path} holds other things; name a new folder, or an empty one")

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Keeps other runs out of a folder that is there, or they would write what neither means."""
        if sys.platform == "win32" or not self.path.is_dir():
            yield
            return
        with contextlib.ExitStack() as stack:
            try:
                with _explained(self.path):
                    stack.enter_context(files.locked(self.path, os.O_RDONLY))
            except files.InUse as error:
                raise ProvisionError(
                    f"{self.path} is being changed by another run; wait for its end"
                ) from error
            yield

    def make(self) -> None:
        """Makes it, if need be; nobody else on the laptop may look into it."""
        with _explained(self.path):
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.path.chmod(0o700)

    def kept(self) -> KeptHall | None:
        """The hall, None in a new folder; `ProvisionError` if that cannot be read."""
        file = self.path / KEPT
        if not file.exists():
            return None
        with _explained(file):
            text = file.read_text("utf-8")
        try:
            return msgspec.convert(tomllib.loads(text), KeptHall)
        except (
            tomllib.TOMLDecodeError,
            msgspec.ValidationError,
            RecursionError,
        ):  # its words could quote a password
            raise ProvisionError(
                f"{file} is damaged; take it from a backup, or provision anew in another folder"
            ) from None

    def keep(self, kept: KeptHall) -> None:
        """Keeps it for the next run."""
        self.write(KEPT, _WARNING + tomli_w.dumps(msgspec.to_builtins(kept)))

    def certificates(self) -> Certificates | None:
        """The certificates, None where none were made; `ProvisionError` if some are missing."""
        found = {field: self.path / "ca" / name for field, name in CERTIFICATES.items()}
        missing = [str(file) for file in found.values() if not file.exists()]
        if missing and not any(self.path.glob("*/pi-bunco.toml")):  # nothing was handed out
            return None
        if missing:
            raise ProvisionError(
                f"{', '.join(missing)} is missing; take it from a backup, or provision anew in another folder"
            )
        with _explained(self.path / "ca"):
            return Certificates(**{field: file.read_text("ascii") for field, file in found.items()})

    def keep_certificates(self, certificates: Certificates) -> None:
        """Keeps them; the keys stay here, but for the broker's, which its Pi needs."""
        for field, name in CERTIFICATES.items():
            self.write(f"ca/{name}", getattr(certificates, field))

    def joined(self) -> str:
        """The copy of the head's `/etc/pi-bunco/broker/joined` that a host put here, "" for none."""
        file = self.path / JOINED
        with _explained(file):
            return file.read_text("ascii", "replace") if file.exists() else ""

    def write(self, name: str, content: str | bytes) -> None:
        """Writes a file for this user alone, whole or not at all; its folder is made if need be."""
        file = self.path / name
        with _explained(file):
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            files.write(file, content.encode() if isinstance(content, str) else content)


@contextlib.contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except ProvisionError:
        raise
    except OSError as error:
        raise ProvisionError(f"{path} cannot be used: {error.strerror or error}") from error
