"""Lines that survive a bad wire, `$payload*crc32` and a newline, built and read in buffers made once."""

from array import array

LONGEST = 200
SENT = 80
_HEX = b"0123456789abcdef"
_DOLLAR, _STAR, _COMMA, _ZERO = 36, 42, 44, 48
_NEWLINE, _RETURN = 10, 13
_DIGITS = 9


def _remainder(byte: int) -> int:
    for _ in range(8):
        byte = (byte >> 1) ^ (0xEDB88320 if byte & 1 else 0)
    return byte


_LOW = array("H", [_remainder(byte) & 0xFFFF for byte in range(256)])
_HIGH = array("H", [_remainder(byte) >> 16 for byte in range(256)])


class Crc:
    """A crc32 in two halves of 16 bits: a whole one is no small integer of a Pico, so it would allocate."""

    def __init__(self) -> None:
        self.low = 0
        self.high = 0

    def of(self, data: bytearray, start: int, end: int) -> None:
        """Computes the halves for `data[start:end]`."""
        low = high = 0xFFFF
        for i in range(start, end):
            at = (low ^ data[i]) & 0xFF
            low = ((low >> 8) | ((high & 0xFF) << 8)) ^ _LOW[at]
            high = (high >> 8) ^ _HIGH[at]
        self.low = low ^ 0xFFFF
        self.high = high ^ 0xFFFF

    def digit(self, place: int) -> int:
        """The hexadecimal digit at `place` (0-7, the highest first) as a character."""
        half = self.high if place < 4 else self.low
        return _HEX[(half >> (12 - 4 * (place & 3))) & 15]


class LineWriter:
    """Builds one line after another: `begin`, the fields, `end`. At most `SENT` bytes."""

    def __init__(self) -> None:
        self._data = bytearray(SENT)
        self._views = [memoryview(self._data)[:length] for length in range(SENT + 1)]
        self._length = 0
        self._crc = Crc()

    def begin(self, kind: int) -> None:
        """Starts a line with the character `kind`."""
        self._length = 0
        self._put(_DOLLAR)
        self._put(kind)

    def text(self, text: bytes) -> None:
        """Adds a field."""
        self._put(_COMMA)
        for character in text:
            self._put(character)

    def number(self, number: int) -> None:
        """Adds a field with a number that is not negative."""
        self._put(_COMMA)
        self._digits(number)

    def ms(self, seconds: int, ms: int) -> None:
        """Adds a field with a time in ms."""
        self._put(_COMMA)
        if seconds:
            self._digits(seconds)
            self._put(_ZERO + ms // 100)
            self._put(_ZERO + ms // 10 % 10)
            self._put(_ZERO + ms % 10)
        else:
            self._digits(ms)

    def end(self) -> memoryview:
        """The whole line; it is overwritten by the next."""
        self._crc.of(self._data, 1, self._length)
        self._put(_STAR)
        for place in range(8):
            self._put(self._crc.digit(place))
        self._put(_NEWLINE)
        return self._views[self._length]

    def _digits(self, number: int) -> None:
        if number >= 10:
            self._digits(number // 10)
        self._put(_ZERO + number % 10)

    def _put(self, byte: int) -> None:
        self._data[self._length] = byte
        self._length += 1


class LineReader:
    """Finds the whole lines in a stream of bytes; their fields can be asked for until the next byte comes."""

    def __init__(self) -> None:
        self._data = bytearray(LONGEST + 10)
        self._length = 0
        self._begun = False
        self._crc = Crc()

    def feed(self, byte: int) -> bool:
        """True if `byte` completes a line that arrived unharmed."""
        if byte == _DOLLAR:
            self._begun = True
            self._length = 0
        elif byte == _NEWLINE:
            whole = self._begun and self._whole()
            self._begun = False
            return whole
        elif self._begun:
            self._begun = self._length < len(self._data)
            if self._begun:
                self._data[self._length] = byte
                self._length += 1
        return False

    def kind(self) -> int:
        """The first character, where that is the whole first field; else 0."""
        return self._data[0] if self._field(1) == 2 else 0

    def says(self, field: int, text: bytes) -> bool:
        """True if the field (0 is the first) is `text`."""
        start = self._field(field)
        if start + len(text) > self._length or self._field(field + 1) != start + len(text) + 1:
            return False
        for i in range(len(text)):  # noqa: SIM110 - a generator would allocate
            if self._data[start + i] != text[i]:
                return False
        return True

    def number(self, field: int) -> int:
        """The field as a number, -1 where it is none or has more than nine digits."""
        start, end = self._field(field), self._field(field + 1) - 1
        if not start < end <= min(start + _DIGITS, self._length):
            return -1
        number = 0
        for i in range(start, end):
            digit = self._data[i] - _ZERO
            if not 0 <= digit <= 9:
                return -1
            number = number * 10 + digit
        return number

    def _whole(self) -> bool:
        """True if the end is the checksum of all before it, which is then cut off."""
        if self._length and self._data[self._length - 1] == _RETURN:
            self._length -= 1
        star = self._length - 9
        if star < 0 or self._data[star] != _STAR:
            return False
        self._crc.of(self._data, 0, star)
        for place in range(8):
            if self._data[star + 1 + place] != self._crc.digit(place):
                return False
        self._length = star
        return True

    def _field(self, wanted: int) -> int:
        """The start of the field; behind the last one, one past the end of the payload."""
        start = 0
        while wanted and start <= self._length:
            while start < self._length and self._data[start] != _COMMA:
                start += 1
            start += 1
            wanted -= 1
        return start
