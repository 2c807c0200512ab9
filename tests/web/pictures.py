"""The pictures of the README, of an evening by chance: `PYTHONPATH=.:tests python -m web.pictures`."""

from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser

from chromium import chromium
from pi_bunco.web.pages.board.page import shown_scoreboard
from pi_bunco.web.pages.host.frame import HostQuery
from pi_bunco.web.pages.host.tonight.page import shown_tonight
from pi_bunco.web.pages.phone_table.model import shown_phone
from pi_bunco.web.pages.player.page import shown_player
from pi_bunco.web.site.evening_now import PhonePlay
from pi_bunco.web.site.page import Context, PageModel
from web.look import serve
from web.nights import Night

OUT = Path(__file__).parents[2] / "pi_bunco" / "web" / "pictures"
TV, TABLET, PHONE = (1600, 900), (1280, 800), (390, 844)


def night() -> Night:
    """An evening in its third round."""
    played = Night(12, seed=11, scoring__match="one").draw().rounds(2).begin().throws(31)
    played.throw(1, [3, 3, 5])
    return played


def models() -> dict[str, PageModel]:
    """Models of the pictures, all of the same evening."""
    now, bell = night(), night().ring()
    bell.finish((1, 3))
    after = night().ring().finish()
    table = now.evening.round.tables[1] if now.evening.round else None
    return {
        "scoreboard": shown_scoreboard(now.evening_now()),
        "moves": shown_scoreboard(after.evening_now()),
        "host": shown_tonight(bell.evening_now(hosts=("Ann", "Carol")), HostQuery()),
        "me": shown_player(now.evening_now(), "Kay"),
        "table": shown_phone(now.evening_now(), 2, PhonePlay(table)),
        "next": shown_player(after.evening_now(), "Ann"),
    }


def shot(
    browser: Browser, shown: dict[str, PageModel], name: str, size: tuple[int, int], theme: str
) -> Image.Image:
    """One page as a picture."""
    page = browser.new_page(reduced_motion="reduce", viewport={"width": size[0], "height": size[1]})
    serve(page, shown, Context(theme="day" if theme == "day" else "night", base="http://192.168.4.1"))
    page.goto(f"http://bunco.test/{name}")
    page.evaluate("document.fonts.ready")
    picture = Image.open(BytesIO(page.screenshot()))
    page.close()
    return picture.convert("RGB")


def side_by_side(pictures: list[Image.Image]) -> Image.Image:
    """Phones next to each other, with a little room between."""
    width = sum(picture.width for picture in pictures) + 40 * (len(pictures) + 1)
    sheet = Image.new("RGB", (width, pictures[0].height + 80), (16, 8, 11))
    x = 40
    for picture in pictures:
        sheet.paste(picture, (x, 40))
        x += picture.width + 40
    return sheet


def main() -> None:
    """Makes them."""
    shown = models()
    with chromium() as browser:
        made = {
            "scoreboard": shot(browser, shown, "scoreboard", TV, "night"),
            "moves": shot(browser, shown, "moves", TV, "night"),
            "host": shot(browser, shown, "host", TABLET, "day"),
            "phones": side_by_side(
                [shot(browser, shown, name, PHONE, "night") for name in ("me", "table", "next")]
            ),
        }
    OUT.mkdir(exist_ok=True)
    for name, picture in made.items():
        picture.save(OUT / f"{name}.webp", quality=82, method=6)


if __name__ == "__main__":
    main()
