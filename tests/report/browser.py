"""A headless Chromium, driven through the DevTools protocol over a pipe: no further package."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--remote-debugging-pipe",
)  # fmt: skip
ANSWER_SECONDS = 60


class Browser:
    """One process; each `open` is a fresh tab."""

    def __init__(self, folder: Path) -> None:
        assert CHROMIUM is not None
        commands, self._send = os.pipe()
        self._receive, events = os.pipe()
        # The protocol wants file descriptors 3 (commands in) and 4 (answers out).
        script = f'exec "$@" 3<&{commands} 4>&{events}'
        self._process = subprocess.Popen(
            ["bash", "-c", script, "bash", CHROMIUM, *FLAGS, f"--user-data-dir={folder}"],
            pass_fds=(commands, events), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(commands)
        os.close(events)
        self._pending = b""
        self._number = 0
        self.events: list[dict[str, Any]] = []

    def open(self, file: Path, dark: bool = False, size: tuple[int, int] = (1400, 1000)) -> Page:
        target = self.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        attach = {"targetId": target, "flatten": True}
        page = Page(self, target, self.call("Target.attachToTarget", attach)["sessionId"])
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.call(f"{domain}.enable")
        screen = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False}
        page.call("Emulation.setDeviceMetricsOverride", screen)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        page.call("Emulation.setEmulatedMedia", {"features": [scheme]})
        page.call("Page.navigate", {"url": file.as_uri()})
        page.wait_for("Page.loadEventFired")
        return page

    def call(
        self, method: str, parameters: dict[str, Any] | None = None, session: str | None = None
    ) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters or {}}
        if session is not None:
            message["sessionId"] = session
        os.write(self._send, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self._number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]
            self.events.append(answer)

    def read(self) -> dict[str, Any]:
        """The next message; an error when the browser has died or hangs."""
        end = time.monotonic() + ANSWER_SECONDS
        while b"\0" not in self._pending:
            ready, _, _ = select.select([self._receive], [], [], max(0, end - time.monotonic()))
            assert ready, "the browser does not answer"
            block = os.read(self._receive, 1 << 16)
            assert block, "the browser has ended"
            self._pending += block
        message, _, self._pending = self._pending.partition(b"\0")
        return json.loads(message)

    def close(self) -> None:
        os.close(self._send)
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._receive)


@dataclass
class Page:
    """One tab."""

    browser: Browser
    target: str
    session: str
    _seen: list[dict[str, Any]] = field(default_factory=list)

    def call(self, method: str, parameters: dict[str, Any] | None = None) -> dict[str, Any]:
        return self.browser.call(method, parameters, self.session)

    def wait_for(self, method: str) -> None:
        while not any(e["method"] == method for e in self.events()):
            self.browser.events.append(self.browser.read())

    def events(self) -> list[dict[str, Any]]:
        return [e for e in self.browser.events if e.get("sessionId") == self.session]

    def run(self, expression: str) -> Any:
        """The value of a JavaScript expression; an exception fails the test."""
        answer = self.call(
            "Runtime.evaluate",
            {"expression": expression, "returnByValue": True, "awaitPromise": True},
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def problems(self) -> list[str]:
        """Uncaught exceptions, console messages and log entries (a policy's refusals too)."""
        kinds = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
        return [json.dumps(e["params"]) for e in self.events() if e["method"] in kinds]

    def requests(self) -> list[str]:
        sent = [e["params"] for e in self.events() if e["method"] == "Network.requestWillBeSent"]
        return [p["request"]["url"] for p in sent]

    def press(self, key: str) -> None:
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", {"type": kind, "key": key, "code": key})

    def mouse(self, kind: str, x: float, y: float) -> None:
        pressed = {"button": "left", "clickCount": 1} if kind != "mouseMoved" else {}
        self.call("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y} | pressed)

    def click(self, selector: str) -> None:
        """A real click in the middle of an element."""
        x, y = self.middle(selector)
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.mouse(kind, x, y)

    def middle(self, selector: str) -> tuple[float, float]:
        place = self.run(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            "e.scrollIntoView({block: 'center', inline: 'center'});"
            "const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2];"
            "})()"
        )
        return place[0], place[1]

    def screenshot(self, file: Path, whole: bool = False) -> None:
        shot = self.call("Page.captureScreenshot", {"captureBeyondViewport": whole})
        file.write_bytes(base64.b64decode(shot["data"]))

    def pdf(self) -> bytes:
        answer = self.call("Page.printToPDF", {"preferCSSPageSize": True})
        return base64.b64decode(answer["data"])

    def close(self) -> None:
        self.browser.call("Target.closeTarget", {"targetId": self.target})
