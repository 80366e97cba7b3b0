"""Checks of serial ports with a board behind them: a built-in one (8250) and a USB adapter (ftdi_sio)."""

import os
import re
import signal
import threading
import time
from pathlib import Path

from board import Adapter, Board, Line
from failing import play
from lab import LOGS, Failed, expect, wait_for

CHECKS = []
# The built-in port, and the other end of its line, where the board sits.
NEAR, FAR = "/dev/ttyS1", "/dev/ttyS2"
USB = "/dev/ttyUSB0"
RELAYS = 8
# From a program's death, or a port's return, to the last relay's opening, s; more where the machine is emulated.
OPEN_S = 1.3
PRESSES = 2


class Port:
    """A board on a port."""

    line = None

    def __init__(self, lab, is_usb):
        self.lab, self.is_usb = lab, is_usb
        self.path = USB if is_usb else NEAR
        if is_usb:
            self.board = Board()
            self.adapter = Adapter(self.board)
            lab.devices.append(self.adapter)
            self.plug()
        else:
            if Port.line is None:
                Port.line = Line(FAR, Board())
            self.board = Port.line.board
            self.board.reset()
        self.name = f"adr2200:{self.path}"

    def plug(self):
        self.adapter.plug(1)
        wait_for(lambda: os.path.exists(USB), 20 * self.lab.patience, "the adapter's port appears")

    def keep_log(self):
        (LOGS / f"{self.lab.check}.bytes").write_text(self.board.log())

    def opens(self, since, what, stays=True):
        """Waits until all relays are open, and for good unless the game goes on; how long after a time that was, s."""
        wait_for(lambda: self.board.mask == 0, OPEN_S * self.lab.patience, f"the relays open after {what}")
        opened = self.board.moves[-1][0]
        if stays:
            time.sleep(0.3)
            expect(self.board.mask == 0, "a relay closed again")
        return opened - since


def on_both(*kinds):
    """Registers a check for the built-in port and for the adapter."""
    def register(function):
        for is_usb in kinds or (False, True):
            def run(lab, is_usb=is_usb):
                port = Port(lab, is_usb)
                try:
                    return function(lab, port)
                finally:
                    port.keep_log()
            run.__name__ = f"{function.__name__}_{'ftdi' if is_usb else '8250'}"
            CHECKS.append(run)
        return function
    return register


def play_on(lab, camera, port, *words):
    """Plays on a port's board. Fewer placements: an emulated processor takes seconds to look at all of them."""
    return play(lab, camera, "--relay", port.name, "--filter", "no-rotation", *words)


def doctor(lab, *words):
    return lab.run("doctor", "--json", "--no-probe", "--source", lab.film.profile.parent / "0001.jpg", *words, seconds=40)


@on_both()
def board_answers(lab, port):
    """doctor finds the board, clicks each relay once and reads it back."""
    run = doctor(lab, "--relay", port.name, "--click")
    says = [event["says"] for event in run.of("check") if event["area"] in ("board", "relay")]
    expect(any("8 relays closed and opened" in text for text in says), f"doctor says: {says or run.tail()}")
    masks = [mask for mask in port.board.masks() if mask]
    expect(masks == [1 << relay for relay in range(RELAYS)], f"the board was told {masks}")
    expect(port.board.mask == 0, "a relay stayed closed")
    return "8 relays"


@on_both()
def every_press_arrives(lab, port):
    """What the program's recording says it sent is what the board heard, in order, and ends with open relays."""
    record = Path(f"/tmp/{lab.check}.shs")
    camera = lab.camera(show=lab.film.moving)
    run = play_on(lab, camera, port, "--record", record)
    run.until(lambda: port.board.presses() >= 3 * PRESSES, 60, f"{3 * PRESSES} presses arrive")
    run.signal(signal.SIGINT)
    run.wait(15, "the program ends after Ctrl-C")
    sent = [int(mask) for mask in re.findall(rb'"event":"relay"[^}]*"mask":(\d+)', record.read_bytes())]
    sent = [mask for i, mask in enumerate(sent) if i == 0 or sent[i - 1] != mask]
    heard = port.board.masks()
    expect(sent, "the recording holds no press")
    if sent[0] != 0:
        sent = [0, *sent]
    heard = heard if heard[0] == 0 else [0, *heard]
    # The orders of the very end are not all recorded.
    expect(heard[: len(sent)] == sent, f"sent {sent[-12:]}, heard {heard[-12:]}")
    expect(port.board.heard_bytes().endswith(b"MK0\r"), "the last command does not open all relays")
    return f"{port.board.presses()} presses"


def struck_while_pressed(lab, port, strike, what, words=()):
    """Plays until a relay closes after some presses, strikes in that instant, and waits until all relays are open."""
    camera = lab.camera(show=lab.film.moving)
    struck = []
    ready = threading.Event()
    holder = {}

    def moved(mask):
        if mask and port.board.presses() >= PRESSES and not struck:
            struck.append(time.monotonic())
            strike(holder["run"])
            ready.set()

    port.board.on_move = moved
    holder["run"] = run = play_on(lab, camera, port, *words)
    try:
        run.until(ready.is_set, 60, "a relay closes in mid-play")
    except Failed:
        # A program that was killed has ended, as it should.
        if not struck:
            raise
    port.board.on_move = None
    return run, port.opens(struck[0], what)


