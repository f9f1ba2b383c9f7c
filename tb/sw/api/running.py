# SPDX-License-Identifier: Apache-2.0
"""`ow serve` while a test runs, and what it says of itself."""

import json
import re
import subprocess
import time
import urllib.request


class Server:
    """A server of data/models/carroll, or of another folder, at a free port."""

    def __init__(self, program, root, *arguments, model=None):
        self.process = subprocess.Popen(
            [program, "serve", "--model", model or f"{root}/data/models/carroll", "--port", "0", *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        first = self.process.stdout.readline()
        found = re.search(r"http://\S+/", first)
        if not found:
            raise RuntimeError(first + self.process.stdout.read())
        self.address = found.group().rstrip("/")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        """Its exit status."""
        self.process.terminate()
        self.process.communicate(timeout=30)
        return self.process.returncode

    def get(self, path):
        with urllib.request.urlopen(self.address + path, timeout=30) as reply:
            return reply.read().decode()

    def post(self, path, body):
        request = urllib.request.Request(self.address + path, json.dumps(body).encode(),
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=600) as reply:
            return json.load(reply)

    def metric(self, name):
        return float(re.search(rf"^openwafer_{name} (\S+)$", self.get("/metrics"), re.M).group(1))

    def idle(self, seconds=10):
        """Whether all slots are free in time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.metric("slots_used") == 0 and self.metric("answers_waiting") == 0:
                return True
            time.sleep(0.05)
        return False
