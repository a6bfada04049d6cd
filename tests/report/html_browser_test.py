#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens HTML reports in headless Chromium and uses them as a person would.

    html_browser_test.py --numatch build/numatch --samples build/tests/samples

Real pointer and key events go through WebDriver (W3C); only the standard library is used.
Exit: 0 passed, 1 failed, 77 skipped because Chromium or its driver is missing.
"""
import argparse
import base64
import contextlib
import json
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--disable-dev-shm-usage", "--window-size=1280,1400"]


class Browser:
    """One WebDriver session."""

    def __init__(self, url, profile):
        self.url = url
        answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
            "goog:chromeOptions": {"args": FLAGS + [f"--user-data-dir={profile}"]}}}})
        self.session = "/session/" + answer["sessionId"]

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, method=method,
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as problem:
            raise AssertionError(f"{path}: {problem.read().decode()[:400]}") from problem

    def do(self, method, path, body=None):
        return self.call(method, self.session + path, body)

    def open(self, page):
        self.do("POST", "/url", {"url": page.resolve().as_uri()})

    def script(self, text, *args):
        return self.do("POST", "/execute/sync", {"script": text, "args": list(args)})

    def find(self, selector):
        found = self.do("POST", "/element", {"using": "css selector", "value": selector})
        return found[ELEMENT]

    def click(self, selector):
        self.do("POST", f"/element/{self.find(selector)}/click", {})

    def point(self, selector, x, y):
        """Moves the pointer to a place counted from the element's upper left corner."""
        self.script("arguments[0].scrollIntoView({block: 'center'})",
                    {ELEMENT: self.find(selector)})
        left, top = self.script(
            "const b = document.querySelector(arguments[0]).getBoundingClientRect();"
            "return [b.left, b.top]", selector)
        self.do("POST", "/actions", {"actions": [{
            "type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"},
            "actions": [{"type": "pointerMove", "duration": 0, "origin": "viewport",
                         "x": round(left + x), "y": round(top + y)}]}]})

    def press(self, key):
        self.do("POST", "/actions", {"actions": [{
            "type": "key", "id": "keys",
            "actions": [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]}]})

    def tip(self):
        return self.script("const t = document.getElementById('tip');"
                           "return t.hidden ? '' : t.textContent")

    def log(self, kind):
        return self.do("POST", "/se/log", {"type": kind})

    def close(self):
        self.do("DELETE", "")


class Page:
    """A report that is open in the browser, with what the profile says about it."""

    def __init__(self, browser, numatch, samples, name, folder):
        self.browser = browser
        profile = samples / f"{name}.nmp"
        self.file = folder / f"{name}.html"
        topology = ["--topology", "numa:4 core:2 pu:1"]
        subprocess.run([numatch, "report", profile, "--html", self.file, *topology], check=True,
                       stdout=subprocess.DEVNULL)
        self.json = json.loads(subprocess.run([numatch, "report", profile, "--json", *topology],
                                              check=True, stdout=subprocess.PIPE).stdout)
        browser.open(self.file)

    def order(self):
        return [int(t) for t in self.browser.script(
            "return document.getElementById('heat').dataset.order").split()]

    def point_at(self, row, column):
        left, top, cell = [float(x) for x in self.browser.script(
            "const d = document.getElementById('heat').dataset; return [d.left, d.top, d.cell]")]
        self.browser.point("#heat", left + (column + 0.5) * cell, top + (row + 0.5) * cell)

    def shared(self, a, b):
        return self.json["sharing"][a][b] + self.json["sharing"][b][a]


def equal(actual, expected, what):
    if actual != expected:
        raise AssertionError(f"{what}: {actual!r}, expected {expected!r}")


def contains(text, part, what):
    if part not in text:
        raise AssertionError(f"{what}: {part!r} is not in {text!r}")


def check_tip_of_pair(page, row, column):
    """The tooltip names the pair under the pointer and its count."""
    page.point_at(row, column)
    tip = page.browser.tip()
    first, second = page.order()[row], page.order()[column]
    ids = re.match(r"thread (\d+)[^\n]* and thread (\d+)", tip)
    if not ids:
        raise AssertionError(f"no pair in the tooltip {tip!r}")
    equal([int(ids[1]), int(ids[2])], [first, second], "the pair of the tooltip")
    count = re.search(r"^([\d,.]+) ", tip, re.M)
    equal(float(count[1].replace(",", "")), page.shared(first, second), "its count")
    contains(tip, page.json["program"]["matrix_unit"], "the unit")
    contains(tip, page.json["program"]["how"], "how it was obtained")


