"""The cheapest way to part a network of one-way pipes, by Dinic's algorithm."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

N = TypeVar("N", bound=Hashable)
UNLIMITED = 1 << 62


@dataclass
class Network(Generic[N]):
    """Accumulates pipes; an edge e and its way back are numbers 2k and 2k + 1."""

    numbers: dict[N, int] = field(default_factory=dict)
    edges: list[list[int]] = field(default_factory=list)
    heads: list[int] = field(default_factory=list)
    room: list[int] = field(default_factory=list)

    def connect(self, start: N, end: N, capacity: int) -> None:
        a, b = self._number(start), self._number(end)
        self.edges[a].append(len(self.heads))
        self.edges[b].append(len(self.heads) + 1)
        self.heads += [b, a]
        self.room += [capacity, 0]

    def _number(self, name: N) -> int:
        if name not in self.numbers:
            self.numbers[name] = len(self.edges)
            self.edges.append([])
        return self.numbers[name]

    def cut(self, source: N, sink: N) -> tuple[int, set[N]]:
        """The capacity that must be cut, and the smallest set of names on the source's side."""
        first, last = self._number(source), self._number(sink)
        total = 0
        depths = self._depths(first)
        while depths[last] >= 0:
            places = [0] * len(self.edges)
            while (pushed := self._push(first, last, depths, places)) > 0:
                total += pushed
            depths = self._depths(first)
        return total, {name for name, n in self.numbers.items() if depths[n] >= 0}

    def _depths(self, first: int) -> list[int]:
        """Steps from the source along pipes with room; -1 where none lead."""
        depths = [-1] * len(self.edges)
        depths[first] = 0
        queue = deque([first])
        while queue:
            node = queue.popleft()
            for edge in self.edges[node]:
                head = self.heads[edge]
                if self.room[edge] and depths[head] < 0:
                    depths[head] = depths[node] + 1
                    queue.append(head)
        return depths

    def _push(self, first: int, last: int, depths: list[int], places: list[int]) -> int:
        """Fill one shortest path; 0 when there is none left."""
        path: list[int] = []
        node = first
        while node != last:
            edge = self._next(node, depths, places)
            if edge is not None:
                path.append(edge)
                node = self.heads[edge]
            elif path:
                node = self.heads[path.pop() ^ 1]
                places[node] += 1
            else:
                return 0
        amount = min(self.room[e] for e in path)
        for edge in path:
            self.room[edge] -= amount
            self.room[edge ^ 1] += amount
        return amount

    def _next(self, node: int, depths: list[int], places: list[int]) -> int | None:
        edges = self.edges[node]
        while places[node] < len(edges):
            edge = edges[places[node]]
            if self.room[edge] and depths[self.heads[edge]] == depths[node] + 1:
                return edge
            places[node] += 1
        return None
