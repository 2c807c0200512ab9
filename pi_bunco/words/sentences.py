"""Reasons as sentences in a language, for a page, a sheet or the command line."""

from collections.abc import Sequence
from functools import cache

from pi_bunco.reason import Coded, InEnglish, Reason
from pi_bunco.words.catalogue import texts
from pi_bunco.words.terms import capital


class Sentences:
    """The sentences in one language; `page`: in words of the page where English names commands."""

    def __init__(self, lang: str, *, page: bool = True) -> None:
        self._texts = texts(lang)
        self._page = page

    def of(self, reason: Reason) -> str:
        """The reason as a sentence; a dimension of the rules at its beginning stays as it is."""
        text = self.phrase(reason)
        return ended(text if "." in text.split(" ", 1)[0][:-1] else capital(text))

    def phrase(self, reason: Reason) -> str:
        """The reason within a sentence, or behind the name that it goes on from."""
        return reason.in_words(self._texts, page=self._page)


@cache
def sentences(lang: str) -> Sentences:
    """The sentences of pages in `lang`."""
    return Sentences(lang)


def ended(text: str) -> str:
    """The text with an end."""
    return text if text.endswith((".", "?", "!", "…")) else f"{text}."


def received(english: Sequence[str], coded: Sequence[Coded]) -> tuple[Reason, ...]:
    """The reasons of a message, one for each sentence: its own English where a code is not known here."""
    known = [one.reason() for one in coded[: len(english)]]
    known += [None] * (len(english) - len(known))
    return tuple(reason or InEnglish(text) for reason, text in zip(known, english, strict=True))
