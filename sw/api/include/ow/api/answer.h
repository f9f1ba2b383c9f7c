// SPDX-License-Identifier: Apache-2.0
// The reply to a task: one object of JSON, or a stream of chunks as server-sent events
// (https://html.spec.whatwg.org/multipage/server-sent-events.html).
#ifndef OW_API_ANSWER_H_
#define OW_API_ANSWER_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "ow/api/model.h"
#include "ow/api/service.h"
#include "ow/api/task.h"

namespace ow::api {

class Choice;
struct Context;
struct Delta;

class Answer {
 public:
  // Gives the task to the service. ApiError 400: a prompt that does not fit into a context, or has
  // a token that the model has not; 429 and 503 as Service::submit. `model` and `service` must
  // outlive it. `id` names the answer.
  Answer(const Model& model, Service* service, Task task, std::string id);
  // Nobody wants what has not come.
  ~Answer();

  const char* content_type() const;

  // The next part of the reply's body. Waits at most `most` for it; empty if nothing has come. A
  // stream tells by itself of a machine that fails; else it is an ApiError 503.
  std::string next(std::chrono::milliseconds most);
  bool done() const { return done_; }

 private:
  void prepare();
  Job job() const;
  nlohmann::json head() const;
  nlohmann::json usage() const;
  nlohmann::json choice_json(size_t number, const Delta& delta) const;
  std::string first_chunks();
  std::string chunk(size_t number, const Delta& delta) const;
  std::string last_chunks() const;
  std::string take(const Token& token);
  std::string whole() const;

  const Model& model_;
  Service* service_;
  Task task_;
  std::string id_;
  int64_t created_;
  std::vector<Context> prompts_;
  std::vector<std::unique_ptr<Choice>> choices_;
  std::vector<Delta> sums_;  // of each choice, if it is no stream
  std::shared_ptr<Answers> answers_;
  size_t open_ = 0;  // choices
  bool begun_ = false, done_ = false;
  int tokens_ = 0;
  std::optional<Token> first_, last_;  // for the rates
};

}  // namespace ow::api

#endif  // OW_API_ANSWER_H_
