# SPDX-License-Identifier: GPL-3.0-or-later
"""A client small enough to need nothing installed: BSON's everyday types and OP_MSG over a socket.

The tools ask a server a handful of administrative questions (ping, hello, replSetInitiate); load and tests go through
mongo-c-driver instead. encode() knows str, bool, int, float, None, dict and list; decode() also knows dates,
ObjectIds, timestamps and binary, as raw values.
"""

import socket
import struct

OP_MSG = 2013
_INT32 = range(-(2**31), 2**31)


class CommandError(Exception):
    """The server answered ok: 0; `reply` is the whole answer."""

    def __init__(self, reply):
        super().__init__(f"{reply.get('codeName', 'error')}: {reply.get('errmsg', reply)}")
        self.reply = reply


def _element(name, value):
    key = name.encode() + b"\0"
    if isinstance(value, bool):  # Before int: a bool is one.
        return b"\x08" + key + bytes([value])
    if isinstance(value, int):
        return b"\x10" + key + struct.pack("<i", value) if value in _INT32 else b"\x12" + key + struct.pack("<q", value)
    if isinstance(value, float):
        return b"\x01" + key + struct.pack("<d", value)
    if isinstance(value, str):
        text = value.encode() + b"\0"
        return b"\x02" + key + struct.pack("<i", len(text)) + text
    if isinstance(value, dict):
        return b"\x03" + key + encode(value)
    if isinstance(value, (list, tuple)):
        return b"\x04" + key + encode({str(i): item for i, item in enumerate(value)})
    if value is None:
        return b"\x0a" + key
    raise TypeError(f"no BSON for {type(value).__name__}")


def encode(document):
    body = b"".join(_element(name, value) for name, value in document.items())
    return struct.pack("<i", len(body) + 5) + body + b"\0"


def _text(data, at):
    (length,) = struct.unpack_from("<i", data, at)
    return data[at + 4 : at + 3 + length].decode(), at + 4 + length


def _nested(data, at, as_list):
    (length,) = struct.unpack_from("<i", data, at)
    inner = decode(data[at : at + length])
    return (list(inner.values()) if as_list else inner), at + length


def _binary(data, at):
    (length,) = struct.unpack_from("<i", data, at)
    return data[at + 5 : at + 5 + length], at + 5 + length


def _fixed(layout):
    size = struct.calcsize(layout)
    return lambda data, at: (struct.unpack_from(layout, data, at)[0] if size else None, at + size)


_READERS = {
    0x01: _fixed("<d"), 0x02: _text, 0x05: _binary, 0x07: _fixed("12s"), 0x08: _fixed("<?"), 0x09: _fixed("<q"),
    0x0A: _fixed(""), 0x10: _fixed("<i"), 0x11: _fixed("<Q"), 0x12: _fixed("<q"),
    0x03: lambda data, at: _nested(data, at, False), 0x04: lambda data, at: _nested(data, at, True),
}  # fmt: skip


def decode(data):
    document, at = {}, 4
    while data[at]:
        end = data.index(0, at + 1)
        document[data[at + 1 : end].decode()], at = _READERS[data[at]](data, end + 1)
    return document


class Connection:
    """One TCP connection. Not for use by two threads at once; a broken one raises OSError and stays broken."""

    def __init__(self, port, host="127.0.0.1", timeout_s=30.0):
        self._socket = socket.create_connection((host, port), timeout_s)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._last_id = 0

    def command(self, database, command):
        """Runs one command and returns its reply; CommandError when that is not ok."""
        self._last_id += 1
        body = struct.pack("<IB", 0, 0) + encode({**command, "$db": database})
        self._socket.sendall(struct.pack("<iiii", 16 + len(body), self._last_id, 0, OP_MSG) + body)
        length, _, answers, opcode = struct.unpack("<iiii", self._receive(16))
        payload = self._receive(length - 16)
        if opcode != OP_MSG or answers != self._last_id:
            raise OSError(f"unexpected message: opcode {opcode}, in answer to {answers}")
        reply = decode(payload[5:])
        if reply.get("ok") != 1:
            raise CommandError(reply)
        return reply

    def close(self):
        self._socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _receive(self, size):
        data = bytearray()
        while len(data) < size:
            part = self._socket.recv(size - len(data))
            if not part:
                raise ConnectionResetError("the server closed the connection")
            data += part
        return bytes(data)
