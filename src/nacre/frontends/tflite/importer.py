"""TFLite file -> Graph: constants folded on the way, shapes inferred, refusals collected."""

from __future__ import annotations

import difflib
import math
import textwrap
from dataclasses import dataclass, field, replace

import numpy as np

from nacre.errors import ConfigError, ModelError, Refusal, RefusedModel
from nacre.frontends.fold import fold
from nacre.frontends.tflite.reader import read_model
from nacre.frontends.tflite.records import FileOperator, FileSubgraph, FileTensor
from nacre.frontends.tflite.signatures import check_source
from nacre.frontends.tflite.tensors import MAX_RANK
from nacre.frontends.tflite.variables import Variables, find_variables
from nacre.ir import (
    Array,
    DType,
    Graph,
    Node,
    Operator,
    Shape,
    Source,
    Tensor,
    TensorId,
    TensorKind,
)
from nacre.ops import TFLITE_RULES
from nacre.ops.kind import ImportRule, OpKind, Refuse, SourceNode, State

# Kernels count the bytes of a tensor in 32 bits.
MOST_BYTES = (1 << 31) - 1
# Elements of a variable that does not start at zero: the module carries its first value.
MOST_STATE = 1 << 24
# A refusal may quote a constant; of a long one the beginning will do.
LONGEST_REASON = 400


def import_model(
    data: bytes, name: str, subgraph: int = 0, outputs: tuple[str, ...] = (), litert: bool = False
) -> Graph:
    """Read a TFLite file. `outputs` ends the graph at other tensors (index or name)."""
    model = read_model(data)
    if not 0 <= subgraph < len(model.subgraphs):
        raise ConfigError(
            f"model.subgraph is {subgraph}; the file has subgraphs 0 to {len(model.subgraphs) - 1}"
        )
    file = model.subgraphs[subgraph]
    variables = find_variables(model, file)
    return _Importer(file, variables, litert).run(name, _chosen_outputs(file, outputs))


def _chosen_outputs(graph: FileSubgraph, outputs: tuple[str, ...]) -> tuple[int, ...]:
    if not outputs:
        return graph.outputs
    by_name = {t.name: t.index for t in graph.tensors} | {
        str(t.index): t.index for t in graph.tensors
    }
    missing = [o for o in outputs if o not in by_name]
    if missing:
        near = difflib.get_close_matches(missing[0], by_name, n=2)
        hint = f"; closest: {', '.join(repr(n) for n in near)}" if near else ""
        raise ConfigError(f"model.outputs: no tensor is called {missing[0]!r}{hint}")
    return tuple(by_name[o] for o in outputs)


