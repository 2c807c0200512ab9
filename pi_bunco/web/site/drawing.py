"""Pages as HTML: templates of models."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from functools import cache, lru_cache
from hashlib import blake2b
from types import CodeType
from typing import Any
from urllib.parse import quote

import jinja2
from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream
from jinja2.runtime import Macro
from markupsafe import Markup
from msgspec import Struct

from pi_bunco.web.site.assets import asset, symbols
from pi_bunco.web.site.page import Context, PageModel
from pi_bunco.web.site.themes import Theme, ThemedTexts
from pi_bunco.words.catalogue import LANGUAGES, Texts, texts

MAX_DRAWN = 600
"""Parts of a kind that are kept as they were drawn, the latest; of as many players as an evening may have."""
_TAG_ENDS = re.compile(r"(<(?=[a-zA-Z/!])|>)")
_BREAK = r"\s*\n\s*"
_OUTER_BREAKS = re.compile(f"^{_BREAK}|{_BREAK}$")


class Templates:
    """The templates of a package, which its pages' models name; `words` are what they call in a language.

    `parts` are files of macros by the name that all templates know them by. What one of these makes of its
    arguments is drawn once for all pages that show the same.
    """

    def __init__(
        self,
        package: str,
        document: str,
        words: Callable[[Texts, str], Mapping[str, Any]],
        parts: Mapping[str, str],
    ) -> None:
        self._package, self._document, self._words, self._parts = package, document, words, parts
        self._environments: dict[tuple[str, Theme | None], jinja2.Environment] = {}

    def render(self, model: PageModel, context: Context) -> str:
        """The whole document."""
        body = self.body(model, context)
        return self._render(self._document, model, context, body=Markup(body), drawn=name_of(body))

    def body(self, model: PageModel, context: Context) -> str:
        """The element `#page`, as it stands in the document."""
        return self._render(model.template, model, context)

    def _render(self, template: str, model: PageModel, context: Context, **more: str) -> str:
        drawn = self._environment(context.lang, context.dressed).get_template(template)
        kind = type(model).__name__
        return drawn.render(m=model, c=context, kind=kind, version=context.version, **more)

    def _environment(self, lang: str, theme: Theme | None) -> jinja2.Environment:
        if (lang, theme) in self._environments:
            return self._environments[lang, theme]
        words = theme.words.get(lang) if theme else None
        catalogue = ThemedTexts(words, texts(lang)) if words else texts(lang)
        environment = templates_of(self._package, catalogue)
        environment.globals |= self._words(catalogue, lang)
        environment.globals |= {"asset": asset, "json": as_json, "plain_path": plain_path, "asking": asking}
        environment.globals["languages"] = tuple(LANGUAGES.items())
        environment.globals["svg"] = {name: Markup(text) for name, text in symbols().items()}
        for name, file in self._parts.items():
            environment.globals[name] = module = environment.get_template(file).module
            for name, macro in vars(module).items():
                if isinstance(macro, Macro):
                    setattr(module, name, lru_cache(MAX_DRAWN, typed=True)(macro))
        self._environments[lang, theme] = environment
        return environment


def templates_of(package: str, catalogue: Texts) -> jinja2.Environment:
    """The templates in the folder of a package, whose texts are those of this catalogue."""
    environment = jinja2.Environment(
        loader=_loader(package),
        extensions=["jinja2.ext.i18n", LineBreaks],
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        auto_reload=False,
    )
    environment.policies["ext.i18n.trimmed"] = True
    environment.install_gettext_callables(  # type: ignore[attr-defined]
        catalogue.gettext, catalogue.ngettext, newstyle=True
    )

    @cache
    def plain(text: str) -> Markup:
        return Markup(catalogue.gettext(text)) % {}

    def gettext(text: str, /, **values: Any) -> Markup:
        """A text; one without values, which most are, is looked up once and not for each page."""
        return Markup(catalogue.gettext(text)) % values if values else plain(text)

    environment.globals |= {"gettext": gettext, "_": gettext}
    return environment


class CompiledOnce(jinja2.PackageLoader):
    """Templates of a package, each compiled once for all languages: their code calls for every text."""

    def __init__(self, package: str) -> None:
        super().__init__(package, ".")
        self._compiled: dict[str, CodeType] = {}

    def load(
        self, environment: jinja2.Environment, name: str, globals: MutableMapping[str, Any] | None = None
    ) -> jinja2.Template:
        """The template in the language of `environment`."""
        if name not in self._compiled:
            source, filename, _ = self.get_source(environment, name)
            self._compiled[name] = environment.compile(source, name, filename)
        return jinja2.Template.from_code(environment, self._compiled[name], globals or {})


_loader = cache(CompiledOnce)


class LineBreaks(Extension):
    """Takes line breaks out of what a template writes, but those inside a text; `{% trans %}` has its own."""

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        """The tokens of the template with shorter data."""
        in_tag = in_text = begins = False
        for token in stream:
            if begins and token.value in ("trans", "endtrans"):
                in_text = token.value == "trans"
            begins = token.type == "block_begin"
            if token.type == "data" and not in_text:
                data, in_tag = _joined(token.value, in_tag)
                token = Token(token.lineno, "data", data)
            yield token


def _joined(data: str, in_tag: bool) -> tuple[str, bool]:
    """The data without its line breaks, and the state at its end."""
    parts = []
    for part in _TAG_ENDS.split(data):
        if part in "<>" and part:
            in_tag = part == "<"
            parts.append(part)
        elif in_tag:
            parts.append(re.sub(_BREAK, " ", part))
        else:
            parts.append(_OUTER_BREAKS.sub("", part))
    return "".join(parts), in_tag


def name_of(body: str) -> str:
    """The name of a drawing, the same for the same HTML."""
    return blake2b(body.encode(), digest_size=8).hexdigest()


_MARK = re.compile(r"<!--(\[[\w-]+|[\w-]+\])-->")


class Parts(Struct, frozen=True):
    """A drawing by its parts, `<!--[NAME-->...<!--NAME]-->`: hashes of them, and of all around them."""

    around: int = 0
    each: Mapping[str, int] = {}

    def then(self, body: str) -> "tuple[Parts, str]":
        """The next drawing, and the HTML that makes it of this one: parts of it, all, or nothing."""
        pieces = _MARK.split(body)  # around, [NAME, part, NAME], around and so on
        named = dict(zip(pieces[1::4], pieces[2::4], strict=True))
        after = Parts(hash((*pieces[::4], *named)), {name: hash(html) for name, html in named.items()})
        if after.around != self.around:
            return after, body
        return after, "".join(html for name, html in named.items() if after.each[name] != self.each[name])


def plain_path(path: str) -> str:
    """The path without what its query asks before a command."""
    place, _, query = path.partition("?")
    kept = [part for part in query.split("&") if part and not part.startswith("ask=")]
    return place + ("?" + "&".join(kept) if kept else "")


def asking(path: str, question: str) -> str:
    """The path where the page asks first."""
    plain = plain_path(path)
    return f"{plain}{'&' if '?' in plain else '?'}ask={quote(question)}"


def as_json(value: Any) -> str:
    """Plain values as a page holds them in a field."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
