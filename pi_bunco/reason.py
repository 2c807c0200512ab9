"""Reasons as values: why something is not so, or what is so, with its fields, in whatever language.

A reason is declared once, in the lowest room that knows it; one with the fields of others in one line:

    NotInThatRound = OfTable.declare("NotInThatRound", N_("table %(table)s was not in that round"))

    class OtherRound(Reason, frozen=True):
        text = N_("it was made in round %(then)s of the evening, this is round %(now)s")
        then: int
        now: int

`english()` fills the template as it is; a page fills its translation (`in_words` with a catalogue). A field
is an `int`, a `str`, which is shown as it is, `Names`, `Numbers`, `Tables`, `Listed`, a `Term` or another
`Reason`. Templates are extracted with the keywords `N_` and `NN_:1,2`.
"""

import re
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from gettext import NullTranslations
from typing import Annotated, Any, ClassVar, Literal, Self, cast, get_type_hints

from msgspec import Meta, Struct, ValidationError, convert, defstruct

CODE_MAX_CHARS = 64
TABLES_SHOWN = 12
"""Tables that a list names one by one."""
ENGLISH = NullTranslations()

REASONS: dict[str, type["Reason"]] = {}
"""Every reason that is declared, by its code."""


def N_(text: str) -> str:  # noqa: N802 (what gettext's tools look for)
    """Marks a template for extraction."""
    return text


def NN_(one: str, many: str) -> tuple[str, str]:  # noqa: N802
    """Marks a template in singular and plural for extraction."""
    return one, many


class Shown(Struct, frozen=True):
    """The form of a field in a sentence; a `term`'s value is looked up in `words`, else it is English."""

    kind: Literal["names", "tables", "listed", "term"]
    words: Mapping[str, str] = {}


Names = Annotated[tuple[str, ...], Shown("names")]
"""People, who are never translated: "Ann, Bob and Cat"."""
Numbers = Annotated[tuple[int, ...], Shown("names")]
""" "1, 2 and 3"."""
Tables = Annotated[tuple[int, ...], Meta(min_length=1), Shown("tables")]
""" "table 2", "tables 1 and 3"; never none."""
Listed = Annotated[tuple[str, ...], Shown("listed")]
""" "Ann, Bob"."""
Term = Annotated[str, Shown("term")]
"""An English phrase that has a translation; a `Shown("term", words)` names keys of its own."""


class NextCommand(Struct, frozen=True):
    """A command that leads on; a value `{table}` is that field of the reason, what is missing is asked."""

    command: str
    args: Mapping[str, Any] = {}

    def args_of(self, reason: "Reason") -> dict[str, Any]:
        """The arguments, with the fields of `reason` filled in."""
        return {
            name: getattr(reason, value[1:-1]) if isinstance(value, str) and value[:1] == "{" else value
            for name, value in self.args.items()
        }


class Reason(Struct, frozen=True):
    """A reason or a state; `text` is a template of gettext with the fields.

    A pair of templates is singular and plural, told apart by the field `count`, a number or a list. `page`
    stands in for `text` on a page where `text` names a word of the command line. A class without a text is
    none: it has fields that several reasons share.
    """

    code: ClassVar[str]
    text: ClassVar[str | tuple[str, str]]
    page: ClassVar[str] = ""
    count: ClassVar[str] = ""
    leads_to: ClassVar[tuple[NextCommand, ...]] = ()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.code = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()
        if hasattr(cls, "text") and REASONS.setdefault(cls.code, cls) is not cls:
            raise TypeError(f"the reason {cls.code} is declared twice")

    @classmethod
    def declare(
        cls, name: str, text: str | tuple[str, str], *leads_to: NextCommand, page: str = "", count: str = ""
    ) -> type[Self]:
        """A reason with the fields of this class, which bears the `name` that it is assigned to."""
        says = {"text": text, "page": page, "count": count, "leads_to": leads_to}
        module = sys._getframe(1).f_globals["__name__"]
        return cast(type[Self], defstruct(name, (), bases=(cls,), namespace=says, module=module, frozen=True))

    @property
    def goes_on(self) -> bool:
        """True if it goes on from the name of whom it tells of, and says nothing without that."""
        return False

    def english(self) -> str:
        """The reason as a fragment of an English sentence."""
        return self.in_words(ENGLISH)

    def in_words(self, texts: NullTranslations, *, page: bool = False) -> str:
        """The reason as a fragment in the language of `texts`; `page`: in words of the page, not commands."""
        fields = {
            name: _shown(getattr(self, name), how, texts, page)
            for name, how in shown_fields(type(self)).items()
        }
        if page and self.page:
            return texts.gettext(self.page) % fields
        if isinstance(self.text, str):
            return texts.gettext(self.text) % fields
        number = getattr(self, self.count)
        return texts.ngettext(*self.text, number if isinstance(number, int) else len(number)) % fields


