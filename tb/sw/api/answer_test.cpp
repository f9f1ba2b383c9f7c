// SPDX-License-Identifier: Apache-2.0
// Replies to tasks: texts, ends, streams, probabilities, usage.
#include "ow/api/answer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "server_bench.h"

namespace ow::api {
namespace {

using nlohmann::json;

const std::string kCompletions = "/v1/completions";
const std::string kChats = "/v1/chat/completions";

// What the hash of a context gives greedily.
std::vector<int> greedy(std::vector<int> context, int count) {
  std::vector<int> tokens;
  for (int n = 0; n < count; ++n) {
    const std::vector<uint32_t> logits = serve::fake_logits(context, carroll_tokenizer()->size());
    const auto best = std::max_element(logits.begin(), logits.end());
    tokens.push_back(static_cast<int>(best - logits.begin()));
    context.push_back(tokens.back());
  }
  return tokens;
}

std::vector<int> tokens_of(const std::string& text) {
  std::vector<int> tokens = carroll_tokenizer()->before();
  for (const int token : carroll_tokenizer()->encode(text)) tokens.push_back(token);
  return tokens;
}

std::string text_after(const std::vector<int>& prompt, const std::vector<int>& tokens) {
  TextStream stream(*carroll_tokenizer());
  for (const int token : prompt) stream.add(token);
  std::string text;
  for (const int token : tokens) text += stream.add(token);
  return text + stream.finish();
}

TEST(ApiAnswer, IsTheTextOfTheModelsTokens) {
  Bench bench;
  const std::vector<int> prompt = tokens_of("Alice");
  const std::string text = text_after(prompt, greedy(prompt, 16));
  const json whole = bench.completion({{"prompt", "Alice"}, {"temperature", 0}});
  EXPECT_EQ(whole["object"], "text_completion");
  EXPECT_EQ(whole["model"], "hash");
  EXPECT_EQ(whole["system_fingerprint"], "ow-test");
  ASSERT_EQ(whole["choices"].size(), 1u);
  EXPECT_EQ(
      whole["choices"][0],
      json({{"index", 0}, {"text", text}, {"logprobs", nullptr}, {"finish_reason", "length"}}));
  // The prompt as tokens is the same, a shorter answer its beginning.
  EXPECT_EQ(bench.completion({{"prompt", prompt}, {"temperature", 0}})["choices"],
            whole["choices"]);
  EXPECT_EQ(bench.completion(
                {{"prompt", prompt}, {"temperature", 0}, {"max_tokens", 3}})["choices"][0]["text"],
            text_after(prompt, greedy(prompt, 3)));
}

TEST(ApiAnswer, UsageHasBothRates) {
  Bench bench;
  bench.ring.pause = std::chrono::microseconds(1000);
  const json usage = bench.completion({{"prompt", "Alice"}, {"max_tokens", 5}})["usage"];
  const size_t prompt = tokens_of("Alice").size();
  EXPECT_EQ(usage["prompt_tokens"], prompt);
  EXPECT_EQ(usage["completion_tokens"], 5);
  EXPECT_EQ(usage["total_tokens"], prompt + 5);
  // The ring takes a cycle a token.
  EXPECT_EQ(usage["openwafer"]["cycles"], 4);
  EXPECT_EQ(usage["openwafer"]["clock_hz"], 5e8);
  EXPECT_EQ(usage["openwafer"]["wafer_tokens_per_second"], 5e8);
  EXPECT_EQ(usage["openwafer"]["regions"], 3);
  EXPECT_GT(usage["openwafer"]["wall_tokens_per_second"], 1);
  EXPECT_LT(usage["openwafer"]["wall_tokens_per_second"], 1001);
  // There is no rate of a single token.
  const json one = bench.completion({{"prompt", "Alice"}, {"max_tokens", 1}})["usage"];
  EXPECT_TRUE(one["openwafer"]["wafer_tokens_per_second"].is_null());
  EXPECT_TRUE(one["openwafer"]["wall_tokens_per_second"].is_null());
}

TEST(ApiAnswer, DependsOnItsRequestAndSeedAlone) {
  Bench bench;
  const json request = {{"prompt", "Alice"}, {"max_tokens", 30}, {"seed", 5}, {"n", 3}};
  const json alone = bench.completion(request)["choices"];
  EXPECT_NE(alone[0]["text"], alone[1]["text"]);
  EXPECT_NE(alone[1]["text"], alone[2]["text"]);
  std::vector<std::thread> others;
  for (int n = 0; n < 3; ++n) {
    others.emplace_back([&bench, n] {
      bench.completion({{"prompt", "The Queen"}, {"max_tokens", 60}, {"seed", n}});
    });
  }
  EXPECT_EQ(bench.completion(request)["choices"], alone);
  for (std::thread& t : others) t.join();
  json other = request;
  other["seed"] = 6;
  EXPECT_NE(bench.completion(other)["choices"], alone);
  // The first of several answers is the only one of one.
  other = request;
  other["n"] = 1;
  EXPECT_EQ(bench.completion(other)["choices"][0], alone[0]);
}

TEST(ApiAnswer, SeveralPromptsHaveAnswersInTheirOrder) {
  Bench bench;
  const json all = bench.completion({{"prompt", {"Alice", "The Queen"}},
                                     {"n", 2},
                                     {"temperature", 0},
                                     {"echo", true}})["choices"];
  ASSERT_EQ(all.size(), 4u);
  for (size_t n = 0; n < 4; ++n) {
    EXPECT_EQ(all[n]["index"], n);
    const std::string prompt = n < 2 ? "Alice" : "The Queen";
    const std::vector<int> tokens = tokens_of(prompt);
    EXPECT_EQ(all[n]["text"], prompt + text_after(tokens, greedy(tokens, 16)));
  }
}

TEST(ApiAnswer, EndsBeforeAStopTextWhereverItsTokensEnd) {
  Bench bench;
  const std::vector<int> prompt = tokens_of("Alice");
  const std::string text = text_after(prompt, greedy(prompt, 40));
  for (const size_t length : {1u, 2u, 5u, 11u}) {
    const size_t at = text.size() / 2;
    std::string stop = text.substr(at, length);
    // It may begin within a character, which no client can send.
    while (!stop.empty() && (static_cast<unsigned char>(stop.front()) & 0xC0) == 0x80) {
      stop.erase(0, 1);
    }
    while (!stop.empty() && (static_cast<unsigned char>(stop.back()) & 0x80) != 0) stop.pop_back();
    if (stop.empty()) continue;
    const json request = {
        {"prompt", "Alice"}, {"temperature", 0}, {"max_tokens", 40}, {"stop", {"nowhere", stop}}};
    const json choice = bench.completion(request)["choices"][0];
    EXPECT_EQ(choice["text"], text.substr(0, text.find(stop))) << stop;
    EXPECT_EQ(choice["finish_reason"], "stop");
  }
  EXPECT_TRUE(bench.idle());
}

TEST(ApiAnswer, EndsWithATokenOfTheModel) {
  const std::vector<int> prompt = tokens_of("Alice");
  const std::vector<int> tokens = greedy(prompt, 9);
  Model model = bench_model();
  model.ends = {tokens[6]};
  Bench bench(2, 6, "", model);
  const auto first = std::find(tokens.begin(), tokens.end(), tokens[6]);
  const json whole = bench.completion({{"prompt", "Alice"}, {"temperature", 0}});
  EXPECT_EQ(whole["choices"][0]["text"], text_after(prompt, {tokens.begin(), first + 1}));
  EXPECT_EQ(whole["choices"][0]["finish_reason"], "stop");
  EXPECT_EQ(whole["usage"]["completion_tokens"], first - tokens.begin() + 1);
}

// A stream's chunks joined, by the number of the answer.
std::map<int, json> joined(const std::vector<json>& all, bool chat) {
  std::map<int, json> out;
  for (const json& chunk : all) {
    for (const json& choice : chunk["choices"]) {
      json& sum = out[choice["index"].get<int>()];
      if (sum.is_null()) sum = {{"text", ""}, {"finish_reason", nullptr}};
      EXPECT_TRUE(sum["finish_reason"].is_null()) << "a chunk after the last one";
      const std::string piece =
          chat ? choice["delta"].value("content", "") : choice["text"].get<std::string>();
      sum["text"] = sum["text"].get<std::string>() + piece;
      sum["finish_reason"] = choice["finish_reason"];
      if (choice["logprobs"].is_null()) continue;
      if (sum["logprobs"].is_null()) {
        sum["logprobs"] = choice["logprobs"];
        continue;
      }
      for (const auto& [key, value] : choice["logprobs"].items()) {
        for (const json& one : value) sum["logprobs"][key].push_back(one);
      }
    }
  }
  return out;
}

TEST(ApiAnswer, AStreamIsTheSameInParts) {
  Bench bench;
  for (const json& more :
       std::vector<json>{{{"n", 3}},
                         {{"echo", true}},
                         {{"logprobs", 2}},
                         {{"echo", true}, {"logprobs", 1}, {"n", 2}},
                         {{"stop", "e"}, {"logprobs", 0}, {"n", 2}},
                         {{"prompt", {"Alice", "The Queen"}}, {"max_tokens", 1}}}) {
    json request = {{"model", "hash"}, {"prompt", "Alice"}, {"max_tokens", 25}, {"seed", 3}};
    request.update(more);
    const json whole = json::parse(bench.post(kCompletions, request).body);
    request["stream"] = true;
    request["stream_options"] = {{"include_usage", true}};
    const Reply reply = bench.post(kCompletions, request);
    EXPECT_EQ(reply.content_type, "text/event-stream");
    const std::vector<json> all = chunks(reply.body);
    const std::map<int, json> sums = joined(all, false);
    ASSERT_EQ(sums.size(), whole["choices"].size());
    for (const json& choice : whole["choices"]) {
      const json& sum = sums.at(choice["index"]);
      for (const char* key : {"text", "finish_reason"}) EXPECT_EQ(sum[key], choice[key]) << more;
      if (!sum.contains("logprobs")) continue;
      EXPECT_EQ(sum["logprobs"], choice["logprobs"]) << more;
    }
    // Usage is in the last chunk, which has no choices.
    for (size_t n = 0; n + 1 < all.size(); ++n) EXPECT_TRUE(all[n].at("usage").is_null());
    EXPECT_TRUE(all.back()["choices"].empty());
    EXPECT_EQ(all.back()["usage"]["completion_tokens"], whole["usage"]["completion_tokens"]);
  }
}

TEST(ApiAnswer, AChatsStreamBeginsWithItsRole) {
  Bench bench;
  json request = {{"model", "hash"},
                  {"messages", {{{"role", "user"}, {"content", "Who are you?"}}}},
                  {"max_tokens", 12},
                  {"logprobs", true},
                  {"top_logprobs", 2}};
  const json whole = json::parse(bench.post(kChats, request).body);
  EXPECT_EQ(whole["object"], "chat.completion");
  EXPECT_EQ(whole["choices"][0]["message"]["role"], "assistant");
  EXPECT_EQ(whole["choices"][0]["logprobs"]["content"].size(), 12u);
  request["stream"] = true;
  const std::vector<json> all = chunks(bench.post(kChats, request).body);
  EXPECT_EQ(all.front()["object"], "chat.completion.chunk");
  EXPECT_EQ(all.front()["choices"][0]["delta"], json({{"role", "assistant"}, {"content", ""}}));
  EXPECT_FALSE(all.back().contains("usage"));
  const json sum = joined(all, true).at(0);
  EXPECT_EQ(sum["text"], whole["choices"][0]["message"]["content"]);
  EXPECT_EQ(sum["finish_reason"], "length");
  EXPECT_EQ(sum["logprobs"]["content"], whole["choices"][0]["logprobs"]["content"]);
}

TEST(ApiAnswer, AChatFillsTheContextUnlessToldOtherwise) {
  Bench bench;
  const json whole = json::parse(
      bench
          .post(kChats, {{"model", "hash"},
                         {"messages", {{{"role", "user"}, {"content", "Who are you?"}}}},
                         {"temperature", 0}})
          .body);
  EXPECT_EQ(whole["choices"][0]["finish_reason"], "length");
  EXPECT_EQ(whole["usage"]["total_tokens"], kPositions);
}

TEST(ApiAnswer, ProbabilitiesAreThoseOfTheModel) {
  Bench bench;
  const json request = {
      {"prompt", "Alice"}, {"max_tokens", 6}, {"temperature", 1.5}, {"logprobs", 3}};
  const json choice = bench.completion(request)["choices"][0];
  // They do not change the answer.
  json without = request;
  without.erase("logprobs");
  EXPECT_EQ(bench.completion(without)["choices"][0]["text"], choice["text"]);
  const json& all = choice["logprobs"];
  ASSERT_EQ(all["tokens"].size(), 6u);
  std::string text;
  for (size_t n = 0; n < 6; ++n) {
    EXPECT_EQ(all["text_offset"][n], text.size());  // of the first answer's characters
    text += all["tokens"][n].get<std::string>();
    const double chosen = all["token_logprobs"][n];
    EXPECT_LT(chosen, 0);
    EXPECT_EQ(all["top_logprobs"][n][all["tokens"][n].get<std::string>()], chosen);
  }
  EXPECT_EQ(text, choice["text"]);
  // The first ones by themselves.
  const std::vector<uint32_t> logits =
      serve::fake_logits(tokens_of("Alice"), carroll_tokenizer()->size());
  std::vector<float> values;
  double sum = 0;
  for (const uint32_t bits : logits) {
    values.emplace_back();
    std::memcpy(&values.back(), &bits, sizeof bits);
    sum += std::exp(static_cast<double>(values.back()));
  }
  std::sort(values.rbegin(), values.rend());
  std::vector<double> top;
  for (const auto& [name, value] : all["top_logprobs"][0].items()) top.push_back(value);
  std::sort(top.rbegin(), top.rend());
  ASSERT_GE(top.size(), 3u);
  for (size_t n = 0; n < 3; ++n) EXPECT_NEAR(top[n], values[n] - std::log(sum), 1e-9);
}

TEST(ApiAnswer, AnEchoHasTheProbabilitiesOfItsTokens) {
  Bench bench;
  const std::vector<int> prompt = tokens_of("Alice was");
  json request = {{"prompt", "Alice was"}, {"max_tokens", 3}, {"echo", true}, {"logprobs", 2}};
  const json choice = bench.completion(request)["choices"][0], &all = choice["logprobs"];
  ASSERT_EQ(all["tokens"].size(), prompt.size() + 3);
  EXPECT_EQ(choice["text"].get<std::string>().rfind("Alice was", 0), 0u);
  // Nothing stands before the first token of this model's contexts.
  EXPECT_TRUE(all["token_logprobs"][0].is_null());
  EXPECT_TRUE(all["top_logprobs"][0].is_null());
  EXPECT_EQ(all["text_offset"][0], 0);
  for (size_t n = 1; n < prompt.size(); ++n) {
    const std::vector<uint32_t> logits = serve::fake_logits(
        {prompt.begin(), prompt.begin() + static_cast<ptrdiff_t>(n)}, carroll_tokenizer()->size());
    double sum = 0, own = 0;
    for (size_t t = 0; t < logits.size(); ++t) {
      float z;
      std::memcpy(&z, &logits[t], sizeof z);
      sum += std::exp(static_cast<double>(z));
      if (static_cast<int>(t) == prompt[n]) own = z;
    }
    EXPECT_NEAR(all["token_logprobs"][n].get<double>(), own - std::log(sum), 1e-9) << n;
    EXPECT_GE(all["top_logprobs"][n].size(), 2u);
  }
  EXPECT_EQ(all["text_offset"][prompt.size()], std::string("Alice was").size());
  // The same of tokens. They change neither the answer nor what it counts.
  request["prompt"] = prompt;
  EXPECT_EQ(bench.completion(request)["choices"][0]["logprobs"], all);
  request.erase("logprobs");
  const json without = bench.completion(request);
  EXPECT_EQ(without["choices"][0]["text"], choice["text"]);
  EXPECT_EQ(without["usage"]["completion_tokens"], 3);
}

TEST(ApiAnswer, WhatDoesNotFitIsRefused) {
  Bench bench;
  const auto error = [&bench](const json& more) {
    json request = {{"model", "hash"}, {"prompt", "Alice"}};
    request.update(more);
    const Reply reply = bench.post(kCompletions, request);
    EXPECT_EQ(reply.status, 400) << more;
    return json::parse(reply.body)["error"];
  };
  const std::vector<int> all(kPositions, 5);
  const json full = error({{"prompt", all}});
  EXPECT_EQ(full["message"],
            "a prompt of 128 tokens and an answer of 1: a context has at most 128 positions");
  EXPECT_EQ(full["code"], "context_length_exceeded");
  EXPECT_EQ(full["param"], "prompt");
  EXPECT_EQ(error({{"prompt", {5}}, {"max_tokens", 128}})["code"], "context_length_exceeded");
  EXPECT_EQ(error({{"prompt", {5}}, {"max_tokens", INT32_MAX}})["code"], "context_length_exceeded");
  EXPECT_EQ(error({{"prompt", {1024}}})["message"],
            "the prompt has token 1024, the model has 1024");
  EXPECT_EQ(error({{"prompt", {"a", "b", "c"}}, {"n", 4}})["message"],
            "12 answers are asked for, and at most 8 can be made at a time");
  EXPECT_EQ(bench.completion({{"prompt", {5}}, {"max_tokens", 127}})["usage"]["total_tokens"],
            kPositions);
}

}  // namespace
}  // namespace ow::api
