"""The supported operators: what `ops` prints, and the page docs/OPERATORS.md."""

from __future__ import annotations

from nacre.frontends.onnx.rules import supported
from nacre.ops import TABLE
from nacre.ops.kind import OpKind
from nacre.residency import Json
from nacre.text import table


def _kinds() -> list[OpKind]:
    """Operators that a file can contain, by name; internal ones are left out."""
    return sorted((k for k in TABLE if k.tflite), key=lambda k: k.type)


def operators_text() -> str:
    rows = [["operator", "supported"]]
    for kind in _kinds():
        names = sorted(kind.tflite)
        supports = list(kind.supports) or [kind.summary]
        count = max(len(names), len(supports))
        names += [""] * (count - len(names))
        supports += [""] * (count - len(supports))
        rows += [[n, s] for n, s in zip(names, supports, strict=True)]
    onnx = [["ONNX operator", "supported"], *([n, s] for n, s in supported().items())]
    return f"{table(rows)}\n\n{table(onnx)}"


def operators_json() -> list[Json]:
    return _tflite_json() + [
        {"type": name, "summary": "", "tflite": [], "onnx": [name], "supports": [sentence],
         "kernels": [], "variants": []}
        for name, sentence in supported().items()
    ]  # fmt: skip


def _tflite_json() -> list[Json]:
    return [
        {
            "type": kind.type,
            "summary": kind.summary,
            "tflite": [*sorted(kind.tflite)],
            "onnx": [],
            "supports": [*kind.supports],
            "kernels": [k.name for k in kind.kernels],
            "variants": [{"name": v.name, "isa": v.isa} for v in kind.variants],
        }
        for kind in _kinds()
    ]


def operators_page() -> str:
    """docs/OPERATORS.md."""
    lines = [
        "# Operators",
        "",
        "Generated from the compiler's own tables by `make docs`; `nacre ops` prints the same.",
        "An operator outside these limits is refused, with the value that was found.",
        "",
    ]
    for kind in _kinds():
        lines += [f"## {kind.type}", "", kind.summary, ""]
        lines += [f"- {sentence}" for sentence in kind.supports]
        names = ", ".join(f"`{n}`" for n in sorted(kind.tflite))
        kernels = ", ".join(f"`{k.name}`" for k in kind.kernels) or "none, it costs nothing"
        faster = ", ".join(f"`{v.name}`" for v in kind.variants)
        kernels += f". Where they pay: {faster}" if faster else ""
        lines += ["", f"TFLite: {names}. Kernels: {kernels}.", ""]
    lines += [
        "# ONNX operators",
        "",
        "ONNX nodes become the operators above; see [onnx.md](onnx.md).",
        "",
        "| operator | supported |",
        "|---|---|",
        *(f"| `{name}` | {sentence} |" for name, sentence in supported().items()),
        "",
    ]
    return "\n".join(lines)
