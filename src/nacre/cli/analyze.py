"""nacre analyze."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nacre.cli.options import Request, model_options, request
from nacre.cli.run import guarded, json_option, progress, progress_done, show, show_json
from nacre.errors import ConfigError

if TYPE_CHECKING:
    from nacre.stages.analysis import Analysis, Point
    from nacre.stages.request import Forms

# Budgets of a sweep when it does not say how many.
POINTS = 64


@click.command("analyze")
@model_options
@click.option("--trace", is_flag=True, help="List every load, spill, ring advance and step.")
@click.option(
    "--sweep",
    metavar="LOW:HIGH[:COUNT]",
    help=f"Plan for COUNT budgets of fast memory (default {POINTS}), as in 8K:1M.",
)
@click.option(
    "--plot",
    type=click.Path(path_type=Path),
    metavar="FILE.svg|FILE.png",
    help="Draw the curve of the sweep.",
)
@json_option
@guarded
def command(
    trace: bool, sweep: str | None, plot: Path | None, as_json: bool, **values: object
) -> None:
    """Does MODEL fit a budget (-m FAST[+SLOW], -f FLASH), in how many stages, at what cost?"""
    asked = request(values)
    budgets = None if sweep is None else _budgets(sweep)
    _check_plot(plot, sweep)
    found = _forms(asked)
    analysis = _analysis(asked, found)
    points = [] if budgets is None else _swept(found, budgets)
    if plot is not None:
        _draw(plot, points, asked)
    progress_done()
    if as_json:
        _show_json(analysis, points, trace)
    else:
        _show_text(analysis, points, trace, asked)
    if not analysis.fits:
        sys.exit(1)


def _budgets(text: str) -> list[int]:
    from nacre.config.schema import parse_size
    from nacre.stages.analysis import sweep_budgets

    parts = text.split(":")
    try:
        sizes = [parse_size(part) for part in parts[:2]]
        count = int(parts[2]) if len(parts) == 3 else POINTS
    except ValueError:
        sizes, count = [], 0
    low, high = (sizes[0], sizes[1]) if len(sizes) == 2 else (0, 0)
    assert isinstance(low, int) and isinstance(high, int)
    if len(parts) not in (2, 3) or not 0 < low <= high or count < 1:
        raise ConfigError(f"--sweep {text!r}: write it like 8K:1M or 8K:1M:100")
    return sweep_budgets(low, high, count)


def _check_plot(plot: Path | None, sweep: str | None) -> None:
    if plot is None:
        return
    if sweep is None:
        raise ConfigError("--plot draws a sweep: give --sweep 8K:1M too")
    if plot.suffix.lower() not in (".svg", ".png"):
        raise ConfigError(
            f"--plot {plot}: the picture is SVG or PNG; give a name that ends so: "
            f"{plot.with_suffix('.svg')}"
        )


def _forms(asked: Request) -> Forms:
    from nacre.cli.model import imported
    from nacre.compile import budgeted

    graph = imported(asked)
    return budgeted(graph, asked.config)


def _analysis(asked: Request, found: Forms) -> Analysis:
    from nacre.stages.analysis import analyse

    progress("planning stages")
    return analyse(found, asked.config.memory.flash)


def _swept(found: Forms, budgets: list[int]) -> list[Point]:
    from nacre.stages.analysis import sweep_point

    points = []
    for n, budget in enumerate(reversed(budgets)):
        progress(f"planning budget {n + 1} of {len(budgets)}")
        points.append(sweep_point(found, budget))
    return points[::-1]


def _draw(plot: Path, points: list[Point], asked: Request) -> None:
    from nacre.cli.report import write_file
    from nacre.report.analysis_plot import plot_svg
    from nacre.report.analysis_png import plot_png

    if plot.suffix.lower() == ".png":
        write_file(plot, plot_png(points, asked.model.name))
    else:
        write_file(plot, plot_svg(points, asked.model.name).encode())


def _show_json(analysis: Analysis, points: list[Point], trace: bool) -> None:
    from nacre.report.analysis import analysis_json, sweep_json
    from nacre.report.analysis_trace import trace as events

    document = analysis_json(analysis)
    if points:
        document["sweep"] = sweep_json(points)
    if trace:
        document["trace"] = [] if analysis.staged is None else list(events(analysis.staged))
    show_json(document)


def _show_text(analysis: Analysis, points: list[Point], trace: bool, asked: Request) -> None:
    from nacre.report.analysis import analysis_text, sweep_text
    from nacre.report.analysis_trace import trace_text

    show(analysis_text(analysis, asked.model.name))
    if points:
        show("\n" + sweep_text(points))
    if trace and analysis.staged is not None:
        show("\n" + trace_text(analysis.staged))
