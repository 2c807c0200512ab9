"""Pictures that guests took of themselves: on this machine alone, in a store of their own, in no log."""

import sqlite3
from collections.abc import Container
from pathlib import Path

from msgspec import Struct
from starlette.responses import Response

from pi_bunco.runtime.store import Schema
from pi_bunco.runtime.writer import Erase, Reports, SqlStatement, Start, Store, Writer, load_kept
from pi_bunco.web.site.reasons import NoSuchPage, NotThere

MAX_PICTURE_BYTES = 48 * 1024
"""Bytes of a picture: a phone makes it small before it sends it."""
JPEG = b"\xff\xd8\xff"
SCHEMA = Schema(
    "the pictures of guests",
    0x42756E49,
    1,
    "CREATE TABLE portraits (id TEXT PRIMARY KEY, jpeg BLOB NOT NULL) STRICT;",
)


def picture(jpeg: bytes | None, path: str) -> Response:
    """The answer with a picture; `NotThere` without one."""
    if jpeg is None:
        raise NotThere(NoSuchPage(path))
    return Response(jpeg, media_type="image/jpeg")


class PortraitTaken(Struct, frozen=True):
    """A guest's picture, in place of an earlier one."""

    id: str
    jpeg: bytes

    def write(self, connection: sqlite3.Connection) -> None:
        """Keeps it."""
        connection.execute("INSERT OR REPLACE INTO portraits VALUES (?, ?)", (self.id, self.jpeg))


class Portraits(Store):
    """The pictures by the id of the guest; `ids` are those that there are."""

    def __init__(self, path: Path, reports: Reports, start: Start = Writer) -> None:
        """Reads who has one; `DamagedError` or `StoreError` if that cannot be read."""
        super().__init__(path, SCHEMA, load_kept(path, SCHEMA), reports, start)
        self.ids = {id for (id,) in self._rows("SELECT id FROM portraits")}

    def put(self, id: str, jpeg: bytes) -> bool:
        """Keeps a picture; False for what is none, or too large."""
        if not jpeg.startswith(JPEG) or len(jpeg) > MAX_PICTURE_BYTES:
            return False
        self.ids.add(id)
        self.writer.put(PortraitTaken(id, jpeg), Erase())
        return True

    def of(self, id: str) -> bytes | None:
        """The picture of a guest, on disk or on its way there; None without one."""
        if id not in self.ids:
            return None
        for one in reversed(self.writer.unwritten()):
            if isinstance(one, PortraitTaken) and one.id == id:
                return one.jpeg
        found = self._rows("SELECT jpeg FROM portraits WHERE id = ?", id)
        return bytes(found[0][0]) if found else None

    def move(self, id: str, to: str) -> None:
        """The guest `id` is another one, who has the picture from now on."""
        if jpeg := self.of(id):
            self.put(to, jpeg)
            self.delete(id)

    def delete(self, id: str) -> None:
        """Deletes a guest's picture: its bytes are in no file any more."""
        if id in self.ids:
            self.ids.discard(id)
            self.writer.put(SqlStatement("DELETE FROM portraits WHERE id = ?", (id,)), Erase())

    def keep_only(self, ids: Container[str]) -> None:
        """Deletes the pictures of who is not known any more."""
        for id in [one for one in self.ids if one not in ids]:
            self.delete(id)
