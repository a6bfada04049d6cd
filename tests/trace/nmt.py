# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""Reads a trace as docs/trace-format.md describes it, and nothing else: no code of numatch."""

import ctypes
import ctypes.util
import json
import struct
import zlib

MASK = (1 << 64) - 1
HEADER = struct.Struct("<4sHHIIQQQQQQ")
EVENT = struct.Struct("<IHBBQQII")


def unpack(stored, raw_bytes):
    """One zstd frame."""
    library = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
    library.ZSTD_decompress.restype = ctypes.c_size_t
    library.ZSTD_decompress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p,
                                        ctypes.c_size_t]
    raw = ctypes.create_string_buffer(max(raw_bytes, 1))
    size = library.ZSTD_decompress(raw, raw_bytes, stored, len(stored))
    assert size == raw_bytes, "not a zstd frame of the recorded size"
    return raw.raw[:raw_bytes]


class Chunk:
    def __init__(self, file_bytes, offset):
        self.header = file_bytes[offset:offset + 64]
        (magic, self.kind, compression, self.thread, crc, stored, raw, self.position, self.records,
         self.stamp, self.instructions) = HEADER.unpack(self.header)
        assert magic == b"NMTC"
        body = file_bytes[offset + 64:offset + 64 + stored]
        checked = self.header[:12] + bytes(4) + self.header[16:] + body
        assert zlib.crc32(checked) == crc, "checksum"
        self.end = offset + 64 + stored
        self.raw = unpack(body, raw) if compression == 1 else body
        assert len(self.raw) == raw


class Numbers:
    """The varints of an access stream."""

    def __init__(self, raw):
        self.raw = raw
        self.at = 0

    def more(self):
        return self.at < len(self.raw)

    def next(self):
        value = shift = 0
        while True:
            byte = self.raw[self.at]
            self.at += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value

    def distance(self):
        value = self.next()
        return value >> 1 if value & 1 == 0 else -(value >> 1) - 1


class Site:
    def __init__(self, pc, size_code, expected):
        self.pc = pc
        self.bytes = size_code >> 1
        self.write = size_code & 1 == 1
        self.expected = expected
        self.stride = 0
        self.candidate = 0
        self.next = None

    def predicted(self):
        address = self.expected
        self.expected = (self.expected + self.stride) & MASK
        return address

    def learn(self, address):
        address &= MASK
        distance = (address - (self.expected - self.stride)) & MASK
        if distance == self.candidate:
            self.stride = distance
        self.candidate = distance
        self.expected = (address + self.stride) & MASK
        return address


def accesses_of(chunk):
    """Yields ("block", stamp, instructions before it) and ("access", pc, address, bytes, write)."""
    numbers = Numbers(chunk.raw)
    sites = []
    last = Site(0, 0, 0)
    stamp = chunk.stamp
    left = chunk.records

    def run(count):
        nonlocal last, left
        left -= count
        for _ in range(count):
            last = last.next
            yield "access", last.pc, last.predicted(), last.bytes, last.write

    while numbers.more():
        head = numbers.next()
        yield from run(head >> 2)
        kind = head & 3
        if kind == 3:
            stamp += numbers.next()
            yield "block", stamp, numbers.next()
            continue
        if kind == 0:
            site = last.next
            address = site.learn(site.expected + numbers.distance())
        else:
            number = numbers.next()
            if kind == 2 and number == len(sites):
                pc = (last.pc + numbers.distance()) & MASK
                size_code = numbers.next()
                address = (last.expected + numbers.distance()) & MASK
                site = Site(pc, size_code, address)
                sites.append(site)
            else:
                site = sites[number]
                address = (site.predicted() if kind == 1
                           else site.learn(site.expected + numbers.distance()))
            last.next = site
        last = site
        left -= 1
        yield "access", site.pc, address, site.bytes, site.write
    yield from run(left)


def events_of(chunk):
    """Yields (kind, position, stamp, arguments, text)."""
    at = 0
    for _ in range(chunk.records):
        size, kind, count, _, position, stamp, text_bytes, _ = EVENT.unpack_from(chunk.raw, at)
        arguments = struct.unpack_from(f"<{count}Q", chunk.raw, at + 32)
        text = chunk.raw[at + 32 + 8 * count:at + 32 + 8 * count + text_bytes]
        yield kind, position, stamp, arguments, text
        at += size
    assert at == len(chunk.raw)


class Trace:
    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        assert data[:8] == b"NUMATRC\n"
        assert struct.unpack_from("<II", data, 8) == (1, 0)
        index_offset, size, crc, zero, magic = struct.unpack("<QQII8s", data[-32:])
        assert magic == b"NUMAEND\n" and zero == 0 and size == len(data)
        assert zlib.crc32(data[-32:-16]) == crc
        index = Chunk(data, index_offset)
        assert index.kind == 5 and index.end == len(data) - 32
        self.chunks = []
        offset = 16
        for entry in range(index.records):
            where, = struct.unpack_from("<Q", index.raw, 72 * entry)
            assert where == offset
            chunk = Chunk(data, offset)
            assert chunk.header == index.raw[72 * entry + 8:72 * entry + 72]
            self.chunks.append(chunk)
            offset = chunk.end
        assert offset == index_offset
        metadata, = [chunk for chunk in self.chunks if chunk.kind == 1]
        self.metadata = json.loads(metadata.raw)

    def threads(self):
        return sorted({chunk.thread for chunk in self.chunks if chunk.kind in (2, 3, 4)})

    def of(self, thread, kind):
        return [chunk for chunk in self.chunks if chunk.thread == thread and chunk.kind == kind]

    def accesses(self, thread):
        position = 0
        for chunk in self.of(thread, 2):
            assert chunk.position == position
            position += chunk.records
            yield from accesses_of(chunk)

    def events(self, thread):
        for chunk in self.of(thread, 3):
            yield from events_of(chunk)
