"""Opens a page on the screen of this machine, where there is one."""

import os
import sys
import threading
from collections.abc import Mapping


def has_screen(platform: str = sys.platform, environment: Mapping[str, str] = os.environ) -> bool:
    """Whether a browser can open a window here: not over SSH, nor on a Linux without a desktop.

    There a browser of the terminal would take the program's place.
    """
    if "SSH_CONNECTION" in environment:
        return False
    if platform in ("win32", "darwin"):
        return True
    return bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))


def browse(address: str) -> bool:
    """Opens the page in the usual browser, without waiting for it; whether there is a screen for one."""
    if not has_screen():
        return False
    import webbrowser

    threading.Thread(target=webbrowser.open, args=(address,), name="browser", daemon=True).start()
    return True
