# SPDX-License-Identifier: Apache-2.0
"""Jobs of the tests that compare engines, their saves and their reports."""
import json
import os
import subprocess
import sys
import time

LAYER = """
data:
  file: {source}/data/one-layer/samples.csv
  rows: 16
network:
  layers: [4, 2]
  activations: relu
  weights: {source}/data/one-layer/weights.safetensors
grid: {{rows: {rows}, columns: {columns}, samples_per_tile: 8}}
large_layer: {{inputs: {inputs}, outputs: {outputs}, density: {density}, seed: {seed}}}
"""
# Keys of a report that are not the machine's: times of the host, the engine, files.
HOST = ("second", "per_s", "device", "clock", "evaluation", "file", "path", "command", "rate")


def write_layer(path, source, rows, columns, inputs, outputs, density, seed=7):
    """A job with one large layer; returns its file."""
    with open(path, "w", encoding="utf-8") as f:
        f.write(LAYER.format(source=source, rows=rows, columns=columns, inputs=inputs,
                             outputs=outputs, density=density, seed=seed))
    return path


WAIT = 900  # seconds for a save


def remove(*files):
    """Files of earlier runs, so that what is compared is of this one."""
    for file in files:
        if os.path.exists(file):
            os.remove(file)


def save_and_kill(command, file):
    """Runs a command that saves to a file, until it has."""
    remove(file)
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    end = time.monotonic() + WAIT
    while not os.path.exists(file) and process.poll() is None and time.monotonic() < end:
        time.sleep(0.01)
    process.kill()
    said = process.communicate()[0]
    if not os.path.exists(file):
        sys.exit(f"{' '.join(command)}: saved nothing\n{said}")


def report(path):
    """What a run reports of the machine."""
    with open(path, encoding="utf-8") as f:
        return of_machine(json.load(f))


def of_machine(value):
    if isinstance(value, list):
        return [of_machine(v) for v in value]
    if not isinstance(value, dict):
        return value
    return {k: of_machine(v) for k, v in value.items() if not any(word in k for word in HOST)}
