"""USB devices made of Python, attached to this kernel as if they were plugged in: the device's side of USB/IP.

The kernel's vhci_hcd driver takes a connected socket by its file number, so a pair of sockets will do, and nothing
listens anywhere. Source of the packets: Documentation/usb/usbip_protocol.rst of Linux.
"""

import errno
import socket
import struct
import threading
import time
from pathlib import Path

VHCI = Path("/sys/devices/platform/vhci_hcd.0")
HIGH_SPEED, FULL_SPEED = 3, 2
CMD_SUBMIT, CMD_UNLINK, RET_SUBMIT, RET_UNLINK = 1, 2, 3, 4
HEADER = struct.Struct(">5I28s")
SUBMIT = struct.Struct(">IiiiI8s")
DONE, STALLED, UNLINKED = 0, -errno.EPIPE, -errno.ECONNRESET
GET_STATUS, CLEAR_FEATURE, SET_FEATURE, GET_DESCRIPTOR, GET_CONFIGURATION = 0, 1, 3, 6, 8
SET_CONFIGURATION, GET_INTERFACE, SET_INTERFACE = 9, 10, 11


class Stall(Exception):
    """The device refuses a request."""


class Request:
    """What the computer wants of an endpoint: a transfer in or out."""

    def __init__(self, number, endpoint, is_in, length, setup, data):
        self.number, self.endpoint, self.is_in, self.length = number, endpoint, is_in, length
        self.setup, self.data = setup, data


class Device:
    """A device. Subclasses give descriptors, answer their own control requests, and serve their endpoints."""

    speed = HIGH_SPEED
    device_descriptor = b""
    configuration = b""
    strings = ["", "", "", ""]

    def __init__(self):
        self.socket = None
        self.port = None
        self.waiting = {}
        self.lock = threading.Lock()

    # What subclasses do.
    def control(self, kind, request, value, index, length, data):
        """A request that is not one of every device's; the bytes to answer. Raises Stall."""
        raise Stall

    def arrived(self, request):
        """A transfer on another endpoint than 0. Answer it with `answer`, now or later."""
        raise Stall

    def went(self):
        """The device was unplugged."""

    # Plugging.
    def plug(self, port=0):
        """Attaches the device to a port of the virtual hub."""
        near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        for end in near, far:
            for option in socket.SO_SNDBUF, socket.SO_RCVBUF:
                end.setsockopt(socket.SOL_SOCKET, option, 1 << 20)
        self.socket, self.port = near, port
        self.waiting = {}
        device_id = 1 << 16 | 2
        (VHCI / "attach").write_text(f"{port} {far.fileno()} {device_id} {self.speed}")
        far.close()
        threading.Thread(target=self._serve, args=[near], daemon=True).start()

    def unplug(self):
        """Takes it off, as if somebody pulled the cable."""
        if self.socket is None:
            return
        self.went()
        near, self.socket = self.socket, None
        near.shutdown(socket.SHUT_RDWR)
        near.close()
        # The port must be free before somebody plugs in again.
        for _ in range(600):
            if port_is_free(self.port):
                return
            time.sleep(0.05)
        raise TimeoutError("the virtual hub keeps an unplugged device")

    # Transfers.
    def answer(self, request, data=b"", status=DONE, count=None):
        """Ends a transfer; nothing happens if the computer took it back before."""
        if count is None:
            count = len(data) if request.is_in else len(request.data)
        head = HEADER.pack(RET_SUBMIT, request.number, 0, 0, 0, struct.pack(">iiiii8x", status, count, 0, 0, 0))
        # In one step: an answer that comes after the word that it was taken back makes the computer drop the device.
        with self.lock:
            if self.waiting.pop(request.number, None) is not None:
                self._send(head + (data if request.is_in else b""))

    def _send(self, packet):
        near = self.socket
        if near is None:
            return
        try:
            near.sendall(packet)
        except OSError:
            # Unplugged in this instant.
            pass

    def _serve(self, near):
        try:
            while True:
                command, number, _, is_in, endpoint, rest = HEADER.unpack(_exactly(near, HEADER.size))
                if command == CMD_UNLINK:
                    self._unlink(number, struct.unpack(">I", rest[:4])[0])
                    continue
                _, length, _, _, _, setup = SUBMIT.unpack(rest)
                data = b"" if is_in else _exactly(near, length)
                request = Request(number, endpoint, bool(is_in), length, setup, data)
                with self.lock:
                    self.waiting[number] = request
                self._hand(request)
        except (EOFError, OSError):
            pass

    def _unlink(self, number, target):
        with self.lock:
            status = DONE if self.waiting.pop(target, None) is None else UNLINKED
            self._send(HEADER.pack(RET_UNLINK, number, 0, 0, 0, struct.pack(">i24x", status)))

    def _hand(self, request):
        try:
            if request.endpoint == 0:
                self.answer(request, self._setup(request)[: request.length])
            else:
                self.arrived(request)
        except Stall:
            self.answer(request, status=STALLED, count=0)

    def _setup(self, request):
        kind, what, value, index, length = struct.unpack("<BBHHH", request.setup)
        if kind & 0x60 == 0:
            if what == GET_DESCRIPTOR:
                return self._descriptor(value >> 8, value & 0xFF)
            if what == GET_STATUS:
                return b"\0\0"
            if what in (GET_CONFIGURATION, GET_INTERFACE):
                return b"\1" if what == GET_CONFIGURATION else b"\0"
            if what in (SET_CONFIGURATION, SET_FEATURE):
                return b""
            if what == SET_INTERFACE or what == CLEAR_FEATURE:
                self.quiet(what, value, index)
                return b""
        return self.control(kind, what, value, index, length, request.data)

    def quiet(self, what, value, index):
        """The computer chose an interface's setting or cleared an endpoint."""

    def _descriptor(self, kind, index):
        if kind == 1:
            return self.device_descriptor
        if kind == 2:
            return self.configuration
        if kind == 3 and index == 0:
            return b"\x04\x03\x09\x04"
        if kind == 3 and index < len(self.strings):
            text = self.strings[index].encode("utf-16-le")
            return bytes([len(text) + 2, 3]) + text
        raise Stall


def port_is_free(port):
    for line in (VHCI / "status").read_text().splitlines()[1:]:
        _, number, state, *_ = line.split()
        if int(number) == port:
            # VDEV_ST_NULL
            return int(state) == 4
    return False


def _exactly(near, count):
    parts = []
    while count:
        part = near.recv(count)
        if not part:
            raise EOFError
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def descriptor(kind, body):
    """A descriptor: its length, its kind, its bytes."""
    return bytes([len(body) + 2, kind]) + body


def configuration(interfaces, count):
    """A configuration of so many interfaces."""
    return struct.pack("<BBHBBBBB", 9, 2, 9 + len(interfaces), count, 1, 0, 0x80, 250) + interfaces


def device_descriptor(vendor, product, kind=(0, 0, 0), version=0x100):
    return struct.pack("<BBHBBBBHHHBBBB", 18, 1, 0x200, *kind, 64, vendor, product, version, 1, 2, 3, 1)

