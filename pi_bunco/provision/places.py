"""The places of all files on a Pi (`hier(7)`); under another root for tests and for images."""

from pathlib import Path

from msgspec import Struct


class Places(Struct, frozen=True):
    """The files and folders of an installation below `root`."""

    root: Path = Path("/")

    @property
    def config(self) -> Path:
        """Files that the host may edit or that were handed over: `pi-bunco.toml`, certificates, secrets."""
        return self.root / "etc/pi-bunco"

    @property
    def settings(self) -> Path:
        """The settings of the services."""
        return self.config / "pi-bunco.toml"

    @property
    def secrets(self) -> Path:
        """The passwords, a folder for each service, root's alone; systemd hands each service its own."""
        return self.config / "secrets"

    @property
    def broker(self) -> Path:
        """The files of this hall for mosquitto: its certificate, key, accounts and access rules."""
        return self.config / "broker"

    @property
    def roles(self) -> Path:
        """An empty file for each service that this Pi runs; the units look for them."""
        return self.config / "role"

    @property
    def shipped(self) -> Path:
        """The files that the package brings for others to read."""
        return self.root / "usr/share/pi-bunco"

    @property
    def packages(self) -> Path:
        """The packages of before, for a way back."""
        return self.state / "packages"

    @property
    def state(self) -> Path:
        """The stores of the services: `head` and `table` below it."""
        return self.root / "var/lib/pi-bunco"

    @property
    def units(self) -> Path:
        """The units of packages."""
        return self.root / "usr/lib/systemd/system"

    @property
    def boot(self) -> Path:
        """The boot partition, which any laptop can write: `/boot/firmware` since Bookworm."""
        return self.root / "boot/firmware"

    @property
    def restart(self) -> Path:
        """A file that says that what was taken over counts only from the next start on."""
        return self.root / "run/pi-bunco-adopt/restart"

    @property
    def handover(self) -> Path:
        """The file that a host drops on the boot partition."""
        return self.boot / "pi-bunco.toml"
