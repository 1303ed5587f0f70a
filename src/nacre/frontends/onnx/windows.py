"""Windows of convolutions and pools as ONNX describes them."""

from __future__ import annotations

from dataclasses import dataclass

from nacre.frontends.onnx.source import OnnxSource
from nacre.ops.kind import Refuse


@dataclass(frozen=True)
class Window:
    """Sizes per axis, rows then columns; a sequence has one column."""

    kernel: tuple[int, int]
    strides: tuple[int, int]
    dilations: tuple[int, int]
    before: tuple[int, int]
    after: tuple[int, int]


def read_window(source: OnnxSource, kernel: tuple[int, ...], sizes: tuple[int, ...]) -> Window:
    """The window over inputs of these sizes; `kernel` has one or two entries."""
    strides = numbers(source, "strides", 1, len(kernel))
    dilations = numbers(source, "dilations", 1, len(kernel))
    before, after = borders(source, kernel, sizes, strides, dilations)
    return Window(
        _pair(kernel, 1), _pair(strides, 1), _pair(dilations, 1), _pair(before, 0), _pair(after, 0)
    )


def kernel_shape(source: OnnxSource, found: tuple[int, ...] | None = None) -> tuple[int, ...]:
    """The attribute, or what the weights say; they must agree."""
    given = source.options.integers("kernel_shape")
    if found is not None and given and given != found:
        raise Refuse(f"kernel_shape is {list(given)}, the weights are {list(found)}")
    kernel = found or given
    if len(kernel) not in (1, 2, 3):
        raise Refuse(f"a window of {list(kernel)}; supported: 1 to 3 dimensions")
    if min(kernel) < 1:
        raise Refuse(f"a window of {list(kernel)}; supported: 1 or more")
    return kernel


def numbers(source: OnnxSource, name: str, default: int, rank: int) -> tuple[int, ...]:
    values = source.options.integers(name) or (default,) * rank
    if len(values) != rank or min(values) < 1:
        raise Refuse(f"{name} are {list(values)}; supported: {rank} values of 1 or more")
    return values


def borders(
    source: OnnxSource, kernel: tuple[int, ...], sizes: tuple[int, ...],
    strides: tuple[int, ...], dilations: tuple[int, ...],
) -> tuple[tuple[int, ...], tuple[int, ...]]:  # fmt: skip
    scheme, rank = source.options.text("auto_pad") or "NOTSET", len(kernel)
    if scheme == "VALID":
        return (0,) * rank, (0,) * rank
    if scheme == "NOTSET":
        pads = source.options.integers("pads") or (0,) * (2 * rank)
        if len(pads) != 2 * rank or min(pads) < 0:
            raise Refuse(f"pads are {list(pads)}; supported: {2 * rank} values of 0 or more")
        return pads[:rank], pads[rank:]
    if scheme not in ("SAME_UPPER", "SAME_LOWER"):
        raise Refuse(f"auto_pad is {scheme!r}; supported: NOTSET, VALID, SAME_UPPER, SAME_LOWER")
    totals = [
        max(0, (-(-n // s) - 1) * s + (k - 1) * d + 1 - n)
        for n, k, s, d in zip(sizes, kernel, strides, dilations, strict=True)
    ]
    small, large = tuple(t // 2 for t in totals), tuple(t - t // 2 for t in totals)
    return (small, large) if scheme == "SAME_UPPER" else (large, small)


def _pair(values: tuple[int, ...], other: int) -> tuple[int, int]:
    return (values[0], values[1]) if len(values) == 2 else (values[0], other)
