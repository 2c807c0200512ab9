"""A Pi's files below a folder, as real ones have them, to be made worse by tests."""

from collections.abc import Sequence
from pathlib import Path

from pi_bunco.doctor.machine_state import Machine
from pi_bunco.provision.places import Places

# proc(5); an installed Raspberry Pi OS Bookworm has these lines among others.
MOUNTS = """\
/dev/mmcblk0p2 / ext4 rw,noatime 0 0
devtmpfs /dev devtmpfs rw,relatime,size=1617384k,nr_inodes=126034,mode=755 0 0
proc /proc proc rw,relatime 0 0
sysfs /sys sysfs rw,nosuid,nodev,noexec,relatime 0 0
tmpfs /run tmpfs rw,nosuid,nodev,size=784824k,nr_inodes=819200,mode=755 0 0
/dev/mmcblk0p1 /boot/firmware vfat rw,relatime,fmask=0022,dmask=0022,codepage=437,errors=remount-ro 0 0
"""
# raspi-config's overlay, which every partition goes through.
OVERLAY = """\
/dev/mmcblk0p2 /media/root-ro ext4 ro,relatime 0 0
tmpfs-root /media/root-rw tmpfs rw,relatime 0 0
overlayroot / overlay rw,relatime,lowerdir=/media/root-ro,upperdir=/media/root-rw/overlay,workdir=/w 0 0
"""
# net/wireless/wext-proc.c: link, level and noise end in a point when they were updated.
WIRELESS = """\
Inter-| sta-|   Quality        |   Discarded packets               | Missed | WE
 face | tus | link level noise |  nwid  crypt   frag  retry   misc | beacon | 22
 wlan0: 0000   {link}.  {level}.  -256        0      0      0      0      0        0
"""
MEMORY = (
    "MemTotal:         944132 kB\nMemFree:           81240 kB\nMemAvailable:   {free} kB\nBuffers: 1 kB\n"
)
PI_4, PI_5 = "soc/soc:firmware", "soc@107c000000/soc@107c000000:firmware"


class Pi:
    """The files below `root`; programs say what `says` has, by their first word."""

    def __init__(self, root: Path, firmware: str = PI_4) -> None:
        self.root = root
        self.firmware = f"sys/devices/platform/{firmware}/get_throttled"
        self.says: dict[str, str] = {}
        self.asked: list[Sequence[str]] = []
        self.put("proc/mounts", MOUNTS)
        self.put("proc/meminfo", MEMORY.format(free=512000))
        self.put("proc/net/wireless", WIRELESS.format(link=54, level=-56))
        self.put("sys/class/thermal/thermal_zone0/temp", "48312\n")
        self.put("sys/class/hwmon/hwmon0/name", "cpu_thermal\n")
        self.put("sys/class/hwmon/hwmon1/name", "rpi_volt\n")
        self.put("sys/class/hwmon/hwmon1/in0_lcrit_alarm", "0\n")
        self.put("sys/fs/ext4/mmcblk0p2/errors_count", "0\n")
        self.put(self.firmware, "0\n")

    def put(self, path: str, text: str) -> Path:
        """A file with that text."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def without(self, path: str) -> None:
        """No such file."""
        (self.root / path).unlink()

    def _run(self, command: Sequence[str]) -> str | None:
        self.asked.append(command)
        return self.says.get(command[0])

    @property
    def machine(self) -> Machine:
        return Machine(Places(self.root), self._run)
