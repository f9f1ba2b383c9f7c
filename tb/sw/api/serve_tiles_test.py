#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""serve_tiles_test.py PROGRAM ROOT: two users of a server on simulated tiles, at the same time: each gets the bits
that it gets alone from golden."""

import os
import sys
import threading

from running import Server

SEED = int(os.environ.get("OW_SEED", "1"))
REQUESTS = [
    # The logits, as probabilities, show more bits than the tokens do.
    {"prompt": "Alice was beginning to", "max_tokens": 8, "temperature": 0, "logprobs": 5},
    {"prompt": "The Queen of", "max_tokens": 8, "temperature": 0.9, "seed": SEED, "logprobs": 5, "echo": True},
]


def main():
    program, root = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    for request in REQUESTS:
        request["model"] = "carroll"
    with Server(program, root) as golden:
        alone = [golden.post("/v1/completions", request) for request in REQUESTS]
    together = [None, None]
    with Server(program, root, "--device", "sim:8x12", "--slots", "2") as tiles:

        def work(me):
            together[me] = tiles.post("/v1/completions", REQUESTS[me])

        threads = [threading.Thread(target=work, args=(me,)) for me in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if not tiles.idle() or tiles.end() != 0:
            sys.exit("the server does not end as it should")
    for want, got in zip(alone, together):
        text, usage = got["choices"][0]["text"], got["usage"]["openwafer"]
        if got["choices"] != want["choices"] or got["system_fingerprint"] != want["system_fingerprint"]:
            sys.exit(f"OW_SEED={SEED}: {got['choices']} is not {want['choices']}")
        if not usage["cycles"] or not usage["wafer_tokens_per_second"]:
            sys.exit(f"no rate in wafer time: {usage}")
        print(f"{text!r}: the bits of golden; {usage['wafer_tokens_per_second']:.0f} tokens a second in wafer time")


if __name__ == "__main__":
    main()
