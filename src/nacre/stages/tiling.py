"""Tilings of one operator: boxes so small that a tile fits where no row does, cheapest first."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod

from nacre.ir import Node, Tensor, TensorKind
from nacre.ops.kind import Boxed
from nacre.stages.boxes import Group, cut_axis, groups, runs, span_of
from nacre.stages.frontier import Rates
from nacre.stages.network import Network

# Tilings of a task, groups of a tiling, and pieces of an axis that have no equals.
MOST_TILINGS = 12
MOST_GROUPS = 64
MOST_SINGLES = 64


@dataclass(frozen=True, eq=False)
class Tiling:
    """An operator by tiles: `memory` for the boxes and scratch of the largest of each."""

    groups: tuple[Group, ...]
    memory: int
    # Bytes that come in of each strip, and constants read, over all tiles.
    loaded: Mapping[int, int]
    constants: int
    # Strips that every tile reads as a whole, with the bytes of their boxes: no boxes are needed
    # where such a strip is in fast memory.
    wholes: Mapping[int, int]

    def memory_with(self, lacking: Container[int]) -> int:
        """Bytes when only these strips come from slow memory."""
        return self.memory - sum(size for n, size in self.wholes.items() if n not in lacking)


@dataclass(frozen=True)
class _Guess:
    """What a tiling would take, from the pieces of each axis alone."""

    memory: float
    # Bytes read over all tiles, per moving input and, last, of constants.
    totals: tuple[float, ...]
    # Bytes of the largest box of each moving input.
    largest: tuple[float, ...]
    groups: int
    extents: tuple[int, ...]

    @property
    def cost(self) -> float:
        return sum(self.totals)


@dataclass(frozen=True)
class _Share:
    """Parts of the whole, per input and for the constants: largest piece, sum over the pieces."""

    extent: int
    pieces: int
    runs: int
    largest: tuple[float, ...]
    total: tuple[float, ...]


class Tilings:
    """The tilings of the tasks of a network, made when they are asked for."""

    def __init__(self, net: Network, rates: Rates) -> None:
        self.net, self.rates = net, rates
        self._fronts: dict[int, list[_Guess]] = {}
        self._ranked: dict[tuple[int, tuple[int, ...]], list[tuple[float, _Guess]]] = {}
        self._made: dict[tuple[int, tuple[int, ...]], Tiling | None] = {}

    def best(self, position: int, lacking: tuple[int, ...], room: int) -> Tiling | None:
        """The cheapest tiling of a task that fits, when these strips come from slow memory.

        Guesses leave out what lowering adds to the constants, so they are never too high: once
        they pass what has been found, nothing cheaper is left.
        """
        best: tuple[int, Tiling] | None = None
        for bound, guess in self._rank(position, lacking):
            if best is not None and bound >= best[0]:
                break
            least = guess.memory - self._spared(position, guess, lacking)
            tiling = self._tiling(position, guess.extents) if least <= room else None
            if tiling is None or tiling.memory_with(lacking) > room:
                continue
            cost = self.cost(tiling, lacking)
            if best is None or cost < best[0]:
                best = cost, tiling
        return None if best is None else best[1]

    def _spared(self, position: int, guess: _Guess, lacking: tuple[int, ...]) -> float:
        """Bytes of inputs that are in fast memory and that every tile reads as a whole."""
        graph, strips = self.net.graph, self.net.strips
        owners = {strips[n].tensor for n in lacking}
        inputs = _moving(self.net.tasks[position].step.node)
        return sum(
            t.size
            for t, part in zip(inputs, guess.largest, strict=False)
            if part == t.size and graph.storage(t.id) not in owners
        )

    def smallest(self, position: int) -> int | None:
        """The bytes of the smallest tiling of a task."""
        if position not in self._fronts:
            self._fronts[position] = self._front(position)
        for guess in self._fronts[position]:
            tiling = self._tiling(position, guess.extents)
            if tiling is not None:
                return tiling.memory
        return None

    def cost(self, tiling: Tiling, lacking: tuple[int, ...]) -> int:
        loaded = sum(tiling.loaded.get(n, 0) for n in lacking)
        return self.rates.load * loaded + self.rates.constant * tiling.constants

    def _rank(self, position: int, lacking: tuple[int, ...]) -> list[tuple[float, _Guess]]:
        """The guesses by cost, the cheapest first."""
        key = position, lacking
        if key not in self._ranked:
            if position not in self._fronts:
                self._fronts[position] = self._front(position)
            found = [(self._bound(position, g, lacking), g) for g in self._fronts[position]]
            self._ranked[key] = sorted(found, key=lambda item: (item[0], item[1].extents))
        return self._ranked[key]

    def _bound(self, position: int, guess: _Guess, lacking: tuple[int, ...]) -> float:
        graph, strips = self.net.graph, self.net.strips
        owners = {strips[n].tensor for n in lacking}
        inputs = _moving(self.net.tasks[position].step.node)
        loaded = sum(
            total
            for t, total in zip(inputs, guess.totals, strict=False)
            if graph.storage(t.id) in owners
        )
        cost = self.rates.load * loaded + self.rates.constant * guess.totals[-1]
        return cost * (1 - 1e-9)

    def _front(self, position: int) -> list[_Guess]:
        task = self.net.tasks[position]
        alone = all(self.net.strips[n].writers == (position,) for n in task.writes)
        if len(task.step.node.outputs) != 1 or len(task.writes) != 1 or not alone:
            return []
        owners = {self.net.graph.storage(t.id) for t in _moving(task.step.node)}
        if not owners <= {self.net.strips[n].tensor for n in task.reads}:
            return []  # it reads a variable
        return _chosen(_front(task.step.node))

    def _tiling(self, position: int, extents: tuple[int, ...]) -> Tiling | None:
        key = position, extents
        if key not in self._made:
            cut = groups(self.net.tasks[position].step.node, extents)
            self._made[key] = None if cut is None else _tiling(self.net, cut)
        return self._made[key]


def _front(node: Node) -> list[_Guess]:
    """Guesses that are cheaper than all smaller ones, the smallest first."""
    shape = node.output.shape
    shares = [list(_shares(node, axis)) for axis in range(len(shape))]
    sizes = [float(t.size) for t in _moving(node)] + [float(_constants(node.inputs))]
    guesses = [_guess(node, sizes, chosen) for chosen in product(*shares)]
    few = [g for g in guesses if g.groups <= MOST_GROUPS] or guesses
    front: list[_Guess] = []
    for guess in sorted(few, key=lambda g: (g.memory, g.cost, g.groups)):
        if not front or guess.cost < front[-1].cost:
            front.append(guess)
    return front


def _chosen(front: list[_Guess]) -> list[_Guess]:
    """At most so many, spread over the front, both ends among them."""
    if len(front) <= MOST_TILINGS:
        return front
    places = [n * (len(front) - 1) // (MOST_TILINGS - 1) for n in range(MOST_TILINGS)]
    return [front[n] for n in places]


def _guess(node: Node, sizes: list[float], chosen: tuple[_Share, ...]) -> _Guess:
    output = float(node.output.size)
    totals, boxes = [], []
    for k, size in enumerate(sizes):
        largest = total = size
        for share in chosen:
            largest, total = largest * share.largest[k], total * share.total[k]
        totals.append(total)
        boxes.append(largest)
    for share, full in zip(chosen, node.output.shape, strict=True):
        output = output * share.extent / full
    counts = sorted(((share.pieces, share.runs) for share in chosen), reverse=True)
    many = prod(runs if n < 2 else pieces for n, (pieces, runs) in enumerate(counts))
    extents = tuple(share.extent for share in chosen)
    memory = sum(boxes[:-1]) + output
    return _Guess(memory, tuple(totals), tuple(boxes[:-1]), many, extents)


def _shares(node: Node, axis: int) -> Iterator[_Share]:
    """The axis whole, in halves, quarters and so on, as far as the operator can be cut."""
    size = node.output.shape[axis]
    count = len(_moving(node)) + 1
    yield _Share(size, 1, 1, (1.0,) * count, (1.0,) * count)
    extent = size
    while extent > 1:
        extent = -(-extent // 2)
        pieces = _sampled(node, axis, extent)
        if pieces is None:
            return
        shares = [(_parts(node, boxed), many) for boxed, many in pieces]
        yield _Share(
            extent,
            sum(many for _, many in pieces),
            len(pieces),
            tuple(max(parts[k] for parts, _ in shares) for k in range(count)),
            tuple(sum(parts[k] * many for parts, many in shares) for k in range(count)),
        )


def _sampled(node: Node, axis: int, extent: int) -> list[tuple[Boxed, int]] | None:
    """A piece of every run of the axis with the length of the run; None: it cannot be cut so."""
    size = node.output.shape[axis]
    if cut_axis(node, axis, span_of(0, extent, size)) is None:
        return None
    found = runs(node, axis, extent)
    if len(found) > MOST_SINGLES:
        return None
    cuts = [(cut_axis(node, axis, span_of(r.begin, extent, size)), r.count) for r in found]
    kept = [(boxed, count) for boxed, count in cuts if boxed is not None]
    return kept if len(kept) == len(cuts) else None


def _parts(node: Node, boxed: Boxed) -> tuple[float, ...]:
    """What a cut reads of each moving input and of the constants, as parts of the whole."""
    constants = _constants(node.inputs)
    sizes = [t.size for t in _moving(boxed.node)]
    own = [size / max(1, t.size) for size, t in zip(sizes, _moving(node), strict=False)]
    own += [1.0] * (len(_moving(node)) - len(own))
    return (*own, _constants(boxed.node.inputs) / constants if constants else 0.0)


def _moving(node: Node) -> list[Tensor]:
    return [t for t in node.inputs if t is not None and t.kind is not TensorKind.CONSTANT]


def _constants(inputs: tuple[Tensor | None, ...]) -> int:
    return sum(t.size for t in inputs if t is not None and t.kind is TensorKind.CONSTANT)


def _tiling(net: Network, cut: tuple[Group, ...]) -> Tiling:
    numbers = {strip.tensor: n for n, strip in enumerate(net.strips)}
    loaded: dict[int, int] = {}
    for group in cut:
        for piece in group.loads:
            strip = numbers[net.graph.storage(piece.tensor)]
            loaded[strip] = loaded.get(strip, 0) + group.count * piece.lines.size
    constants = sum(group.count * group.constant_bytes for group in cut)
    sizes = slots(cut, _floor(net))
    return Tiling(cut, sum(sizes.values()), loaded, constants, _wholes(net, cut, sizes))


def _wholes(net: Network, cut: tuple[Group, ...], sizes: dict[str, int]) -> dict[int, int]:
    """Inputs of which every piece is the whole strip, by strip."""
    numbers = {strip.tensor: n for n, strip in enumerate(net.strips)}
    found: dict[int, int] = {}
    for place, piece in enumerate(cut[0].loads):
        strip = numbers[net.graph.storage(piece.tensor)]
        whole = net.strips[strip].size
        if all(len(g.loads) > place and g.loads[place].lines.size == whole for g in cut):
            found[strip] = found.get(strip, 0) + sizes[f"input{place}"]
    return found


def _floor(net: Network) -> int:
    return min((strip.alignment for strip in net.strips), default=1)


def slots(cut: tuple[Group, ...], floor: int) -> dict[str, int]:
    """Padded bytes of what the tiles take turns on: boxes of inputs and output, scratch."""
    found: dict[str, int] = {}
    for group in cut:
        sizes = {t.id: t.size for t in group.tensors}
        for key, role in roles(group).items():
            padded = -(-max(1, sizes[key]) // floor) * floor
            found[role] = max(padded, found.get(role, 0))
    return found


def roles(group: Group) -> dict[str, str]:
    """Tensor of a tile -> what it takes turns on with those of other groups."""
    found = {piece.tile: f"input{n}" for n, piece in enumerate(group.loads)}
    found[group.store.tile] = "output"
    return found | {key: f"scratch{n}" for n, key in enumerate(group.step.scratch)}
