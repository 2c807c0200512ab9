"""Pictures of the pages, for people who work on them: `PYTHONPATH=.:tests python -m web.look OUT [NAME...]`.

A name is the beginning of one of `gallery.pages`. Pictures are made at the sizes of a TV, an old projector,
a laptop, a tablet and a phone, by night and by day; `--sizes tv,phone` and `--themes night` make fewer,
`--themes halloween` others.
"""

import argparse
import mimetypes
import sys
from importlib.resources import files
from pathlib import Path

from msgspec.structs import replace
from playwright.sync_api import Page, Route

from chromium import chromium
from pi_bunco.web.pages import TEMPLATES
from pi_bunco.web.site.assets import read_static
from pi_bunco.web.site.guard import HEADERS
from pi_bunco.web.site.page import Context, PageModel
from pi_bunco.web.site.themes import shipped
from web.gallery import pages

OWN_PICTURE = files("pi_bunco.web").joinpath("pictures", "phones.webp")
"""Every picture of the host's own."""
SIZES = {
    "tv": (1920, 1080),
    "old": (1024, 768),
    "wide": (1280, 800),
    "tablet": (768, 1024),
    "phone": (390, 844),
}


def serve(page: Page, models: dict[str, PageModel], context: Context) -> None:
    """Answers every request of `page` from the package: `/NAME` is a page, `/static/...` a file."""

    def answer(route: Route) -> None:
        path = route.request.url.split("/", 3)[3].partition("?")[0]
        if path.startswith("static/"):
            name = path.split("/", 2)[2]
            content = read_static(name)
            route.fulfill(body=content, content_type=mimetypes.guess_type(name)[0] or "font/woff2")
        elif path.startswith("own/"):
            route.fulfill(body=OWN_PICTURE.read_bytes(), content_type="image/webp")
        elif path in models:
            html = TEMPLATES.render(models[path], context)
            route.fulfill(body=html, content_type="text/html; charset=utf-8", headers=HEADERS)
        else:
            route.fulfill(status=404, body="")

    page.route("**/*", answer)


def dressed(theme: str) -> Context:
    """A page by night or by day, or dressed in a theme of the hall."""
    found = next((one for one in shipped() if one.id == theme), None)
    return Context(dressed=found) if found else Context(theme=theme)  # type: ignore[arg-type]


def main() -> None:
    """Makes the pictures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--sizes", default="tv,old,phone")
    parser.add_argument("--themes", default="night,day")
    parser.add_argument("--lang", default="en")
    parser.add_argument("--wifi", default="", help="the text of a Wi-Fi's QR code")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    makers = {n: m for n, m in pages().items() if not options.names or n.startswith(tuple(options.names))}
    models = {name: make() for name, make in makers.items()}
    with chromium() as browser:
        for theme in options.themes.split(","):
            page = browser.new_page(reduced_motion="reduce")
            page.on("console", lambda message: print(message.text, file=sys.stderr))
            page.on("pageerror", lambda error: print(error, file=sys.stderr))
            seen = replace(dressed(theme), lang=options.lang, base="http://192.168.4.1", csrf="c")
            serve(page, models, replace(seen, wifi=options.wifi))
            for size in options.sizes.split(","):
                width, height = SIZES[size]
                page.set_viewport_size({"width": width, "height": height})
                for name in models:
                    page.goto(f"http://bunco.test/{name}")
                    page.evaluate("document.fonts.ready")
                    page.screenshot(
                        path=str(options.out / f"{name}-{size}-{theme}.png"), full_page=size == "phone"
                    )


if __name__ == "__main__":
    main()
