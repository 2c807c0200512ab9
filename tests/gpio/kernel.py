"""A GPIO chip in memory with the interface of `gpiod`, as far as a kernel would notice what is done to it."""

import os
import threading
import time
from collections.abc import Mapping
from typing import Any

import gpiod
from gpiod.line import Bias, Direction, Edge, Value

KEPT = 16


class Kernel:
    """The lines of one chip: their levels, who holds them, and the edges that wait to be read."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.outside: dict[int, int] = {}
        self.held: dict[int, Request] = {}
        self.history: dict[int, list[int]] = {}
        self.others: dict[int, str] = {}
        self.deaf = False

    def drive(self, line: int, level: int) -> None:
        """The outside makes an input high or low."""
        with self.lock:
            before = self.level(line)
            self.outside[line] = level
            request = self.held.get(line)
            if request and request.settings.edge_detection is Edge.BOTH and self.level(line) != before:
                request.happened(level, lost=self.deaf)

    def level(self, line: int) -> int:
        request = self.held.get(line)
        if request and request.settings.direction is Direction.OUTPUT:
            return self.history[line][-1]
        if line in self.outside:
            return self.outside[line]
        return int(request is not None and request.settings.bias is Bias.PULL_UP)

    # gpiod.Chip

    def request_lines(
        self, config: Mapping[int, gpiod.LineSettings], consumer: str, event_buffer_size: int = KEPT
    ) -> "Request":
        ((line, settings),) = config.items()
        if line in self.held or line in self.others:
            raise OSError(16, "Device or resource busy")
        request = Request(self, line)
        self.held[line] = request
        request.reconfigure_lines({line: settings})
        return request

    def get_line_info(self, line: int) -> Any:
        request = self.held.get(line)
        direction = request.settings.direction if request else Direction.INPUT

        class Info:
            consumer = self.others.get(line, "")

        Info.direction = direction  # type: ignore[attr-defined]
        return Info

    def close(self) -> None:
        assert not self.held


class Request:
    """gpiod.LineRequest of one line."""

    def __init__(self, kernel: Kernel, line: int) -> None:
        self.settings = gpiod.LineSettings()
        self._kernel = kernel
        self._line = line
        self._edges: list[gpiod.EdgeEvent] = []
        self._reader, self._writer = os.pipe()

    @property
    def fd(self) -> int:
        return self._reader

    def happened(self, level: int, lost: bool) -> None:
        kind = gpiod.EdgeEvent.Type.RISING_EDGE if level else gpiod.EdgeEvent.Type.FALLING_EDGE
        event = gpiod.EdgeEvent(kind.value, time.monotonic_ns(), self._line, 0, 0)
        if not lost and len(self._edges) < KEPT:
            self._edges.append(event)
            os.write(self._writer, b"e")

    def reconfigure_lines(self, config: Mapping[int, gpiod.LineSettings]) -> None:
        with self._kernel.lock:
            self.settings = config[self._line]
            if self.settings.direction is Direction.OUTPUT:
                self._wrote(self.settings.output_value)

    def set_value(self, line: int, value: Value) -> None:
        with self._kernel.lock:
            assert self.settings.direction is Direction.OUTPUT
            self._wrote(value)

    def _wrote(self, value: Value) -> None:
        self._kernel.history.setdefault(self._line, []).append(int(value is Value.ACTIVE))

    def get_value(self, line: int) -> Value:
        with self._kernel.lock:
            return Value(self._kernel.level(line))

    def wait_edge_events(self, seconds: float) -> bool:
        assert seconds == 0
        with self._kernel.lock:
            return bool(self._edges)

    def read_edge_events(self) -> list[gpiod.EdgeEvent]:
        with self._kernel.lock:
            edges, self._edges = self._edges, []
            os.read(self._reader, len(edges))
            return edges

    def release(self) -> None:
        with self._kernel.lock:
            del self._kernel.held[self._line]
            os.close(self._reader)
            os.close(self._writer)
