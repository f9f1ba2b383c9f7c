// SPDX-License-Identifier: Apache-2.0
#include "ow/api/task.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "fields.h"
#include "ow/api/error.h"
#include "ow/base/error.h"
#include "ow/base/json.h"

namespace ow::api {
namespace {

using nlohmann::json;

constexpr int kMostTop = 20;
constexpr int kMostAnswers = 4;
constexpr size_t kMostStops = 4;

json body_of(const std::string& body) {
  try {
    return parse_json(body, "body");
  } catch (const BadInput& e) {
    throw ApiError(400, e.what());
  }
}

// max_completion_tokens is the newer name.
std::optional<int> limit_of(Fields* fields) {
  const int old = fields->whole("max_tokens", 1, INT32_MAX, 0);
  const int limit = fields->whole("max_completion_tokens", 1, INT32_MAX, old);
  if (old != 0 && limit != old) {
    fields->fail("max_completion_tokens", "and 'max_tokens' are not the same");
  }
  if (limit == 0) return std::nullopt;
  return limit;
}

serve::Sampling sampling_of(Fields* fields) {
  serve::Sampling s;
  s.temperature = fields->number("temperature", 0, 2, 1);
  // With 0 the most probable token alone stays.
  s.top_p = std::max(fields->number("top_p", 0, 1, 1), std::numeric_limits<double>::min());
  s.top_k = fields->whole("top_k", 0, INT32_MAX, 0);
  s.seed = fields->seed("seed");
  return s;
}

void read_stream(Fields* fields, Task* task) {
  task->stream = fields->flag("stream", false);
  const json* options = fields->find("stream_options");
  if (options == nullptr) return;
  if (!task->stream) fields->fail("stream_options", "needs 'stream'");
  Fields inner(*options, "stream_options.");
  task->usage = inner.flag("include_usage", false);
  inner.ignore("include_obfuscation");
  inner.finish();
}

// What both kinds of requests have.
void read_common(Fields* fields, Task* task) {
  task->model = fields->text("model");
  task->limit = limit_of(fields);
  task->sampling = sampling_of(fields);
  task->stops = fields->texts("stop", kMostStops);
  task->answers = fields->whole("n", 1, kMostAnswers, 1);
  read_stream(fields, task);
  for (const char* key : {"metadata", "prediction", "prompt_cache_key", "safety_identifier",
                          "service_tier", "store", "user"}) {
    fields->ignore(key);
  }
  for (const char* key : {"frequency_penalty", "presence_penalty"}) fields->require(key, 0);
  fields->require("logit_bias", json::object());
}

bool all_of_type(const json& list, bool (*is)(const json&)) {
  return std::all_of(list.begin(), list.end(), is);
}
bool is_token(const json& value) { return value.is_number_integer(); }
bool is_text(const json& value) { return value.is_string(); }
bool is_tokens(const json& value) {
  return value.is_array() && !value.empty() && all_of_type(value, is_token);
}

std::vector<int> tokens_of(const json& list, const Fields& fields) {
  std::vector<int> tokens;
  tokens.reserve(list.size());
  for (const json& token : list) {
    const bool fits = !token.is_number_unsigned() || token.get<uint64_t>() <= INT32_MAX;
    if (!fits || token.get<int64_t>() < 0) {
      fields.fail("prompt", "has " + shown(token) + " among its tokens");
    }
    tokens.push_back(token.get<int>());
  }
  return tokens;
}

std::vector<Prompt> prompts_of(Fields* fields) {
  const json& value = fields->at("prompt");
  if (value.is_string()) return {value.get<std::string>()};
  std::vector<Prompt> prompts;
  if (is_tokens(value)) {
    prompts.emplace_back(tokens_of(value, *fields));
  } else if (value.is_array() && !value.empty() && all_of_type(value, is_text)) {
    for (const json& text : value) prompts.emplace_back(text.get<std::string>());
  } else if (value.is_array() && !value.empty() && all_of_type(value, is_tokens)) {
    for (const json& list : value) prompts.emplace_back(tokens_of(list, *fields));
  } else {
    fields->fail("prompt", "must be a text, a list of tokens, or a list of such");
  }
  return prompts;
}

// The text of a message: a string, or a list of parts that are texts.
std::string content_of(Fields* message) {
  const json& value = message->at("content");
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) message->fail("content", "must be a text or a list of texts");
  std::string all;
  for (size_t n = 0; n < value.size(); ++n) {
    Fields part(value[n], message->name("content") + "[" + std::to_string(n) + "].");
    const std::string type = part.text("type");
    if (type != "text") part.fail("type", "must be \"text\", not " + shown(type));
    all += part.text("text");
    part.finish();
  }
  return all;
}

ChatMessage message_of(const json& value, size_t number) {
  Fields fields(value, "messages[" + std::to_string(number) + "].");
  std::string role = fields.text("role");
  if (role == "developer") role = "system";  // the newer name
  if (role != "system" && role != "user" && role != "assistant") {
    fields.fail("role", "must be system, developer, user or assistant, not " + shown(role));
  }
  const std::string content = content_of(&fields);
  // Clients send back what they were sent.
  for (const char* key : {"annotations", "tool_calls"}) fields.require(key, json::array());
  fields.finish();
  return {role, content};
}

}  // namespace

Task read_completion(const std::string& body) {
  const json value = body_of(body);
  Fields fields(value);
  Task task;
  read_common(&fields, &task);
  task.prompts = prompts_of(&fields);
  task.echo = fields.flag("echo", false);
  const int top = fields.whole("logprobs", 0, kMostTop, -1);
  if (top >= 0) task.top = top;
  fields.require("best_of", task.answers);
  fields.require("suffix", "");
  fields.finish();
  return task;
}

Task read_chat(const std::string& body) {
  const json value = body_of(body);
  Fields fields(value);
  Task task;
  task.chat = true;
  read_common(&fields, &task);
  const json& messages = fields.at("messages");
  if (!messages.is_array() || messages.empty()) {
    fields.fail("messages", "must be a list of at least one message");
  }
  for (size_t n = 0; n < messages.size(); ++n) {
    task.messages.push_back(message_of(messages[n], n));
  }
  const bool probabilities = fields.flag("logprobs", false);
  const int top = fields.whole("top_logprobs", 0, kMostTop, -1);
  if (top >= 0 && !probabilities) fields.fail("top_logprobs", "needs 'logprobs'");
  if (probabilities) task.top = std::max(top, 0);
  fields.ignore("parallel_tool_calls");
  fields.require("tools", json::array());
  fields.require("functions", json::array());
  for (const char* key : {"tool_choice", "function_call"}) {
    const json* choice = fields.find(key);
    if (choice != nullptr && *choice != "none" && *choice != "auto") {
      fields.fail(key, "is not supported");
    }
  }
  fields.require("response_format", {{"type", "text"}});
  fields.require("modalities", json::array({"text"}));
  fields.finish();
  return task;
}

}  // namespace ow::api
