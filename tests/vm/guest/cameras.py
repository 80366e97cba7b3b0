"""Checks of cameras that work as they should, each in its own way."""

import re
import subprocess

from lab import Failed, corner_error, expect, wait_for, without_tables
from webcam import AUTO_EXPOSURE, EXPOSURE, EXPOSURE_PRIORITY, MANUAL, Mode, interval

CHECKS = []


def check_into(checks):
    """A decorator that adds a check to a list; they run in its order."""
    def register(function):
        checks.append(function)
        return function
    return register


check = check_into(CHECKS)
# Found corners lie within so many px of the truth, as a claim of the tests at home; here it was 0.3.
CORNER_PX = 1.0


def found_field(lab, camera, truth, options=""):
    run = lab.calibrate(f"camera:{camera.node}{options}", seconds=40)
    lines = run.of("calibrated")
    expect(lines, f"no field was found: {run.tail()}")
    error = corner_error(lines[0]["corners"], truth)
    expect(error < CORNER_PX, f"the field was found {error:.1f} px away")
    return f"corners within {error:.2f} px"


def same_board(lab, camera, pictures=3):
    """The first picture of the film is read through the camera as it is read from its file."""
    is_wide = camera.modes[0].width == 1280
    run = lab.start("dry-run", "--source", f"camera:{camera.node}", "--layout", "nes", "--profile",
                    lab.film.wide_profile if is_wide else lab.film.profile, "--pieces", "100000", "--json", "--each-frame")
    run.until(lambda: len(run.of("frame")) >= pictures, 15, f"{pictures} pictures are read")
    run.end()
    wrong = [frame["board"] for frame in run.of("frame") if frame["board"] != lab.film.board]
    expect(not wrong, f"read as {wrong[:1]}")
    return f"{len(run.of('frame'))} pictures read right"


@check
def mjpeg_without_tables(lab):
    """The field is found through a camera whose JPEGs have no Huffman tables, as those of many webcams."""
    bare = without_tables(lab.film.pictures[0])
    expect(len(bare) < len(lab.film.pictures[0]), "the film's pictures had no tables from the start")
    return same_board(lab, lab.camera(show=lambda *_: bare))


@check
def mjpeg_640x480(lab):
    return found_field(lab, lab.camera(), lab.film.corners)


@check
def mjpeg_1280x720(lab):
    return same_board(lab, lab.camera([Mode("MJPG", 1280, 720, [interval(30)])]))


@check
def yuyv_640x480(lab):
    return same_board(lab, lab.camera([Mode("YUYV", 640, 480, [interval(30)])]))


@check
def yuyv_1280x720(lab):
    return found_field(lab, lab.camera([Mode("YUYV", 1280, 720, [interval(10)])]), lab.film.wide_corners)


@check
def uyvy_640x480(lab):
    return same_board(lab, lab.camera([Mode("UYVY", 640, 480, [interval(30)])]))


@check
def grey_640x480(lab):
    """A camera without colours is opened and gives pictures; whether a field is found in them depends on the game."""
    return counted(lab, lab.camera([Mode("GREY", 640, 480, [interval(30)])]))


@check
def left_in_uyvy(lab):
    """Another program left the camera in UYVY, although YUYV is offered."""
    camera = lab.camera([Mode("YUYV", 640, 480, [interval(30)]), Mode("UYVY", 640, 480, [interval(30)])])
    v4l2(camera, "--set-fmt-video=width=640,height=480,pixelformat=UYVY")
    return same_board(lab, camera)


def v4l2(camera, *words):
    done = subprocess.run(["v4l2-ctl", "-d", f"/dev/video{camera.node}", *words], capture_output=True, text=True)
    if done.returncode:
        raise Failed(f"v4l2-ctl {' '.join(words)} failed: {done.stderr}")
    return done.stdout


def doctor(lab, source=None):
    named = ["--source", source] if source else []
    return lab.run("doctor", "--json", "--no-probe", *named, seconds=40)


def camera_findings(run):
    return [event for event in run.of("check") if event["area"] == "camera"]


def counted(lab, camera, options=""):
    """The camera gives pictures; at how many a second is told, because an emulated machine is slow."""
    source = f"camera:{camera.node}{options}"
    run = doctor(lab, source)
    says = " / ".join(event["says"] for event in camera_findings(run) if event["subject"] == source)
    number = re.search(r"([0-9.]+) pictures a second.*\((\d+) counted", says)
    expect(number and int(number.group(2)) > 0, f"no pictures from {source}: {says or run.tail()}")
    return f"{number.group(1)} pictures a second"


@check
def only_29_97(lab):
    """A camera whose one rate is no whole number."""
    camera = lab.camera([Mode("MJPG", 640, 480, [333_667])])
    return counted(lab, camera)


@check
def left_at_12_5(lab):
    """Another program left the camera at 12.5 pictures a second; it is set back to 30."""
    camera = lab.camera([Mode("MJPG", 640, 480, [interval(30), interval(12.5), interval(7.5)])])
    v4l2(camera, "--set-parm=12.5")
    expect(camera.chosen[2] == interval(12.5) or "12.500" in v4l2(camera, "--get-parm"), "the rate was not left at 12.5")
    text = counted(lab, camera)
    expect(camera.chosen[2] == interval(30), f"it stays at {1e7 / camera.chosen[2]:.1f} pictures a second")
    return text


