#!/usr/bin/env python3
"""The README's animation: fifteen seconds of the page of a run at the simulated table.

    docs/film.py PROGRAM OUT.webp

Needs chromium, chromedriver and ffmpeg.
"""

import base64
import json
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

SECONDS = 15
PICTURES_PER_S = 5
# The robot has found the field and has begun to play.
LEAD_S = 6
PORT = 9555
RUN = ["dry-run", "--realtime", "--level", "9", "--pieces", "100000", "--ui", "--no-browser"]
CHROME = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"]


def ask(path, body):
    data = json.dumps(body).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{PORT}{path}", data, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)["value"]


def devtools(session, command, **parameters):
    return ask(f"{session}/goog/cdp/execute", {"cmd": command, "params": parameters})


def end(session):
    request = urllib.request.Request(f"http://127.0.0.1:{PORT}{session}", method="DELETE")
    urllib.request.urlopen(request, timeout=60).close()


def page_of(program):
    for line in program.stderr:
        found = re.search(r"The page is at (\S+)", line)
        if found:
            return found[1]
    sys.exit("the program serves no page")


def film(url, folder):
    options = {"args": CHROME + ["--window-size=1280,900"]}
    session = ask("/session", {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options}}})["sessionId"]
    session = f"/session/{session}"
    ask(f"{session}/url", {"url": url})
    size = {"width": 1280, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    devtools(session, "Emulation.setDeviceMetricsOverride", **size)
    time.sleep(LEAD_S)
    began = time.monotonic()
    for number in range(SECONDS * PICTURES_PER_S):
        time.sleep(max(0, began + number / PICTURES_PER_S - time.monotonic()))
        picture = devtools(session, "Page.captureScreenshot", format="jpeg", quality=90)["data"]
        (folder / f"{number:04}.jpg").write_bytes(base64.b64decode(picture))
    end(session)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    command = [sys.argv[1]] + RUN
    program = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    driver = subprocess.Popen(["chromedriver", f"--port={PORT}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        with tempfile.TemporaryDirectory() as folder:
            url = page_of(program)
            time.sleep(2)
            film(url, Path(folder))
            rate, size = ["-framerate", str(PICTURES_PER_S)], ["-vf", "scale=800:-1"]
            shape = ["-c:v", "libwebp_anim", "-quality", "55", "-loop", "0", sys.argv[2]]
            subprocess.run(["ffmpeg", "-v", "error", "-y", *rate, "-i", f"{folder}/%04d.jpg", *size, *shape], check=True)
    finally:
        program.terminate()
        driver.terminate()


main()
