"""Program -> the offline document: one HTML file with the memory map, the tables and the graph.

The file asks the network for nothing: style, script and data are inside it, and its content
security policy allows exactly that style and that script, so a tensor's name can never run.
"""

from __future__ import annotations

import base64
import hashlib
import json
from importlib import resources

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from nacre import __version__
from nacre.program import Program
from nacre.report.document_facts import facts
from nacre.report.document_verdict import BAR_WIDTH, memory_lines, verdict
from nacre.report.document_words import overview, title
from nacre.residency import Json

# One script, in this order, inside one function.
SCRIPTS = ("core.js", "select.js", "map.js", "tables.js", "graph.js", "start.js")
_ESCAPES = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def document(program: Program) -> str:
    """The whole document; the same program gives the same text."""
    style = _template("document.css")
    script = '(() => {\n"use strict";\n' + "".join(map(_template, SCRIPTS)) + "})();\n"
    text = _environment().get_template("document.html.j2").render(
        title=title(program),
        version=__version__,
        overview=overview(program),
        verdict=verdict(program),
        memories=memory_lines(program),
        bar_width=BAR_WIDTH,
        notes=program.notes,
        style=Markup(style),
        script=Markup(script),
        style_hash=_source_hash(style),
        script_hash=_source_hash(script),
        data=Markup(json_island(facts(program))),
    )  # fmt: skip
    # File names and tensor names may hold halves of surrogate pairs, which UTF-8 cannot.
    return text.encode("utf-8", "replace").decode("utf-8")


def json_island(value: Json) -> str:
    """JSON that no HTML parser can mistake for markup: ASCII, without `<`, `>` and `&`."""
    return json.dumps(value, separators=(",", ":")).translate(_ESCAPES)


def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("nacre.report"),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _template(name: str) -> str:
    folder = resources.files("nacre.report").joinpath("templates")
    return folder.joinpath(name).read_text(encoding="utf-8")


def _source_hash(text: str) -> str:
    """How a content security policy names an inline style or script."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
