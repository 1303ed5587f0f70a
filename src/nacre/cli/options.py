"""Options that all commands with a model share, made from the configuration's own schema."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar, get_args

import click
from click.core import ParameterSource
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from nacre.config.load import RULE_LISTS, Tree, child_model, load_config
from nacre.config.schema import Config
from nacre.config.tree import parse_tree
from nacre.errors import ConfigError

F = TypeVar("F", bound=Callable[..., object])

_EXAMPLES = {
    "memory.tensors": '{id: "9", attributes: {memory: MRAM}}',
    "memory.constraints": "{name: DTCM, max_size: 64K}",
    "operators": "{type: CONV_2D, attributes: {code_placement: ITCM}}",
}


@dataclass(frozen=True)
class Request:
    """A model file and the configuration to compile it with."""

    model: Path
    config: Config
    allow_unmatched: bool = False

    def on_target(self, name: str) -> Request:
        """The same request, compiled for another target."""
        target = self.config.target.model_copy(update={"name": name})
        return replace(self, config=self.config.model_copy(update={"target": target}))


def model_options(command: F) -> F:
    """Add MODEL, --config, --path, --target and every dotted key to a command."""
    for option in reversed(_dotted_options(Config, "")):
        command = option(command)
    shared = (
        click.argument("model", required=False, type=click.Path(path_type=Path)),
        click.option("--path", "path", type=click.Path(path_type=Path), metavar="FILE.yaml",
                     help="The same as --config: everything, the model too, from this file."),
        click.option("--config", "config", type=click.Path(path_type=Path), metavar="FILE.yaml",
                     help="Read the configuration from this file."),
        click.option("--target", "target", metavar="NAME",
                     help="Short for --target.name: a target's name or the path of its file."),
        click.option("--allow-unmatched", "allow_unmatched", is_flag=True,
                     help="A rule that names an unknown id or type is a warning, not an error."),
        click.option("--numerics", "numerics", metavar="NAME",
                     help="tflm (default) or litert: whose integer rounding to follow."),
        click.option("-m", "--budget", "budget", metavar="FAST[+SLOW]",
                     help="Short for --memory.budget: plan stages for so much memory."),
        click.option("-f", "--flash", "flash", metavar="SIZE",
                     help="Short for --memory.flash: bytes of read-only memory."),
        click.option("--optimize", "optimize", metavar="size|balanced|speed",
                     help="Short for --kernels.optimize: what speed may cost."),
        click.option("--kernels", "kernels", metavar="nacre|cmsis-nn",
                     help="Short for --kernels.provider: whose kernels to call."),
    )  # fmt: skip
    for decorate in reversed(shared):
        command = decorate(command)
    return shape_options(command)


def shape_options(command: F) -> F:
    """Add the short options for what an ONNX file leaves open."""
    shared = (
        click.option("--input-shape", "input_shape", multiple=True, metavar="NAME:1x3x96x96",
                     help="The shape of an ONNX model's input; repeatable."),
        click.option("--dim", "dim", multiple=True, metavar="NAME=VALUE",
                     help="The size of an ONNX model's symbolic dimension; repeatable."),
        click.option("--io-layout", "io_layout", metavar="model|nhwc",
                     help="nhwc: channels last in an ONNX model's inputs and outputs too."),
        click.option("--io-types", "io_types", metavar="model|quantized",
                     help="quantized: no QUANTIZE and DEQUANTIZE at inputs and outputs."),
    )  # fmt: skip
    for decorate in reversed(shared):
        command = decorate(command)
    return command


def given_options(without: Collection[str]) -> list[str]:
    """The options of the running command as they were given, spelled so that they can be again."""
    context, words = click.get_current_context(), []
    for option in context.command.params:
        name = option.name or ""
        source = context.get_parameter_source(name)
        if name in without or source is not ParameterSource.COMMANDLINE:
            continue
        value = context.params[name]
        if isinstance(value, bool):
            words.append((option.opts if value else option.secondary_opts)[-1])
            continue
        for one in value if isinstance(value, tuple) else (value,):
            words += [option.opts[-1], str(one)]
    return words


def request(values: Mapping[str, object]) -> Request:
    """From a command's parameters to a model and its configuration."""
    file = values.get("path") or values.get("config")
    if values.get("path") and values.get("config"):
        raise ConfigError("--path and --config: give only one of them")
    options = _given(values)
    model = values.get("model")
    if model is not None and "model.path" in options:
        raise ConfigError(f"--model.path and {model}: give only one of them")
    if model is not None:
        options["model.path"] = str(model)
    config = load_config(file if isinstance(file, Path) else None, options)
    if config.model.path is None:
        raise ConfigError(
            "no model: give a file, as in `nacre convert kws.tflite`, or model.path in the "
            "configuration"
        )
    path = Path(config.model.path)
    check_file(path, "" if model is not None else "model.path: ")
    return Request(path, config, bool(values.get("allow_unmatched")))


