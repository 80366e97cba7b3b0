#!/usr/bin/env python3
"""Plays vitetris live, while the picture source stops now and then: what does that cost, and is it told?

    tests/live/vitetris.py target/release/stackhand --level 5 --seconds 120 --stalls 0.3,1,3
    tests/live/vitetris.py target/release/stackhand --level 5 --pieces 300 --busy 2

The game runs in an xterm on a virtual X display, ffmpeg films that, and contrib/adr2200-keys.py presses the keys. A stall is
ffmpeg stopped by a signal. Needs Debian's packages vitetris, xvfb, xterm, xfonts-base, xdotool and ffmpeg.

Untouched are pieces for which no key was pressed between their spawn event and the next one, as the bridge's log says.
The exit status is 1 if a stall has cost more than one piece, if an untouched piece appeared more than two seconds after a
stall, or if the robot did not tell of one.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
BRIDGE = os.path.join(HERE, "..", "..", "contrib", "adr2200-keys.py")
# Where the field is in an xterm of 80 by 25 characters of 12 by 24 pixels.
CORNERS = ["348,96", "588,96", "588,576", "348,576"]
# The stalls begin so long after the first piece, and follow each other so, s.
FIRST_S, EVERY_S = 8.0, 12.0
# A piece that is seen for so long is steered or told, s.
SEEN_S = 1.0


def children(parent):
    """The processes that a process has started: number and name."""
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat") as stat:
                name, rest = stat.read().split("(", 1)[1].rsplit(")", 1)
        except OSError:
            continue
        if int(rest.split()[1]) == parent:
            found.append((int(entry), name))
    return found


class Stage:
    """All programs of one run; those that were started are ended."""

    def __init__(self, folder, args):
        self.folder, self.args, self.started = folder, args, []
        self.display = f":{args.display}"
        self.environment = dict(os.environ, DISPLAY=self.display, HOME=folder)

    def start(self, command, **more):
        process = subprocess.Popen(command, env=self.environment, **more)
        self.started.append(process)
        return process

    def end(self):
        for process in reversed(self.started):
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()

    def source(self):
        return f"ffmpeg:-f x11grab -framerate 30 -draw_mouse 0 -video_size 960x600 -i {self.display}"

    def open(self):
        """The game on its display, the keys, and a profile."""
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.start(["Xvfb", self.display, "-screen", "0", "960x600x24", "-nolisten", "tcp"], **quiet)
        time.sleep(2)
        game = f"while :; do /usr/games/vitetris -nomenu -mode 1 -level {self.args.level}; sleep 1; done"
        terminal = "xterm -geometry 80x25+0+0 -b 0 -bw 0 -bg black -fg gray -fn 12x24 -e sh -c".split()
        self.start(terminal + [game], **quiet)
        time.sleep(2)
        self.relays, self.log = os.path.join(self.folder, "relays"), os.path.join(self.folder, "presses.log")
        self.start([sys.executable, BRIDGE, "--link", self.relays, "--log", self.log], stderr=subprocess.DEVNULL)
        self.profile = os.path.join(self.folder, "profile.toml")
        calibrate = [self.args.stackhand, "calibrate", "--source", self.source(), "--layout", "vitetris", "--no-ui"]
        subprocess.run(calibrate + ["--profile", self.profile, "--corners", *CORNERS], env=self.environment, check=True, **quiet)

    def play(self):
        command = [self.args.stackhand, "play", "--profile", self.profile, "--source", self.source()]
        command += ["--relay", f"adr2200:{self.relays}", "--level", str(self.args.level), "--json"]
        if self.args.pieces:
            command += ["--pieces", str(self.args.pieces)]
        else:
            command += ["--seconds", str(self.args.seconds)]
        errors = open(os.path.join(self.folder, "errors.txt"), "w")
        robot = self.start(command, stdout=subprocess.PIPE, stderr=errors, text=True)
        # The game waits for a key; later games are begun by the robot.
        time.sleep(4)
        subprocess.run(["xdotool", "key", "Return"], env=self.environment, check=True)
        return robot


def stop_source(robot, first, lengths, stalls):
    """Stops ffmpeg for each of these lengths in turn, again and again; notes from when to when."""
    number = 0
    while robot.poll() is None:
        wait = first + FIRST_S + number * EVERY_S - time.monotonic()
        time.sleep(min(max(wait, 0.0), 0.5))
        if wait > 0.5:
            continue
        for pid, name in children(robot.pid):
            if name == "ffmpeg":
                begun = time.monotonic()
                os.kill(pid, signal.SIGSTOP)
                time.sleep(lengths[number % len(lengths)])
                os.kill(pid, signal.SIGCONT)
                stalls.append((begun, time.monotonic()))
        number += 1


def presses(log):
    """When keys went down, by the bridge's log."""
    times, before = [], 0
    for line in open(log):
        at, mask = line.split()
        if int(mask) & ~before:
            times.append(float(at))
        before = int(mask)
    return times


