// SPDX-License-Identifier: Apache-2.0
// Bodies of requests: what a client asks for. docs/serving.md lists the fields.
#ifndef OW_API_TASK_H_
#define OW_API_TASK_H_

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ow/serve/sampling.h"
#include "ow/text/chat_form.h"

namespace ow::api {

using Prompt = std::variant<std::string, std::vector<int>>;  // a text, or its tokens

struct Task {
  bool chat = false;
  std::string model;
  std::vector<Prompt> prompts;        // of a completion
  std::vector<ChatMessage> messages;  // of a chat
  std::optional<int> limit;           // tokens of an answer at most
  serve::Sampling sampling;
  std::vector<std::string> stops;
  int answers = 1;  // to each prompt
  bool echo = false;
  bool stream = false;
  bool usage = false;      // in a last chunk of the stream
  std::optional<int> top;  // probabilities: of the token and of so many of the most probable
};

// ApiError 400 with the name of the field: a broken body, a value out of its range, a field that
// would change the answer and is not known.
Task read_completion(const std::string& body);
Task read_chat(const std::string& body);

}  // namespace ow::api

#endif  // OW_API_TASK_H_
