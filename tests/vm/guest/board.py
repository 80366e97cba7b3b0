"""An ADR2200 relay board on a serial line, and the USB adapter (FT232R) that it may hang on.

The board remembers every byte with its time. It has its own power: pulling the adapter leaves its relays as they are.
Sources: the ADR2200 manual's command list; for the adapter, what Linux's ftdi_sio driver asks.
"""

import collections
import os
import select
import struct
import termios
import threading
import time
import tty

from usbip import FULL_SPEED, Device, Stall, configuration, descriptor, device_descriptor

RELAYS = 8


class Board:
    """The board's processor: eats bytes, gives answers, moves relays."""

    def __init__(self):
        self.lock = threading.RLock()
        self.reset()

    def reset(self):
        """As when its power was switched on."""
        with self.lock:
            self.line, self.mask, self.is_deaf = b"", 0, False
            self.heard, self.moves = [], []
            # Called with each new state of the relays.
            self.on_move = None

    def feed(self, data):
        answer = b""
        with self.lock:
            self.heard.append((time.monotonic(), data))
            if self.is_deaf:
                return b""
            for byte in data:
                if byte == 13:
                    answer += self._obey(self.line.decode("latin-1"))
                    self.line = b""
                else:
                    self.line = (self.line + bytes([byte]))[-40:]
        return answer

    def _obey(self, line):
        if line == "RPK":
            return f"{self.mask:08b}\r".encode()
        if line == "PK":
            return f"{self.mask:03}\r".encode()
        if line == "IDN?":
            return b"2200\r"
        if line[:2] == "MK" and line[2:].isdigit() and int(line[2:]) < 1 << RELAYS:
            self._move(int(line[2:]))
        elif line[:2] in ("SK", "RK") and len(line) == 3 and line[2] in "01234567":
            bit = 1 << int(line[2])
            self._move(self.mask | bit if line[0] == "S" else self.mask & ~bit)
        return b""

    def _move(self, mask):
        self.mask = mask
        self.moves.append((time.monotonic(), mask))
        if self.on_move:
            self.on_move(mask)

    def masks(self):
        """What was set, in order, repetitions left out."""
        with self.lock:
            masks = [mask for _, mask in self.moves]
        return [mask for i, mask in enumerate(masks) if i == 0 or masks[i - 1] != mask]

    def presses(self):
        """How often relays were closed that were open before."""
        return sum(1 for before, after in zip([0, *self.masks()], self.masks()) if after & ~before)

    def heard_bytes(self):
        with self.lock:
            return b"".join(data for _, data in self.heard)

    def log(self):
        with self.lock:
            return "".join(f"{at:.4f} {data!r}\n" for at, data in self.heard)


class Line:
    """The board at the other end of a serial line: a terminal device of this machine."""

    def __init__(self, path, board):
        self.file = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        tty.setraw(self.file)
        settings = termios.tcgetattr(self.file)
        settings[4] = settings[5] = termios.B9600
        settings[2] = (settings[2] | termios.CLOCAL) & ~termios.CRTSCTS
        termios.tcsetattr(self.file, termios.TCSANOW, settings)
        self.board = board
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            select.select([self.file], [], [])
            data = os.read(self.file, 256)
            answer = self.board.feed(data) if data else b""
            if answer:
                os.write(self.file, answer)


RESET, MODEM, FLOW, BAUD, DATA, STATUS, EVENT, ERROR, SET_LATENCY, GET_LATENCY, EEPROM = 0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 0x90
# Clear to send and so on; the transmitter is empty.
STATE = bytes([0x01, 0x60])
# Eighths of the divisor by the three bits that tell them.
EIGHTHS = [0, 4, 2, 1, 3, 5, 6, 7]
CLOCK_HZ = 3_000_000


class Adapter(Device):
    """An FT232R with a board behind it, which runs at 9600 baud and hears nothing at any other."""

    speed = FULL_SPEED
    device_descriptor = device_descriptor(0x0403, 0x6001, version=0x600)
    strings = ["", "stackhand", "Test Adapter", "VM0002"]

    def __init__(self, board):
        super().__init__()
        ends = descriptor(5, struct.pack("<BBHB", 0x81, 2, 64, 0)) + descriptor(5, struct.pack("<BBHB", 0x02, 2, 64, 0))
        self.configuration = configuration(descriptor(4, bytes([0, 0, 2, 0xFF, 0xFF, 0xFF, 2])) + ends, 1)
        self.board = board
        self.latency_ms = 16
        self.baud = 0
        self.bauds = []
        self.out = b""
        self.waiting_in = collections.deque()
        # Bytes no longer come through, although the computer does not know yet.
        self.is_pulled = False
        self.news = threading.Condition()

    def pull(self):
        """From now on nothing reaches the board; `unplug` makes the computer notice."""
        self.is_pulled = True

    def plug(self, port=1):
        self.is_pulled = False
        self.waiting_in.clear()
        self.out = b""
        super().plug(port)
        threading.Thread(target=self._send_on, args=[self.socket], daemon=True).start()

    def control(self, kind, request, value, index, length, data):
        if kind & 0x60 != 0x40:
            raise Stall
        if request == BAUD:
            self.baud = baud_of(value, index)
            self.bauds.append(self.baud)
        elif request == SET_LATENCY:
            self.latency_ms = max(1, value & 0xFF)
        elif request == STATUS:
            return STATE
        elif request == GET_LATENCY:
            return bytes([self.latency_ms])
        elif request == EEPROM:
            return b"\0\0"
        return b""

    def arrived(self, request):
        if request.is_in:
            with self.news:
                self.waiting_in.append(request)
                self.news.notify()
            return
        if self.is_pulled:
            return
        self.answer(request)
        if abs(self.baud - 9600) < 200:
            answer = self.board.feed(request.data)
            with self.news:
                self.out += answer
                self.news.notify()

    def _send_on(self, near):
        """The chip sends what it has, and its state when it had nothing for as long as its latency timer says."""
        while self.socket is near:
            with self.news:
                self.news.wait_for(lambda: self.out and self.waiting_in, self.latency_ms / 1000)
                if not self.waiting_in:
                    continue
                request = self.waiting_in.popleft()
                part, self.out = self.out[:62], self.out[62:]
            self.answer(request, STATE + part)


def baud_of(value, index):
    """The rate that a divisor means: 14 bits, and eighths of which the third bit is in the index."""
    divisor = (value & 0x3FFF) + EIGHTHS[value >> 14 | (index & 1) << 2] / 8
    # Two divisors stand for the fastest rates.
    divisor = {0: 1, 1: 1.5}.get(divisor, divisor)
    return round(CLOCK_HZ / divisor)
