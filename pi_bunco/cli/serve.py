"""The common part of the commands that run a service: the broker, the log, and the end."""

import argparse
import errno
from collections.abc import Callable
from pathlib import Path

from pi_bunco.cli.parser import argument
from pi_bunco.config import Config, ConfigError, load, meaning, metavar, option, settings
from pi_bunco.devices.kinds import Hardware
from pi_bunco.devices.pins import plan
from pi_bunco.errors import BuncoError
from pi_bunco.runtime import serving
from pi_bunco.runtime.clock import Clock
from pi_bunco.runtime.serving import Shell, Watch

BROKER_SETTINGS = (
    "hall",
    "broker.address",
    "broker.user",
    "broker.password_file",
    "broker.ca",
    "broker.cert",
    "broker.key",
    "broker.server_name",
    "broker.secrets",
)
"""The settings of every command that goes to the broker."""
_NO_FOLDER = {errno.ENOTDIR, errno.EEXIST, errno.ENAMETOOLONG, errno.ELOOP, errno.EINVAL}
"""Errors of a path itself; all others are the card's, and may pass."""


def add_settings(parser: argparse._ActionsContainer, *keys: str) -> None:
    """An option for each of these settings, and for the config file; checked by `settled`, not here."""
    for key in keys:
        argument(parser, f"{option(key)} {metavar(key)}", meaning(key), dest=key, default=argparse.SUPPRESS)
    text = "settings in TOML (default /etc/pi-bunco/pi-bunco.toml, if there is one); options win"
    argument(parser, "--config FILE", text, type=Path, default=argparse.SUPPRESS)


def settled(options: argparse.Namespace, *needs: str) -> Config:
    """The settings of file and options; `ConfigError` with all that is wrong or missing."""
    given = {key: value for key, value in vars(options).items() if key in settings()}
    return load(given, getattr(options, "config", None), needs)


def hardware(config: Config, clock: Clock) -> Hardware:
    """The header as it is wired, not opened yet; `PinsError` says what cannot be."""
    lines = plan(config.pins, config.wired)
    return Hardware(clock, config.gpio, lines, config.encoding, config.settle_ms, config.display)


def head_folder(config: Config, root: Path = Path("/")) -> Path | None:
    """The folder of the head that has the bell here: that of the settings, else that of the Pi's own service.

    None where neither is.
    """
    if config.data:
        return Path(config.data)
    service = root / "var/lib/pi-bunco/head"
    return service if service.is_dir() else None


def folder(config: Config) -> Path:
    """The folder of the setting `data`, made if need be; `ConfigError` if that can be no folder.

    One that cannot be made or written now is no reason not to play: the service's store says so.
    """
    data = Path(config.data or "")
    try:
        data.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        if error.errno in _NO_FOLDER:
            why = f"data = {data}: {error.filename} cannot be made: {error.strerror}"
            raise ConfigError([why]) from error
    return data


def doctor(data: Path, who: str = "") -> Watch:
    """The doctor's watch for the service with the folder `data`; `who` begins its sentences."""

    def watch(shell: Shell) -> Callable[[], object]:
        from pi_bunco.doctor.watch import DoctorWatch

        watching = DoctorWatch(shell.inbox.put, data, who, shell.store.writer.slowest_ms)
        watching.start()
        return watching.close

    return watch


def serve(start: Callable[[], Shell], name: str, watch: Watch | None = None) -> int:
    """Runs the service as `runtime.serving` does; a file that cannot be used is a `ConfigError`."""

    def started() -> Shell:
        try:
            return start()
        except BuncoError:
            raise
        except OSError as error:  # a file in the folder that another user owns, for example
            raise ConfigError([f"{error.filename} cannot be used: {error.strerror}"]) from error

    return serving.serve(started, name, watch)
