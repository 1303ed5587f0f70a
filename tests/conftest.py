"""What the whole run says at its end: how many shared models agree with their golden files."""

from __future__ import annotations

import pytest

COUNTED = {
    "test_network_as_c[": "networks as C, under sanitizers with dead bytes poisoned",
    "test_operator_model[": "single operators",
    "test_onnx_network_as_c[": "float ONNX networks as C, under sanitizers",
    "test_litert_numerics[": "networks with LiteRT's numerics",
}


def node_tests(terminalreporter: pytest.TerminalReporter) -> None:
    """The node tests of the ONNX standard, which are counted inside a few tests."""
    reports = [r for kind in ("passed", "failed") for r in terminalreporter.stats.get(kind, [])]
    parts = [dict(r.user_properties) for r in reports if "test_node_tests[" in r.nodeid]
    words = ("passed", "refused", "failed")
    counts = [f"{sum(part.get(word, 0) for part in parts)} {word}" for word in words]
    if parts:
        terminalreporter.write_line(
            f"node tests of the ONNX standard: {', '.join(counts)}; refusals give their reason"
        )


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    stats = terminalreporter.stats
    for mark, what in COUNTED.items():
        passed = sum(mark in r.nodeid for r in stats.get("passed", []))
        failed = sum(mark in r.nodeid for r in stats.get("failed", []))
        if passed + failed:
            terminalreporter.write_line(
                f"{what}: {passed} of {passed + failed} equal their golden files"
            )
    node_tests(terminalreporter)
