"""What `analyze` prints: verdict, memories, a table of stages, a sweep; the same as JSON."""

from __future__ import annotations

from collections.abc import Sequence

from nacre.lower import LoweredGraph
from nacre.program import shape_text
from nacre.residency import Json
from nacre.stages.analysis import Analysis, Point
from nacre.stages.facts import CASCADE, TILES, Stage
from nacre.stages.request import UNLIMITED
from nacre.text import macs, number, size, table


def analysis_text(analysis: Analysis, model: str) -> str:
    parts = [_headline(analysis, model), f"  {verdict(analysis)}", "", _memories(analysis)]
    if analysis.stages:
        parts += ["", _stages(analysis)]
    return "\n".join(parts)


def verdict(analysis: Analysis) -> str:
    """fits, fits in N stages, or what would."""
    if not analysis.fits:
        return _misfit(analysis)
    traffic = analysis.traffic
    moved = f"{number(traffic.activations)} bytes moved, {number(traffic.weights)} constants read"
    if len(analysis.stages) <= 1 and not analysis.bands:
        return f"fits: runs whole · {moved}"
    return f"fits in {_counted(analysis.stages)} · {moved}"


def _counted(stages: Sequence[Stage]) -> str:
    """5 stages (2 cascades, 1 by tiles)"""
    cascades = sum(stage.kind == CASCADE for stage in stages)
    tiled = sum(stage.kind == TILES for stage in stages)
    kinds = [f"{cascades} cascade{'s' if cascades > 1 else ''}"] if cascades else []
    kinds += [f"{tiled} by tiles"] if tiled else []
    words = f"{len(stages)} stage{'s' if len(stages) != 1 else ''}"
    return f"{words} ({', '.join(kinds)})" if kinds else words


def _misfit(analysis: Analysis) -> str:
    memories = analysis.budget.memories
    if not analysis.fits_fast:
        step = analysis.blocker
        because = f": op {step.operator.id} {step.operator.type}" if step is not None else ""
        return f"does not fit {memories[0]}{because}; {_smallest(analysis)}"
    for memory, most, peak in zip(memories, analysis.budget.sizes, analysis.peaks, strict=True):
        if peak > most:
            return f"does not fit {memory}: it needs {number(peak)} bytes"
    flash = analysis.flash
    return f"does not fit the read-only memory: about {number(flash.total)} bytes"


def _smallest(analysis: Analysis) -> str:
    smallest = analysis.smallest_budget
    if smallest is None:
        return "no budget is enough"
    words = f"smallest budget that fits: {number(smallest)} bytes"
    slower = analysis.budget.memories[1:]
    if not slower:
        return f"{words} (-m {smallest})"
    return f"{words}, with enough {' and '.join(slower)} behind it (-m {smallest}+SIZE)"


def _headline(analysis: Analysis, model: str) -> str:
    graph = analysis.graph
    parts = [
        f"{len(graph.steps)} steps",
        macs(sum(step.macs for step in graph.steps)),
        f"in {_signature(graph, graph.inputs)}",
        f"out {_signature(graph, graph.outputs)}",
    ]
    return f"{model}  " + " · ".join(parts)


def _signature(graph: LoweredGraph, keys: tuple[str, ...]) -> str:
    tensors = [graph.tensors[key] for key in keys]
    return ", ".join(f"{t.dtype.value}{shape_text(t.shape)}" for t in tensors) or "nothing"


def _memories(analysis: Analysis) -> str:
    budget, flash = analysis.budget, analysis.flash
    rows = [["memory", "bytes", "of", ""]]
    for (name, most), peak in zip(budget.items, analysis.peaks, strict=True):
        is_fast = name == budget.memories[0]
        note = _smallest(analysis) if is_fast and analysis.fits_fast else ""
        shown = number(peak) if analysis.fits_fast else "?"
        rows.append([str(name), shown, size(None if most >= UNLIMITED else most), note])
    about = f"constants {number(flash.constants)}, code about {number(flash.code)}"
    rows.append(["read-only", number(flash.total), size(flash.limit), about])
    return table(rows, right=(1,))


