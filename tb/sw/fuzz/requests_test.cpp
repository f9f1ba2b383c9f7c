// SPDX-License-Identifier: Apache-2.0
// Mutants of requests to a server, to the last token of what is answered.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "mutants.h"
#include "ow/base/file.h"
#include "run_mutants.h"
#include "server_bench.h"

namespace ow {
namespace {

// BadInput with what the reply says, if it is an error. Errors have their form.
void ask(api::Bench* bench, const api::Call& call) {
  const api::Reply reply = bench->reply(call);
  if (reply.status == 200) return;
  const nlohmann::json error = nlohmann::json::parse(reply.body).at("error");
  EXPECT_EQ(error.size(), 4u) << reply.body;
  EXPECT_TRUE(reply.status == 400 || reply.status == 401 || reply.status == 404 ||
              reply.status == 405 || reply.status == 415)
      << reply.status << reply.body;
  throw BadInput(error.at("message").get<std::string>());
}

TEST(Fuzz, RequestsOfCompletions) {
  api::Bench bench;
  run("completion",
      {".json",
       {R"({"model": "hash", "prompt": "Alice", "max_tokens": 3, "temperature": 0.5, "top_p": 0.9,
            "top_k": 9, "seed": -1, "stop": ["e", "\n"], "n": 2, "stream": true,
            "stream_options": {"include_usage": true}, "logprobs": 2, "echo": false,
            "user": "u", "logit_bias": {}, "frequency_penalty": 0, "best_of": 2, "suffix": null})",
        R"({"model": "hash", "prompt": [5, 6], "max_completion_tokens": 2, "stop": "x"})",
        R"({"model": "hash", "prompt": ["a", "b"], "echo": true, "max_tokens": 1})",
        R"({"model": "hash", "prompt": [[1], [2, 3]], "stop": null})"},
       text,
       [&bench](const std::string& path) {
         ask(&bench, {"POST", "/v1/completions", "application/json", "", read_text(path)});
       }});
}

TEST(Fuzz, RequestsOfChats) {
  api::Bench bench;
  run("chat",
      {".json",
       {R"({"model": "hash", "messages": [{"role": "system", "content": "a"},
            {"role": "user", "content": [{"type": "text", "text": "b"}]},
            {"role": "assistant", "content": "c", "tool_calls": [], "refusal": null},
            {"role": "developer", "content": "d"}], "max_tokens": 3, "logprobs": true,
            "top_logprobs": 3, "tools": [], "tool_choice": "none", "modalities": ["text"],
            "response_format": {"type": "text"}})",
        R"({"model": "hash", "messages": [{"role": "user", "content": "b"}], "stream": true,
            "max_completion_tokens": 4, "stop": ["a", "b"], "n": 2})"},
       text,
       [&bench](const std::string& path) {
         ask(&bench, {"POST", "/v1/chat/completions", "application/json", "", read_text(path)});
       }});
}

// The line of a request and its headers, as HTTP hands them on.
TEST(Fuzz, PathsAndHeadersOfRequests) {
  api::Bench bench(2, 6, "secret");
  const std::string body = R"({"model": "hash", "prompt": "a", "max_tokens": 1})";
  run("calls", {".txt",
                {"GET\n/v1/models\n\nBearer secret\n", "GET\n/v1/models/hash\n\nBearer secret\n",
                 "GET\n/health\n\n\n", "GET\n/\n\n\n", "HEAD\n/metrics\n\nBearer secret\n",
                 "POST\n/v1/completions\napplication/json; charset=utf-8\nBearer secret\n"},
                text,
                [&](const std::string& path) {
                  std::vector<std::string> parts(4);
                  std::istringstream in(read_text(path));
                  for (std::string& part : parts) std::getline(in, part);
                  ask(&bench, {parts[0], parts[1], parts[2], parts[3], body});
                }});
}

}  // namespace
}  // namespace ow
