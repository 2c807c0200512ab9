"""Messages between a new Pi and the head, and what both compute from them.

The Pi draws a password and shows nobody more than its hash. It commits itself to hash and nonce before it
hears the head's nonce, and opens both after; README.md says why nobody in between gains anything.
"""

import base64
import hashlib
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, get_args

import msgspec
from msgspec import Meta, Struct

from pi_bunco.log.entry import END
from pi_bunco.reason import Coded, Reason
from pi_bunco.wire.topics import NodeName
from pi_bunco.words.sentences import received, sentences

JOIN_VERSION = 1
NONCE_BYTES, PASSWORD_BYTES, SALT_BYTES = 32, 24, 12  # a salt is as mosquitto_passwd draws it
HASH_ROUNDS = 101
"""As `mosquitto_passwd` has it; a drawn password of 192 bits cannot be guessed from one round either."""
MAX_TABLE = 800
JoiningEquipment = Literal["gpio", "usb", "ordinary", "keypad"]
"""The equipment of a table: dice at the header or at USB, ordinary dice with a panel or a number pad."""
Hex32 = Annotated[str, Meta(pattern=rf"^[0-9a-f]{{64}}{END}")]
HASH_PATTERN = rf"^\$7\${HASH_ROUNDS}\$[A-Za-z0-9+/]{{16}}\$[A-Za-z0-9+/]{{86}}=={END}"
PasswordHash = Annotated[str, Meta(pattern=HASH_PATTERN)]
"""A password as mosquitto keeps it, in the form `$7$` of `mosquitto_passwd(1)`: PBKDF2 with SHA-512."""
PanelKey = Literal["one", "two", "mini", "bunco", "miss"]
"""A button of a panel that a host is asked to press; UNDO has to be held, OK ends what is typed."""
ANY_KEY: tuple[PanelKey, ...] = get_args(PanelKey)
KEY_COUNT = 5
Keys = Annotated[tuple[PanelKey, ...], Meta(min_length=KEY_COUNT, max_length=KEY_COUNT)]
KEYS_WITHIN_MS = 30_000.0
"""So long the head waits for a commitment to the keys that its page shows."""
OPENED_AFTER_MS = KEYS_WITHIN_MS + 2_000.0
"""So long after the first key a Pi opens its commitment: by then the head takes no other."""
LabelText = Annotated[str, Meta(max_length=40, pattern=rf"^[ -~]*{END}")]
Bytes = Callable[[int], bytes]
"""Draws that number of random bytes, as `os.urandom` does."""


class JoinHello(Struct, frozen=True, tag="hello", tag_field="kind"):
    """A Pi asks for the first time; `label` helps a host to know it and is believed by nobody."""

    commitment: Hex32
    version: int = JOIN_VERSION
    label: LabelText = ""


class Offer(Struct, frozen=True, tag="offer", tag_field="kind"):
    """The head's answer to a `JoinHello`: its hall, the certificate of its authority (PEM), its nonce."""

    hall: NodeName
    ca: Annotated[str, Meta(max_length=4096)]
    nonce: Hex32


class TypedKeys(Struct, frozen=True):
    """Keys typed at a Pi's panel before OK."""

    keys: Keys
    nonce: Hex32


class JoinRequest(Struct, frozen=True, tag="request", tag_field="kind"):
    """A Pi opens what it committed itself to, and says so again every few seconds until it is answered.

    `typed` is its commitment to keys of its panel ("" for none), and `keys` opens that.
    """

    password_hash: PasswordHash
    nonce: Hex32
    version: int = JOIN_VERSION
    typed: Annotated[str, Meta(pattern=rf"^([0-9a-f]{{64}})?{END}")] = ""
    keys: TypedKeys | None = None


class Undecided(Struct, frozen=True, tag="waiting", tag_field="kind"):
    """The host has not chosen yet."""


class Joined(Struct, frozen=True, tag="joined", tag_field="kind"):
    """The request is a table's account now; it is true only if the broker lets the Pi in as that table."""

    table: Annotated[int, Meta(ge=1, le=MAX_TABLE)]
    plays: JoiningEquipment = "gpio"


class TurnedDown(Struct, frozen=True, tag="refused", tag_field="kind"):
    """The head does not go on, for the reason in English; a Pi of any version understands this."""

    why: str
    again: bool = True
    """The Pi draws anew and asks again."""


JoinQuestion = JoinHello | JoinRequest
Reply = Offer | Undecided | Joined | TurnedDown


class Attempt(Struct, frozen=True):
    """Random values that a Pi draws for one attempt to join; nothing of it is kept before it has joined."""

    password: str
    password_hash: str
    nonce: str

    def __repr__(self) -> str:
        return "Attempt('***')"

    def hello(self, label: str = "") -> JoinHello:
        """The first question."""
        return JoinHello(commitment(self.request()), label=label)

    def request(self) -> JoinRequest:
        """The second one, for a head that has answered the first."""
        return JoinRequest(self.password_hash, self.nonce)


