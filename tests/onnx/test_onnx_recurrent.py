"""LSTM, GRU and RNN against ONNX Runtime: directions, activations, states, lengths, layouts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto
from onnx_models import check, model, node, noise

from nacre.errors import RefusedModel
from nacre.frontends.onnx.importer import import_model

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
USED = {"LSTM": 3, "GRU": 2, "RNN": 1}
STATES = {"LSTM": 2, "GRU": 1, "RNN": 1}
# The numbers that an activation takes; ONNX Runtime has the same defaults for most.
ACTIVATIONS = {
    "Sigmoid": 0, "Tanh": 0, "Relu": 0, "Softsign": 0, "Softplus": 0, "LeakyRelu": 1,
    "ThresholdedRelu": 1, "Elu": 1, "Affine": 2, "ScaledTanh": 2, "HardSigmoid": 2,
}  # fmt: skip


def layer(kind, draw_from, *, constant_states=False, outputs=None, lengths=None, **attributes):
    """A model of one recurrent node and its inputs."""
    steps, batches, inputs, cells, directions = draw_from
    gates, rng = GATES[kind], np.random.default_rng(1)

    def values(*shape):
        return (rng.standard_normal(shape) * 0.5).astype(np.float32)

    batch_first = attributes.get("layout", 0)
    x = values(batches, steps, inputs) if batch_first else values(steps, batches, inputs)
    state = (batches, directions, cells) if batch_first else (directions, batches, cells)
    constants = {
        "w": values(directions, gates * cells, inputs),
        "r": values(directions, gates * cells, cells),
        "b": values(directions, 2 * gates * cells),
    }
    names = ["x", "w", "r", "b", "", "h"] + (["c"] if kind == "LSTM" else [])
    if attributes.pop("peepholes", False):
        constants["p"] = values(directions, 3 * cells)
        names.append("p")
    if lengths is not None:
        constants["lengths"], names[4] = np.array(lengths, np.int32), "lengths"
    given_states = {n: values(*state) for n in ("h", "c")[: STATES[kind]]}
    free = {"x": x} if constant_states else {"x": x, **given_states}
    constants |= given_states if constant_states else {}
    wanted = outputs or ["y", "y_h", "y_c"][: 1 + STATES[kind]]
    made = node(kind, names, wanted, hidden_size=cells, **attributes)
    shapes = {n: v.shape for n, v in free.items()}
    data = model([made], shapes, [w for w in wanted if w], constants, opset=14)
    return data, list(free.values())


@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("kind", GATES)
def test_directions(kind: str, direction: str) -> None:
    directions = 2 if direction == "bidirectional" else 1
    check(*layer(kind, (5, 2, 3, 6, directions), direction=direction))


@settings(max_examples=25, deadline=None, derandomize=True)
@given(data=st.data())
def test_activations(data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(list(GATES)))
    directions = data.draw(st.integers(1, 2))
    count = USED[kind] * directions
    names = data.draw(st.lists(st.sampled_from(list(ACTIVATIONS)), min_size=count, max_size=count))
    numbers = st.floats(0.125, 1.0, width=16)
    alphas = [data.draw(numbers) for n in names if ACTIVATIONS[n] > 0]
    betas = [data.draw(numbers) for n in names if ACTIVATIONS[n] > 1]
    attributes = {"activation_alpha": alphas} if alphas else {}
    attributes |= {"activation_beta": betas} if betas else {}
    direction = ["forward", "bidirectional"][directions - 1]
    check(*layer(kind, (3, 2, 4, 5, directions), direction=direction, activations=names,
                 **attributes))  # fmt: skip


@pytest.mark.parametrize("clip", [0.05, 0.5])
@pytest.mark.parametrize("kind", GATES)
def test_clip(kind: str, clip: float) -> None:
    check(*layer(kind, (4, 1, 3, 5, 1), clip=clip))


@pytest.mark.parametrize("direction", ["forward", "bidirectional"])
def test_lstm_sees_its_cells_and_couples_its_gates(direction: str) -> None:
    directions = 2 if direction == "bidirectional" else 1
    sizes = (4, 2, 3, 5, directions)
    check(*layer("LSTM", sizes, direction=direction, peepholes=True))
    check(*layer("LSTM", sizes, direction=direction, input_forget=1))


@pytest.mark.parametrize("before", [0, 1])
@pytest.mark.parametrize("direction", ["forward", "bidirectional"])
def test_gru_reset(before: int, direction: str) -> None:
    directions = 2 if direction == "bidirectional" else 1
    check(*layer("GRU", (6, 2, 3, 7, directions), direction=direction, linear_before_reset=before))


@pytest.mark.parametrize("kind", GATES)
def test_sequences_of_their_own_length(kind: str) -> None:
    check(*layer(kind, (5, 3, 2, 4, 2), direction="bidirectional", lengths=[2, 5, 1]))


@pytest.mark.parametrize("kind", GATES)
def test_outputs_that_nobody_reads(kind: str) -> None:
    graph, _ = check(*layer(kind, (5, 2, 3, 4, 1), outputs=["", "y_h"]))
    (made,) = [o for o in graph.operators if o.type == kind]
    assert max(graph.tensors[o].elements for o in made.outputs) == 8
    check(*layer(kind, (5, 2, 3, 4, 1), outputs=["y"], constant_states=True))


@pytest.mark.parametrize("kind", GATES)
def test_no_bias_and_no_state(kind: str) -> None:
    w, r = noise(1, GATES[kind] * 4, 3), noise(1, GATES[kind] * 4, 4, seed=1)
    made = node(kind, ["x", "w", "r"], ["y"], hidden_size=4)
    check(model([made], {"x": (5, 1, 3)}, ["y"], {"w": w, "r": r}), [noise(5, 1, 3, seed=2)])


@pytest.mark.parametrize("kind", GATES)
def test_batch_first(kind: str) -> None:
    """ONNX Runtime has layout 0 alone: the same layer there, with its tensors turned."""
    sizes = (5, 3, 2, 4, 2)
    data, inputs = layer(kind, sizes, direction="bidirectional", layout=1)
    usual, _ = layer(kind, sizes, direction="bidirectional")
    from nacre.oracles import run_ort
    from support.compare import assert_equal
    from support.execute import Runner, program_of

    ours = Runner(program_of(import_model(data, "model"))).run(inputs)
    turned = [np.ascontiguousarray(v.swapaxes(0, 1)) for v in inputs]
    (theirs,) = run_ort(usual, [turned])
    assert_equal(ours[0], theirs[0].transpose(2, 0, 1, 3), "every state")
    for a, b in zip(ours[1:], theirs[1:], strict=True):
        assert_equal(a, b.swapaxes(0, 1), "last state")


def test_computed_lengths_are_refused() -> None:
    made = node("RNN", ["x", "w", "r", "", "lengths"], ["y"], hidden_size=4)
    data = model(
        [made], {"x": (5, 1, 3), "lengths": (1,)}, ["y"],
        {"w": noise(1, 4, 3), "r": noise(1, 4, 4)}, types={"lengths": TensorProto.INT32},
    )  # fmt: skip
    with pytest.raises(RefusedModel, match="sequence_lens is computed at run time"):
        import_model(data, "model")


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"direction": "sideways"}, "direction is 'sideways'; supported: forward, reverse"),
        ({"activations": ["Swish"]}, "activation 'Swish'; supported: Sigmoid, Tanh"),
        ({"activations": ["Tanh", "Tanh"]}, "2 activations; supported: 1"),
        ({"hidden_size": 3}, r"weights \[1, 4, 3\] and \[1, 4, 4\] for 3 hidden values"),
    ],
)
def test_refusals(attributes: dict, message: str) -> None:
    made = node("RNN", ["x", "w", "r"], ["y"], **attributes)
    data = model([made], {"x": (5, 1, 3)}, ["y"], {"w": noise(1, 4, 3), "r": noise(1, 4, 4)})
    with pytest.raises(RefusedModel, match=message):
        import_model(data, "model")
