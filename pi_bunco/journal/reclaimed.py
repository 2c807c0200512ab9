"""How an evening that was lost comes back into a journal that has set some of its facts aside."""

import sqlite3

from msgspec import Struct


class Reclaimed(Struct, frozen=True):
    """An evening that was lost is there again: its facts that were set aside are to come in once more.

    They stay for review under another stream, so that neither they nor their places stand in the way.
    """

    evening: str

    def write(self, connection: sqlite3.Connection) -> None:
        """Renames the streams of what was set aside of the evening."""
        connection.execute(
            "UPDATE asides SET stream = 'lost.' || stream WHERE evening = ? AND stream NOT LIKE 'lost.%'",
            (self.evening,),
        )
