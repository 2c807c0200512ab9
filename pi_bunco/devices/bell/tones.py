"""What bell and horn sound like, as WAV: made by arithmetic, for the pattern that is to sound. Pure."""

import io
import math
import sys
import wave
from array import array
from collections.abc import Iterable
from functools import cache

from pi_bunco.devices.protocols import Blast

RATE = 22_050
"""Samples a second."""
TAIL_MS = 400
"""Milliseconds for which a bell rings on when it is struck no more."""
_STRIKES_MS = 70.0
"""The hammer of an electric bell comes back so soon."""
_LOUD = 0.8
_BELL = ((880.0, 1.0, 7.0), (1770.0, 0.7, 9.0), (2655.0, 0.45, 12.0), (4700.0, 0.3, 18.0))
"""Partials of a bell: frequency (Hz), strength, decay (1/s)."""
_HORN = (233.1, 293.7, 349.2)
"""The notes of a horn, Hz."""


def wav(pattern: Iterable[Blast], wait_ms: float = 0) -> bytes:
    """The pattern as a WAV file, 16 bit, one channel, after `wait_ms` of silence."""
    blasts = tuple(pattern)
    length = wait_ms + sum(blast.on_ms + blast.off_ms for blast in blasts) + TAIL_MS
    samples = [0.0] * _count(length)
    at = wait_ms
    for blast in blasts:
        if "bell" in blast.relay:
            _ring(samples, at, blast.on_ms)
        if "horn" in blast.relay:
            _add(samples, _count(at), _horn(blast.on_ms))
        at += blast.on_ms + blast.off_ms
    return _file(samples)


def _count(ms: float) -> int:
    return int(ms * RATE / 1000)


def _ring(samples: list[float], at: float, on_ms: float) -> None:
    struck = 0.0
    while struck < on_ms:
        _add(samples, _count(at + struck), _strike())
        struck += _STRIKES_MS


def _add(samples: list[float], first: int, sound: list[float]) -> None:
    for place, value in enumerate(sound[: len(samples) - first], first):
        samples[place] += value


@cache
def _strike() -> list[float]:
    """One stroke of the hammer."""
    return [
        sum(
            strength * math.exp(-decay * n / RATE) * math.sin(math.tau * hertz * n / RATE)
            for hertz, strength, decay in _BELL
        )
        for n in range(_count(TAIL_MS))
    ]


@cache
def _horn(on_ms: float) -> list[float]:
    """A blast of the horn, with soft edges."""
    count, edge = _count(on_ms), _count(15)
    return [
        min(1.0, n / edge, (count - n) / edge) * 1.5 * sum(((n * hertz / RATE) % 1) - 0.5 for hertz in _HORN)
        for n in range(count)
    ]


def _file(samples: list[float]) -> bytes:
    most = max(map(abs, samples), default=0.0) or 1.0
    data = array("h", (int(value / most * _LOUD * 32_767) for value in samples))
    if sys.byteorder == "big":
        data.byteswap()
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(RATE)
        out.writeframes(data.tobytes())
    return file.getvalue()
