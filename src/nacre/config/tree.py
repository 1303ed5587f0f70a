"""YAML text -> a tree of plain values; what is wrong with a file is said in one line."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

import yaml

from nacre.errors import ConfigError

Tree: TypeAlias = "dict[str, Tree] | list[Tree] | str | int | float | bool | None"


def read_tree(file: Path) -> Tree:
    """The content of a YAML file."""
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{file}: is not text in UTF-8") from None
    return parse_tree(text, str(file))


def parse_tree(text: str, name: str) -> Tree:
    """The content of YAML text; `name` is how messages call it. Keys are strings, each once."""
    loader = yaml.SafeLoader("")
    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        _check_keys(node, name)
        return None if node is None else _plain(loader.construct_document(node))
    except yaml.YAMLError as error:
        raise ConfigError(f"{name}: is not valid YAML: {_reason(error)}") from None
    except ValueError as error:  # such as a date in month 13
        raise ConfigError(f"{name}: is not valid YAML: {error}") from None
    except RecursionError:
        raise ConfigError(f"{name}: is nested too deeply, or refers to itself") from None
    finally:
        loader.dispose()


def _check_keys(node: yaml.Node | None, name: str) -> None:
    """YAML would let the last of two equal keys win, silently."""
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _check_keys(item, name)
    if not isinstance(node, yaml.MappingNode):
        return
    seen: set[str] = set()
    for key, value in node.value:
        if isinstance(key, yaml.ScalarNode) and key.value in seen:
            line = key.start_mark.line + 1
            raise ConfigError(f"{name}: line {line}: {key.value}: is there twice; keep one")
        seen.add(str(key.value))
        _check_keys(value, name)


def _plain(tree: Tree) -> Tree:
    """The same with keys as strings: a bare 7 in YAML is a number."""
    if isinstance(tree, dict):
        return {str(key): _plain(value) for key, value in tree.items()}
    return [_plain(item) for item in tree] if isinstance(tree, list) else tree


def _reason(error: yaml.YAMLError) -> str:
    """`line 2, column 7: expected ',' or '}', but got ':'`"""
    if not isinstance(error, yaml.MarkedYAMLError) or error.problem_mark is None:
        return " ".join(str(error).split())
    mark = error.problem_mark
    return f"line {mark.line + 1}, column {mark.column + 1}: {error.problem}"
