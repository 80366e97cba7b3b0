#!/usr/bin/env python3
"""Key presses on this computer for a robot that thinks it has a relay board.

A pseudo-terminal that speaks the ADR2200's protocol (hardware/boards.md) and presses keys of an X display through XTest,
one for each relay. For trying `stackhand play` on a game in a window, before any hardware is bought:

    contrib/adr2200-keys.py --link /tmp/relays
    stackhand play --profile profile.toml --source 'ffmpeg:-f x11grab -framerate 30 -i :0' --relay adr2200:/tmp/relays

Keys are pressed wherever the keyboard's focus is. They are let go when the robot closes the port, when it says nothing for
as long as --silence says while one is down, and when this program ends. Nothing but Python and libXtst (Debian: libxtst6) is
needed.
"""

import argparse
import ctypes
import ctypes.util
import errno
import os
import select
import signal
import sys
import time
import tty

# Relay n is bit n of the mask; the order is that of a new calibration: right, left, down, up, start, select, b, a.
KEYS = "Right,Left,Down,Up,Return,Escape,z,space"


class Keyboard:
    """The keys of an X display."""

    def __init__(self, display, names):
        x11_path, xtst_path = ctypes.util.find_library("X11"), ctypes.util.find_library("Xtst")
        if not x11_path or not xtst_path:
            sys.exit("adr2200-keys: libX11 or libXtst is missing; on Debian, apt install libxtst6")
        self.x11, self.xtst = ctypes.CDLL(x11_path), ctypes.CDLL(xtst_path)
        self.x11.XOpenDisplay.restype = ctypes.c_void_p
        self.x11.XStringToKeysym.restype = ctypes.c_ulong
        self.display = self.x11.XOpenDisplay(display.encode() if display else None)
        if not self.display:
            sys.exit(f"adr2200-keys: there is no X display {display or os.environ.get('DISPLAY', '')!r}; name one with --display")
        self.display = ctypes.c_void_p(self.display)
        self.codes = [self.code(name) for name in names]
        self.mask = 0

    def code(self, name):
        symbol = self.x11.XStringToKeysym(name.encode())
        code = self.x11.XKeysymToKeycode(self.display, ctypes.c_ulong(symbol)) if symbol else 0
        if not code:
            sys.exit(f"adr2200-keys: there is no key {name!r}; the names are X's (xev shows them): Left, space, z, Return …")
        return code

    def set(self, mask):
        """Presses and lets go what differs; what opens comes first."""
        for is_down in (False, True):
            for relay, code in enumerate(self.codes):
                bit = 1 << relay
                if (mask ^ self.mask) & bit and bool(mask & bit) == is_down:
                    self.xtst.XTestFakeKeyEvent(self.display, code, int(is_down), ctypes.c_ulong(0))
        self.x11.XFlush(self.display)
        self.mask = mask


def answer(command, keyboard):
    """Obeys one command; what the board says to it."""
    if command[:1] == "0":
        command = command[1:]
    word = command.rstrip("0123456789")
    number = command[len(word):]
    if word == "MK" and number and int(number) <= 255:
        keyboard.set(int(number))
    elif word in ("SK", "RK") and number and int(number) <= 7:
        bit = 1 << int(number)
        keyboard.set(keyboard.mask | bit if word == "SK" else keyboard.mask & ~bit)
    elif word == "SPK" and len(number) == 8 and set(number) <= {"0", "1"}:
        keyboard.set(int(number, 2))
    elif command == "RPK":
        return f"{keyboard.mask:08b}\r"
    elif word == "RPK" and number in list("01234567"):
        return f"{keyboard.mask >> int(number) & 1}\r"
    elif command == "PK":
        return f"{keyboard.mask:03d}\r"
    elif command == "IDN?":
        return "2200\r"
    return ""


def serve(master, keyboard, silence_s, log):
    line, heard_at = b"", time.monotonic()
    while True:
        ready, _, _ = select.select([master], [], [], 0.05)
        now = time.monotonic()
        if not ready:
            if keyboard.mask and now - heard_at > silence_s:
                print(f"adr2200-keys: nothing was said for {silence_s} s; all keys are let go", file=sys.stderr)
                keyboard.set(0)
            continue
        try:
            heard = os.read(master, 256)
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            # Nobody has the port open.
            keyboard.set(0)
            line = b""
            time.sleep(0.02)
            continue
        heard_at = now
        for byte in heard:
            if byte != 13:
                line = line[-16:] + bytes([byte])
                continue
            command, line = line.decode("ascii", "replace"), b""
            said = answer(command, keyboard)
            if log and said == "":
                print(f"{now:.4f} {keyboard.mask}", file=log, flush=True)
            os.write(master, said.encode())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--link", default="/tmp/stackhand-relays", help="where the port is to be found (default: %(default)s)")
    parser.add_argument("--keys", default=KEYS, help="a key for each relay, from relay 0 on (default: %(default)s)")
    parser.add_argument("--display", help="the X display (default: $DISPLAY)")
    parser.add_argument("--silence", type=float, default=30.0, help="let go after so many seconds without a word (default: %(default)s)")
    parser.add_argument("--log", help="write a line for every change: time, mask")
    args = parser.parse_args()
    names = args.keys.split(",")
    if not 1 <= len(names) <= 8:
        parser.error("--keys names one to eight keys")
    keyboard = Keyboard(args.display, names)
    master, slave = os.openpty()
    tty.setraw(slave)
    port = os.ttyname(slave)
    os.close(slave)
    if os.path.islink(args.link):
        os.unlink(args.link)
    os.symlink(port, args.link)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(0))
    print(f"adr2200-keys: the board is at {args.link} ({port})", file=sys.stderr, flush=True)
    log = open(args.log, "w") if args.log else None
    try:
        serve(master, keyboard, args.silence, log)
    finally:
        keyboard.set(0)
        os.unlink(args.link)


if __name__ == "__main__":
    main()
