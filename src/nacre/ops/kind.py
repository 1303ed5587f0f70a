"""What an operator is to the rest of nacre: one `OpKind`, one row of `ops.TABLE`.

Import rules, shape inference, checks, the numpy reference, lowering to kernel calls, tiling and
alias rules of an operator all live in its own file; this module only gives them their types.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias, TypeVar

from nacre.ir import Array, Attributes, DType, Node, Shape, Tensor, TensorId
from nacre.ir.options import Options

A = TypeVar("A", bound=Attributes)


class Refuse(Exception):
    """Raised by an import rule or a check: the sentence says what was found and what would work."""


@dataclass(frozen=True)
class Span:
    """Half-open range of rows (or columns, or channels)."""

    begin: int
    end: int

    @property
    def size(self) -> int:
        return self.end - self.begin


# One span per dimension of a tensor.
Box: TypeAlias = tuple[Span, ...]


# --- import -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class SourceNode:
    """An operator as the file has it; constants are already folded, shapes already known."""

    type: str
    options: Options
    inputs: tuple[Tensor | None, ...]
    outputs: tuple[Tensor, ...]
    custom_options: bytes = b""
    # numerics: litert. Follow LiteRT where it differs from TFLite Micro.
    litert: bool = False

    def input(self, index: int) -> Tensor:
        tensor = self.optional(index)
        if tensor is None:
            raise Refuse(f"input {index} is missing; it is required")
        return tensor

    def optional(self, index: int) -> Tensor | None:
        return self.inputs[index] if index < len(self.inputs) else None

    def constant(self, index: int, what: str) -> Array:
        """The content of an input that must be known at compile time."""
        tensor = self.input(index)
        if tensor.data is None or not tensor.is_constant:
            raise Refuse(f"{what} is computed at run time; supported: a constant")
        return tensor.data


@dataclass(frozen=True)
class Imported:
    """The attributes of the operator, and which inputs of the file's operator stay inputs."""

    attributes: Attributes
    inputs: tuple[int, ...]


ImportRule: TypeAlias = Callable[[SourceNode], Imported]


# --- kernels ------------------------------------------------------------------------------------


def meaning(text: str) -> int:
    """A parameter field with its meaning: the comment that the emitted C carries."""
    value: int = field(metadata={"meaning": text})
    return value


def real_meaning(text: str) -> float:
    """The same for a float field."""
    value: float = field(metadata={"meaning": text})
    return value


def meanings(text: str) -> tuple[int, ...]:
    """The same for a field that is a fixed array."""
    value: tuple[int, ...] = field(metadata={"meaning": text})
    return value


def real_meanings(text: str) -> tuple[float, ...]:
    """The same for a fixed array of floats."""
    value: tuple[float, ...] = field(metadata={"meaning": text})
    return value


@dataclass(frozen=True)
class Params:
    """A kernel's parameter struct: int, float or fixed tuples of them, in the C struct's order.

    No pointers: the bytes of a struct mean the same in the C module and in a plan file.
    """

    c_type: ClassVar[str]


def source_file(symbol: str) -> str:
    """The file of csrc/kernels that defines a function."""
    return f"{symbol.removeprefix('nacre_')}.c"


@dataclass(frozen=True)
class Kernel:
    """One C function. `name` is its symbol and, without `nacre_`, the stem of its source file."""

    name: str
    params: type[Params] | None = None
    # Further functions that it calls, each in its own file named like a kernel's.
    helpers: tuple[str, ...] = ()
    isa: str = "portable"

    @property
    def source(self) -> str:
        return source_file(self.name)

    @property
    def symbols(self) -> tuple[str, ...]:
        """The functions that come with it."""
        return (self.name, *self.helpers)


@dataclass(frozen=True)
class Pointer:
    """A tensor as an argument; `offset` bytes into it. `const` pointers are only read."""

    tensor: TensorId
    dtype: DType
    const: bool = True
    offset: int = 0
    # Alignment in bytes that the kernel needs beyond the element's own.
    alignment: int = 1


Argument: TypeAlias = Pointer | Params | Span | int | float


@dataclass(frozen=True)
class Call:
    """One C call: kernel and arguments in the order of the C prototype."""

    kernel: Kernel
    arguments: tuple[Argument, ...]


@dataclass(frozen=True)
class Scratch:
    """Working memory of one operator, alive during its step only."""

    id: TensorId
    size: int


@dataclass(frozen=True)
class Lowered:
    """What an operator becomes: calls, the constants that they read, their scratch."""

    calls: tuple[Call, ...]
    constants: tuple[Tensor, ...] = ()
    scratch: tuple[Scratch, ...] = ()
    # A kernel that does not consume its input as the operator's `in_place` and `rows` say: inputs
    # that it may overwrite element for element (None: as the operator says), whether it reads and
    # writes row by row, and the input that its output may lie in, a multiple of `pitch` bytes from
    # where that begins.
    in_place: tuple[int, ...] | None = None
    row_wise: bool = True
    replaces: int | None = None
    pitch: int = 1
    # Rows are not to be taken one by one, last to first: that would cost it too much.
    forward: bool = False


@dataclass(frozen=True)
class LowerOptions:
    """What kernel choice depends on besides the operator itself."""

    features: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Cost:
    """Work of one operator."""

    macs: int = 0


