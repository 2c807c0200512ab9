"""The places of all files on a Pi (`hier(7)`); under another root for tests and for images."""

from pathlib import Path


class Places:
    """The files and folders of an installation below `root`."""

    def __init__(self, root: Path = Path("/")) -> None:
        self.root = root
        self.config = root / "etc/pi-bunco"
        """Files that the host may edit or that were handed over: settings, certificates, secrets."""
        self.settings = self.config / "pi-bunco.toml"
        self.secrets = self.config / "secrets"
        """The passwords, a folder for each service, root's alone; systemd hands each service its own."""
        self.broker = self.config / "broker"
        """The files of this hall for mosquitto: its certificate, key, accounts and access rules."""
        self.roles = self.config / "role"
        """An empty file for each service that this Pi runs; the units look for them."""
        self.shipped = root / "usr/share/pi-bunco"
        """The files that the package brings for others to read."""
        self.state = root / "var/lib/pi-bunco"
        """The stores of the services: `head` and `table` below it."""
        self.packages = self.state / "packages"
        """The packages of before, for a way back."""
        self.versions = self.state / "versions"
        """Newer versions than that of the card, see `update`."""
        self.units = root / "usr/lib/systemd/system"
        self.boot = root / "boot/firmware"
        """The boot partition, which any laptop can write: `/boot/firmware` since Bookworm."""
        self.handover = self.boot / "pi-bunco.toml"
        """The file that a host drops on the boot partition."""
        self.restart = root / "run/pi-bunco-adopt/restart"
        """A file that says that what was taken over counts only from the next start on."""
