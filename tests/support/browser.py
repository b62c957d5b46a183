"""A real Chromium for tests of pages: it can reach nothing but files, and what it tried to load is on record."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

__all__ = ["Page", "chromium"]


class Page:
    """One browser; `open` shows a file in it."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, path: Path, fragment: str = "") -> None:
        self.driver.get("about:blank")
        self.errors()
        self.requests()
        self.driver.get(path.as_uri() + fragment)

    def run(self, script: str, *arguments: Any) -> Any:
        """What JavaScript returns."""
        return self.driver.execute_script(script, *arguments)

    def all(self, selector: str) -> list[Any]:
        found: list[Any] = self.driver.find_elements("css selector", selector)
        return found

    def one(self, selector: str) -> Any:
        return self.driver.find_element("css selector", selector)

    def wait(self, condition: Callable[[], Any]) -> Any:
        """Wait until the condition is true; returns what it gave."""
        from selenium.webdriver.support.ui import WebDriverWait

        return WebDriverWait(self.driver, 30, poll_frequency=0.05).until(lambda _: condition())

    def resize(self, width: int, height: int = 900) -> None:
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def emulate(self, *, media: str = "", scheme: str = "light") -> None:
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": features})

    def errors(self) -> list[str]:
        """What the console said since it was asked last."""
        return [str(entry["message"]) for entry in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        """Addresses that were asked for since this was called last."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [
            event["params"]["request"]["url"]
            for event in events
            if event["method"] == "Network.requestWillBeSent"
        ]


@contextmanager
def chromium(profile: Path) -> Iterator[Page]:
    """Start Chromium; skips the test where it, its driver or Selenium is not installed."""
    selenium = pytest.importorskip("selenium.webdriver", reason="pages are tested with selenium: install it")
    from selenium.webdriver.chrome.service import Service

    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    driver = shutil.which("chromedriver")
    if browser is None or driver is None:
        pytest.skip("pages are tested in Chromium: install the packages chromium and chromium-driver")
    options = selenium.ChromeOptions()
    options.binary_location = browser
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--host-resolver-rules=MAP * ~NOTFOUND",
        f"--user-data-dir={profile}",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    started = selenium.Chrome(options=options, service=Service(driver))
    try:
        started.set_script_timeout(60)
        yield Page(started)
    finally:
        started.quit()