@dataclass
class _Importer:
    """Accumulates the graph while it walks the operators in file order."""

    file: FileSubgraph
    variables: Variables
    litert: bool
    tensors: dict[TensorId, Tensor] = field(default_factory=dict)
    operators: list[Operator] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    # What an operator may read: inputs, constants, variables, and what came before it.
    ready: set[TensorId] = field(default_factory=set)

    def run(self, name: str, ends: tuple[int, ...]) -> Graph:
        self.tensors.update(self.variables.tensors)
        needed = _needed_operators(self.file, ends, self.variables)
        if not ends:
            raise ModelError("the model has no outputs; expected 1 or more")
        for index in self.file.inputs:
            self._input(index)
        for operator in self.file.operators:
            if operator.index in needed:
                self._operator(operator)
        if self.refusals:
            raise RefusedModel(tuple(self.refusals), len(self.file.operators))
        outputs = tuple(self._output(i) for i in ends)
        inputs = tuple(str(i) for i in self.file.inputs)
        operators = tuple(self.operators)
        return Graph(name, self.tensors, operators, inputs, outputs, _source(self.file))

    def _input(self, index: int) -> None:
        """An input of the model: the caller must be able to fill it."""
        tensor = self._boundary(index)
        name = f'input {index} "{tensor.name[:60]}" of the model'
        if tensor.kind is not TensorKind.SCRATCH:
            found = _WORDS[tensor.kind]
            raise ModelError(f"{name} is a {found}; expected a tensor that the caller fills")
        if tensor.elements == 0:
            raise ModelError(f"{name} is {list(tensor.shape)}; expected 1 element or more")
        self.ready.add(tensor.id)

    def _output(self, index: int) -> TensorId:
        tensor = self._boundary(index)
        if index in self.variables.resources:
            raise ModelError(f"output {index} of the model is the handle of a variable")
        if tensor.kind is TensorKind.SCRATCH and tensor.id not in self.ready:
            raise ConfigError(f"model.outputs: no operator writes tensor {index}")
        return tensor.id

    def _boundary(self, index: int) -> Tensor:
        """An input or output of the model."""
        try:
            return self._tensor(index)
        except Refuse as refusal:
            raise ModelError(f"an input or output of the model: {refusal}") from refusal

    def _tensor(self, index: int) -> Tensor:
        """The graph's tensor for a file index, made on first sight."""
        key = _key(index, self.variables)
        if key not in self.tensors:
            self.tensors[key] = _from_file(self.file.tensors[index])
        return self.tensors[key]

    def _computed(self, operator: FileOperator) -> tuple[int, ...]:
        """The inputs of an operator that earlier operators compute."""
        made = self.ready.difference(str(i) for i in self.file.inputs)
        return tuple(i for i in operator.inputs if str(i) in made)

    def _operator(self, operator: FileOperator) -> None:
        if operator.type in ("VAR_HANDLE", "CALL_ONCE"):
            return  # find_variables has read them
        label = operator.type
        if operator.type == "CUSTOM":
            label = f"CUSTOM:{operator.custom_code}"
        try:
            kind, rule = _rule(
                operator, label, self._computed(operator) if operator.type == "CUSTOM" else ()
            )
            self._import(operator, kind, rule)
        except Refuse as refusal:
            reason = textwrap.shorten(str(refusal), LONGEST_REASON, placeholder=" …")
            self.refusals.append(Refusal(str(operator.index), operator.type, reason))
        self.ready.update(str(i) for i in operator.outputs)

    def _own_state(self, operator: FileOperator, states: tuple[State, ...]) -> tuple[Tensor, ...]:
        """Variables that the operator keeps for itself."""
        made = tuple(
            Tensor(f"op{operator.index}.{s.name}", s.name, s.shape, s.dtype, TensorKind.PERSISTENT)
            for s in states
        )
        self.tensors.update({t.id: t for t in made})
        return made

    def _import(self, operator: FileOperator, kind: OpKind, rule: ImportRule) -> None:
        inputs = tuple(None if i < 0 else self._tensor(i) for i in operator.inputs)
        self._check_handles(operator)
        outputs = tuple(self._tensor(i) for i in operator.outputs)
        source = SourceNode(
            operator.type, operator.options, inputs, outputs, operator.custom_options, self.litert
        )
        check_source(source)
        self._check_tensors(source)
        imported = rule(source)
        kept = tuple(source.optional(i) for i in imported.inputs)
        kept += self._own_state(operator, kind.state(imported.attributes))
        outputs = _shaped(outputs, kind.infer(imported.attributes, kept))
        self.tensors.update({t.id: t for t in outputs})
        made = Operator(
            ids=(str(operator.index),),
            type=kind.type,
            attributes=imported.attributes,
            inputs=tuple(None if t is None else t.id for t in kept),
            outputs=tuple(t.id for t in outputs),
            name=outputs[0].name if outputs else "",
        )
        node = Node(made, kept, outputs)
        objection = kind.check(node)
        if objection is not None:
            raise Refuse(objection)
        constants = fold(node)
        self.tensors.update({t.id: t for t in constants})
        if not constants:
            self.operators.append(made)

    def _check_handles(self, operator: FileOperator) -> None:
        """The handle of a variable is no value: only to read and to assign takes one."""
        first = operator.type in ("READ_VARIABLE", "ASSIGN_VARIABLE")
        for position, index in enumerate(operator.inputs):
            if index in self.variables.resources and not (first and position == 0):
                raise Refuse(f"input {position} is the handle of a variable; supported: a value")

    def _check_tensors(self, source: SourceNode) -> None:
        """Everything that is read is there, and what is written is free."""
        for position, tensor in enumerate(source.inputs):
            is_scratch = tensor is not None and tensor.kind is TensorKind.SCRATCH
            if tensor is not None and is_scratch and tensor.id not in self.ready:
                raise Refuse(f"nothing writes its input {position}, tensor {tensor.id}")
            if tensor is not None and tensor.elements == 0 and not tensor.is_constant:
                raise Refuse(f"input {position} is {list(tensor.shape)}, which holds nothing")
        for position, tensor in enumerate(source.outputs):
            if tensor.kind is not TensorKind.SCRATCH:
                raise Refuse(
                    f"output {position} is a {_WORDS[tensor.kind]}; supported: a plain tensor"
                )