def draw_attempt(random: Bytes) -> Attempt:
    """A new password and a new nonce."""
    password, salt = draw_password(random)
    return Attempt(password, password_hash(password, salt), random(NONCE_BYTES).hex())


def draw_password(random: Bytes) -> tuple[str, str]:
    """A new password and the salt of its hash, both base64."""
    password = base64.urlsafe_b64encode(random(PASSWORD_BYTES))
    return password.decode(), base64.b64encode(random(SALT_BYTES)).decode()


def retry_after_s(attempts: int) -> float:
    """The seconds before a Pi draws anew that was turned down so often.

    Each attempt shows new words, and is one more chance for somebody in between who has words of his own.
    """
    return float(min(5 * 2 ** min(attempts, 10), 300))


def password_hash(password: str, salt: str) -> str:
    """The line of a password file for a password, without the name; `salt` is base64."""
    digest = hashlib.pbkdf2_hmac("sha512", password.encode(), base64.b64decode(salt), HASH_ROUNDS)
    return f"$7${HASH_ROUNDS}${salt}${base64.b64encode(digest).decode()}"


def commitment(request: JoinRequest) -> str:
    """The hash in a `JoinHello` of the request that is to come."""
    return _digest("commitment", request.password_hash, request.nonce).hex()


def keys_commitment(offer: Offer, request: JoinRequest, typed: TypedKeys) -> str:
    """A Pi's hash of the keys that were typed there, sent at once in answer to this offer."""
    joining = (offer.hall, offer.ca, request.password_hash, request.nonce, offer.nonce)
    return _digest("keys", *joining, *typed.keys, typed.nonce).hex()


def shown(offer: Offer, request: JoinRequest) -> tuple[tuple[str, str], tuple[int, ...]]:
    """The two words and the groups of blinks; the same on both sides if nobody changed anything."""
    digest = _digest("words", offer.hall, offer.ca, request.password_hash, request.nonce, offer.nonce)
    return two_words(digest), blinks(digest)


def _digest(purpose: str, *parts: str) -> bytes:
    """SHA-256 over the parts, each behind its length, so that no two lists of parts are the same bytes."""
    state = hashlib.sha256()
    for part in (f"pi-bunco join {JOIN_VERSION}", purpose, *parts):
        state.update(len(part.encode()).to_bytes(4) + part.encode())
    return state.digest()


def is_password_hash(text: str) -> bool:
    """True for a hash that may stand in the password file."""
    return re.match(HASH_PATTERN, text) is not None


def encoded(message: JoinQuestion | Reply) -> bytes:
    """A message as it travels, JSON."""
    return msgspec.json.encode(message)


def reply(data: bytes) -> Reply:
    """A head's answer from JSON; `msgspec.DecodeError` for what is no answer."""
    found: Reply = msgspec.json.decode(data, type=Reply)
    return found


WORD_BITS = 11
BLINK_GROUPS, MOST_BLINKS = 8, 6
"""Groups of 1 to 6 blinks that a light shows for the same digest."""


@cache
def listed() -> tuple[str, ...]:
    """All words, in the order of their numbers."""
    return tuple(Path(__file__).with_name("words.txt").read_text("ascii").split())


def two_words(digest: bytes) -> tuple[str, str]:
    """The words for the first 22 bits of a digest."""
    number = int.from_bytes(digest[:4]) >> 32 - 2 * WORD_BITS
    return listed()[number >> WORD_BITS], listed()[number & (1 << WORD_BITS) - 1]


def blinks(digest: bytes) -> tuple[int, ...]:
    """The groups of blinks for sixteen further bytes of a digest, 1,679,616 kinds."""
    number = int.from_bytes(digest[8:24])
    return tuple(number // MOST_BLINKS**place % MOST_BLINKS + 1 for place in range(BLINK_GROUPS))


class SignRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """The account of `table` is to have this hash from now on; without a hash nothing is changed.

    With `copy` a sealed copy of the hall is asked for.
    """

    table: Annotated[int, Meta(ge=1, le=MAX_TABLE)] = 1
    password_hash: PasswordHash | None = None
    copy: bool = False


class Signature(Struct, frozen=True):
    """The certificate of the authority (PEM); `why` nothing was changed, in English, "" if all was done.

    `reason` is the same with code and fields.
    """

    ca: str = ""
    why: str = ""
    copy: bytes = b""
    reason: Coded | None = None

    @classmethod
    def refused(cls, why: Reason, ca: str = "") -> "Signature":
        """Nothing was changed."""
        return cls(ca, sentences("en").of(why), reason=Coded.beside(why))

    @property
    def reason_why(self) -> Reason:
        """The reason why nothing was changed."""
        return received([self.why], [self.reason] if self.reason else [])[0]
