"""Files for the build system that a module is made for: `module.type`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from nacre.emit.environment import environment

Facts = Mapping[str, object]


def build_files(kind: str, facts: Facts) -> dict[str, str]:
    """The build files of a module type; `facts` has sources, math, example and the names."""
    return {name: _render(template, facts) for name, template in FILES[kind].items()}


def _render(template: str, facts: Facts) -> str:
    return environment().get_template(template).render(facts)


# Module type -> file in the module -> template.
FILES: dict[str, dict[str, str]] = {
    "cmake": {"CMakeLists.txt": "CMakeLists.txt.j2"},
    "zephyr": {
        "zephyr/module.yml": "zephyr_module.yml.j2",
        "zephyr/Kconfig": "zephyr_Kconfig.j2",
        "zephyr/CMakeLists.txt": "zephyr_CMakeLists.txt.j2",
    },
    "esp-idf": {
        "CMakeLists.txt": "idf_CMakeLists.txt.j2",
        "idf_component.yml": "idf_component.yml.j2",
    },
    "plain": {"sources.mk": "sources.mk.j2"},
}

# How the README of a module says it is built.
USE: dict[str, Callable[[str], str]] = {
    "cmake": lambda p: (
        f"`add_subdirectory()` it from CMake (FetchContent with `SOURCE_DIR` works "
        f"too) and link the library `{p}`."
    ),
    "zephyr": lambda p: (
        "add it to `ZEPHYR_EXTRA_MODULES` (or the west manifest); "
        f"`CONFIG_NACRE_{p.upper()}` builds it and puts its header on the include path."
    ),
    "esp-idf": lambda p: (
        "put it into the project's `components/` folder, or name its parent in "
        f"`EXTRA_COMPONENT_DIRS`, and add `{p}` to your component's `REQUIRES`."
    ),
    "plain": lambda p: (
        f"`include sources.mk` from a Makefile: it sets `{p.upper()}_SOURCES` and "
        f"`{p.upper()}_INCLUDES`."
    ),
}
