"""The texts of the pages in one catalogue (`locale/`), read with the standard library's gettext."""

import gettext
import os
from functools import cache

Texts = gettext.NullTranslations
LANGUAGES = {"en": "English", "de": "Deutsch"}
"""Each language that the pages speak, by its code, in its own words."""


@cache
def texts(lang: str) -> Texts:
    """The catalogue of `lang`; English, which the source is written in, for one that there is not."""
    if lang not in LANGUAGES or lang == "en":
        return gettext.NullTranslations()
    from importlib.resources import as_file, files  # for English they are not needed

    with (
        as_file(files("pi_bunco.words").joinpath("locale", lang, "pages.mo")) as path,
        path.open("rb") as file,
    ):
        return gettext.GNUTranslations(file)


def wanted(header: str, chosen: str = "") -> str:
    """The language for a browser: the `chosen` one, else the first of `Accept-Language` that there is."""
    if chosen in LANGUAGES:
        return chosen
    for part in header.split(","):
        code = part.split(";")[0].strip().lower()[:2]
        if code in LANGUAGES:
            return code
    return "en"


def language() -> str:
    """The language of this terminal, by the variables that gettext reads; English without a catalogue."""
    variables = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
    return wanted(next(filter(None, map(os.environ.get, variables)), "").replace(":", ","))