class OfTable(Reason, frozen=True):
    """A reason about one table."""

    table: int


class OfTables(Reason, frozen=True):
    """A reason about some tables."""

    tables: Tables


class OfName(Reason, frozen=True):
    """A reason about one person."""

    name: str


class OfNames(Reason, frozen=True):
    """A reason about some people."""

    names: Names


class OfNumber(Reason, frozen=True):
    """A reason that counts, or names a number."""

    n: int


class Because(Reason, frozen=True):
    """A reason that goes back to what a device, a disk or another program says."""

    why: str


class OfItself(Reason, frozen=True):
    """A word of somebody of itself, which goes on from its name: "calls for the host."."""

    @property
    def goes_on(self) -> bool:
        """True."""
        return True


class BecauseOfItself(OfItself, Because, frozen=True):
    """Such a word that goes back to what a device, a disk or another program says."""


class InEnglish(Reason, frozen=True):
    """A text without a template, such as a device's fault: English in every language."""

    text = "%(sentence)s"
    sentence: str

    @property
    def goes_on(self) -> bool:
        """True if it begins small, as English does within a sentence."""
        return self.sentence[:1].islower()


class AndMore(Reason, frozen=True):
    """The number of reasons that have no room in a message."""

    text = N_("And %(n)s more.")
    n: int


class Coded(Struct, frozen=True, omit_defaults=True):
    """A reason on the wire: its code and fields beside its English; a nested reason is one again."""

    code: Annotated[str, Meta(max_length=CODE_MAX_CHARS)]
    fields: dict[str, Any] = {}

    @classmethod
    def beside(cls, reason: Reason) -> "Coded":
        """The reason as it stands beside its English, which it does not repeat."""
        return cls(reason.code) if isinstance(reason, InEnglish) else cls.of(reason)

    @classmethod
    def of(cls, reason: Reason) -> "Coded":
        """The reason with its fields."""
        fields = {name: getattr(reason, name) for name in reason.__struct_fields__}
        return cls(
            reason.code,
            {name: cls.of(value) if isinstance(value, Reason) else value for name, value in fields.items()},
        )

    def reason(self) -> Reason | None:
        """The reason; None for one that its English alone tells, as of a newer head."""
        kind = REASONS.get(self.code)
        if kind is None:
            return None
        try:
            hints = _hints(kind)
            return kind(
                **{name: _decoded(self.fields[name], hints[name]) for name in hints.keys() & self.fields}
            )
        except (TypeError, ValidationError):
            return None


@cache
def shown_fields(kind: type[Reason]) -> Mapping[str, Shown | None]:
    """The form of each field of a reason, the outermost first; None for a number, a text or a reason."""
    return {
        name: next(
            (one for one in reversed(getattr(hint, "__metadata__", ())) if isinstance(one, Shown)), None
        )
        for name, hint in _hints(kind).items()
    }


@cache
def _hints(kind: type[Reason]) -> Mapping[str, Any]:
    found = get_type_hints(kind, include_extras=True)
    return {name: found[name] for name in kind.__struct_fields__}


def _decoded(value: Any, hint: Any) -> Any:
    """A field as its type has it; a reason that is not known here makes the whole reason unknown."""
    if not (isinstance(hint, type) and issubclass(hint, Reason)):
        return convert(value, hint)
    nested = convert(value, Coded).reason()
    if not isinstance(nested, hint):
        raise ValidationError(f"no reason that is known here: {value}")
    return nested


def _shown(value: Any, how: Shown | None, texts: NullTranslations, page: bool) -> str:
    if isinstance(value, Reason):
        return value.in_words(texts, page=page)
    match how.kind if how else None:
        case "names":
            return joined(value, texts)
        case "tables":
            return numbered(value, texts)
        case "listed":
            return ", ".join(value)
        case "term":
            return texts.gettext(how.words.get(value, value)) if how and value else value
        case _:
            return str(value)


def joined(names: Sequence[object], texts: NullTranslations = ENGLISH) -> str:
    """ "Ann, Bob and Cat"."""
    words = [str(name) for name in names]
    if len(words) < 2:
        return "".join(words)
    return texts.gettext("%(names)s and %(name)s") % {"names": ", ".join(words[:-1]), "name": words[-1]}


def numbered(tables: Sequence[int], texts: NullTranslations = ENGLISH) -> str:
    """ "table 2", "tables 1, 3 and 4", and of very many how many more there are."""
    words = [str(table) for table in tables[:TABLES_SHOWN]]
    if len(tables) > TABLES_SHOWN:
        more = {"tables": ", ".join(words), "n": len(tables) - TABLES_SHOWN}
        return texts.gettext("tables %(tables)s and %(n)s more") % more
    if len(words) == 1:
        return texts.gettext("table %(n)s") % {"n": words[0]}
    return texts.gettext("tables %(tables)s and %(n)s") % {"tables": ", ".join(words[:-1]), "n": words[-1]}