def hovering_tells_pair_and_count(page):
    for row, column in [(0, 1), (2, 5), (7, 0)]:
        check_tip_of_pair(page, row, column)


def the_diagonal_tells_one_thread(page):
    page.point_at(3, 3)
    contains(page.browser.tip(), "thread 3", "tooltip of the diagonal")
    if " and thread" in page.browser.tip():
        raise AssertionError("the diagonal is no pair")


def leaving_the_map_hides_the_tip(page):
    page.point_at(0, 1)
    page.browser.point("h1", 2, 2)
    equal(page.browser.tip(), "", "tooltip outside of the map")


def the_order_can_be_chosen(page):
    equal(page.order(), list(range(len(page.json["threads"]))), "the order by thread")
    page.browser.click("[data-order=pattern]")
    equal(page.order(), page.json["shape"]["order"], "the order by pattern")
    check_tip_of_pair(page, 1, 2)
    page.browser.click("[data-order=mapping]")
    best = page.json["mappings"]["algorithms"][0]["mapping"]
    equal(page.order(), sorted(range(len(best)), key=lambda t: (best[t], t)), "order by mapping")
    check_tip_of_pair(page, 1, 3)
    page.browser.click("[data-order=thread]")
    equal(page.order(), list(range(len(best))), "the order by thread again")


def another_mapping_moves_the_threads(page):
    page.browser.click("[data-order=mapping]")
    rows = page.json["mappings"]["algorithms"]
    index = next(i for i, row in enumerate(rows) if row["algorithm"] == "scatter")
    page.browser.click(f"#mapping option[value='{index}']")
    scatter = rows[index]["mapping"]
    equal(page.order(), sorted(range(len(scatter)), key=lambda t: (scatter[t], t)), "the order")
    page.browser.click("#mapping option[value='0']")
    page.browser.click("[data-order=thread]")


def the_keyboard_moves_the_cell(page):
    page.browser.script("document.getElementById('heat').focus()")
    for key in ["\uE015", "\uE014"]:  # arrow down, arrow right
        page.browser.press(key)
    says = page.browser.script("return document.getElementById('heat-says').textContent")
    contains(says, "thread 0 (main) and thread 1", "the text below the map")


def colours_follow_the_amounts(page):
    """The darkest cell of the light map is a pair of neighbours, an empty pair is light."""
    level = """
        const c = document.getElementById('heat'), d = c.dataset;
        const r = c.width / parseFloat(c.style.width);
        const pixels = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
        const at = (i, j) => 4 * (Math.round(r * (+d.left + (j + 0.5) * d.cell))
          + c.width * Math.round(r * (+d.top + (i + 0.5) * d.cell)));
        return [at(0, 1), at(2, 5)].map((p) => pixels[p] + pixels[p + 1] + pixels[p + 2]);"""
    neighbours, strangers = page.browser.script(level)
    if not neighbours + 200 < strangers:
        raise AssertionError(f"brightness {neighbours} of neighbours, {strangers} of strangers")


def the_strip_tells_who_uses_a_page(page):
    left, width, height = page.browser.script(
        "const b = document.getElementById('strip'), d = b.dataset;"
        "return [118, b.clientWidth, b.clientHeight]")
    page.browser.point("#strip", left + (width - left) * 0.5, height * 0.02)
    tip = page.browser.tip()
    contains(tip, "0x55d0c0a1", "address in the tooltip of the strip")
    contains(tip, "by thread 0 (main)", "thread in the tooltip of the strip")
    page.browser.click("[data-strip=shared]")
    rows = int(page.browser.script("return document.getElementById('strip').dataset.rows"))
    shared = page.json["pages"]["shared_written"]["pages"]
    equal(rows, shared, "rows of shared pages, one for each as there are fewer than 200")
    page.browser.click("[data-strip=all]")


def the_machine_shows_every_thread(page):
    texts = page.browser.script(
        "return [...document.querySelectorAll('#machine text')].map((t) => t.textContent)")
    for node in range(4):
        contains(texts, f"node {node}", "the machine")
    for thread in range(8):
        contains(texts, str(thread), "threads of the machine")


