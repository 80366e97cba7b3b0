"""Checks of cameras that fail: broken pictures, stalls, cables that are pulled. And vivid, the kernel's own test camera."""

import itertools
import random
import signal
import subprocess
import time
from pathlib import Path

from cameras import camera_findings, check_into, counted, doctor, same_board, v4l2
from lab import SMALL_MJPEG, LOGS, Failed, Skipped, expect, nodes, wait_for
from webcam import interval

CHECKS = []
check = check_into(CHECKS)
END_OF_IMAGE = b"\xff\xd9"
# A state that lasts is told once or twice, not with every attempt.
LINES_MAX = 6


def watch(lab, camera, seconds, *words):
    """Watches without pressing, and says what each picture shows."""
    return lab.start("dry-run", "--source", f"camera:{camera.node}", "--layout", "nes", "--profile", lab.film.profile,
                     "--seconds", f"{seconds:.0f}", "--pieces", "100000", "--json", "--each-frame", *words)


def play(lab, camera, *words):
    """Plays, with no board unless one is named."""
    relay = [] if "--relay" in words else ["--relay", "none"]
    size = "?size=640x480" if isinstance(camera, Vivid) else ""
    return lab.start("play", "--source", f"camera:{camera.node}{size}", "--profile", lab.film.profile, "--json", "--no-pause",
                     *relay, *words)


def boards(run):
    """The boards that were seen, with how often."""
    seen = {}
    for frame in run.of("frame"):
        key = "/".join(frame["board"])
        seen[key] = seen.get(key, 0) + 1
    return seen


def warnings(run):
    """What was said about the camera; late presses are another matter."""
    return [line for line in run.stderr().splitlines() if "relays set otherwise" not in line and "locked else" not in line]


def only_good_pictures(lab, show, told, seconds=8):
    """Among bad pictures only the good ones are read, all showing the same; the bad ones are counted, their kinds told."""
    run = watch(lab, lab.camera(show=show), seconds)
    run.wait(seconds / lab.patience + 20)
    seen = boards(run)
    expect(seen, f"nothing was read: {run.tail()}")
    expect(len(seen) == 1, f"{len(seen)} different boards were read of one picture: {sorted(seen.values())}")
    summary = run.of("summary")[-1]
    expect(summary.get("field_moved", 0) == 0, "the field is said to have moved")
    lost = summary["frames_dropped"]
    expect(lost > 0, "no picture was counted as lost")
    expect(len(warnings(run)) <= LINES_MAX, f"{len(warnings(run))} lines of warnings")
    for kind in told:
        expect(any(kind in line for line in warnings(run)), f"nothing was said of a picture that is {kind}: {run.tail()}")
    return f"{sum(seen.values())} pictures read, {lost} lost"


