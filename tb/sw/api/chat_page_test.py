#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""chat_page_test.py PROGRAM ROOT [PICTURE]: the page of `ow serve` in a browser, on simulated tiles: a message, an
answer that comes piece by piece, and both rates. Writes a picture of it (PNG). Says so, and passes, where Chromium is
not installed (scripts/bootstrap clients)."""

import base64
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request

from running import Server

MESSAGE = "Who are you?"
TOKENS = "8"
ARGUMENTS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=820,700"]
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # https://www.w3.org/TR/webdriver2/#elements


class Browser:
    """Chromium by the WebDriver protocol."""

    def __init__(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.driver = subprocess.Popen(["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
        self.base = f"http://127.0.0.1:{port}/session"
        options = {"browserName": "chrome", "goog:chromeOptions": {"args": ARGUMENTS}}
        for _ in range(100):
            try:
                self.base += "/" + self.call("", {"capabilities": {"alwaysMatch": options}})["sessionId"]
                return
            except ConnectionRefusedError:
                time.sleep(0.1)
            except urllib.error.URLError as e:
                if not isinstance(e.reason, ConnectionRefusedError):
                    raise
                time.sleep(0.1)
        raise RuntimeError("chromedriver does not answer")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.request("", method="DELETE")
        self.driver.terminate()
        self.driver.wait(timeout=30)

    def request(self, path, body=None, method=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=60) as reply:
            return json.load(reply)["value"]

    def call(self, path, body):
        return self.request(path, body)

    def element(self, selector):
        found = self.call("/element", {"using": "css selector", "value": selector})
        return f"/element/{found[ELEMENT]}"

    def type(self, selector, text):
        self.call(self.element(selector) + "/value", {"text": text})

    def texts(self, selector):
        script = "return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent);"
        return self.call("/execute/sync", {"script": script, "args": [selector]})

    def wait(self, selector, good, seconds=1500):
        """The texts of these elements, as soon as `good` takes them; all that were seen before."""
        end, seen = time.monotonic() + seconds, []
        while time.monotonic() < end:
            texts = self.texts(selector)
            if not seen or seen[-1] != texts:
                seen.append(texts)
            if good(texts):
                return seen
            time.sleep(0.02)
        raise AssertionError(f"{selector}: {seen}")


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def main():
    program, root = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    if not shutil.which("chromedriver"):
        print("skipped: no chromedriver (scripts/bootstrap clients)")
        return
    with Server(program, root, "--device", "sim:8x12", "--slots", "1") as server, Browser() as browser:
        browser.call("/url", {"url": server.address + "/"})
        browser.wait("#model", lambda texts: texts[0].startswith("carroll: 5 regions, 128 positions"))
        browser.call("/execute/sync", {"script": "document.getElementById('temperature').value = 0;", "args": []})
        browser.type("#limit", TOKENS)
        browser.type("#text", MESSAGE + "\ue007")  # Enter
        seen = browser.wait(".assistant, #send", lambda texts: len(texts) == 2 and texts[1] == "Stop")
        seen += browser.wait(".assistant, #send", lambda texts: texts[-1] == "Send")
        check(browser.texts(".user") == [MESSAGE], "the message is not shown")
        check(browser.texts(".error") == [], browser.texts(".error"))
        answer = browser.texts(".assistant")[0]
        pieces = sorted({texts[0] for texts in seen if len(texts) == 2}, key=len)
        check(len(pieces) > 3, f"the answer did not come piece by piece: {pieces}")
        check(all(answer.startswith(piece) for piece in pieces), pieces)
        body = {"model": "carroll", "messages": [{"role": "user", "content": MESSAGE}], "temperature": 0,
                "max_tokens": int(TOKENS)}
        with Server(program, root) as golden:
            expected = golden.post("/v1/chat/completions", body)["choices"][0]["message"]["content"]
        check(answer == expected, f"{answer!r} is not {expected!r}")
        wafer, wall = (float(browser.texts(id)[0].replace(",", "")) for id in ("#wafer", "#wall"))
        check(1000 < wafer < 1e6 and 0 < wall < 1000, f"{wafer} and {wall} tokens a second")
        picture = base64.b64decode(browser.request("/screenshot"))
        check(picture.startswith(b"\x89PNG"), "no picture")
        if len(sys.argv) > 3:
            with open(sys.argv[3], "wb") as file:
                file.write(picture)
        print(f"{answer!r} in {len(pieces)} pieces, {wafer:.0f} tokens a second in wafer time, {wall} in wall time")


if __name__ == "__main__":
    main()