@dataclass(frozen=True)
class Estimate:
    """What a kernel takes: instructions of a step, bytes of the code that comes with it."""

    instructions: int
    code_bytes: int


@dataclass(frozen=True)
class Variant:
    """Another way to run an operator than `OpKind.lower`: with a feature of the target's core, or
    by another provider. Bit-exact with it."""

    # What `kernel: NAME` calls it.
    name: str
    # The feature of the target that it needs (dsp, mve, mve-f), or the provider (cmsis-nn).
    isa: str
    # None, or the words that say why it does not apply to this node.
    objection: Callable[[Node], str | None]
    estimate: Callable[[Node], Estimate]
    lower: Callable[[Node], Lowered]
    kernels: tuple[Kernel, ...]
    # Its constants are much larger than the model's: for `speed`, or where a rule asks for it.
    speed_only: bool = False


@dataclass(frozen=True)
class State:
    """A variable of an operator's own that the file does not name; it starts at zero."""

    name: str
    shape: Shape
    dtype: DType


# --- boxes --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Part:
    """A box of a tensor of the graph."""

    tensor: TensorId
    box: Box


@dataclass(frozen=True, eq=False)
class Boxed:
    """The small operator that computes a box of an output from boxes of the inputs.

    `parts` has one entry per input of `node`: what to load into it, None where the input is absent
    or a constant, which is cut already. Equal ids of `node` mean equal nodes.
    """

    node: Node
    parts: tuple[Part | None, ...]


BoxRule: TypeAlias = Callable[[Node, int, Box], Boxed | None]


# --- the row ------------------------------------------------------------------------------------


def no_objection(node: Node) -> str | None:
    """For operators whose import rule already said all there is to refuse."""
    return None


def no_macs(node: Node) -> Cost:
    return Cost()


def no_state(attributes: Attributes) -> tuple[State, ...]:
    return ()


def never_in_place(node: Node) -> tuple[int, ...]:
    return ()


@dataclass(frozen=True)
class OpKind:
    """All that Python knows of an operator."""

    type: str
    attributes: builtins.type[Attributes]
    # One line for the operator page, and the element types that work, in words.
    summary: str
    supports: tuple[str, ...]
    # TFLite operator name ("CUSTOM:name" for custom ones) -> rule.
    tflite: Mapping[str, ImportRule]
    # Output shapes from attributes and inputs (the node's outputs are not looked at).
    infer: Callable[[Attributes, tuple[Tensor | None, ...]], tuple[Shape, ...]]
    # Bit-exact outputs in numpy; `values` holds one array per input, None where it is absent.
    # Inputs that the operator mutates (state) are returned after the outputs, updated.
    reference: Callable[[Node, tuple[Array | None, ...]], tuple[Array, ...]]
    lower: Callable[[Node, LowerOptions], Lowered]
    kernels: tuple[Kernel, ...]
    # None, or the sentence that refuses this node (types, ranges): value found, what works.
    check: Callable[[Node], str | None] = no_objection
    cost: Callable[[Node], Cost] = no_macs
    # Positions of inputs that the operator writes (variables, recurrent state).
    mutates: tuple[int, ...] = ()
    # State that the operator keeps for itself: appended to its inputs, and listed in `mutates`.
    state: Callable[[Attributes], tuple[State, ...]] = no_state
    # The output is the input's bytes under another shape: costs nothing.
    is_view: bool = False
    # Positions of inputs that the output may overwrite element for element.
    in_place: Callable[[Node], tuple[int, ...]] = never_in_place
    # For output rows [begin, end): the rows needed of each input, None for all of it.
    rows: Callable[[Node, Span], tuple[Span | None, ...]] | None = None
    # For a box of the output of this position: the operator that computes it, or None.
    box: BoxRule | None = None
    # Attributes and bias with the input offset folded in, or None when there is nothing to fold.
    fold_offset: Callable[[Node], tuple[Attributes, Tensor] | None] | None = None
    # The outputs follow from the inputs' shapes alone.
    shape_only: bool = False
    # The operator has an effect beyond its outputs, so it is never folded or dropped.
    effect: bool = False
    # Faster ways to run it where they apply; their kernels are not among `kernels`.
    variants: tuple[Variant, ...] = ()

    @property
    def all_kernels(self) -> tuple[Kernel, ...]:
        """The portable kernels and those of the variants, each once."""
        found = (*self.kernels, *(k for v in self.variants for k in v.kernels))
        return tuple(dict.fromkeys(found))


def attributes(node: Node, kind: type[A]) -> A:
    """The node's attributes as the class that they must be."""
    value = node.operator.attributes
    assert isinstance(value, kind)
    return value


def derived_id(node: Node, what: str) -> TensorId:
    """Id of a tensor that lowering makes for an operator: `op9.requant`, `op9.scratch0`."""
    return f"op{node.id}.{what}"


def read(tensor: Tensor, offset: int = 0) -> Pointer:
    return Pointer(tensor.id, tensor.dtype, const=True, offset=offset)


def write(tensor: Tensor, offset: int = 0) -> Pointer:
    return Pointer(tensor.id, tensor.dtype, const=False, offset=offset)
