"""Run on MicroPython: the loop must work while the heap is locked, and must leave it as it was."""

import gc
import sys

import micropython  # type: ignore[import-not-found]

from firmware.fakes import Play


class Locked(Play):
    """A box whose loop raises `MemoryError` if it allocates."""

    steps = 0

    def step(self) -> None:
        micropython.heap_lock()
        try:
            self.box.step()
        finally:
            micropython.heap_unlock()
        self.box.rest()
        self._note()
        self.board.pass_ms(self.step_ms)
        self.steps += 1


def the_lock_bites() -> None:
    micropython.heap_lock()
    try:
        bytearray(8)
    except MemoryError:
        return
    finally:
        micropython.heap_unlock()
    raise AssertionError("the heap was not locked")


def throws_with_a_locked_heap() -> int:
    """Throws, answers, repeats, questions, noise and an overflowing store."""
    play = Locked(start=(1 << 30) - 20_000)
    play.ready()
    for count in range(1, 41):
        play.board.dimmer = count % 3 == 0
        play.throw()
        if count % 10 < 3:
            play.ack(6 * count)
        play.board.uart.say("?")
        play.board.usb.say_bytes(b"$A,harmed*12345678\n\xff\x00$$" + b"z" * 300)
        del play.said[1:]
    assert len(play.reported) == 120
    return play.steps


def the_heap_stays_as_it_was() -> int:
    play = Play()
    play.throw()
    box, board = play.box, play.board
    steps = 5000
    gc.collect()
    gc.disable()
    before = gc.mem_alloc()  # type: ignore[attr-defined]
    for _ in range(steps):
        board.roll = not board.roll
        box.step()
        board.usb._length = board.uart._length = 0
        board.pass_ms(30)
    assert gc.mem_alloc() == before, (before, gc.mem_alloc())  # type: ignore[attr-defined]
    gc.enable()
    return steps


def the_console_echoes_a_line_with_a_locked_heap() -> None:
    console = __import__("console").Console()  # not by `import`: mypy has no MicroPython's `select`
    line = bytearray(6)
    whole = memoryview(line)
    micropython.heap_lock()
    at = 0
    while at < 6:
        byte = console.read()
        if byte >= 0:
            line[at] = byte
            at += 1
    console.write(whole)
    micropython.heap_unlock()


the_lock_bites()
steps = throws_with_a_locked_heap()
sys.stdout.write(f"{steps} {the_heap_stays_as_it_was()}\n")
the_console_echoes_a_line_with_a_locked_heap()
