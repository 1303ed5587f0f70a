"""The offset problem and its solution: the contract between lifetimes, solvers and validator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Buffer:
    """Bytes that are alive over the half-open step range [lower, upper).

    step    0   1   2   3   4
    buffer      [=======)         lower 1, upper 3: alive during steps 1 and 2
    """

    id: str
    size: int
    lower: int
    upper: int
    alignment: int = 1
    memory: str = ""
    # A pinned buffer has its offset already; a free one is for the solver to place.
    offset: int | None = None


@dataclass(frozen=True)
class Overlap:
    """Two buffers that are alive together yet may share bytes, up to a distance.

    `second` is written while `first` is consumed. Besides being disjoint, they are allowed
        offset(first) - offset(second) >= ahead            (rows walked first to last)
        end(second)   - end(first)     >= behind           (rows walked last to first)
    None forbids that direction. The bound of plain live bytes counts both in full.
    """

    first: str
    second: str
    ahead: int | None = None
    behind: int | None = None


@dataclass(frozen=True)
class Problem:
    """Place every buffer at a multiple of its alignment so that no two clash."""

    buffers: tuple[Buffer, ...]
    overlaps: tuple[Overlap, ...] = ()
    # Bytes of each memory; a memory that is absent has no limit.
    capacities: Mapping[str, int] | None = None


@dataclass(frozen=True)
class Solution:
    """An offset for each buffer, and per memory the height reached and its lower bound."""

    offsets: Mapping[str, int]
    heights: Mapping[str, int]
    lower_bounds: Mapping[str, int]
    # True: no lower height exists. False: the search ended before it could tell.
    optimal: bool = False
