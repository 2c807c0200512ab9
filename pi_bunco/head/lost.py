"""Whether a head asks the tables for the evening: by option, marker file, or for a damaged journal."""

import logging
from pathlib import Path

from pi_bunco.errors import BuncoError
from pi_bunco.head.presence import Presence
from pi_bunco.head.rebuild import Rebuild
from pi_bunco.journal.journal import Journal
from pi_bunco.logcopy import KEEPERS
from pi_bunco.runtime.files import sync_folder

log = logging.getLogger(__name__)

_KEEPERS = set(range(1, KEEPERS + 1))
MARKER = "rebuild"
"""A file of this name in the folder of the data asks for it once."""


class NotEmpty(BuncoError):
    """The journal has evenings, so nothing is taken from the tables; the text says which."""


class Lost:
    """The evening that a head may have lost: whether it is `wanted` of the tables, and who has been asked.

    `NotEmpty` if somebody has asked for it and the journal has evenings.
    """

    def __init__(self, journal: Journal, asked: bool, damaged: bool) -> None:
        self.wanted = wanted(journal, asked, damaged)
        self.late = False
        """Whether it has been asked for already, so that only a table that came later is waited for."""
        self._folder = journal.path.parent
        self._asked = set[int]()

    def asked(self, rebuild: Rebuild) -> None:
        """The rebuild is over; it has asked in vain where no table was there, or none holds anything."""
        self._asked |= rebuild.asked
        self.late = True
        if rebuild.found:
            self.give_up()

    def may_be_at_a_table(self, presence: Presence, now: float) -> bool:
        """Whether a table came that has not been asked."""
        return self.wanted and any(presence.online(table, now) for table in _KEEPERS - self._asked)

    def give_up(self) -> None:
        """No table is asked any more, not at the next start either: there is an evening, or none anywhere."""
        if self.wanted:
            self.wanted = False
            unmark(self._folder)


def wanted(journal: Journal, asked: bool, damaged: bool) -> bool:
    """Whether to ask the tables; `NotEmpty` if somebody has `asked` for it and the journal has evenings.

    Beside a journal with evenings, which a backup may have brought, a marker asks for what is newer.
    """
    folder = journal.path.parent
    if journal.empty:
        if damaged:
            _mark(folder)  # a start that is cut off leaves a journal behind that is empty but sound
        return asked or damaged or (folder / MARKER).exists()
    if not asked:
        return (folder / MARKER).exists()
    known = ", ".join(evening.id for evening in journal.evenings())
    raise NotEmpty(
        f"the journal {journal.path} has evenings ({known}), and --rebuild is for a head without any:"
        " start it without --rebuild, or with an empty folder"
    )


def mark(folder: Path) -> Path:
    """Makes the marker and returns it, so that it survives a power cut; `OSError` if that cannot be."""
    marker = folder / MARKER
    marker.touch()
    sync_folder(folder)
    return marker


def _mark(folder: Path) -> None:
    try:
        mark(folder)
    except OSError as error:
        log.warning("%s cannot be made: %s", folder / MARKER, error.strerror)


def unmark(folder: Path) -> None:
    """Removes the marker, if there is one."""
    try:
        (folder / MARKER).unlink()
        sync_folder(folder)
    except FileNotFoundError:
        return
    except OSError as error:
        log.warning("%s cannot be removed: %s", folder / MARKER, error.strerror)