def _stages(analysis: Analysis) -> str:
    header = ["stage", "kind", "operators", "", "bands", "fast", "loaded", "spilled", "constants"]
    rows = [header, *(_row(n, stage) for n, stage in enumerate(analysis.stages))]
    return table(rows, right=(0, 4, 5, 6, 7, 8))


def _row(number_of: int, stage: Stage) -> list[str]:
    first, last = stage.operators[0], stage.operators[-1]
    names = first[1] if first == last else f"{first[1]} … {last[1]}"
    ids = first[0] if first == last else f"{first[0]} … {last[0]}"
    return [
        str(number_of), stage.kind, f"{len(stage.operators)}: {names}", ids,
        "" if stage.bands == 1 else number(stage.bands), number(stage.fast_bytes),
        number(stage.loaded), number(stage.spilled), number(stage.constants),
    ]  # fmt: skip


def sweep_text(points: Sequence[Point]) -> str:
    """The curve budget -> cost, stages, peaks."""
    header = ["budget", "moved", "constants", "sum", "stages", "bands", "fast", "slow"]
    return table([header, *(_point(p) for p in points)], right=tuple(range(len(header))))


def _point(point: Point) -> list[str]:
    if point.cost is None:
        return [number(point.budget), *["-"] * 7]
    total = point.activation_bytes + point.weight_bytes
    figures = (
        point.budget, point.activation_bytes, point.weight_bytes, total, point.stages, point.bands,
        point.fast_peak, point.slow_peak,
    )  # fmt: skip
    return [number(figure) for figure in figures]


def analysis_json(analysis: Analysis) -> dict[str, Json]:
    """The keys that other tools read; figures of a plan are null when there is none."""
    traffic, has_plan = analysis.traffic, analysis.fits_fast

    def figure(value: int) -> int | None:
        return value if has_plan else None

    return {
        "fits": analysis.fits,
        "stages": figure(len(analysis.stages)),
        "bands": figure(analysis.bands),
        "fast_peak": figure(analysis.fast_peak),
        "slow_peak": figure(analysis.slow_peak),
        "activation_bytes": figure(traffic.activations),
        "weight_bytes": figure(traffic.weights),
        "table_bytes": figure(sum(stage.tables for stage in analysis.stages)),
        "macs": sum(step.macs for step in analysis.graph.steps),
        "extra_macs": figure(traffic.extra_macs),
        "smallest_budget": analysis.smallest_budget,
        "blocker": None if analysis.blocker is None else analysis.blocker.operator.id,
        "flash_bytes": analysis.flash.total,
        "memories": [
            {
                "name": name.lower(),
                "budget": None if most >= UNLIMITED else most,
                "peak": figure(peak),
            }
            for (name, most), peak in zip(analysis.budget.items, analysis.peaks, strict=True)
        ],
        "segments": [_stage_json(stage) for stage in analysis.stages],
    }


def _stage_json(stage: Stage) -> dict[str, Json]:
    return {
        "kind": stage.kind,
        "operators": [key for key, _ in stage.operators],
        "bands": stage.bands,
        "fast_bytes": stage.fast_bytes,
        "loaded_bytes": stage.loaded,
        "spilled_bytes": stage.spilled,
        "weight_bytes": stage.constants,
        "staged_bytes": stage.staged,
        "table_bytes": stage.tables,
    }


def sweep_json(points: Sequence[Point]) -> list[Json]:
    return [
        {
            "budget": p.budget,
            "fits": p.cost is not None,
            "cost": p.cost,
            "stages": p.stages,
            "bands": p.bands,
            "fast_peak": p.fast_peak,
            "slow_peak": p.slow_peak,
            "activation_bytes": p.activation_bytes,
            "weight_bytes": p.weight_bytes,
        }
        for p in points
    ]
