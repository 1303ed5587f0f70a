"""What the rest of a way costs at least: a bound that lets the search drop states early."""

from __future__ import annotations

from nacre.stages.frontier import Rates
from nacre.stages.network import Network, Task


class Floor:
    """Constants are read, what waits in slow memory is loaded, outputs are spilled: once each."""

    def __init__(self, net: Network, rates: Rates, waiting: frozenset[int]) -> None:
        """`waiting`: strips that may be in slow memory."""
        count = len(net.tasks)
        self.loads = [
            rates.load * _least(net, n) if n in waiting else 0 for n in range(len(net.strips))
        ]
        self.spills = [
            rates.spill * s.size if s.is_output and s.writers and n in waiting else 0
            for n, s in enumerate(net.strips)
        ]
        self.pending = [
            frozenset(n for n in net.live(cut) if net.strips[n].last_reader >= cut)
            for cut in range(count + 1)
        ]
        rest, self.base = 0, [0] * (count + 1)
        unborn = {n: min(s.writers) for n, s in enumerate(net.strips) if s.writers}
        made: dict[int, list[int]] = {}
        for n, first in unborn.items():
            made.setdefault(first, []).append(n)
        for cut in range(count, -1, -1):
            if cut < count:
                rest += rates.constant * net.tasks[cut].constant_bytes
                rest += sum(self.spills[n] for n in made.get(cut, ()))
            self.base[cut] = rest + sum(self.loads[n] for n in self.pending[cut])

    def after(self, cut: int, state: tuple[tuple[int, bool], ...]) -> int:
        """The least that tasks from `cut` on cost, with these strips in fast memory."""
        rest = self.base[cut]
        for n, both in state:
            if n in self.pending[cut]:
                rest -= self.loads[n]
            if not both:
                rest += self.spills[n]
        return rest


def _least(net: Network, strip: int) -> int:
    """Bytes that any one reader must have of a strip, whatever way it runs."""
    readers = [net.tasks[r] for r in net.strips[strip].readers]
    return min((_touched(net, task, strip) for task in readers), default=0)


def _touched(net: Network, task: Task, strip: int) -> int:
    """Rows that are skipped may mean columns that are skipped; by boxes nothing is certain."""
    if task.needs is None:
        return 0
    s = net.strips[strip]
    rows = next(need.touched for need in task.needs if need.strip == strip)
    return s.size * rows * rows // (s.rows * s.rows)
