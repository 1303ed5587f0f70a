"""The configuration as one typed model; its reference page is generated from it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

_STRICT = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

# Beyond any cache line, page or MPU granule that a slot could need.
MAX_ALIGNMENT = 1 << 16
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def parse_size(value: object) -> object:
    """Bytes from 65536, "64K", "1M"."""
    text = str(value) if isinstance(value, (int, str)) and not isinstance(value, bool) else ""
    match = re.fullmatch(r"\s*(\d+)\s*([KMG]?)(?:i?B)?\s*", text, re.IGNORECASE | re.ASCII)
    if match is None:
        raise ValueError(f"{value!r} is not a size; write it like 65536, 64K or 1M")
    return int(match[1]) * _UNITS[match[2].upper()]


def _as_ids(value: object) -> object:
    """Ids are strings; a bare number in YAML means its decimal digits."""
    if isinstance(value, (list, tuple)) and value:
        return tuple(_as_id(v) for v in value)
    return None if value is None else _as_id(value)


def _as_id(value: object) -> str:
    if isinstance(value, (int, str)) and not isinstance(value, bool) and value != "":
        return str(value)
    raise ValueError("expected an id in quotes, or a list of them; leave it out to mean all")


def _as_words(value: object) -> object:
    """A list, or one string with commas (as an option gives it)."""
    words = value.split(",") if isinstance(value, str) else value
    if isinstance(words, (list, tuple)):
        return tuple(w.strip() if isinstance(w, str) else _as_id(w) for w in words)
    return (_as_id(words),)


def _as_scalar(value: object) -> object:
    if value is not None and not isinstance(value, (str, int, float)):
        raise ValueError("expected one value")
    return value


def _as_power(value: int) -> int:
    if value < 1 or value & (value - 1) or value > MAX_ALIGNMENT:
        raise ValueError(f"must be a power of two up to {MAX_ALIGNMENT}, such as 16")
    return value


def _as_shapes(value: object) -> object:
    """Shapes by input: a mapping, or NAME:1x3x96x96 once or several times (as options give it)."""
    items = [value] if isinstance(value, str) else value
    if isinstance(items, (list, tuple)):
        items = _named_once(_split(item, ":", "NAME:1x3x96x96") for item in items)
    if not isinstance(items, dict):
        raise ValueError("expected shapes by input, like {x: 1x3x96x96}")
    return {str(name): _as_shape(shape) for name, shape in items.items()}


def _as_shape(value: object) -> tuple[int, ...]:
    parts = str(value).split("x") if isinstance(value, (str, int)) else value
    if parts == [""]:
        return ()
    if isinstance(parts, (list, tuple)):
        sizes = [str(p).strip() for p in parts]
        if all(re.fullmatch(r"[1-9]\d{0,9}", s, re.ASCII) for s in sizes):
            return tuple(int(s) for s in sizes)
    raise ValueError(f"{value!r} is not a shape; write it like 1x3x96x96")


def _as_dims(value: object) -> object:
    """Sizes by name: a mapping, or NAME=VALUE once or several times."""
    items = [value] if isinstance(value, str) else value
    if isinstance(items, (list, tuple)):
        items = _named_once(_split(item, "=", "NAME=VALUE") for item in items)
    if not isinstance(items, dict):
        raise ValueError("expected sizes by name, like {batch: 1}")
    for name, size in items.items():
        if not re.fullmatch(r"[1-9]\d{0,9}", str(size), re.ASCII):
            raise ValueError(f"{name} is {size!r}; expected a whole number of 1 or more")
    return {str(name): int(str(size)) for name, size in items.items()}


def _split(item: object, mark: str, form: str) -> tuple[str, str]:
    name, found, value = str(item).rpartition(mark)
    if not found or not name:
        raise ValueError(f"{str(item)!r}; write it like {form}")
    return name, value


def _named_once(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    named: dict[str, str] = {}
    for name, value in pairs:
        if named.setdefault(name, value) != value:
            raise ValueError(f"{name} is given twice: {named[name]} and {value}")
    return named


def parse_budget(value: object) -> object:
    """Bytes per writable memory, fastest first: 256K, 256K+8M, or a list."""
    if value is None:
        return None
    parts = value.split("+") if isinstance(value, str) else value
    parts = parts if isinstance(parts, (list, tuple)) else (parts,)
    sizes = tuple(parse_size(part) for part in parts)
    if 0 in sizes:
        raise ValueError(f"{value!r} has a memory of no bytes")
    return sizes


Size: TypeAlias = Annotated[int, BeforeValidator(parse_size)]
Power: TypeAlias = Annotated[int, AfterValidator(_as_power)]
Ids: TypeAlias = Annotated[str | tuple[str, ...] | None, BeforeValidator(_as_ids)]
Scalar: TypeAlias = str | int | float | bool | None
Text: TypeAlias = Annotated[str, Field(min_length=1)]
Attributes: TypeAlias = dict[str, Annotated[Scalar, BeforeValidator(_as_scalar)]]


class ModelConfig(BaseModel):
    model_config = _STRICT

    path: Text | None = Field(None, description="the model file")
    subgraph: int = Field(0, ge=0, description="which subgraph of a TFLite file to compile")
    outputs: Annotated[tuple[str, ...], BeforeValidator(_as_words)] = Field(
        (), description="end the graph at these tensors (ids or names) instead of its own outputs"
    )
    input_shapes: Annotated[dict[str, tuple[int, ...]], BeforeValidator(_as_shapes)] = Field(
        default_factory=dict, description="shapes of inputs that an ONNX file leaves open"
    )
    dims: Annotated[dict[str, int], BeforeValidator(_as_dims)] = Field(
        default_factory=dict, description="sizes of an ONNX file's symbolic dimensions"
    )
    io_layout: Literal["model", "nhwc"] = Field(
        "model", description="nhwc: an ONNX model's images have their channels last outside too"
    )
    io_types: Literal["model", "quantized"] = Field(
        "model",
        description="quantized: float inputs and outputs that are quantized next are so outside",
    )


class ModuleConfig(BaseModel):
    model_config = _STRICT

    path: Text | None = Field(None, description="the folder that the module is written to")
    name: Text | None = Field(
        None, description="name of the module; default: the model's file name"
    )
    prefix: Text | None = Field(None, description="prefix of every C symbol; default: the name")
    type: Literal["cmake", "zephyr", "esp-idf", "plain"] = Field(
        "cmake", description="which build system the module's files are for"
    )


class TargetConfig(BaseModel):
    model_config = _STRICT

    name: Text = Field("host", description="a target's name, or the path of a target file")
    tensor_alignment: Power | None = Field(
        None, description="alignment of every tensor slot in bytes, instead of the target's"
    )


class ConstraintConfig(BaseModel):
    model_config = _STRICT

    name: str = Field(description="the memory")
    max_size: Size | None = Field(None, description="bytes that may be used of it")
    arena_alignment: Power | None = Field(
        None, description="alignment of the arena and of every slot in it, a power of two"
    )


class TensorRule(BaseModel):
    model_config = _STRICT

    type: str = Field("*", description="scratch, persistent, constant, or * for all")
    id: Ids = Field(None, description="a tensor id or name, or several")
    attributes: Attributes = Field(
        default_factory=dict, description="memory, constant_destination_memory"
    )


class OperatorRule(BaseModel):
    model_config = _STRICT

    type: str = Field("*", description="an operator type such as CONV_2D, or * for all")
    id: Ids = Field(None, description="an operator id, or several")
    attributes: Attributes = Field(
        default_factory=dict,
        description="code_placement, scratch_placement, kernel, or an operator's own",
    )


class MemoryConfig(BaseModel):
    model_config = _STRICT

    planner: Literal["auto", "greedy", "search"] = Field(
        "auto", description="how hard to search for a small arena"
    )
    allocate_arenas: bool = Field(
        True, description="the module owns its arenas; false: the application binds buffers"
    )
    dump_residency_json: bool = Field(True, description="write <prefix>_residency.json")
    auto_hydrate_constants: bool = Field(
        True, description="accepted, no effect: model_init always hydrates"
    )
    overlap: bool = Field(
        True, description="an output may be written over input bytes that are no longer needed"
    )
    budget: Annotated[tuple[int, ...] | None, BeforeValidator(parse_budget)] = Field(
        None,
        description="bytes of fast memory, or fast+slow, such as 256K+8M: plan stages that fit",
    )
    budget_memories: Annotated[tuple[str, ...], BeforeValidator(_as_words)] = Field(
        (), description="the memories of the budget, fastest first; default: the target's"
    )
    flash: Size | None = Field(None, description="bytes of read-only memory that may be used")
    stream_inputs: Annotated[tuple[str, ...], BeforeValidator(_as_words)] = Field(
        (),
        description="inputs that the application gives row by row, with a budget: ids or names, "
        "* for all",
    )
    stream_outputs: Annotated[tuple[str, ...], BeforeValidator(_as_words)] = Field(
        (), description="outputs that the application takes row by row, with a budget"
    )
    prefetch: bool = Field(
        False,
        description="with a budget: bands are double-buffered where it has room, so that copies "
        "by DMA run while kernels compute",
    )
    keep_inputs: bool = Field(False, description="model_run leaves the inputs as they are")
    constraints: tuple[ConstraintConfig, ...] = Field((), description="limits per memory")
    tensors: tuple[TensorRule, ...] = Field((), description="rules that place tensors")


class ScheduleConfig(BaseModel):
    model_config = _STRICT

    order: Literal["auto", "model"] = Field(
        "auto", description="auto may reorder operators when that lowers the peak"
    )


class KernelsConfig(BaseModel):
    model_config = _STRICT

    optimize: Literal["size", "balanced", "speed"] = Field(
        "balanced", description="what faster kernels may cost in scratch and code"
    )
    provider: Literal["nacre", "cmsis-nn"] = Field(
        "nacre", description="whose kernels come first where both have one"
    )


class TestConfig(BaseModel):
    __test__ = False
    model_config = _STRICT

    enabled: bool = Field(True, description="write example/main.c with golden vectors")
    golden: Text | None = Field(
        None, description="an .npz with s{i}_in{j}, s{i}_out{j}; default: made by an oracle"
    )
    tolerance: float = Field(
        0, ge=0, allow_inf_nan=False, description="largest difference that still passes"
    )
    samples: int = Field(2, ge=1, description="how many golden vectors to make when none are given")


class Config(BaseModel):
    """Everything that can be set. Precedence: default < file < option."""

    model_config = _STRICT

    model: ModelConfig = ModelConfig()
    module: ModuleConfig = ModuleConfig()
    target: TargetConfig = TargetConfig()
    numerics: Literal["tflm", "litert"] = Field(
        "tflm", description="whose reference kernels integer results equal where the two differ"
    )
    memory: MemoryConfig = MemoryConfig()
    schedule: ScheduleConfig = ScheduleConfig()
    kernels: KernelsConfig = KernelsConfig()
    operators: tuple[OperatorRule, ...] = Field((), description="rules that place operators")
    test: TestConfig = TestConfig()
