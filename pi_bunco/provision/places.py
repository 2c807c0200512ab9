"""Where everything lies on a Pi (`hier(7)`); under another root for tests and for images."""

from pathlib import Path

from msgspec import Struct


class Places(Struct, frozen=True):
    """The files and folders of an installation below `root`."""

    root: Path = Path("/")

    @property
    def config(self) -> Path:
        """What the host may edit, and what was handed over: `pi-bunco.toml`, certificates, secrets."""
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
        """What mosquitto reads: its configuration, certificate, key, accounts and access rules."""
        return self.config / "broker"

    @property
    def software(self) -> Path:
        """The installed versions, a folder for each, and `current`, which is the one that runs."""
        return self.root / "opt/pi-bunco"

    @property
    def current(self) -> Path:
        """The link to the version that runs."""
        return self.software / "current"

    @property
    def command(self) -> Path:
        """The command for everybody."""
        return self.root / "usr/local/bin/pi-bunco"

    @property
    def state(self) -> Path:
        """What the services know: `head` and `table` below it."""
        return self.root / "var/lib/pi-bunco"

    @property
    def units(self) -> Path:
        """The units of this machine's own."""
        return self.root / "etc/systemd/system"

    @property
    def boot(self) -> Path:
        """The boot partition, which any laptop can write: `/boot/firmware` since Bookworm."""
        return self.root / "boot/firmware"

    @property
    def handover(self) -> Path:
        """The file that a host drops on the boot partition."""
        return self.boot / "pi-bunco.toml"