def check_file(path: Path, said_by: str = "") -> None:
    """Refuse a file that is not there, with the closest that is."""
    if path.is_dir():
        raise ConfigError(f"{said_by}{path}: is a folder; name the file in it")
    if not path.exists():
        there = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
        near = difflib.get_close_matches(path.name, there, n=1)
        hint = f"; closest: {path.with_name(near[0])}" if near else ""
        raise ConfigError(f"{said_by}{path}: there is no such file{hint}")


def _given(values: Mapping[str, object]) -> dict[str, Tree]:
    """The dotted options that were given, as the configuration takes them."""
    given: dict[str, Tree] = {}
    for key, value in values.items():
        name = _NAMES.get(key)
        if name is None or value is None or value == ():
            continue
        if name in RULE_LISTS and isinstance(value, tuple):
            given[name] = [_inline(name, str(text)) for text in value]
        elif isinstance(value, tuple):
            given[name] = [str(text) for text in value]
        elif isinstance(value, (str, bool)):
            given[name] = value
    return given


def _inline(name: str, text: str) -> Tree:
    try:
        rule = parse_tree(text, f"--{name}")
    except ConfigError as error:
        raise ConfigError(f"{error}, in {text!r}; expected one like {_EXAMPLES[name]}") from None
    if not isinstance(rule, dict):
        raise ConfigError(f"--{name} {text!r}: expected a mapping, like {_EXAMPLES[name]}")
    return rule


def _dotted_options(model: type[BaseModel], prefix: str) -> list[Callable[[F], F]]:
    options: list[Callable[[F], F]] = []
    for key, field in model.model_fields.items():
        name = f"{prefix}{key}"
        below = child_model(model, key)
        if below is not None and name not in RULE_LISTS:
            options += _dotted_options(below, f"{name}.")
        elif name != "numerics":
            options.append(_dotted_option(name, field))
    return options


def _dotted_option(name: str, field: FieldInfo) -> Callable[[F], F]:
    flag = name.replace("_", "-")
    help_text = field.description or ""
    if field.annotation is bool:
        spelling = f"--{flag}/--no-{flag}"
        return click.option(spelling, _parameter(name), default=None, help=help_text)
    choices = [c for c in get_args(field.annotation) if isinstance(c, str)]
    metavar = "|".join(choices) if choices else "RULE" if name in RULE_LISTS else "VALUE"
    return click.option(
        f"--{flag}", _parameter(name), multiple=name in RULE_LISTS, metavar=metavar, help=help_text
    )


def _parameter(name: str) -> str:
    return name.replace(".", "__")


def _all_names(model: type[BaseModel], prefix: str) -> list[str]:
    names = []
    for key in model.model_fields:
        below = child_model(model, key)
        if below is not None and f"{prefix}{key}" not in RULE_LISTS:
            names += _all_names(below, f"{prefix}{key}.")
        else:
            names.append(f"{prefix}{key}")
    return names


# Parameter of a command -> dotted name of the key that it sets.
_NAMES = {_parameter(name): name for name in _all_names(Config, "")} | {
    "target": "target.name",
    "budget": "memory.budget",
    "flash": "memory.flash",
    "optimize": "kernels.optimize",
    "kernels": "kernels.provider",
    "input_shape": "model.input_shapes",
    "dim": "model.dims",
    "io_layout": "model.io_layout",
    "io_types": "model.io_types",
}