def nothing_is_loaded_and_nothing_fails(page):
    """Console and network are quiet, from opening to here."""
    browser = page.browser
    equal([entry["message"] for entry in browser.log("browser")], [], "the console")
    requests = []
    for entry in browser.log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            requests.append(message["params"]["request"]["url"])
    equal([url for url in requests if not url.startswith(("file:", "data:"))], [], "requests")
    equal(len([url for url in requests if url.startswith("file:")]), 1, "files opened")


def hostile_names_stay_text(page):
    title = page.browser.script("return document.title")
    contains(title, "numatch: </script>", "the title")
    equal(page.browser.script("return document.images.length"), 0, "images")
    equal(page.browser.script("return document.scripts.length"), 2, "scripts")
    page.point_at(0, 1)
    contains(page.browser.tip(), "document.title='owned'", "the tooltip, as text")
    equal(page.browser.script("return document.title"), title, "the title afterwards")


def many_threads_can_be_hovered(page):
    check_tip_of_pair(page, 100, 101)
    check_tip_of_pair(page, 0, 511)


def a_crowd_gets_no_heat_map(page):
    contains(page.browser.script("return document.getElementById('heat-says').textContent"),
             "too many threads", "the text in place of the map")
    texts = page.browser.script("return document.getElementById('machine').textContent")
    contains(texts, "node 3", "the machine")


def every_sample_draws(page):
    equal(page.browser.script("return document.documentElement.className"), "scripted", "script")
    equal(page.browser.script("return document.querySelectorAll('#machine svg').length"), 1,
          "pictures of the machine")
    check_tip_of_pair(page, 0, 1)


def paper_is_light(page):
    """Printing works: the page becomes a PDF that is not empty."""
    pdf = base64.b64decode(page.browser.do("POST", "/print", {}))
    equal(pdf[:5], b"%PDF-", "the start of the print")
    if len(pdf) < 20000:
        raise AssertionError(f"the print has only {len(pdf)} bytes")


PLAN = [
    ("ring", [hovering_tells_pair_and_count, the_diagonal_tells_one_thread,
              leaving_the_map_hides_the_tip, the_order_can_be_chosen,
              another_mapping_moves_the_threads, the_keyboard_moves_the_cell,
              colours_follow_the_amounts, the_strip_tells_who_uses_a_page,
              the_machine_shows_every_thread, paper_is_light,
              nothing_is_loaded_and_nothing_fails]),
    ("hostile", [hostile_names_stay_text, nothing_is_loaded_and_nothing_fails]),
    ("many", [many_threads_can_be_hovered, nothing_is_loaded_and_nothing_fails]),
    ("crowd", [a_crowd_gets_no_heat_map, nothing_is_loaded_and_nothing_fails]),
    ("transpose", [every_sample_draws, nothing_is_loaded_and_nothing_fails]),
    ("private", [every_sample_draws, nothing_is_loaded_and_nothing_fails]),
    ("two", [every_sample_draws, nothing_is_loaded_and_nothing_fails]),
]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@contextlib.contextmanager
def driver(path):
    port = free_port()
    process = subprocess.Popen([path, f"--port={port}"], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(300):
            with contextlib.suppress(OSError):
                if json.load(urllib.request.urlopen(url + "/status"))["value"]["ready"]:
                    break
            time.sleep(0.1)
        yield url
    finally:
        process.terminate()
        process.wait()


def run(options, folder):
    failed = 0
    with driver(shutil.which("chromedriver")) as url:
        browser = Browser(url, folder / "browser")
        try:
            for name, checks in PLAN:
                browser.open(pathlib.Path("/dev/null"))
                for kind in ("browser", "performance"):
                    browser.log(kind)
                page = Page(browser, options.numatch, options.samples, name, folder)
                for check in checks:
                    try:
                        check(page)
                        print(f"ok   {name}: {check.__name__}")
                    except AssertionError as problem:
                        failed += 1
                        print(f"FAIL {name}: {check.__name__}: {problem}")
        finally:
            browser.close()
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--numatch", type=pathlib.Path, required=True)
    parser.add_argument("--samples", type=pathlib.Path, required=True)
    options = parser.parse_args()
    for tool in ("chromium", "chromedriver"):
        if not shutil.which(tool):
            print(f"skipped: {tool} is missing")
            return 77
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        return run(options, pathlib.Path(folder))


if __name__ == "__main__":
    sys.exit(main())
