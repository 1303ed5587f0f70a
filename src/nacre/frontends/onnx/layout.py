"""From ONNX's layout, channels second, to that of the operators, channels last, and back."""

from __future__ import annotations

from nacre.frontends.onnx.source import Emitter
from nacre.ir import Tensor
from nacre.ops.kind import Refuse
from nacre.ops.reshape import Reshape
from nacre.ops.transpose import Transpose


def channels_last(rank: int) -> tuple[int, ...]:
    """The permutation from [N, C, ...] to [N, ..., C]."""
    return (0, *range(2, rank), 1)


def channels_second(rank: int) -> tuple[int, ...]:
    """The permutation from [N, ..., C] to [N, C, ...]."""
    return (0, rank - 1, *range(1, rank - 1))


def to_image(emit: Emitter, x: Tensor) -> Tensor:
    """[N, C, H, W] as [N, H, W, C]; the positions of a sequence [N, C, L] become rows."""
    rank = len(x.shape)
    if rank not in (3, 4):
        raise Refuse(f"the input is {list(x.shape)}; supported: 3 or 4 dimensions")
    moved = emit.one(Transpose(channels_last(rank)), (x,))
    if rank == 4:
        return moved
    batch, length, channels = moved.shape
    return emit.one(Reshape((batch, length, 1, channels)), (moved,))


def from_image(emit: Emitter, y: Tensor, rank: int) -> Tensor:
    """The way back to `rank` dimensions."""
    if rank == 3:
        y = emit.one(Reshape((y.shape[0], y.shape[1], y.shape[3])), (y,))
    return emit.one(Transpose(channels_second(rank)), (y,))


def transposed(emit: Emitter, x: Tensor, *permutation: int) -> Tensor:
    return emit.one(Transpose(permutation), (x,))


def reshaped(emit: Emitter, x: Tensor, *shape: int) -> Tensor:
    return emit.one(Reshape(shape), (x,))
