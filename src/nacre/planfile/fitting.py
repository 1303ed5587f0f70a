"""A plan that keeps its budgets: arenas within `-m`, the file within `-f`."""

from __future__ import annotations

from collections.abc import Callable

from nacre.config.schema import Config
from nacre.errors import PlacementError
from nacre.planfile.read import read_plan
from nacre.planfile.write import plan_file
from nacre.program import Program
from nacre.text import number

# Unpacked constants take room from the working memory, which may change their groups in turn.
TRIES = 4
# Of a budget, one part in so many is for unpacked constants; larger constants are read in place.
SHARE = 4


def fitting_plan(
    planned: Callable[[Config], Program], config: Config, compress: bool, names: bool = True
) -> bytes:
    """The file; with packed constants the budget that is left is planned again."""
    budget = config.memory.budget
    room = None if budget is None else budget[0] // SHARE
    content = plan_file(planned(config), compress, names, room)
    for _ in range(TRIES):
        over = _over(content, config)
        if over == 0 or not compress:
            break
        left = _less(config, _reserved(content))
        content = plan_file(planned(left), compress, names, room)
    _check_memory(content, config)
    _check_flash(content, config)
    return content


def _arenas(content: bytes) -> tuple[int, ...]:
    sizes = read_plan(content).header["arena_bytes"]
    assert isinstance(sizes, tuple)
    return sizes


def _reserved(content: bytes) -> int:
    size = read_plan(content).header["fast_reserved"]
    assert isinstance(size, int)
    return size


def _over(content: bytes, config: Config) -> int:
    """Bytes of the fast arena above its budget."""
    budget = config.memory.budget
    return 0 if budget is None else max(0, _arenas(content)[0] - budget[0])


def _less(config: Config, reserved: int) -> Config:
    budget = config.memory.budget
    assert budget is not None
    if reserved >= budget[0]:
        raise PlacementError(
            f"-m: unpacked constants alone take {number(reserved)} bytes of the fast memory, the "
            f"budget is {number(budget[0])}; without --compress they stay in the file"
        )
    memory = config.memory.model_copy(update={"budget": (budget[0] - reserved, *budget[1:])})
    return config.model_copy(update={"memory": memory})


def _check_memory(content: bytes, config: Config) -> None:
    budget = config.memory.budget
    if budget is None:
        return
    for n, (size, limit) in enumerate(zip(_arenas(content), (*budget, 0, 0, 0, 0), strict=False)):
        if size > limit:
            raise PlacementError(
                f"-m: arena {n} needs {number(size)} bytes, the budget is {number(limit)}"
            )


def _check_flash(content: bytes, config: Config) -> None:
    flash = config.memory.flash
    if flash is not None and len(content) > flash:
        raise PlacementError(
            f"-f: the plan file has {number(len(content))} bytes, the budget is {number(flash)}; "
            f"--compress lz4 packs the constants, --strip leaves out names"
        )