_WORDS = {TensorKind.CONSTANT: "constant", TensorKind.PERSISTENT: "variable"}


def _shaped(outputs: tuple[Tensor, ...], shapes: tuple[Shape, ...]) -> tuple[Tensor, ...]:
    """The outputs with the shapes that follow from the inputs."""
    if len(outputs) != len(shapes):
        raise Refuse(f"it has {len(outputs)} outputs; supported: {len(shapes)}")
    for position, (tensor, shape) in enumerate(zip(outputs, shapes, strict=True)):
        _check_size(f"output {position}", shape, tensor.dtype)
    return tuple(replace(t, shape=s) for t, s in zip(outputs, shapes, strict=True))


def _check_size(name: str, shape: Shape, dtype: DType) -> None:
    if len(shape) > MAX_RANK or min(shape, default=0) < 0:
        found = f"{len(shape)} dimensions, the smallest {min(shape)}"
        raise Refuse(f"{name} has {found}; supported: {MAX_RANK}, of 0 or more")
    size = math.prod(shape) * dtype.size
    if size > MOST_BYTES:
        raise Refuse(f"{name} is {list(shape)}, that is {size} bytes; supported: {MOST_BYTES}")


def _rule(
    operator: FileOperator, label: str, computed: tuple[int, ...]
) -> tuple[OpKind, ImportRule]:
    """The rule of an operator; a custom one without may be cut off after what it reads."""
    found = TFLITE_RULES.get(label)
    if found is not None:
        return found
    if operator.custom_code == "ethos-u":
        raise Refuse('"ethos-u" runs on an Ethos-U alone; convert the model from before Vela')
    if operator.type == "CUSTOM" and computed:
        ends = ",".join(str(i) for i in computed)
        raise Refuse(f'"{operator.custom_code}"; end the graph before it: --model.outputs {ends}')
    if operator.type == "CUSTOM":
        raise Refuse(f'"{operator.custom_code}"; nacre has no kernel for it')
    raise Refuse("not supported in any form")


def _from_file(tensor: FileTensor) -> Tensor:
    if tensor.dtype is None:
        raise Refuse(f'tensor {tensor.index} "{tensor.name}" is of type {tensor.type_name}')
    data = tensor.dense if tensor.dense is not None else tensor.data
    kind = TensorKind.SCRATCH if data is None else TensorKind.CONSTANT
    _check_size(f'tensor {tensor.index} "{tensor.name[:60]}"', tensor.shape, tensor.dtype)
    if tensor.is_variable:
        kind, data = TensorKind.PERSISTENT, _initial_state(tensor)
    return Tensor(
        str(tensor.index), tensor.name, tensor.shape, tensor.dtype, kind, tensor.quantization, data
    )


def _initial_state(tensor: FileTensor) -> Array | None:
    """State starts at zero; quantized int8 state starts at its zero point."""
    if tensor.dtype is not DType.INT8 or tensor.quantization is None:
        return None
    points = set(tensor.quantization.zero_points)
    if points == {0}:
        return None
    if len(points) > 1 or math.prod(tensor.shape) > MOST_STATE:
        found = f"{list(tensor.shape)} with {len(points)} zero points"
        raise Refuse(f"a variable is {found}; supported: one, in up to {MOST_STATE} elements")
    return np.full(tensor.shape, points.pop(), np.int8)


def _source(graph: FileSubgraph) -> Source:
    return Source(
        {str(t.index): t.name for t in graph.tensors},
        {str(o.index): o.type for o in graph.operators},
    )


def _needed_operators(
    graph: FileSubgraph, ends: tuple[int, ...], variables: Variables
) -> frozenset[int]:
    """The operators that the chosen outputs depend on, also by way of a variable's next value."""
    if ends == graph.outputs:
        return frozenset(o.index for o in graph.operators)
    wanted = {_key(i, variables) for i in ends}
    needed: set[int] = set()
    before = -1
    while before < len(needed):
        before = len(needed)
        for operator in reversed(graph.operators):
            if wanted & {_key(i, variables) for i in _written(operator)}:
                needed.add(operator.index)
                wanted |= {_key(i, variables) for i in operator.inputs}
    return frozenset(needed)


def _written(operator: FileOperator) -> tuple[int, ...]:
    if operator.type == "ASSIGN_VARIABLE":
        return operator.inputs[:1]
    return operator.outputs


def _key(index: int, variables: Variables) -> TensorId:
    """The id of the tensor, or of the variable that it is a handle of."""
    return variables.resources.get(index, str(index))
