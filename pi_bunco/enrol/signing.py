"""What the page asks of the head's authority, and how it is answered: one line of JSON each."""

from typing import Annotated

from msgspec import Meta, Struct

from pi_bunco.enrol.protocol import MAX_TABLE, PasswordHash


class SignRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """The account of `table` is to have this hash from now on; without a hash nothing is changed.

    With `copy` a sealed copy of the hall is asked for.
    """

    table: Annotated[int, Meta(ge=1, le=MAX_TABLE)] = 1
    password_hash: PasswordHash | None = None
    copy: bool = False


class Signature(Struct, frozen=True):
    """The certificate of the authority (PEM); `why` nothing was changed, in English, "" if all was done."""

    ca: str = ""
    why: str = ""
    copy: bytes = b""
