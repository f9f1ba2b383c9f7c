// SPDX-License-Identifier: Apache-2.0
// The forms are those of OpenAI's API: https://platform.openai.com/docs/api-reference
#include "ow/api/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include "choice.h"
#include "ow/base/error.h"
#include "ow/base/json.h"

namespace ow::api {
namespace {

using nlohmann::json;

// A completion of which nobody says how long it may be has so many tokens, as in OpenAI's API.
constexpr int kUsualLimit = 16;

json completion_probabilities(const std::vector<Entry>& entries) {
  json out = {{"tokens", json::array()},
              {"token_logprobs", json::array()},
              {"top_logprobs", json::array()},
              {"text_offset", json::array()}};
  for (const Entry& entry : entries) {
    out["tokens"].push_back(entry.text);
    out["text_offset"].push_back(entry.offset);
    if (!entry.probability) {
      out["token_logprobs"].push_back(nullptr);
      out["top_logprobs"].push_back(nullptr);
      continue;
    }
    out["token_logprobs"].push_back(*entry.probability);
    json top = json::object();
    // Several tokens may have the same text: the most probable one stands for it.
    for (const Entry::Other& other : entry.top) top.emplace(other.text, other.probability);
    top.emplace(entry.text, *entry.probability);
    out["top_logprobs"].push_back(top);
  }
  return out;
}

json token_json(const std::string& text, bool whole, double probability) {
  json bytes;
  if (whole) {
    bytes = json::array();
    for (const char c : text) bytes.push_back(static_cast<unsigned char>(c));
  }
  return {{"token", text}, {"logprob", probability}, {"bytes", bytes}};
}

json chat_probabilities(const std::vector<Entry>& entries) {
  json content = json::array();
  for (const Entry& entry : entries) {
    json one = token_json(entry.text, entry.whole, entry.probability.value_or(0));
    one["top_logprobs"] = json::array();
    for (const Entry::Other& other : entry.top) {
      one["top_logprobs"].push_back(token_json(other.text, other.whole, other.probability));
    }
    content.push_back(one);
  }
  return {{"content", content}, {"refusal", nullptr}};
}

std::string event(const json& data) { return "data: " + json_text(data) + "\n\n"; }

}  // namespace

Answer::Answer(const Model& model, Service* service, Task task, std::string id)
    : model_(model),
      service_(service),
      task_(std::move(task)),
      id_(std::move(id)),
      created_(std::time(nullptr)) {
  const size_t count = task_.chat ? 1 : task_.prompts.size();
  if (count * static_cast<size_t>(task_.answers) > static_cast<size_t>(service->most())) {
    throw ApiError(400,
                   fmt::format("{} answers are asked for, and at most {} can be made at a time",
                               count * static_cast<size_t>(task_.answers), service->most()),
                   "prompt");
  }
  try {
    prepare();
  } catch (const BadInput& e) {
    throw ApiError(400, e.what(), task_.chat ? "messages" : "prompt");
  }
  Job job = this->job();
  std::vector<std::string> stops = task_.stops;
  if (task_.chat) {
    for (const std::string& stop : chat_stops(model_.form)) stops.push_back(stop);
  }
  for (const Context& prompt : prompts_) {
    for (int n = 0; n < task_.answers; ++n) {
      choices_.push_back(std::make_unique<Choice>(model_, prompt, stops, task_.top.has_value()));
    }
  }
  open_ = choices_.size();
  sums_.resize(open_);
  answers_ = service_->submit(std::move(job));
}

Answer::~Answer() {
  if (open_ > 0) service_->end(answers_);
}

// The tokens of all prompts.
void Answer::prepare() {
  const Tokenizer& tokenizer = *model_.tokenizer;
  if (task_.chat) prompts_.push_back({chat_prompt(tokenizer, model_.form, task_.messages), 0, ""});
  for (const Prompt& prompt : task_.prompts) {
    Context context;
    if (const auto* text = std::get_if<std::string>(&prompt)) {
      context.tokens = tokenizer.before();
      context.before = context.tokens.size();
      for (const int token : tokenizer.encode(*text)) context.tokens.push_back(token);
      if (task_.echo) context.echo = *text;
    } else {
      context.tokens = std::get<std::vector<int>>(prompt);
      for (const int token : context.tokens) {
        if (token < model_.vocabulary) continue;
        throw BadInput(
            fmt::format("the prompt has token {}, the model has {}", token, model_.vocabulary));
      }
      if (task_.echo) context.echo = tokenizer.decode(context.tokens);
    }
    if (context.tokens.empty()) throw BadInput("the prompt has no token");
    prompts_.push_back(std::move(context));
  }
}

Job Answer::job() const {
  Job job;
  job.top = task_.top;
  for (const Context& prompt : prompts_) {
    const int length = static_cast<int>(prompt.tokens.size());
    // A prompt that fills the context is refused with a token more.
    const int rest = std::max(1, model_.positions - length);
    serve::Request request;
    request.limit = task_.limit.value_or(task_.chat ? rest : std::min(rest, kUsualLimit));
    if (length > model_.positions - request.limit) {
      throw ApiError(400,
                     fmt::format("a prompt of {} tokens and an answer of {}: a context has at most "
                                 "{} positions",
                                 length, request.limit, model_.positions),
                     task_.chat ? "messages" : "prompt", "context_length_exceeded");
    }
    request.prompt = prompt.tokens;
    request.sampling = task_.sampling;
    request.ends = model_.ends;
    request.logits = task_.top.has_value();
    request.prompt_logits = request.logits && task_.echo;
    if (task_.chat) {
      for (const int token : chat_ends(*model_.tokenizer, model_.form)) {
        request.ends.push_back(token);
      }
    }
    for (int n = 0; n < task_.answers; ++n) {
      request.sampling.answer = static_cast<uint64_t>(n);
      job.requests.push_back(request);
    }
  }
  return job;
}

const char* Answer::content_type() const {
  return task_.stream ? "text/event-stream" : "application/json";
}

std::string Answer::next(std::chrono::milliseconds most) {
  if (done_) return "";
  if (!begun_) {
    begun_ = true;
    if (task_.stream) return first_chunks();
  }
  try {
    const std::optional<Token> token = answers_->wait(most);
    return token ? take(*token) : "";
  } catch (const ApiError& e) {
    open_ = 0;
    done_ = true;
    if (!task_.stream) throw;
    return event(e.json());
  }
}

std::string Answer::take(const Token& token) {
  const auto number = static_cast<size_t>(token.answer);
  Choice& choice = *choices_.at(number);
  if (choice.finished()) return "";
  if (!token.of_prompt) {
    ++tokens_;
    if (!first_) first_ = token;
    last_ = token;
  }
  Delta delta = choice.add(token);
  std::string out;
  if (task_.stream) {
    out = chunk(number, delta);
  } else {
    Delta& sum = sums_[number];
    sum.text += delta.text;
    for (Entry& entry : delta.entries) sum.entries.push_back(std::move(entry));
    sum.finish = delta.finish;
  }
  if (!choice.finished()) return out;
  if (token.finish == serve::Finish::Not) service_->end(answers_, token.answer);
  if (--open_ > 0) return out;
  done_ = true;
  return task_.stream ? out + last_chunks() : whole();
}

json Answer::head() const {
  const char* object = !task_.chat    ? "text_completion"
                       : task_.stream ? "chat.completion.chunk"
                                      : "chat.completion";
  json out = {{"id", id_},
              {"object", object},
              {"created", created_},
              {"model", model_.id},
              {"system_fingerprint", model_.fingerprint},
              {"choices", json::array()}};
  // A stream with usage has it in the last chunk alone.
  if (task_.stream && task_.usage) out["usage"] = nullptr;
  return out;
}

// Rates are those of the tokens after the first one.
json Answer::usage() const {
  size_t prompt = 0;
  for (const Context& context : prompts_) prompt += context.tokens.size();
  json cycles, wafer, wall;
  if (tokens_ > 1) {
    const double after = tokens_ - 1;
    const double seconds = std::chrono::duration<double>(last_->time - first_->time).count();
    if (seconds > 0) wall = after / seconds;
    if (first_->cycle && last_->cycle && *last_->cycle > *first_->cycle) {
      cycles = *last_->cycle - *first_->cycle;
      wafer = after * model_.clock_hz / cycles.get<double>();
    }
  }
  return {{"prompt_tokens", prompt},
          {"completion_tokens", tokens_},
          {"total_tokens", prompt + static_cast<size_t>(tokens_)},
          {"openwafer",
           {{"cycles", cycles},
            {"wafer_tokens_per_second", wafer},
            {"wall_tokens_per_second", wall},
            {"clock_hz", model_.clock_hz},
            {"regions", model_.regions}}}};
}

json Answer::choice_json(size_t number, const Delta& delta) const {
  json out = {{"index", number},
              {"finish_reason", delta.finish == nullptr ? json() : json(delta.finish)},
              {"logprobs", nullptr}};
  if (task_.top && !(delta.entries.empty() && task_.stream)) {
    out["logprobs"] =
        task_.chat ? chat_probabilities(delta.entries) : completion_probabilities(delta.entries);
  }
  if (!task_.chat) {
    out["text"] = delta.text;
  } else if (!task_.stream) {
    out["message"] = {{"role", "assistant"}, {"content", delta.text}, {"refusal", nullptr}};
  } else {
    out["delta"] = json::object();
    if (!delta.text.empty()) out["delta"]["content"] = delta.text;
  }
  return out;
}

// The role of a chat's answer.
std::string Answer::first_chunks() {
  std::string out;
  for (size_t n = 0; n < choices_.size() && task_.chat; ++n) {
    json choice = choice_json(n, {});
    choice["delta"] = {{"role", "assistant"}, {"content", ""}};
    json chunk = head();
    chunk["choices"].push_back(choice);
    out += event(chunk);
  }
  return out;
}

std::string Answer::chunk(size_t number, const Delta& delta) const {
  if (delta.text.empty() && delta.entries.empty() && delta.finish == nullptr) return "";
  json chunk = head();
  chunk["choices"].push_back(choice_json(number, delta));
  return event(chunk);
}

std::string Answer::last_chunks() const {
  std::string out;
  if (task_.usage) {
    json chunk = head();
    chunk["usage"] = usage();
    out = event(chunk);
  }
  return out + "data: [DONE]\n\n";
}

std::string Answer::whole() const {
  json out = head();
  for (size_t n = 0; n < sums_.size(); ++n) {
    out["choices"].push_back(choice_json(n, sums_[n]));
  }
  out["usage"] = usage();
  return json_text(out);
}

}  // namespace ow::api