@on_both()
def sigkill_in_mid_press(lab, port):
    """The program is killed; its watchdog opens the relays."""
    _, seconds = struck_while_pressed(lab, port, lambda run: run.signal(signal.SIGKILL), "SIGKILL")
    return f"open after {seconds * 1000:.0f} ms"


@on_both()
def sigstop_in_mid_press(lab, port):
    """The program stands still, as if swapped out; its watchdog opens the relays."""
    run, seconds = struck_while_pressed(lab, port, lambda run: run.signal(signal.SIGSTOP), "SIGSTOP")
    run.end()
    return f"open after {seconds * 1000:.0f} ms"


@on_both()
def sigterm_in_mid_press(lab, port):
    run, seconds = struck_while_pressed(lab, port, lambda run: run.signal(signal.SIGTERM), "SIGTERM")
    status = run.wait(10)
    expect(status == 128 + signal.SIGTERM, f"its status is {status}")
    return f"open after {seconds * 1000:.0f} ms"


@on_both()
def sigint_in_mid_press(lab, port):
    run, seconds = struck_while_pressed(lab, port, lambda run: run.signal(signal.SIGINT), "SIGINT")
    status = run.wait(10)
    expect(status == 128 + signal.SIGINT, f"its status is {status}")
    expect(run.of("summary"), "there is no summary")
    return f"open after {seconds * 1000:.0f} ms"


@on_both()
def camera_unplugged_in_mid_press(lab, port):
    """Blind, the program opens the relays."""
    def pull(run):
        threading.Thread(target=lab.devices[-1].unplug, daemon=True).start()
    _, seconds = struck_while_pressed(lab, port, pull, "the camera is unplugged")
    return f"open after {seconds * 1000:.0f} ms"


def pulled_while_pressed(lab, port, strike=None):
    """Plays until a relay closes, and pulls the adapter in that instant: the relays stay as they are."""
    camera = lab.camera(show=lab.film.moving)
    pulled, holder = threading.Event(), {}

    def moved(mask):
        if mask and port.board.presses() >= PRESSES and not pulled.is_set():
            port.adapter.pull()
            if strike:
                strike(holder["run"])
            pulled.set()

    port.board.on_move = moved
    holder["run"] = run = play_on(lab, camera, port)
    wait_for(pulled.is_set, 60 * lab.patience, "a relay closes in mid-play")
    port.board.on_move = None
    port.adapter.unplug()
    return run


@on_both(True)
def adapter_unplugged_in_mid_press(lab, port):
    """The adapter is pulled and plugged in again: relays open as soon as the port is back, then the game goes on."""
    run = pulled_while_pressed(lab, port)
    run.until(lambda: run.of("board_lost"), 20, "the loss is told")
    expect(port.board.mask != 0, "the relays were open already")
    port.plug()
    seconds = port.opens(time.monotonic(), "the adapter is back", stays=False)
    run.until(lambda: run.of("board_back"), 20, "its return is told")
    before = port.board.presses()
    run.until(lambda: port.board.presses() > before, 60, "presses go on")
    run.signal(signal.SIGINT)
    run.wait(15)
    expect(port.board.mask == 0, "a relay stayed closed")
    return f"open {max(0, seconds) * 1000:.0f} ms after its return"


@on_both(True)
def unplugged_and_killed(lab, port):
    """The adapter is pulled in mid-press and the program killed: the watchdog waits for the port."""
    pulled_while_pressed(lab, port, lambda run: run.signal(signal.SIGKILL))
    time.sleep(1)
    expect(port.board.mask != 0, "the relays were open already")
    port.plug()
    seconds = port.opens(time.monotonic(), "the adapter is back")
    return f"open {max(0, seconds) * 1000:.0f} ms after its return"


@on_both()
def deaf_board(lab, port):
    """A board that hears nothing any more: it is told that relays may still be closed, and what to pull."""
    run, _ = struck_and_deaf(lab, port)
    said = run.stderr()
    expect(re.search(r"relays? may (still )?be closed|may still (be )?(hold|press)", said, re.IGNORECASE), f"said: {run.tail()}")
    return ""


def struck_and_deaf(lab, port):
    camera = lab.camera(show=lab.film.moving)
    deaf = threading.Event()

    def moved(mask):
        if mask and port.board.presses() >= PRESSES:
            port.board.is_deaf = True
            deaf.set()

    port.board.on_move = moved
    run = play_on(lab, camera, port)
    run.until(deaf.is_set, 60, "a relay closes in mid-play")
    run.signal(signal.SIGINT)
    run.wait(15, "the program ends after Ctrl-C")
    return run, None


@on_both()
def rate_that_is_replaced(lab, port):
    """A rate that the port cannot do and silently replaces is noticed."""
    run = doctor(lab, "--relay", f"{port.name}?baud=4000000")
    says = " / ".join(event["says"] for event in run.of("check") if event["area"] == "board")
    expect("4000000" in says, f"doctor says: {says or run.tail()}")
    expect(not port.board.heard, f"the board heard {port.board.heard[:2]}")
    return says[:120]
