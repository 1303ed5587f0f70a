"""What is wrong with a tree that a schema refused: one sentence per mistake, with its key."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

# Kinds of pydantic errors and what to say instead of its own words; braces are filled in.
_SENTENCES: Mapping[str, str] = {
    "bool_parsing": "expected true or false",
    "bool_type": "expected true or false",
    "int_parsing": "expected a whole number",
    "int_type": "expected a whole number",
    "int_from_float": "expected a whole number",
    "float_parsing": "expected a number",
    "float_type": "expected a number",
    "finite_number": "expected a finite number",
    "greater_than_equal": "must be at least {ge:g}",
    "greater_than": "must be more than {gt:g}",
    "literal_error": "expected {expected}",
    "string_type": "expected text; put it in quotes",
    "string_too_short": "must not be empty",
    "tuple_type": "expected a list",
    "list_type": "expected a list",
    "too_short": "must list at least {min_length}",
    "dict_type": "expected a mapping, like {{memory: MRAM}}",
}


def explain(error: ValidationError, model: type[BaseModel]) -> str:
    """One line per mistake."""
    errors = error.errors()
    # A list without its refused items is too short: that is no mistake of its own.
    inner = {e["loc"][:n] for e in errors for n in range(len(e["loc"]))}
    return "\n".join(
        _sentence(e, model) for e in errors if e["type"] != "too_short" or e["loc"] not in inner
    )


def child_model(model: type[BaseModel], name: str) -> type[BaseModel] | None:
    """The model behind a field: itself, or the element of a tuple of models."""
    field = model.model_fields.get(name)
    annotation = None if field is None else field.annotation
    for candidate in (annotation, *getattr(annotation, "__args__", ())):
        if isinstance(candidate, type) and issubclass(candidate, BaseModel):
            return candidate
    return None


def _sentence(error: ErrorDetails, model: type[BaseModel]) -> str:
    location, kind, found = error["loc"], error["type"], error["input"]
    place = f"{_dotted(location)}: " if location else ""
    if kind == "extra_forbidden":
        return f"{place}is not a known key.{_closest(str(location[-1]), _known(location, model))}"
    if kind == "missing":
        return f"{place}is missing{_meaning(location, model)}"
    if kind in ("model_type", "model_attributes_type"):
        keys = ", ".join(_known((*location, ""), model))
        return f"{place}expected the keys {keys}{_found(found)}"
    text = _SENTENCES.get(kind, "").format(**error.get("ctx", {}))
    text = text or error["msg"].removeprefix("Value error, ")
    said = not location or repr(found) in text or _names_one_of(text, found)
    return f"{place}{text}{'' if said else _found(found)}"


def _names_one_of(text: str, found: object) -> bool:
    return isinstance(found, (list, tuple)) and any(repr(one) in text for one in found)


def _found(value: object) -> str:
    """The value as YAML spells it; a whole list or mapping says less than its key."""
    if isinstance(value, (dict, list, tuple)):
        return f" (found a {'mapping' if isinstance(value, dict) else 'list'})"
    words = {None: "null", True: "true", False: "false"}
    shown = words[value] if value is None or isinstance(value, bool) else repr(value)
    return f" (found {shown if len(shown) <= 60 else shown[:59] + '…'})"


def _dotted(location: tuple[int | str, ...]) -> str:
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def _known(location: tuple[int | str, ...], model: type[BaseModel]) -> list[str]:
    """The keys that are known beside the last part of a location."""
    return list(_model_of(location, model).model_fields)


def _model_of(location: tuple[int | str, ...], model: type[BaseModel]) -> type[BaseModel]:
    for part in location[:-1]:
        if isinstance(part, str):
            model = child_model(model, part) or model
    return model


def _closest(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    hint = f" closest: {near[0]}." if near else ""
    return f"{hint} Known here: {', '.join(known)}"


def _meaning(location: tuple[int | str, ...], model: type[BaseModel]) -> str:
    """What a key that is not there would say."""
    field = _model_of(location, model).model_fields.get(str(location[-1]))
    return f": {field.description}" if field is not None and field.description else ""