@check
def broken_off_jpegs(lab):
    """Every second picture breaks off; the rest of an older one still lies in the driver's buffer behind it."""
    film, count = lab.film, itertools.count()
    other = film.pictures[len(film.pictures) // 2]
    half = other[: len(other) // 2]
    return only_good_pictures(lab, lambda *_: half if next(count) % 2 else film.pictures[0], ["broken off"])


@check
def empty_and_junk_pictures(lab):
    film, count, dice = lab.film, itertools.count(), random.Random(1)
    good = film.pictures[0]
    kinds = [good, good[:2] + END_OF_IMAGE, dice.randbytes(5000), good[:300] + END_OF_IMAGE, b"\0" * 3000]
    return only_good_pictures(lab, lambda *_: kinds[next(count) % len(kinds)], ["empty", "no JPEG", "broken off"])


@check
def padded_jpegs(lab):
    """Zeros after the picture's end."""
    good = lab.film.pictures[0] + b"\0" * 3000
    return same_board(lab, lab.camera(show=lambda *_: good))


@check
def bytes_after_the_end(lab):
    good = lab.film.pictures[0] + b"\x00\x11rest\xff\x00" * 40
    return same_board(lab, lab.camera(show=lambda *_: good))


@check
def jpegs_without_end(lab):
    """A camera that leaves the end's two bytes out: all pixels are there."""
    good = lab.film.pictures[0]
    expect(good.endswith(END_OF_IMAGE), "the film's pictures have no end")
    return same_board(lab, lab.camera(show=lambda *_: good[:-2]))


@check
def doctor_tells_lost_pictures(lab):
    """Two of three pictures are lost on the way: more light would not help."""
    camera = lab.camera()
    camera.loses = (2, 3)
    run = doctor(lab, f"camera:{camera.node}")
    says = " / ".join(f"{e['says']}; {e.get('remedy')}" for e in camera_findings(run) if "pictures a second" in e["says"])
    expect(says, f"doctor counted nothing: {run.tail()}")
    expect("light" not in says, f"doctor says: {says}")
    words = ["lost", "dropped", "damaged", "missing", "skipped"]
    expect(any(word in says for word in words), f"doctor says: {says}")
    return says


def pictures_again(run, before):
    return lambda: len(run.of("camera_back")) > before


@check
def stalled_camera_restarts(lab):
    """A camera that sends nothing more until its stream is started again."""
    camera = lab.camera(show=lab.film.moving)
    run = play(lab, camera)
    wait_for(lambda: camera.sent > 20, 20 * lab.patience, "pictures are sent")
    run.until(lambda: run.of("spawn") or camera.sent > 40, 20, "pictures are read")
    starts = camera.starts
    camera.mood = "stalled until started"
    wait_for(lambda: camera.starts > starts, 12 + 5 * lab.patience, "the stream is started again")
    sent = camera.sent
    wait_for(lambda: camera.sent > sent + 10, 20 * lab.patience, "pictures are sent again")
    time.sleep(lab.patience)
    said = run.stderr()
    expect("busy" not in said.lower(), f"the camera was found busy: {run.tail()}")
    lines = len(warnings(run))
    expect(lines <= LINES_MAX, f"{lines} lines of warnings")
    run.signal(signal.SIGINT)
    run.wait(10, "the program ends after Ctrl-C")
    expect(run.of("summary"), "there is no summary")
    return f"{lines} lines said"


@check
def unplugged_and_plugged_in(lab):
    camera = lab.camera(show=lab.film.moving)
    run = play(lab, camera)
    wait_for(lambda: camera.sent > 20, 20 * lab.patience, "pictures are sent")
    before = nodes() - {camera.node, camera.node + 1}
    camera.unplug()
    run.until(lambda: run.of("camera_lost"), 15, "the loss is told")
    time.sleep(4)
    lines = len(warnings(run))
    camera.plug(0)
    expect(lab.wait_node(before) == camera.node, "the system gave it another number")
    sent = camera.sent
    wait_for(lambda: camera.sent > sent + 10, 20 * lab.patience, "pictures are sent again")
    run.until(lambda: run.of("camera_back"), 15, "its return is told")
    run.signal(signal.SIGINT)
    run.wait(10, "the program ends after Ctrl-C")
    expect(lines <= LINES_MAX, f"{lines} lines of warnings while it was looked for")
    return f"{lines} lines said while it was away"


def ends_with_summary(run):
    began = time.monotonic()
    run.signal(signal.SIGINT)
    status = run.wait(10, "the program ends after Ctrl-C")
    expect(run.of("summary"), f"it ended with status {status} and without a summary")
    expect(status == 128 + signal.SIGINT, f"its status is {status}")
    return f"after {time.monotonic() - began:.1f} s"


@check
def ctrl_c_while_stalled(lab):
    """Ctrl-C while a stalled camera is waited for."""
    camera = lab.camera(show=lab.film.moving)
    run = play(lab, camera)
    run.until(lambda: camera.sent > 30, 20, "pictures are sent")
    camera.mood = "stalled"
    time.sleep(1)
    return ends_with_summary(run)


@check
def ctrl_c_while_away(lab):
    """Ctrl-C while an unplugged camera is looked for."""
    camera = lab.camera(show=lab.film.moving)
    run = play(lab, camera)
    run.until(lambda: camera.sent > 30, 20, "pictures are sent")
    camera.unplug()
    run.until(lambda: run.of("camera_lost"), 15, "the loss is told")
    return ends_with_summary(run)


@check
def no_such_camera(lab):
    """A number that no camera has: those that there are are named."""
    camera = lab.camera()
    run = lab.run("dry-run", "--source", "camera:77", "--layout", "nes", "--profile", lab.film.profile, "--json",
                  seconds=20)
    said = run.stderr()
    expect(run.process.returncode == 1 and "no camera 77" in said, f"said: {run.tail()}")
    expect("Test Camera" in said, f"it does not name the camera there is: {run.tail()}")


class Vivid:
    """The kernel's own test camera."""

    def __init__(self):
        names = Path("/sys/class/video4linux").glob("video*/name")
        found = sorted(int(path.parent.name[5:]) for path in names if "vivid" in path.read_text())
        if not found:
            raise Skipped("the driver vivid is not loaded")
        self.node = found[0]
        v4l2(self, "--set-fmt-video=width=640,height=360,pixelformat=YUYV", "--set-ctrl=percentage_of_dropped_buffers=0")


@check
def vivid_as_it_comes(lab):
    return counted(lab, Vivid(), "?size=640x360")


@check
def vivid_left_in_odd_formats(lab):
    """Left in a format that the program cannot read, it is set to one that it can."""
    vivid = Vivid()
    for fourcc in "YVYU", "HSV4", "GREY":
        v4l2(vivid, f"--set-fmt-video=width=640,height=360,pixelformat={fourcc}")
        counted(lab, vivid, "?size=640x360")


@check
def vivid_drops_and_errors(lab):
    """A third of the buffers is lost, and some come back marked as broken."""
    vivid = Vivid()
    v4l2(vivid, "--set-ctrl=percentage_of_dropped_buffers=33")
    run = lab.start("doctor", "--json", "--no-probe", "--source", f"camera:{vivid.node}?size=640x360")
    for _ in range(8):
        time.sleep(0.5)
        v4l2(vivid, "--set-ctrl=inject_v4l2_buf_flag_error=1")
    run.wait(40)
    says = [event["says"] for event in camera_findings(run) if "pictures a second" in event["says"]]
    expect(says, f"doctor counted nothing: {run.tail()}")
    return says[0]


@check
def vivid_disconnects(lab):
    """The last of vivid's checks: its node does not come back."""
    vivid = Vivid()
    run = play(lab, vivid)
    time.sleep(4 * lab.patience)
    expect(run.process.poll() is None, f"the program ended: {run.tail()}")
    v4l2(vivid, "--set-ctrl=disconnect=1")
    run.until(lambda: run.of("camera_lost"), 15, "the loss is told")
    return ends_with_summary(run)
