"""What the whole run says at its end: how many shared models agree with their golden files."""

from __future__ import annotations

import pytest

COUNTED = {
    "test_network_as_c[": "networks as C, under sanitizers with dead bytes poisoned",
    "test_operator_model[": "single operators",
    "test_litert_numerics[": "networks with LiteRT's numerics",
}


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    stats = terminalreporter.stats
    for mark, what in COUNTED.items():
        passed = sum(mark in r.nodeid for r in stats.get("passed", []))
        failed = sum(mark in r.nodeid for r in stats.get("failed", []))
        if passed + failed:
            terminalreporter.write_line(
                f"{what}: {passed} of {passed + failed} equal their golden files"
            )
