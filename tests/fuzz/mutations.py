"""Damages files the way accidents and attackers do, from a seeded source of chance."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Sequence

VALUES = (
    0,
    1,
    2,
    3,
    4,
    7,
    8,
    16,
    127,
    128,
    255,
    256,
    65535,
    2**31 - 1,
    2**31,
    2**32 - 4,
    2**32 - 1,
)
MOST_MUTATIONS = 6


def mutate(data: bytes, corpus: Sequence[bytes], chance: random.Random) -> bytes:
    """One to six damages in a row."""
    damaged = bytearray(data)
    for _ in range(chance.randint(1, MOST_MUTATIONS)):
        chance.choice(MUTATIONS)(damaged, corpus, chance)
    return bytes(damaged)


def _flip_bit(data: bytearray, _corpus: Sequence[bytes], chance: random.Random) -> None:
    if data:
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def _set_byte(data: bytearray, _corpus: Sequence[bytes], chance: random.Random) -> None:
    if data:
        data[chance.randrange(len(data))] = chance.randrange(256)


def _patch_word(data: bytearray, _corpus: Sequence[bytes], chance: random.Random) -> None:
    """An aligned 32-bit word: offsets, lengths, dimensions, scales."""
    if len(data) >= 4:
        at = 4 * chance.randrange(len(data) // 4)
        struct.pack_into("<I", data, at, chance.choice(VALUES))


def _nudge_word(data: bytearray, _corpus: Sequence[bytes], chance: random.Random) -> None:
    if len(data) >= 4:
        at = 4 * chance.randrange(len(data) // 4)
        word = struct.unpack_from("<I", data, at)[0] + chance.choice((-4, -2, -1, 1, 2, 4, 64))
        struct.pack_into("<I", data, at, word % 2**32)


def _patch_half(data: bytearray, _corpus: Sequence[bytes], chance: random.Random) -> None:
    """An aligned 16-bit word: the entries of vtables."""
    if len(data) >= 2:
        at = 2 * chance.randrange(len(data) // 2)
        struct.pack_into("<H", data, at, chance.choice(VALUES) % 2**16)


def _redirect(data: bytearray, _corpus: Sequence[bytes], chance: random.Random) -> None:
    """An offset that leads somewhere else inside the file."""
    if len(data) >= 8:
        at = 4 * chance.randrange(len(data) // 4)
        struct.pack_into("<I", data, at, chance.randrange(len(data)) % max(1, len(data) - at))


def _truncate(data: bytearray, _corpus: Sequence[bytes], chance: random.Random) -> None:
    if chance.random() < 0.2:
        del data[chance.randint(0, len(data)) :]


def _copy_block(data: bytearray, _corpus: Sequence[bytes], chance: random.Random) -> None:
    if len(data) >= 8:
        size = chance.choice((4, 8, 16, 32))
        source, target = (4 * chance.randrange(len(data) // 4) for _ in range(2))
        block = data[source : source + size]
        data[target : target + len(block)] = block


def _splice(data: bytearray, corpus: Sequence[bytes], chance: random.Random) -> None:
    """A piece of another file in the same place."""
    other = chance.choice(corpus)
    if len(other) >= 4:
        start = 4 * chance.randrange(len(other) // 4)
        piece = other[start : start + chance.choice((4, 16, 64, 256))]
        data[start : start + len(piece)] = piece


def _insert(data: bytearray, _corpus: Sequence[bytes], chance: random.Random) -> None:
    if chance.random() < 0.2:
        at = 4 * chance.randint(0, len(data) // 4)
        data[at:at] = bytes(chance.choice((1, 2, 4, 16)))


Mutation = Callable[[bytearray, Sequence[bytes], random.Random], None]
MUTATIONS: tuple[Mutation, ...] = (
    _flip_bit,
    _set_byte,
    _patch_word,
    _nudge_word,
    _patch_half,
    _redirect,
    _truncate,
    _copy_block,
    _splice,
    _insert,
)
