"""The pictures that the test's camera shows: a simulated game, filmed by stackhand itself, with the truth beside it."""

import json
import shutil
import subprocess

# A game of level 13 in which a piece appears every second, filmed from its middle by a slightly bad camera.
SEED, HARD, SECONDS, RATE = 11, 0.2, 10, 30
# Counted up when the film is made in another way.
VERSION = 1
# The same picture larger, in the middle of a wide one.
WIDE = "scale=960:720,pad=1280:720:160:0"
WIDE_SCALE, WIDE_LEFT = 1.5, 160


def make(program, folder):
    """Makes the film once; the folder's path."""
    done = folder / "film.json"
    wanted = {"seed": SEED, "hard": HARD, "seconds": SECONDS, "rate": RATE, "version": VERSION}
    if done.exists() and json.loads(done.read_text()).get("made_of") == wanted:
        return folder
    print("filming", flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    words = ["benchmark", "--clips", "1", "--seed", SEED, "--hard", HARD, "--seconds", SECONDS, "--fps", RATE, "--save",
             folder / "clip"]
    subprocess.run([str(program), *map(str, words)], check=True, stdout=subprocess.DEVNULL)
    clip = next((folder / "clip").glob("*.mkv"))
    jpeg = ["-c:v", "mjpeg", "-huffman", "default", "-q:v", "3", "-pix_fmt", "yuvj422p"]
    encode(clip, jpeg + [folder / "%04d.jpg"])
    encode(clip, ["-frames:v", "1", "-vf", WIDE, *jpeg, folder / "wide.jpg"])
    encode(clip, ["-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "yuyv422", folder / "small.yuyv"])
    encode(clip, ["-frames:v", "1", "-vf", WIDE, "-f", "rawvideo", "-pix_fmt", "yuyv422", folder / "wide.yuyv"])
    truth = [json.loads(line) for line in next((folder / "clip").glob("*.jsonl")).read_text().splitlines()]
    corners = next(line["corners"] for line in truth if line["event"] == "calibrated")
    spawns = [[line["t_ms"], line["piece"]] for line in truth if line["event"] == "spawn"]
    shutil.rmtree(folder / "clip")
    wide_corners = [[x * WIDE_SCALE + WIDE_LEFT, y * WIDE_SCALE] for x, y in corners]
    profile(program, folder, "0001.jpg", "profile.toml", corners)
    profile(program, folder, "wide.jpg", "wide.toml", wide_corners)
    done.write_text(json.dumps({"made_of": wanted, "rate": RATE, "corners": corners, "wide_corners": wide_corners,
                                "spawns": spawns, "board": first_board(program, folder)}))
    return folder


def encode(clip, words):
    subprocess.run(["ffmpeg", "-loglevel", "error", "-nostdin", "-y", "-i", str(clip), *map(str, words)], check=True)


def profile(program, folder, picture, name, corners):
    """A calibration for the checks that are not about calibrating."""
    places = [f"{x:.2f},{y:.2f}" for x, y in corners]
    words = ["calibrate", "--source", folder / picture, "--layout", "nes", "--no-ui", "--profile", folder / name,
             "--corners", *places]
    subprocess.run([str(program), *map(str, words)], check=True, stdout=subprocess.DEVNULL)


def first_board(program, folder):
    """What the first picture shows, read without any camera."""
    words = ["replay", folder / "0001.jpg", "--profile", folder / "profile.toml", "--json", "--each-frame"]
    done = subprocess.run([str(program), *map(str, words)], check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[0])["board"]
