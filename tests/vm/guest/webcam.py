"""A USB webcam for uvcvideo: UVC 1.1, pictures over one bulk endpoint, the usual controls, and the ways in which cameras fail.

Sources: Universal Serial Bus Device Class Definition for Video Devices 1.1, with its payload specifications for
uncompressed video and MJPEG.
"""

import queue
import struct
import threading
import time

from usbip import SET_INTERFACE, CLEAR_FEATURE, Device, Stall, configuration, descriptor, device_descriptor

CAMERA, PROCESSING, OUTPUT = 1, 2, 3
SET_CUR, GET_CUR, GET_MIN, GET_MAX, GET_RES, GET_LEN, GET_INFO, GET_DEF = 1, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87
PROBE, COMMIT = 1, 2
ENDPOINT = 0x81
# One transfer, one payload, one header: as much as the driver asks for at once.
PAYLOAD = 32 * 512
# Length, and flags: the picture's parity, its end, an error in it, the header's end.
HEADER, PARITY, END, ERROR, HEADER_END = 2, 1, 2, 0x40, 0x80
FOURCCS = {"YUYV": b"YUY2", "UYVY": b"UYVY", "GREY": b"Y800"}
GUID_TAIL = bytes.fromhex("0000100080 0000aa00389b71")
AUTO_EXPOSURE, EXPOSURE_PRIORITY, EXPOSURE = (CAMERA, 2), (CAMERA, 3), (CAMERA, 4)
MANUAL = 1


class Control:
    """A control: its size in bytes, its range and its value."""

    def __init__(self, size, low, high, value, step=1, is_signed=False):
        self.size, self.low, self.high, self.step, self.default, self.value = size, low, high, step, value, value
        self.is_signed = is_signed

    def to_bytes(self, value):
        return value.to_bytes(self.size, "little", signed=self.is_signed)


def controls():
    """The usual ones. Automatic exposure is a set of bits: 1 manual, 8 aperture priority; its step says which there are."""
    return {
        AUTO_EXPOSURE: Control(1, 1, 8, 8, step=9), EXPOSURE_PRIORITY: Control(1, 0, 1, 1),
        EXPOSURE: Control(4, 3, 2047, 250),
        (PROCESSING, 1): Control(2, 0, 2, 1), (PROCESSING, 2): Control(2, -64, 64, 0, is_signed=True),
        (PROCESSING, 3): Control(2, 0, 64, 32), (PROCESSING, 4): Control(2, 0, 100, 0),
        (PROCESSING, 5): Control(1, 0, 2, 1), (PROCESSING, 6): Control(2, -40, 40, 0, is_signed=True),
        (PROCESSING, 7): Control(2, 0, 128, 64), (PROCESSING, 8): Control(2, 0, 6, 3),
        (PROCESSING, 9): Control(2, 72, 500, 100), (PROCESSING, 10): Control(2, 2800, 6500, 4600),
        (PROCESSING, 11): Control(1, 0, 1, 1),
    }


# Automatic exposure, its priority, exposure time; brightness to white balance temperature without its components,
# backlight, gain, power line frequency, automatic white balance.
CAMERA_BITS, PROCESSING_BITS = 0x0E, 0x177F


class Mode:
    """A picture format with its size and the intervals between pictures that it offers, in 100 ns."""

    def __init__(self, fourcc, width, height, intervals):
        self.fourcc, self.width, self.height, self.intervals = fourcc, width, height, intervals

    def bytes_max(self):
        return self.width * self.height * (1 if self.fourcc == "GREY" else 2)


def interval(rate):
    """Of a rate, in pictures a second."""
    return round(1e7 / rate)


