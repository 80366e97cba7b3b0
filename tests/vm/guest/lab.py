"""What checks work with: the program under test, the film, cameras and boards that are plugged in and out."""

import grp
import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

from webcam import Mode, Webcam, interval

LOGS = Path("/mnt")


class Failed(Exception):
    """A check's expectation was not met; the text says which."""


class Skipped(Exception):
    """Something that a check needs is lacking; the text says what."""


def expect(condition, text):
    if not condition:
        raise Failed(text)


class Film:
    """The filmed game."""

    def __init__(self, folder, slow):
        folder = Path(folder)
        self.slow = slow
        facts = json.loads((folder / "film.json").read_text())
        self.rate, self.corners, self.wide_corners = facts["rate"], facts["corners"], facts["wide_corners"]
        self.spawns = facts["spawns"]
        self.pictures = [path.read_bytes() for path in sorted(folder.glob("0*.jpg"))]
        self.wide = (folder / "wide.jpg").read_bytes()
        self.small_raw, self.wide_raw = (folder / "small.yuyv").read_bytes(), (folder / "wide.yuyv").read_bytes()
        self.profile, self.wide_profile = folder / "profile.toml", folder / "wide.toml"
        self.board = facts["board"]

    def seconds(self):
        """How long it runs, slowed."""
        return len(self.pictures) / self.rate * self.slow

    def moving(self, mode, time_s):
        """The film, over and over, twice as fast: so that there is more to press."""
        return self.pictures[int(time_s / self.slow * 2 * self.rate) % len(self.pictures)]

    def once(self, mode, time_s):
        """The film; then its last picture stays."""
        return self.pictures[min(int(time_s / self.slow * self.rate), len(self.pictures) - 1)]

    def still(self, mode, time_s=0):
        """Its first picture, in any format."""
        is_wide = mode.width == 1280
        raw = self.wide_raw if is_wide else self.small_raw
        if mode.fourcc == "MJPG":
            return self.wide if is_wide else self.pictures[0]
        if mode.fourcc == "UYVY":
            swapped = bytearray(raw)
            swapped[0::2], swapped[1::2] = raw[1::2], raw[0::2]
            return bytes(swapped)
        return raw[::2] if mode.fourcc == "GREY" else raw


def without_tables(jpeg):
    """A JPEG without its Huffman tables, as many webcams send it: the standard ones are meant."""
    kept, at = jpeg[:2], 2
    while jpeg[at + 1] != 0xDA:
        end = at + 2 + int.from_bytes(jpeg[at + 2 : at + 4], "big")
        if jpeg[at + 1] != 0xC4:
            kept += jpeg[at:end]
        at = end
    return kept + jpeg[at:]


SMALL_MJPEG = Mode("MJPG", 640, 480, [interval(30)])


class Run:
    """The program under test while it runs. Its output is in the logs."""

    def __init__(self, lab, name, words, user=None):
        self.lab, self.name = lab, name
        self.known, self.read_to = [], 0
        self.out, self.err = LOGS / f"{name}.out", LOGS / f"{name}.err"
        with open(self.out, "wb") as out, open(self.err, "wb") as err:
            self.process = subprocess.Popen([lab.program, *map(str, words)], stdin=subprocess.DEVNULL, stdout=out,
                                            stderr=err, user=user, group=user, extra_groups=[] if user else None)
        with open(LOGS / f"{name}.cmd", "w") as out:
            out.write(" ".join(map(str, words)) + "\n")

    def stdout(self):
        return self.out.read_text(errors="replace")

    def stderr(self):
        return re.sub(r"\x1b\[[0-9;]*m", "", self.err.read_text(errors="replace"))

    def said(self):
        return self.stdout() + self.stderr()

    def events(self):
        """The lines of JSON so far. Each is read once: an emulated processor is slow."""
        with open(self.out, "rb") as out:
            out.seek(self.read_to)
            new = out.read()
        whole = new[: new.rfind(b"\n") + 1]
        self.read_to += len(whole)
        for line in whole.splitlines():
            try:
                self.known.append(json.loads(line))
            except ValueError:
                continue
        return self.known

    def of(self, kind):
        return [event for event in self.events() if event.get("event") == kind]

    def wait(self, seconds, what="the program ends"):
        """Its exit status; a signal's number is negative."""
        try:
            return self.process.wait(seconds * self.lab.patience)
        except subprocess.TimeoutExpired:
            raise Failed(f"{what}: not within {seconds * self.lab.patience:.0f} s")

    def until(self, condition, seconds, what):
        """Waits for a condition while the program runs."""
        end = time.monotonic() + seconds * self.lab.patience
        while not condition():
            if self.process.poll() is not None:
                if condition():
                    return
                raise Failed(f"{what}: the program ended before, with status {self.process.returncode}: {self.tail()}")
            if time.monotonic() > end:
                raise Failed(f"{what}: not within {seconds * self.lab.patience:.0f} s; said so far: {self.tail()}")
            time.sleep(0.05)

    def tail(self):
        lines = self.stderr().strip().splitlines() or self.stdout().strip().splitlines()
        return " / ".join(lines[-2:])[-400:]

    def signal(self, number):
        self.process.send_signal(number)

    def end(self):
        if self.process.poll() is not None:
            return
        (LOGS / f"{self.name}.where").write_text(where(self.process.pid))
        self.process.send_signal(signal.SIGCONT)
        self.process.kill()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            raise Failed(f"the program cannot even be killed; {self.name}.where in the logs says where its threads are")


