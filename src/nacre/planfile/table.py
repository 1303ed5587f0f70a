"""The table of kernels that a firmware links: adapters from plan words to C calls."""

from __future__ import annotations

from collections.abc import Iterable

from nacre.kernels import headers_of
from nacre.ops.kind import Kernel
from nacre.planfile.prototypes import Parameter, prototype
from nacre.planfile.rules import Rule, rules

_HEAD = """\
/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels that plans may call, written by `nacre codegen`. */
#include "runtime/nacre_checks.h"
{includes}
extern const nacre_kernel_table_t nacre_kernels;

static void *at(const nacre_frame_t *frame, uint32_t word)
{{
    return frame->bases[word >> NACRE_OFFSET_BITS] + (word & ((1u << NACRE_OFFSET_BITS) - 1u));
}}
"""


def kernel_table(kernels: Iterable[Kernel]) -> str:
    """The text of nacre_kernel_table.c."""
    chosen = sorted(set(kernels), key=lambda k: k.name)
    includes = "".join(f'#include "kernels/{h}"\n' for h in headers_of(chosen))
    parts = [_HEAD.format(includes=includes), *(_adapter(k) for k in chosen), _table(chosen)]
    return "\n".join(parts)


def _adapter(kernel: Kernel) -> str:
    name = kernel.name.removeprefix("nacre_")
    arguments, word = [], 0
    for parameter in prototype(kernel):
        arguments.append(_argument(parameter, word))
        word += parameter.words
    calls = ",\n        ".join(arguments)
    return (
        f"static void call_{name}(const nacre_frame_t *frame, const uint32_t *words)\n"
        f"{{\n    {kernel.name}(\n        {calls});\n}}\n"
    )


def _argument(parameter: Parameter, word: int) -> str:
    if parameter.is_pointer:
        return f"({parameter.c_type})at(frame, words[{word}])"
    if parameter.letter == "p":
        return f"({parameter.c_type})(const void *)(frame->params + words[{word}])"
    if parameter.letter == "r":
        return "(nacre_rows_t){frame->begin, frame->end}"
    if parameter.letter == "f":
        return f"*(const float *)(const void *)(words + {word})"
    return f"(int32_t)words[{word}]"


def _table(kernels: list[Kernel]) -> str:
    rows = "".join(_row(k, rules()[k.name]) for k in kernels)
    return (
        f"static const nacre_kernel_t kernels[{len(kernels)}] = {{\n{rows}}};\n\n"
        f"const nacre_kernel_table_t nacre_kernels = {{kernels, {len(kernels)}}};\n"
    )


def _row(kernel: Kernel, rule: Rule) -> str:
    parameters = prototype(kernel)
    letters = "".join(p.letter for p in parameters)
    structs = [_size(p) for p in parameters if p.letter == "p"]
    sizes = ", ".join([*structs, "0", "0"][:2])
    name = kernel.name.removeprefix("nacre_")
    tables = f"nacre_check_{rule.tables}" if rule.tables else "NULL"
    rows = letters.find("r")
    return (
        f'    {{"{kernel.name}", "{letters}", {{{sizes}}},\n'
        f"     {rows if rows >= 0 else 'NACRE_NO_ROWS'}, {int(_may_overlap(rule, letters))}, "
        f"{rule.variant}, call_{name}, nacre_check_{rule.check}, {tables}}},\n"
    )


def _may_overlap(rule: Rule, letters: str) -> bool:
    return rule.may_overlap or "r" in letters


def _size(parameter: Parameter) -> str:
    return f"sizeof({parameter.c_type.removeprefix('const ').removesuffix(' *')})"
