"""Takes the pictures of the page that the README shows: `python docs/shots_web.py`, some two minutes.

The models are the embedded ones, the conversation is fictional, and so is everybody in it. Needs the extra `web`,
playwright and a Chromium.
"""

from __future__ import annotations

import argparse
import csv
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "assets" / "screenshots"
LARGEST = 300_000
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync")  # fmt: skip
KNOWN = (
    ("Mira", "home", "Mira lives in Graz with her sister Eva.", ""),
    ("Mira", "job", "Mira restores old violins in a workshop by the river.", ""),
    ("Mira", "travel", "Mira walked the Karst trail with Jon.", "2026-05"),
    ("Jon", "food", "Jon is allergic to walnuts.", ""),
)
SAID = ("Hi, I'm Mira.", "I have two cats, Nori and Wasabi.", "I started learning the cello last week.",
        "What are my cats called?")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--model", default="embedded")
    options = parser.parse_args()
    from playwright.sync_api import sync_playwright

    options.out.mkdir(parents=True, exist_ok=True)
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        raise SystemExit("No Chromium here: apt install chromium")
    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright:
        process, url = serve(Path(home), options.model)
        try:
            browser = playwright.chromium.launch(
                executable_path=program, args=list(FLAGS), env=os.environ | {"HOME": home}
            )
            tour(browser, url, options.out)
            browser.close()
        finally:
            process.terminate()
            process.wait(20)
    for path in sorted(options.out.glob("web*.png")):
        size = path.stat().st_size
        print(f"{path.name}: {size:,} bytes")
        assert size < LARGEST, path


def serve(home: Path, model: str) -> tuple[subprocess.Popen[str], str]:
    """`chatmem web` on a fresh database that knows a few things already."""
    env = os.environ | {"CHATMEM_HOME": str(home), "PYTHONPATH": str(ROOT), "CHATMEM_USER": "mira"}
    table = home / "known.csv"
    with table.open("w", newline="") as out:
        csv.writer(out).writerows([("subject", "topic", "fact", "happened_on"), *KNOWN])
    chatmem = [sys.executable, "-m", "chatmem"]
    subprocess.run([*chatmem, "memory", "import", str(table), "--yes"], env=env, check=True, capture_output=True)
    process = subprocess.Popen(
        [*chatmem, "web", "--port", "0", "--model", model], env=env, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr
    for line in process.stderr:
        if "http" in line:
            return process, line.split()[3]
    raise SystemExit("the page did not start")


def tour(browser: Any, url: str, out: Path) -> None:
    window = browser.new_page(viewport={"width": 1280, "height": 800})
    window.set_default_timeout(120_000)
    window.goto(url)
    for line in SAID:
        window.wait_for_selector("#send:visible")
        window.fill("#line textarea", line)
        window.press("#line textarea", "Enter")
        window.wait_for_function("t => document.querySelector('#chat').innerText.includes(t)", arg=line)
        window.wait_for_selector("#send:visible")
        window.wait_for_function("!document.querySelector('#status').innerText.includes('remembering')")
        window.wait_for_timeout(1500)
    window.screenshot(path=out / "web.png")
    window.get_by_role("tab", name="Why").click()
    window.wait_for_selector("#tab-why ol")
    window.wait_for_timeout(500)
    window.screenshot(path=out / "web-why.png")
    window.get_by_role("tab", name="Chat").click()
    window.click("#memory [data-act=history] >> nth=0")
    window.wait_for_selector("#detail ol")
    window.click("#chat .cm-chip >> nth=-1 >> text=Edit")
    window.wait_for_timeout(800)
    window.screenshot(path=out / "web-history.png")
    phone(browser, url, out)


def phone(browser: Any, url: str, out: Path) -> None:
    window = browser.new_context(
        viewport={"width": 390, "height": 844}, device_scale_factor=2, is_mobile=True
    ).new_page()
    window.set_default_timeout(60_000)
    window.goto(url)
    window.wait_for_selector("#line textarea:visible")
    window.wait_for_timeout(1500)
    window.click(".sidebar .toggle-button")
    window.wait_for_timeout(600)
    window.click("#sessions [data-act=resume] >> nth=0")
    window.wait_for_timeout(1500)
    window.click(".sidebar .toggle-button")
    window.wait_for_timeout(1000)
    window.screenshot(path=out / "web-phone.png")


if __name__ == "__main__":
    main()
