// SPDX-License-Identifier: Apache-2.0
// Bodies of requests: what each field may be, and what a wrong one is told.
#include "ow/api/task.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "ow/api/error.h"

namespace ow::api {
namespace {

using nlohmann::json;

const char* const kCompletion = R"({"model": "m", "prompt": "x"})";
const char* const kChat = R"({"model": "m", "messages": [{"role": "user", "content": "x"}]})";

Task completion(const json& more = json::object()) {
  json body = json::parse(kCompletion);
  body.update(more);
  return read_completion(body.dump());
}

Task chat(const json& more = json::object()) {
  json body = json::parse(kChat);
  body.update(more);
  return read_chat(body.dump());
}

TEST(ApiTask, WhatIsAbsentHasTheValueOfOpenAisApi) {
  for (const Task& t : {completion(), chat()}) {
    EXPECT_EQ(t.model, "m");
    EXPECT_FALSE(t.limit);
    EXPECT_EQ(t.sampling.temperature, 1);
    EXPECT_EQ(t.sampling.top_p, 1);
    EXPECT_EQ(t.sampling.top_k, 0);
    EXPECT_EQ(t.sampling.seed, 0u);
    EXPECT_TRUE(t.stops.empty());
    EXPECT_EQ(t.answers, 1);
    EXPECT_FALSE(t.echo || t.stream || t.usage || t.top);
  }
}

TEST(ApiTask, FieldsOfBothAreRead) {
  const json more = {{"max_completion_tokens", 7},
                     {"temperature", 0.5},
                     {"top_p", 0.25},
                     {"top_k", 9},
                     {"seed", -3},
                     {"stop", {"a", "bc"}},
                     {"n", 4},
                     {"stream", true},
                     {"stream_options", {{"include_usage", true}, {"include_obfuscation", true}}}};
  for (const Task& t : {completion(more), chat(more)}) {
    EXPECT_EQ(t.limit, 7);
    EXPECT_EQ(t.sampling.temperature, 0.5);
    EXPECT_EQ(t.sampling.top_p, 0.25);
    EXPECT_EQ(t.sampling.top_k, 9);
    EXPECT_EQ(t.sampling.seed, static_cast<uint64_t>(-3));
    EXPECT_EQ(t.stops, (std::vector<std::string>{"a", "bc"}));
    EXPECT_EQ(t.answers, 4);
    EXPECT_TRUE(t.stream && t.usage);
  }
  EXPECT_EQ(completion({{"max_tokens", 5}}).limit, 5);
  EXPECT_EQ(completion({{"max_tokens", 5}, {"max_completion_tokens", 5}}).limit, 5);
  EXPECT_EQ(completion({{"stop", "x"}}).stops, std::vector<std::string>{"x"});
  EXPECT_EQ(completion({{"seed", UINT64_MAX}}).sampling.seed, UINT64_MAX);
  EXPECT_GT(completion({{"top_p", 0}}).sampling.top_p, 0);
}

TEST(ApiTask, PromptsAreTextsOrTokensOneOrSeveral) {
  EXPECT_EQ(completion().prompts, std::vector<Prompt>{"x"});
  EXPECT_EQ(completion({{"prompt", {"a", ""}}}).prompts, (std::vector<Prompt>{"a", ""}));
  EXPECT_EQ(completion({{"prompt", {1, 2}}}).prompts,
            (std::vector<Prompt>{std::vector<int>{1, 2}}));
  EXPECT_EQ(completion({{"prompt", {{1}, {2, 3}}}}).prompts,
            (std::vector<Prompt>{std::vector<int>{1}, std::vector<int>{2, 3}}));
}

TEST(ApiTask, MessagesHaveTextsOrPartsOfTexts) {
  const Task t =
      chat({{"messages",
             {{{"role", "developer"}, {"content", "s"}},
              {{"role", "user"},
               {"content", {{{"type", "text"}, {"text", "a"}}, {{"type", "text"}, {"text", "b"}}}}},
              {{"role", "assistant"},
               {"content", "c"},
               {"refusal", nullptr},
               {"tool_calls", json::array()}}}}});
  ASSERT_EQ(t.messages.size(), 3u);
  EXPECT_EQ(t.messages[0].role, "system");
  EXPECT_EQ(t.messages[1].content, "ab");
  EXPECT_EQ(t.messages[2].role, "assistant");
}

TEST(ApiTask, ProbabilitiesAreAskedForInTwoWays) {
  EXPECT_EQ(completion({{"logprobs", 0}}).top, 0);
  EXPECT_EQ(completion({{"logprobs", 20}}).top, 20);
  EXPECT_EQ(chat({{"logprobs", true}}).top, 0);
  EXPECT_EQ(chat({{"logprobs", true}, {"top_logprobs", 20}}).top, 20);
  EXPECT_FALSE(chat({{"logprobs", false}}).top);
}

TEST(ApiTask, WhatChangesNothingIsIgnored) {
  const json more = {
      {"user", "u"},           {"metadata", {{"a", "b"}}},     {"frequency_penalty", 0.0},
      {"presence_penalty", 0}, {"logit_bias", json::object()}, {"service_tier", "auto"},
      {"store", false},        {"anything", nullptr}};
  EXPECT_NO_THROW(completion(more));
  EXPECT_NO_THROW(chat(more));
  EXPECT_NO_THROW(completion({{"best_of", 2}, {"n", 2}, {"suffix", ""}}));
  EXPECT_NO_THROW(chat({{"tools", json::array()},
                        {"tool_choice", "none"},
                        {"parallel_tool_calls", true},
                        {"response_format", {{"type", "text"}}},
                        {"modalities", {"text"}}}));
}

struct Wrong {
  json more;
  std::string param;
  std::string message;
};

void refused(const std::function<Task(const json&)>& read, const Wrong& wrong) {
  try {
    read(wrong.more);
    ADD_FAILURE() << wrong.more << " is taken";
  } catch (const ApiError& e) {
    EXPECT_EQ(e.status, 400) << wrong.more;
    EXPECT_EQ(e.param, wrong.param) << wrong.more;
    EXPECT_EQ(e.what(), wrong.message) << wrong.more;
  }
}

TEST(ApiTask, WrongValuesOfBothAreRefusedByTheNameOfTheirField) {
  const std::string stop = "'stop' must be a text or a list of at most 4, none empty";
  for (const Wrong& wrong : std::vector<Wrong>{
           {{{"model", nullptr}}, "model", "'model' is missing"},
           {{{"model", 1}}, "model", "'model' must be a text, not 1"},
           {{{"max_tokens", 0}},
            "max_tokens",
            "'max_tokens' must be a whole number from 1 to 2147483647, not 0"},
           {{{"max_tokens", 1.5}},
            "max_tokens",
            "'max_tokens' must be a whole number from 1 to 2147483647, not 1.5"},
           {{{"max_tokens", UINT64_MAX}},
            "max_tokens",
            "'max_tokens' must be a whole number from 1 to 2147483647, not 18446744073709551615"},
           {{{"max_tokens", 1}, {"max_completion_tokens", 2}},
            "max_completion_tokens",
            "'max_completion_tokens' and 'max_tokens' are not the same"},
           {{{"temperature", -0.1}},
            "temperature",
            "'temperature' must be a number from 0 to 2, not -0.1"},
           {{{"temperature", "1"}},
            "temperature",
            "'temperature' must be a number from 0 to 2, not \"1\""},
           {{{"top_p", 1.1}}, "top_p", "'top_p' must be a number from 0 to 1, not 1.1"},
           {{{"top_k", -1}},
            "top_k",
            "'top_k' must be a whole number from 0 to 2147483647, not -1"},
           {{{"seed", 0.5}}, "seed", "'seed' must be a whole number, not 0.5"},
           {{{"stop", ""}}, "stop", stop},
           {{{"stop", {"a", ""}}}, "stop", stop},
           {{{"stop", {"a", 1}}}, "stop", stop},
           {{{"stop", {"a", "b", "c", "d", "e"}}}, "stop", stop},
           {{{"stop", 1}}, "stop", stop},
           {{{"n", 5}}, "n", "'n' must be a whole number from 1 to 4, not 5"},
           {{{"stream", 1}}, "stream", "'stream' must be true or false, not 1"},
           {{{"stream_options", {{"include_usage", true}}}},
            "stream_options",
            "'stream_options' needs 'stream'"},
           {{{"stream", true}, {"stream_options", 1}},
            "stream_options",
            "'stream_options' must be an object, not 1"},
           {{{"stream", true}, {"stream_options", {{"x", 1}}}},
            "stream_options.x",
            "'stream_options.x' is not supported"},
           {{{"frequency_penalty", 0.5}},
            "frequency_penalty",
            "'frequency_penalty' is not supported"},
           {{{"presence_penalty", -1}}, "presence_penalty", "'presence_penalty' is not supported"},
           {{{"logit_bias", {{"5", 1}}}}, "logit_bias", "'logit_bias' is not supported"},
           {{{"min_p", 0.5}}, "min_p", "'min_p' is not supported"},
       }) {
    refused(completion, wrong);
    refused(chat, wrong);
  }
}

TEST(ApiTask, WrongValuesOfCompletionsAreRefused) {
  const std::string prompt = "'prompt' must be a text, a list of tokens, or a list of such";
  for (const Wrong& wrong : std::vector<Wrong>{
           {{{"prompt", nullptr}}, "prompt", "'prompt' is missing"},
           {{{"prompt", json::array()}}, "prompt", prompt},
           {{{"prompt", {1, "a"}}}, "prompt", prompt},
           {{{"prompt", {1.5}}}, "prompt", prompt},
           {{{"prompt", json::array({json::array()})}}, "prompt", prompt},
           {{{"prompt", {1, -1}}}, "prompt", "'prompt' has -1 among its tokens"},
           {{{"prompt", {UINT64_MAX}}},
            "prompt",
            "'prompt' has 18446744073709551615 among its tokens"},
           {{{"echo", "yes"}}, "echo", "'echo' must be true or false, not \"yes\""},
           {{{"logprobs", 21}},
            "logprobs",
            "'logprobs' must be a whole number from 0 to 20, not 21"},
           {{{"best_of", 2}}, "best_of", "'best_of' is not supported"},
           {{{"suffix", "x"}}, "suffix", "'suffix' is not supported"},
           {{{"messages", json::array({1})}}, "messages", "'messages' is not supported"},
       }) {
    refused(completion, wrong);
  }
}

TEST(ApiTask, WrongValuesOfChatsAreRefused) {
  const auto one = [](const json& message) { return json{{"messages", json::array({message})}}; };
  for (const Wrong& wrong : std::vector<Wrong>{
           {{{"messages", nullptr}}, "messages", "'messages' is missing"},
           {{{"messages", json::array()}},
            "messages",
            "'messages' must be a list of at least one message"},
           {one(1), "messages[0]", "'messages[0]' must be an object, not 1"},
           {one({{"content", "x"}}), "messages[0].role", "'messages[0].role' is missing"},
           {one({{"role", "tool"}, {"content", "x"}}), "messages[0].role",
            "'messages[0].role' must be system, developer, user or assistant, not \"tool\""},
           {one({{"role", "user"}}), "messages[0].content", "'messages[0].content' is missing"},
           {one({{"role", "user"}, {"content", 1}}), "messages[0].content",
            "'messages[0].content' must be a text or a list of texts"},
           {one({{"role", "user"},
                 {"content", json::array({{{"type", "image_url"}, {"image_url", "x"}}})}}),
            "messages[0].content[0].type",
            "'messages[0].content[0].type' must be \"text\", not \"image_url\""},
           {one({{"role", "user"}, {"content", "x"}, {"name", "Ann"}}), "messages[0].name",
            "'messages[0].name' is not supported"},
           {{{"logprobs", 1}}, "logprobs", "'logprobs' must be true or false, not 1"},
           {{{"top_logprobs", 1}}, "top_logprobs", "'top_logprobs' needs 'logprobs'"},
           {{{"logprobs", true}, {"top_logprobs", 21}},
            "top_logprobs",
            "'top_logprobs' must be a whole number from 0 to 20, not 21"},
           {{{"tools", {{{"type", "function"}}}}}, "tools", "'tools' is not supported"},
           {{{"tool_choice", "required"}}, "tool_choice", "'tool_choice' is not supported"},
           {{{"response_format", {{"type", "json_object"}}}},
            "response_format",
            "'response_format' is not supported"},
           {{{"echo", true}}, "echo", "'echo' is not supported"},
       }) {
    refused(chat, wrong);
  }
}

TEST(ApiTask, BrokenBodiesAreRefusedInOneLine) {
  for (const std::string& body : {std::string(), std::string("{"), std::string("[]"),
                                  std::string("1"), std::string(R"({"model": "m", "model": "m"})"),
                                  std::string("{\"model\": \"\xff\"}"), std::string(100, '[')}) {
    for (const auto read : {read_completion, read_chat}) {
      try {
        read(body);
        ADD_FAILURE() << body << " is taken";
      } catch (const ApiError& e) {
        EXPECT_EQ(e.status, 400);
        EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos) << e.what();
      }
    }
  }
}

}  // namespace
}  // namespace ow::api