@check
def rates_listed(lab):
    """12.5 and 7.5 are listed as such, choosing one near them works, and so does every later start."""
    camera = lab.camera([Mode("MJPG", 640, 480, [interval(30), interval(12.5), interval(7.5)])])
    findings = camera_findings(doctor(lab, "camera:99"))
    says = " / ".join(event["says"] for event in findings if event["subject"].startswith(f"{camera.node} "))
    expect("12.5" in says and "7.5" in says, f"the rates are listed as: {says}")
    counted(lab, camera, "?fps=8")
    expect(camera.chosen[2] == interval(7.5), f"asked for 8, it gives {1e7 / camera.chosen[2]:.1f}")
    return counted(lab, camera)


@check
def metadata_node(lab):
    """uvcvideo makes a second node for metadata: it is no camera; nothing is to be mended about it."""
    first, second = lab.camera(), lab.camera(port=2)
    run = doctor(lab, f"camera:{first.node}")
    findings = camera_findings(run)
    wrong = [event for event in findings if event["verdict"] == "mend" and "pictures a second" not in event["says"]]
    expect(not wrong, f"to be mended: {wrong[:1]}")
    numbers = [int(number.group()) for event in findings if (number := re.match(r"\d+", event["subject"]))]
    cameras = list(dict.fromkeys(numbers))
    known = [n for n in cameras if n in (first.node, second.node)]
    expect(known == [first.node, second.node], f"the cameras are listed as {cameras}")
    extra = set(cameras) & {first.node + 1, second.node + 1}
    expect(not extra, f"the nodes {extra} pass for cameras")
    return f"cameras {cameras}"


@check
def exposure_is_set(lab):
    camera = lab.camera()
    run = doctor(lab, f"camera:{camera.node}?exposure=150")
    values = [camera.controls[key].value for key in (AUTO_EXPOSURE, EXPOSURE_PRIORITY, EXPOSURE)]
    expect(values == [MANUAL, 0, 150], f"automatic, priority, exposure are {values} in the camera")
    expect("cannot" not in run.stderr(), f"a warning that is not true: {run.tail()}")
    return "manual, constant rate, 150"


@check
def exposure_out_of_range(lab):
    """A value that the driver clamps is told with the range."""
    camera = lab.camera()
    run = doctor(lab, f"camera:{camera.node}?exposure=9000")
    value = camera.controls[EXPOSURE].value
    expect(re.search(r"\b3\b.{1,6}\b2047\b", run.said()), f"the camera has {value}, and nothing said that its range ends at 2047: {run.tail()}")
    return f"the camera has {value}; its range was told"


@check
def permission_denied(lab):
    """A person who may not use the camera is told of the group, not of other programs."""
    camera = lab.camera()
    run = lab.run("dry-run", "--source", f"camera:{camera.node}", "--layout", "nes", "--profile", lab.film.profile,
                  "--seconds", "2", "--json", seconds=30, user=65534)
    said = run.stderr()
    expect(run.process.returncode == 1, f"status {run.process.returncode}: {run.tail()}")
    expect("usermod -aG video" in said, f"said: {run.tail()}")
    expect("close" not in said.lower(), f"said: {run.tail()}")


@check
def busy_camera(lab):
    """A camera that another program streams from."""
    camera = lab.camera()
    other = subprocess.Popen(["v4l2-ctl", "-d", f"/dev/video{camera.node}", "--stream-mmap", "--stream-to=/dev/null"],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: camera.sent > 3, 20 * lab.patience, "the other program streams")
        run = lab.run("dry-run", "--source", f"camera:{camera.node}", "--layout", "nes", "--profile", lab.film.profile,
                      "--seconds", "2", "--json", seconds=30)
        expect(run.process.returncode == 1, f"status {run.process.returncode}: {run.tail()}")
        said = run.stderr().lower()
        expect("close" in said or "another program" in said or "other program" in said, f"said: {run.tail()}")
    finally:
        other.kill()
        other.wait()


@check
def every_spawn(lab):
    """The filmed game through the camera: every piece that appears is seen, and no other. An emulated processor gives no picture
    for seconds now and then, which is told; whoever appears meanwhile may be missed, but one a stall, and nobody invented."""
    camera = lab.camera(show=lab.film.once)
    run = lab.start("dry-run", "--source", f"camera:{camera.node}", "--layout", "nes", "--profile", lab.film.profile,
                    "--seconds", f"{lab.film.seconds() + 3 * lab.patience:.0f}", "--pieces", "100000", "--json")
    run.wait(lab.film.seconds() / lab.patience + 30)
    truth = [piece for _, piece in lab.film.spawns]
    seen = [event["piece"] for event in run.of("spawn")]
    expect(truth, "the film has no spawns")
    left = iter(truth)
    expect(all(piece in left for piece in seen), f"{seen} instead of {truth}")
    missed, stalls = len(truth) - len(seen), len(run.of("stall_over"))
    expect(missed <= stalls, f"{seen} instead of {truth}, and only {stalls} stalls told")
    return f"{len(seen)} of {len(truth)} spawns, {stalls} stalls told"