def judge(events, stalls, pressed, args):
    """What became of the pieces; whether that is as it should be."""
    spawns = [(at, event["piece"]) for at, event in events if event["event"] == "spawn"]
    told = [(at, event) for at, event in events if event["event"] == "adrift"]
    summary = next((event for _, event in events if event["event"] == "summary"), {})
    is_good, costs = bool(summary), [0] * len(stalls)
    for (begun, piece), (ended, _) in zip(spawns, spawns[1:]):
        if any(begun - 0.2 <= at <= ended for at in pressed):
            continue
        number = max((i for i, stall in enumerate(stalls) if stall[0] - 3 < begun), default=None)
        is_told = any(begun <= at <= ended + 0.5 for at, _ in told)
        since = f"{begun - stalls[number][1]:.1f} s after stall {number}" if number is not None else "before all stalls"
        print(f"untouched: {piece} for {ended - begun:.1f} s, {since}; {'told' if is_told else 'not told'}")
        seen_s = ended - (max(begun, stalls[number][1]) if number is not None else begun)
        is_good &= is_told or seen_s < SEEN_S
        if number is not None and ended > stalls[number][1] + 0.2:
            costs[number] += 1
            is_good &= begun < stalls[number][1] + 2.0
        elif number is None and not args.busy:
            is_good = False
    for at, event in told:
        print(f"told: {event['piece']} adrift: {event['why'][:60]}")
    lengths = [round(end - begin, 1) for begin, end in stalls]
    print(f"stalls of {lengths} s cost {costs} pieces")
    names = ["pieces", "lines", "misplaced", "adrift", "unplanned", "stalls", "surprises", "games_over", "frames", "commands_dropped"]
    print(f"level {args.level}:", ", ".join(f"{summary.get(name)} {name}" for name in names))
    return is_good and all(cost <= 1 for cost in costs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stackhand", help="the program")
    parser.add_argument("--level", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--pieces", type=int, help="end after so many, instead of --seconds")
    parser.add_argument("--stalls", default="", help="lengths of the stalls in turn, s, such as 0.3,1,3")
    parser.add_argument("--busy", type=int, default=0, help="so many processes that only burn time")
    parser.add_argument("--display", type=int, default=97, help="the virtual display's number")
    args = parser.parse_args()
    lengths = [float(text) for text in args.stalls.split(",") if text]
    with tempfile.TemporaryDirectory() as folder:
        stage = Stage(folder, args)
        try:
            stage.open()
            for _ in range(args.busy):
                stage.start([sys.executable, "-c", "while True: pass"])
            robot, events, stalls = stage.play(), [], []
            for line in robot.stdout:
                events.append((time.monotonic(), json.loads(line)))
                if lengths and events[-1][1]["event"] == "spawn":
                    threading.Thread(target=stop_source, args=(robot, time.monotonic(), lengths, stalls), daemon=True).start()
                    lengths = []
            robot.wait()
            print(open(os.path.join(folder, "errors.txt")).read()[-1500:], file=sys.stderr)
            is_good = judge(events, stalls, presses(stage.log), args)
        finally:
            stage.end()
    sys.exit(0 if is_good else 1)


if __name__ == "__main__":
    main()
