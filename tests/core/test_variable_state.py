"""Variables along the line: cut graphs keep them alive, rules place them alone."""

from __future__ import annotations

import numpy as np
import pytest

from nacre.config.schema import Config
from nacre.errors import ModelError
from nacre.frontends.tflite.importer import import_model
from nacre.memory import ArenaRole
from support.execute import Runner, program_of
from support.graphs import types_of
from support.movement import content
from tflite_builder import ModelBuilder

SHAPE = (2, 3)


def counter(first: np.ndarray | None = None) -> ModelBuilder:
    """sum += x through two handles of one variable; twice = 2 sum; y = 2 twice."""
    b = ModelBuilder()
    x = b.input("x", SHAPE, "int32")
    reader, writer = b.tensor("reader", (), "resource"), b.tensor("writer", (), "resource")
    old, total, twice, y = (b.tensor(n, SHAPE, "int32") for n in ("old", "sum", "twice", "y"))
    for handle in (reader, writer):
        b.operator("VAR_HANDLE", [], [handle], {"shared_name": "v"})
    if first is not None:
        init = b.subgraph()
        handle = init.tensor("handle", (), "resource")
        init.operator("VAR_HANDLE", [], [handle], {"shared_name": "v"})
        init.operator("ASSIGN_VARIABLE", [handle, init.constant("first", first)], [])
        b.operator("CALL_ONCE", [], [], {"init_subgraph_index": 1})
    b.operator("READ_VARIABLE", [reader], [old])
    b.operator("ADD", [old, x], [total])
    b.operator("ADD", [total, total], [twice])
    b.operator("ADD", [twice, twice], [y])
    b.operator("ASSIGN_VARIABLE", [writer, total], [])
    b.output(y)
    return b


def test_a_graph_that_ends_early_still_updates_what_it_reads() -> None:
    graph = import_model(counter().build(), "model", outputs=("twice",))
    assert types_of(graph) == ["READ_VARIABLE", "ADD", "ADD", "ASSIGN_VARIABLE"]
    runner, total = Runner(program_of(graph)), np.zeros(SHAPE, np.int32)
    for seed in range(3):
        x = content(SHAPE, "int8", seed).astype(np.int32)
        total = total + x
        np.testing.assert_array_equal(runner.run([x])[0], 2 * total)


def test_a_graph_that_ends_before_a_variable_leaves_it_out() -> None:
    b = counter()
    z = b.tensor("z", SHAPE, "int32")
    b.operator("ADD", [0, 0], [z])
    graph = import_model(b.build(), "model", outputs=("z",))
    assert types_of(graph) == ["ADD"]


def test_a_first_value_of_another_type_is_refused() -> None:
    wrong = counter(np.ones(SHAPE, np.int64))
    with pytest.raises(ModelError, match=r"holds int32\[2, 3\] but starts as int64\[2, 3\]"):
        import_model(wrong.build(), "model")


def test_a_rule_for_a_variable_leaves_its_first_value_in_the_image() -> None:
    graph = import_model(counter(np.ones(SHAPE, np.int32)).build(), "model")
    (variable,) = (t.id for t in graph.tensors.values() if t.name == "v")
    rule = {"id": variable, "attributes": {"memory": "SRAM"}}
    config = Config.model_validate({"target": {"name": "apollo510"}, "memory": {"tensors": [rule]}})
    regions = {r.role: str(r.usage.memory) for r in program_of(graph, config).regions}
    assert regions[ArenaRole.persistent] == "SRAM"
    assert regions[ArenaRole.constant] == "MRAM"
