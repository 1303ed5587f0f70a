"""nacre codegen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from nacre.cli.run import guarded, json_option, show, show_json
from nacre.errors import ConfigError, ModelError

if TYPE_CHECKING:
    from nacre.planfile.codegen import PlanInput


@click.command("codegen")
@click.argument("inputs", nargs=-1, required=True, metavar="MODEL.ncr…|KERNELS")
@click.option(
    "--runtime",
    "runtime_only",
    is_flag=True,
    help="The runtime alone, with kernels by name or those of several plans.",
)
@click.option("--target", metavar="NAME", help="Board of the example; default: the plan's.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    metavar="DIR",
    help="Folder for the files.",
)
@click.option("--force", is_flag=True, help="Write into a folder that holds other files too.")
@json_option
@guarded
def command(
    inputs: tuple[str, ...],
    runtime_only: bool,
    target: str | None,
    output: Path,
    force: bool,
    as_json: bool,
) -> None:
    """Write the C runtime with just the kernels that are needed, and an example that finds the
    plan and runs it: for the host, for QEMU boards and for ESP-IDF."""
    from nacre.emit.write import write_module

    files = _runtime(inputs) if runtime_only else _firmware(inputs, target)
    write_module(output, files, force)
    kernels = sorted(Path(n).stem for n in files if n.startswith("kernels/") and n.endswith(".c"))
    if as_json:
        show_json({"files": list(files), "kernels": [*kernels]})
    else:
        show(f"{output}/   {len(files)} files · {len(kernels)} kernels: {', '.join(kernels)}")


def _runtime(inputs: tuple[str, ...]) -> dict[str, bytes]:
    from nacre.planfile.codegen import chosen_kernels, runtime_folder

    plans = [_plan(text) for text in inputs if text.endswith(".ncr")]
    names = [n for text in inputs if not text.endswith(".ncr") for n in text.split(",") if n]
    return runtime_folder(chosen_kernels(names, plans))


def _firmware(inputs: tuple[str, ...], target: str | None) -> dict[str, bytes]:
    from nacre.planfile.codegen import firmware_folder
    from nacre.planfile.read import read_plan
    from nacre.targets import load_target

    if len(inputs) != 1 or not inputs[0].endswith(".ncr"):
        raise ConfigError(
            "codegen takes one .ncr, as `nacre compile` writes it; with --runtime kernel names and "
            "several plans"
        )
    plan = _plan(inputs[0])
    name = target or read_plan(plan.content, plan.name).about.get("target")
    return firmware_folder(plan, None if not name else load_target(name))


def _plan(text: str) -> PlanInput:
    from nacre.cli.options import check_file
    from nacre.planfile.codegen import PlanInput
    from nacre.planfile.read import read_plan

    check_file(Path(text))
    plan = PlanInput(Path(text).name, Path(text).read_bytes())
    if not read_plan(plan.content, text).sound:
        raise ModelError(f"{text}: damaged: the checksum does not match; compile the model again")
    return plan