class Lab:
    """Everything a check may use. Patience is how many times longer than usual things may take."""

    def __init__(self, program, film, slow):
        self.program, self.film, self.patience = program, Film(film, slow), max(1.0, slow)
        self.runs, self.devices, self.count = [], [], 0
        self.check = ""

    def start(self, *words, user=None):
        self.count += 1
        run = Run(self, f"{self.check}-{self.count}", words, user)
        self.runs.append(run)
        return run

    def run(self, *words, seconds=60, user=None):
        """Runs it to its end."""
        run = self.start(*words, user=user)
        run.wait(seconds)
        return run

    def camera(self, modes=None, show=None, port=0):
        """Plugs a webcam in and waits until its node is there."""
        before = nodes()
        webcam = Webcam(modes or [SMALL_MJPEG], show or self.film.still)
        self.devices.append(webcam)
        webcam.plug(port)
        webcam.node = self.wait_node(before)
        return webcam

    def wait_node(self, before=frozenset()):
        """The number of the first node that a camera brought."""
        def new():
            found = sorted(nodes() - set(before))
            return found if len(found) >= 2 else None
        found = wait_for(new, 20 * self.patience, "a camera's nodes appear")
        # As the system's own rules would do.
        for number in found:
            os.chown(f"/dev/video{number}", 0, grp.getgrnam("video").gr_gid)
            os.chmod(f"/dev/video{number}", 0o660)
        return found[0]

    def calibrate(self, source, *words, seconds=60):
        profile = Path(f"/tmp/{self.check}-{self.count}.toml")
        run = self.run("calibrate", "--source", source, "--layout", "nes", "--no-ui", "--json", "--profile", profile,
                       *words, seconds=seconds)
        return run

    def clean(self):
        """After a check: nothing runs, nothing is plugged in."""
        runs, devices = self.runs, self.devices
        self.runs, self.devices, self.count = [], [], 0
        try:
            for run in runs:
                run.end()
        finally:
            for device in devices:
                device.unplug()
        for process in all_of(self.program):
            os.kill(process, signal.SIGKILL)
        wait_for(lambda: not usb_nodes(), 20 * self.patience, "unplugged cameras go")


def where(process):
    """Where a process's threads are in the kernel: what hangs in a driver is seen here."""
    found = []
    for task in sorted(Path(f"/proc/{process}/task").glob("*")):
        try:
            state = re.search(r"State:\s*(.*)", (task / "status").read_text()).group(1)
            found.append(f"{(task / 'comm').read_text().strip()}: {state}\n{(task / 'stack').read_text()}")
        except OSError:
            continue
    return "\n".join(found)


def all_of(program):
    """The processes that run a program, watchdogs among them."""
    found = []
    for path in Path("/proc").glob("[0-9]*/exe"):
        try:
            if os.readlink(path) == program:
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def nodes():
    return {int(path.name[5:]) for path in Path("/dev").glob("video*")}


def usb_nodes():
    return [path for path in Path("/sys/class/video4linux").glob("video*") if "usb" in str(path.resolve())]


def wait_for(condition, seconds, what):
    end = time.monotonic() + seconds
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > end:
            raise Failed(f"{what}: not within {seconds:.0f} s")
        time.sleep(0.05)


def corner_error(found, truth):
    return max(((x - a) ** 2 + (y - b) ** 2) ** 0.5 for (x, y), (a, b) in zip(found, truth))
