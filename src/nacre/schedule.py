"""Placed -> Schedule: the order in which steps run."""

from __future__ import annotations

from dataclasses import dataclass

from nacre.lower import Step
from nacre.place import Placed


@dataclass(frozen=True, eq=False)
class Schedule:
    """Steps in the order in which they run; a step's number is its position here."""

    placed: Placed
    steps: tuple[Step, ...]
    # "model" (the file's order) or "reordered".
    order: str = "model"


def schedule(placed: Placed) -> Schedule:
    return Schedule(placed, placed.graph.steps)