class Webcam(Device):
    """`show(mode, time_s)` gives the bytes of the picture at a time since the start of the stream, or None for none."""

    device_descriptor = device_descriptor(0x1D6B, 0x0102, kind=(0xEF, 2, 1))

    def __init__(self, modes, show, name="Test Camera"):
        super().__init__()
        self.strings = ["", "stackhand", name, "VM0001"]
        self.modes, self.show, self.controls = modes, show, controls()
        self.configuration = describe(modes)
        self.chosen = (1, 1, modes[0].intervals[0])
        self.transfers = queue.SimpleQueue()
        self.streaming = None
        # What a check orders: "stalled", or "stalled until started" again by the computer.
        self.mood = None
        # So many of so many pictures are marked as broken; the driver drops them, and numbers go on.
        self.loses = (0, 1)
        self.sent = self.starts = 0

    # Requests.
    def control(self, kind, request, value, index, length, data):
        interface, entity, selector = index & 0xFF, index >> 8, value >> 8
        if interface == 1 and selector in (PROBE, COMMIT):
            return self._negotiate(request, selector, data)
        control = self.controls.get((entity, selector))
        if interface != 0 or control is None:
            raise Stall
        if request == SET_CUR:
            wanted = int.from_bytes(data, "little", signed=control.is_signed)
            self._set((entity, selector), control, wanted)
            return b""
        answers = {GET_CUR: control.value, GET_MIN: control.low, GET_MAX: control.high, GET_RES: control.step,
                   GET_DEF: control.default}
        if request in answers:
            return control.to_bytes(answers[request])
        if request == GET_LEN:
            return struct.pack("<H", control.size)
        if request == GET_INFO:
            return b"\3"
        raise Stall

    def _set(self, key, control, wanted):
        is_automatic = self.controls[AUTO_EXPOSURE].value != MANUAL
        if key == EXPOSURE and is_automatic or not control.low <= wanted <= control.high:
            raise Stall
        control.value = wanted

    def _negotiate(self, request, selector, data):
        if request == SET_CUR:
            _, index, frame, wanted = struct.unpack("<HBBI", data[:8])
            frames = self._frames(index)
            frame = min(max(frame, 1), len(frames))
            offered = frames[frame - 1].intervals
            self.chosen = (index, frame, min(offered, key=lambda i: abs(i - wanted)) if wanted else offered[0])
            if selector == COMMIT:
                self._start()
            return b""
        if request == GET_LEN:
            return struct.pack("<H", 34)
        if request == GET_INFO:
            return b"\3"
        index, frame, between = self.chosen
        mode = self._frames(index)[frame - 1]
        return struct.pack("<HBBIHHHHHIIIBBBB", 1, index, frame, between, 0, 0, 0, 0, 0, mode.bytes_max(), PAYLOAD,
                           48_000_000, 0, 0, 0, 0)

    def _frames(self, index):
        return grouped(self.modes)[index - 1]

    # The stream.
    def arrived(self, request):
        self.transfers.put(request)

    def quiet(self, what, value, index):
        # A camera with a bulk endpoint is told to stop by clearing the endpoint's halt.
        if what == CLEAR_FEATURE and index == ENDPOINT or what == SET_INTERFACE:
            self._stop()

    def went(self):
        self._stop()

    def _start(self):
        self._stop()
        index, frame, between = self.chosen
        stop = threading.Event()
        self.streaming = stop
        self.starts += 1
        if self.mood == "stalled until started":
            self.mood = None
        mode = self._frames(index)[frame - 1]
        threading.Thread(target=self._stream, args=[mode, between / 1e7, stop], daemon=True).start()

    def _stop(self):
        if self.streaming:
            self.streaming.set()
            self.streaming = None

    def _stream(self, mode, period_s, stop):
        began = next_at = time.monotonic()
        parity = 0
        while not stop.wait(max(0.0, next_at - time.monotonic())):
            now = time.monotonic()
            next_at = max(next_at + period_s, now)
            if self.mood:
                continue
            picture = self.show(mode, now - began)
            if picture is None:
                continue
            flags = HEADER_END | parity
            if self.sent % self.loses[1] < self.loses[0]:
                flags |= ERROR
            if not self._send_picture(picture, flags, stop):
                return
            parity ^= PARITY
            self.sent += 1

    def _send_picture(self, picture, flags, stop):
        at = 0
        while True:
            request = self._transfer(stop)
            if request is None:
                return False
            part = picture[at : at + min(request.length, PAYLOAD) - HEADER]
            at += len(part)
            is_last = at >= len(picture)
            self.answer(request, bytes([HEADER, flags | (END if is_last else 0)]) + part)
            if is_last:
                # A payload that is full ends by itself; the next one begins with its own header.
                return True

    def _transfer(self, stop):
        while not stop.is_set():
            try:
                request = self.transfers.get(timeout=0.1)
            except queue.Empty:
                continue
            with self.lock:
                if request.number in self.waiting:
                    return request
        return None


def grouped(modes):
    """The modes by format, in their order."""
    kinds = list(dict.fromkeys(mode.fourcc for mode in modes))
    return [[mode for mode in modes if mode.fourcc == kind] for kind in kinds]


def describe(modes):
    """The configuration: a control interface and a streaming interface with one bulk endpoint."""
    units = descriptor(0x24, struct.pack("<BBHBBHHHB3s", 2, CAMERA, 0x0201, 0, 0, 0, 0, 0, 3,
                                         CAMERA_BITS.to_bytes(3, "little")))
    units += descriptor(0x24, struct.pack("<BBBHBHBB", 5, PROCESSING, CAMERA, 0, 2, PROCESSING_BITS, 0, 0))
    units += descriptor(0x24, struct.pack("<BBHBBB", 3, OUTPUT, 0x0101, 0, PROCESSING, 0))
    head = descriptor(0x24, struct.pack("<BHHIBB", 1, 0x0110, 13 + len(units), 48_000_000, 1, 1))
    formats = b"".join(describe_format(i + 1, group) for i, group in enumerate(grouped(modes)))
    count = len(grouped(modes))
    start = descriptor(0x24, struct.pack("<BBHBBBBBBB", 1, count, 13 + count + len(formats), ENDPOINT, 0, OUTPUT, 0, 0,
                                         0, 1) + bytes(count))
    association = descriptor(0x0B, bytes([0, 2, 0x0E, 3, 0, 2]))
    control = descriptor(4, bytes([0, 0, 0, 0x0E, 1, 0, 2]))
    stream = descriptor(4, bytes([1, 0, 1, 0x0E, 2, 0, 0]))
    endpoint = descriptor(5, struct.pack("<BBHB", ENDPOINT, 2, 512, 0))
    return configuration(association + control + head + units + stream + start + formats + endpoint, 2)


def describe_format(index, group):
    if group[0].fourcc == "MJPG":
        text = descriptor(0x24, bytes([6, index, len(group), 1, 1, 0, 0, 0, 0]))
        kind = 7
    else:
        guid = FOURCCS[group[0].fourcc] + GUID_TAIL
        bits = 8 if group[0].fourcc == "GREY" else 16
        text = descriptor(0x24, bytes([4, index, len(group)]) + guid + bytes([bits, 1, 0, 0, 0, 0]))
        kind = 5
    for number, mode in enumerate(group):
        size = mode.bytes_max()
        body = struct.pack("<BBBHHIIIIB", kind, number + 1, 0, mode.width, mode.height, size * 8, size * 240, size,
                           mode.intervals[0], len(mode.intervals))
        text += descriptor(0x24, body + struct.pack(f"<{len(mode.intervals)}I", *mode.intervals))
    return text + descriptor(0x24, bytes([0x0D, 1, 1, 4]))
