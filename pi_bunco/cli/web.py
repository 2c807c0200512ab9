"""`pi-bunco web`: the service of the pages."""

import argparse
import os
import socket
from pathlib import Path

from pi_bunco.cli.parser import argument, read_text
from pi_bunco.cli.serve import BROKER_SETTINGS, add_settings, doctor, folder, serve, settled
from pi_bunco.config import Config, ConfigError, credential
from pi_bunco.provision.addresses import OWN_NAME
from pi_bunco.runtime.serving import Shell, allow_many
from pi_bunco.web.site.login import WEB_KEY_VARIABLE


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `pi-bunco web`."""
    pages = ("listen", "tls_cert", "tls_key", "pin_file", "wifi_file")
    add_settings(parser, *BROKER_SETTINGS, "data", *pages, "phones_at")
    # Else argparse would take it for the beginning of --phones-at.
    parser.add_argument("--phones", type=_of_the_phones, default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    argument(parser, "--authority PATH", "the socket of pi-bunco authority, to take Pis in", type=Path)
    argument(parser, "--packages DIR", "the folder with the package to be handed out to tables", type=Path)


def _of_the_phones(tables: str) -> None:
    raise argparse.ArgumentTypeError(
        f"the page runs no tables any more: start pi-bunco phones with --phones {tables}, "
        "and both with the same --phones-at"
    )


def run(options: argparse.Namespace) -> int:
    """Serves until SIGTERM; `ConfigError` or `ListenError` says which setting cannot be."""
    config = settled(options, "broker.address", "data", "listen")
    if (config.tls_cert is None) != (config.tls_key is None):
        raise ConfigError(["HTTPS needs two files: --tls-cert and --tls-key"])
    pin_file, wifi_file = config.pin_file or credential("pin"), config.wifi_file or credential("wifi")
    pin = read_text("pin_file =", Path(pin_file)) if pin_file else None
    if pin is not None and len(pin) < 4:
        raise ConfigError([f"pin_file = {pin_file} holds no PIN: at least 4 digits"])
    wifi = read_text("wifi_file =", Path(wifi_file)) if wifi_file else ""
    if wifi_file and not wifi.startswith("WIFI:"):
        raise ConfigError([f"wifi_file = {wifi_file} holds no text of a Wi-Fi's QR code, WIFI:T:WPA;..."])
    data = folder(config)
    name = f"web, broker {config.address('web')}, listening at {config.listen}"
    return serve(lambda: _shell(config, data, pin, wifi, options), name, doctor(data, "The page's machine"))


def _shell(config: Config, data: Path, pin: str | None, wifi: str, options: argparse.Namespace) -> Shell:
    from pi_bunco.runtime.clock import SystemClock
    from pi_bunco.web.pages import PAGES
    from pi_bunco.web.service import WebService
    from pi_bunco.web.site.app import app
    from pi_bunco.web.site.backend import WebSettings
    from pi_bunco.web.site.certificate import self_signed
    from pi_bunco.web.site.guard import LOOPBACK
    from pi_bunco.web.site.server import endpoint, local_addresses, secure

    allow_many()
    plain = endpoint(config.listen or "")
    files = (config.tls_cert, config.tls_key) if config.tls_cert and config.tls_key else None
    vouched = files is not None
    if not vouched and pin and plain.host not in LOOPBACK:
        files = self_signed(data, ("localhost", *_names(), *local_addresses(plain)))
    tls = [secure(plain, *files)] if files else []
    settings = WebSettings(
        broker=config.address("web"),
        data=data,
        places=(plain, *tls),
        hall=config.hall,
        pin=pin,
        wifi=wifi,
        names=_names(),
        phones_at=config.phones_at,
        key=os.environ.get(WEB_KEY_VARIABLE),
        vouched=vouched,
        authority=options.authority,
        packages=options.packages,
    )
    return WebService(settings, SystemClock(), lambda service: app(service, PAGES))


def _names() -> tuple[str, ...]:
    """Names of this machine: its host name, also with the ending of multicast DNS, and the hall's own."""
    name = socket.gethostname().partition(".")[0]
    return name, f"{name}.local", socket.gethostname(), OWN_NAME
