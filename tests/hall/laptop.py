"""A laptop's hall that Pis reach at a port of one's choice: `laptop.py DATA PAGE PORT BROKER PIS...`."""

import signal
import sys
from pathlib import Path
from random import SystemRandom

from pi_bunco.hall.hall import HallSettings
from pi_bunco.hall.host_laptop import HallService
from pi_bunco.provision.laptop import laptop_hall
from pi_bunco.runtime.clock import SystemClock
from pi_bunco.runtime.loop import Stop
from pi_bunco.web.site.server import Endpoint

HEAD = "127.0.0.2"
"""The address at which the Pis find the laptop."""
TABLES = 3


def main(data: Path, page: int, port: int, broker: str, *pis: str) -> None:
    """Works until SIGINT."""
    found = laptop_hall(data / "pis", tuple(map(int, pis)), TABLES, HEAD, SystemRandom(), port)
    phones = tuple(number for number in range(1, TABLES + 1) if str(number) not in pis)
    place = Endpoint("127.0.0.1", page)
    settings = HallSettings(data, place, phones, "nats" if broker == "nats" else "mosquitto", pis=found)
    hall = HallService(
        settings, SystemClock(), print, lambda pages: print(f"ready: {pages.follow}", flush=True)
    )
    signal.signal(signal.SIGINT, lambda *_: hall.inbox.put(Stop()))
    hall.run()


if __name__ == "__main__":
    data, page, port, *more = sys.argv[1:]
    main(Path(data), int(page), int(port), *more)
