#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""openai_client_test.py PROGRAM ROOT: `ow serve` as OpenAI's Python client sees it. Every field once as it may be and
once as it may not; many clients at a time, and clients that go away. Says so, and passes, where the client is not
installed (scripts/bootstrap clients)."""

import os
import random
import sys
import threading
import time
import unittest

from running import Server

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
SECONDS = float(os.environ.get("OW_CLIENT_SECONDS", "60"))
PROMPT = "Alice was beginning to"
SEED = int(os.environ.get("OW_SEED", "1"))


def client_of(server, key="none"):
    return openai.OpenAI(base_url=server.address + "/v1", api_key=key, max_retries=0, timeout=120)


class Fields(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(PROGRAM, ROOT)
        cls.client = client_of(cls.server)

    @classmethod
    def tearDownClass(cls):
        assert cls.server.end() == 0

    def completion(self, **fields):
        return self.client.completions.create(**{"model": "carroll", "prompt": PROMPT, "max_tokens": 4, **fields})

    def chat(self, **fields):
        return self.client.chat.completions.create(
            **{"model": "carroll", "messages": [{"role": "user", "content": "Who are you?"}], "max_tokens": 4, **fields})

    def refused(self, ask, param, **fields):
        with self.assertRaises(openai.BadRequestError) as caught:
            ask(**fields)
        self.assertEqual(caught.exception.param, param)
        self.assertEqual(caught.exception.type, "invalid_request_error")

    def test_models(self):
        self.assertEqual([m.id for m in self.client.models.list()], ["carroll"])
        self.assertEqual(self.client.models.retrieve("carroll").owned_by, "openwafer")
        with self.assertRaises(openai.NotFoundError):
            self.client.models.retrieve("gpt-4")

    def test_fields_of_both(self):
        both = [
            # field, values that are taken, values that are refused
            ("max_tokens", [1, 16], [0, -1, 1.5, "4"]),
            ("temperature", [0, 0.5, 2], [-0.1, 2.1, "1"]),
            ("top_p", [0, 0.5, 1], [-0.1, 1.1, "1"]),
            ("seed", [0, -5, 2**63], [0.5, "1"]),
            ("stop", ["e", ["a", "b", "c", "d"]], ["", ["a"] * 5, 1, [""]]),
            ("n", [1, 4], [0, 5, "2"]),
            ("frequency_penalty", [0], [0.5]),
            ("presence_penalty", [0], [-1]),
            ("logit_bias", [{}], [{"5": 1}]),
            ("user", ["someone"], []),
        ]
        for ask in (self.completion, self.chat):
            for field, good, bad in both:
                for value in good:
                    with self.subTest(ask=ask.__name__, field=field, value=value):
                        self.assertIn(ask(**{field: value}).choices[0].finish_reason, ("stop", "length"))
                for value in bad:
                    with self.subTest(ask=ask.__name__, field=field, value=value):
                        self.refused(ask, field, **{field: value})
            self.refused(ask, "min_p", extra_body={"min_p": 0.5})
            ask(extra_body={"top_k": 5})
            self.refused(ask, "top_k", extra_body={"top_k": -1})
            self.refused(ask, "stream_options", stream_options={"include_usage": True})
            with self.assertRaises(openai.NotFoundError) as caught:
                ask(model="gpt-4")
            self.assertEqual(caught.exception.code, "model_not_found")
            with self.assertRaises(openai.BadRequestError) as caught:
                ask(max_tokens=128)
            self.assertEqual(caught.exception.code, "context_length_exceeded")

    def test_completions(self):
        tokens = [2, 100, 200]
        for prompt, answers in ((PROMPT, 1), (tokens, 1), ([PROMPT, "The Queen"], 2), ([tokens, [2]], 2)):
            self.assertEqual(len(self.completion(prompt=prompt).choices), answers)
        for prompt in ([], [[]], [1, "a"], [-1], [1024], {}):
            with self.subTest(prompt=prompt):
                self.refused(self.completion, "prompt", prompt=prompt)
        self.assertTrue(self.completion(echo=True).choices[0].text.startswith(PROMPT))
        self.refused(self.completion, "echo", echo="yes")
        both = self.completion(prompt=tokens, echo=True, logprobs=1).choices[0].logprobs
        self.assertEqual(len(both.tokens), len(tokens) + 4)
        self.assertIsNone(both.token_logprobs[0])
        self.assertTrue(all(one < 0 for one in both.token_logprobs[1:]))
        for top in (0, 20):
            found = self.completion(logprobs=top).choices[0].logprobs
            self.assertEqual(len(found.tokens), 4)
            self.assertTrue(all(top <= len(one) <= top + 1 for one in found.top_logprobs))
        self.refused(self.completion, "logprobs", logprobs=21)
        self.refused(self.completion, "suffix", suffix="x")
        self.refused(self.completion, "best_of", best_of=2)

    def test_chats(self):
        messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"},
                    {"role": "assistant", "content": "Ho"},
                    {"role": "user", "content": [{"type": "text", "text": "?"}]}]
        reply = self.chat(messages=messages, max_completion_tokens=4, max_tokens=openai.omit)
        self.assertEqual(reply.choices[0].message.role, "assistant")
        self.assertEqual(reply.usage.completion_tokens, 4)
        # What a client was sent it may send back.
        self.chat(messages=[*messages, reply.choices[0].message, messages[1]])
        self.refused(self.chat, "max_completion_tokens", max_completion_tokens=0)
        self.refused(self.chat, "messages", messages=[])
        self.refused(self.chat, "messages[0].role", messages=[{"role": "robot", "content": "x"}])
        self.refused(self.chat, "messages[0].content", messages=[{"role": "user"}])
        found = self.chat(logprobs=True, top_logprobs=20).choices[0].logprobs.content
        self.assertEqual([len(one.top_logprobs) for one in found], [20] * 4)
        self.refused(self.chat, "top_logprobs", top_logprobs=1)
        self.refused(self.chat, "top_logprobs", logprobs=True, top_logprobs=21)
        self.refused(self.chat, "logprobs", logprobs=1)
        self.refused(self.chat, "tools", tools=[{"type": "function", "function": {"name": "f"}}])
        self.refused(self.chat, "response_format", response_format={"type": "json_object"})

    def test_streams(self):
        whole = self.completion(max_tokens=30, seed=SEED, n=2)
        texts, usage = ["", ""], None
        for chunk in self.completion(max_tokens=30, seed=SEED, n=2, stream=True, stream_options={"include_usage": True}):
            for choice in chunk.choices:
                texts[choice.index] += choice.text
            usage = chunk.usage
        self.assertEqual(texts, [choice.text for choice in whole.choices])
        self.assertEqual(usage.completion_tokens, whole.usage.completion_tokens)
        self.assertGreater(usage.openwafer["wall_tokens_per_second"], 0)
        text = ""
        for chunk in self.chat(seed=SEED, stream=True):
            text += chunk.choices[0].delta.content or ""
        self.assertEqual(text, self.chat(seed=SEED).choices[0].message.content)
        self.refused(self.completion, "stream_options", stream=True, stream_options="x")


class Clients(unittest.TestCase):
    def test_keys(self):
        with Server(PROGRAM, ROOT, "--api-key", "secret") as server:
            with self.assertRaises(openai.AuthenticationError):
                client_of(server).models.list()
            self.assertEqual(len(client_of(server, "secret").models.list().data), 1)

    def test_a_full_queue(self):
        with Server(PROGRAM, ROOT, "--slots", "1", "--queue", "0") as server:
            client, together = client_of(server), threading.Barrier(8)
            results = []

            def work():
                together.wait()
                try:
                    client.completions.create(model="carroll", prompt=PROMPT, max_tokens=120)
                    results.append("an answer")
                except openai.RateLimitError as e:
                    results.append(e.code)

            threads = [threading.Thread(target=work) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(set(results), {"an answer", "queue_full"})
            self.assertTrue(server.idle())

    def test_eight_clients(self):
        """Each answer is that of its request alone, whatever the others do."""
        with Server(PROGRAM, ROOT, "--slots", "3", "--queue", "16") as server:
            client = client_of(server)

            def ask(number):
                reply = client.completions.create(model="carroll", prompt=PROMPT, max_tokens=5 + 7 * number, seed=number,
                                                  n=1 + number % 2)
                return [choice.text for choice in reply.choices]

            alone = [ask(number) for number in range(8)]
            failures, counts = [], [0] * 8
            end = time.monotonic() + SECONDS

            def work(me):
                draw = random.Random(SEED * 100 + me)
                while time.monotonic() < end:
                    number = draw.randrange(8)
                    try:
                        if ask(number) != alone[number]:
                            failures.append(f"request {number} has another answer")
                    except openai.OpenAIError as e:
                        failures.append(repr(e))
                    counts[me] += 1

            threads = [threading.Thread(target=work, args=(me,)) for me in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            print(f"OW_SEED={SEED}: {sum(counts)} answers to 8 clients in {SECONDS:.0f} s, {len(failures)} wrong")
            self.assertEqual(failures, [])
            self.assertTrue(server.idle())

    def test_clients_that_vanish(self):
        with Server(PROGRAM, ROOT, "--slots", "2", "--queue", "2") as server:
            client = client_of(server)
            draw = random.Random(SEED)
            for _ in range(40):
                stream = client.completions.create(model="carroll", prompt=PROMPT, max_tokens=120, stream=True)
                for _ in range(draw.randrange(4)):
                    next(stream)
                stream.close()
                if draw.randrange(4) == 0:
                    self.assertTrue(server.idle())
                while server.metric("slots_used") + server.metric("answers_waiting") > 3:
                    time.sleep(0.01)
            self.assertTrue(server.idle())
            self.assertEqual(server.end(), 0)


if __name__ == "__main__":
    try:
        import openai
    except ImportError:
        venv = os.path.join(ROOT, os.environ.get("OW_VENV", ".venv"), "bin", "python3")
        if os.path.exists(venv) and sys.prefix == sys.base_prefix:
            os.execv(venv, [venv, *sys.argv])
        print("skipped: no OpenAI client (scripts/bootstrap clients)")
        sys.exit(0)
    unittest.main(argv=sys.argv[:1])
