"""Sparse constants become what LiteRT's DENSIFY makes of them."""

from __future__ import annotations

import numpy as np
import pytest

from nacre.frontends.tflite.reader import read_model
from tflite_reader.model_writer import (
    Dimension,
    ModelSpec,
    OperatorSpec,
    Sparsity,
    SubgraphSpec,
    TensorSpec,
    write_model,
)

interpreter = pytest.importorskip("ai_edge_litert.interpreter")

ROWS = Sparsity((0, 1), (Dimension(3), Dimension(segments=(0, 1, 1, 3), indices=(1, 0, 3))))
COLUMNS = Sparsity((1, 0), (Dimension(4), Dimension(segments=(0, 1, 2, 2, 3), indices=(2, 0, 2))))
BLOCK_ROWS = Dimension(segments=(0, 1, 2), indices=(1, 0))
BLOCKS = Sparsity(
    (0, 1, 2, 3), (Dimension(2), BLOCK_ROWS, Dimension(2), Dimension(2)), block_map=(0, 1)
)
TURNED_BLOCKS = Sparsity(
    (0, 1, 3, 2), (Dimension(2), BLOCK_ROWS, Dimension(2), Dimension(2)), block_map=(0, 1)
)
LINES = Sparsity(
    (0, 1, 2),
    (Dimension(4), Dimension(segments=(0, 1, 1, 2, 3), indices=(2, 0, 1)), Dimension(2)),
    block_map=(1,),
)


def densify_model(shape: tuple[int, ...], values: int, sparsity: Sparsity) -> bytes:
    """output = input + DENSIFY(constant)."""
    content = np.arange(1, values + 1, dtype="<f4").tobytes()
    plain = TensorSpec(shape, "FLOAT32")
    constant = TensorSpec(shape, "FLOAT32", content, sparsity=sparsity)
    operators = (
        OperatorSpec((2,), (3,), "DENSIFY", ("DensifyOptions", {})),
        OperatorSpec((0, 3), (1,), "ADD", ("AddOptions", {})),
    )
    return write_model(ModelSpec((SubgraphSpec((plain, plain, constant, plain), operators),)))


@pytest.mark.parametrize(
    ("shape", "values", "sparsity"),
    [
        ((3, 4), 3, ROWS),
        ((3, 4), 3, COLUMNS),
        ((4, 4), 8, BLOCKS),
        ((4, 4), 8, TURNED_BLOCKS),
        ((4, 6), 6, LINES),
    ],
    ids=["rows", "columns", "blocks", "turned blocks", "lines"],
)
def test_densify(shape: tuple[int, ...], values: int, sparsity: Sparsity) -> None:
    data = densify_model(shape, values, sparsity)
    runtime = interpreter.Interpreter(model_content=data)
    runtime.allocate_tensors()
    runtime.set_tensor(runtime.get_input_details()[0]["index"], np.zeros(shape, np.float32))
    runtime.invoke()
    expected = runtime.get_tensor(runtime.get_output_details()[0]["index"])
    np.testing.assert_array_equal(read_model(data).subgraphs[0].tensors[2].dense, expected)
