"""The command line. Importing this is quick: each command loads what it needs when it runs."""

from __future__ import annotations

from importlib import import_module

import click

from nacre import __version__

# Command -> (module of nacre.cli, one line of help). The order is the order of --help.
COMMANDS: dict[str, tuple[str, str]] = {
    "convert": ("convert", "Compile a model into a C module."),
    "verify": ("verify", "Convert, build, run, and compare with the source runtime."),
    "analyze": ("analyze", "Does it fit a memory budget, in how many stages, at what cost?"),
    "bench": ("bench", "Count the instructions of an inference and of each step."),
    "report": ("report", "Write the offline document: memory map, tables, graph."),
    "diff": ("diff", "Compare two residency reports."),
    "compile": ("compile_plan", "Compile a model into a plan file for the C runtime."),
    "run": ("run_plan", "Run a plan file on this machine."),
    "codegen": ("codegen", "Write the C runtime and an example around plan files."),
    "inspect": ("inspect", "List what is inside a model file."),
    "check-image": ("check_image", "Is every symbol of a linked image where the plan put it?"),
    "solve": ("solve", "Place the buffers of a bare allocation problem."),
    "ops": ("ops", "List the operators that are supported."),
    "targets": ("targets", "List the targets, or show one."),
}


class _Commands(click.Group):
    """Commands by name; a command's module is imported when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = import_module(f"nacre.cli.{COMMANDS[cmd_name][0]}").command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0] if args else ""
        if name and not name.startswith("-") and name not in COMMANDS:
            import difflib

            near = difflib.get_close_matches(name, COMMANDS, n=1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise click.UsageError(f"There is no command {name!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)


@click.group(
    cls=_Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="nacre")
@click.pass_context
def main(ctx: click.Context) -> None:
    """nacre compiles trained networks ahead of time into plain C for microcontrollers, and
    decides where every byte lives."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
