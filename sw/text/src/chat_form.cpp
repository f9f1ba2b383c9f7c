// SPDX-License-Identifier: Apache-2.0
#include "ow/text/chat_form.h"

#include "ow/base/error.h"

namespace ow {
namespace {

constexpr const char* kStartHeader = "<|start_header_id|>";
constexpr const char* kEndHeader = "<|end_header_id|>";
constexpr const char* kEndOfTurn = "<|eot_id|>";
constexpr const char* kStart = "<|im_start|>";
constexpr const char* kEnd = "<|im_end|>";

bool has(const Tokenizer& tokenizer, const char* name) {
  const auto id = tokenizer.find(name);
  return id && tokenizer.special(*id);
}

class Tokens {
 public:
  explicit Tokens(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

  void special(const char* name) {
    const auto id = tokenizer_.find(name);
    if (!id) throw BadInput(std::string("the tokenizer has no token ") + name);
    ids_.push_back(*id);
  }
  void text(const std::string& text) { add(tokenizer_.encode(text)); }
  void add(const std::vector<int>& ids) { ids_.insert(ids_.end(), ids.begin(), ids.end()); }
  std::vector<int> take() { return std::move(ids_); }

 private:
  const Tokenizer& tokenizer_;
  std::vector<int> ids_;
};

std::string trimmed(const std::string& text) {
  constexpr const char* kSpace = " \t\n\r\v\f";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(kSpace) + 1 - first);
}

// https://www.llama.com/docs/model-cards-and-prompt-formats/meta-llama-3/
std::vector<int> llama3_prompt(const Tokenizer& tokenizer,
                               const std::vector<ChatMessage>& messages) {
  Tokens tokens(tokenizer);
  tokens.special("<|begin_of_text|>");
  const auto header = [&tokens](const std::string& role) {
    tokens.special(kStartHeader);
    tokens.text(role);
    tokens.special(kEndHeader);
  };
  for (const ChatMessage& message : messages) {
    header(message.role);
    tokens.text("\n\n" + trimmed(message.content));
    tokens.special(kEndOfTurn);
  }
  header("assistant");
  tokens.text("\n\n");
  return tokens.take();
}

std::vector<int> chatml_prompt(const Tokenizer& tokenizer,
                               const std::vector<ChatMessage>& messages) {
  Tokens tokens(tokenizer);
  for (const ChatMessage& message : messages) {
    tokens.special(kStart);
    tokens.text(message.role + "\n" + message.content);
    tokens.special(kEnd);
    tokens.text("\n");
  }
  tokens.special(kStart);
  tokens.text("assistant\n");
  return tokens.take();
}

std::vector<int> plain_prompt(const Tokenizer& tokenizer,
                              const std::vector<ChatMessage>& messages) {
  std::string text;
  for (const ChatMessage& message : messages) {
    if (message.role == "user") text += "User: ";
    if (message.role == "assistant") text += "Assistant: ";
    text += message.content + "\n";
  }
  Tokens tokens(tokenizer);
  tokens.add(tokenizer.before());
  tokens.text(text + "Assistant:");
  return tokens.take();
}

}  // namespace

const char* chat_form_name(ChatForm form) {
  switch (form) {
    case ChatForm::Llama3:
      return "llama3";
    case ChatForm::ChatMl:
      return "chatml";
    default:
      return "plain";
  }
}

ChatForm chat_form_named(const std::string& name) {
  for (const ChatForm form : {ChatForm::Llama3, ChatForm::ChatMl, ChatForm::Plain}) {
    if (name == chat_form_name(form)) return form;
  }
  throw BadInput("'" + name + "' is no form of chats: llama3, chatml or plain");
}

ChatForm usual_chat_form(const Tokenizer& tokenizer, const std::string& chat_template) {
  const auto written = [&chat_template](const char* name) {
    return chat_template.empty() || chat_template.find(name) != std::string::npos;
  };
  if (has(tokenizer, kStartHeader) && has(tokenizer, kEndHeader) && has(tokenizer, kEndOfTurn) &&
      written(kStartHeader)) {
    return ChatForm::Llama3;
  }
  if (has(tokenizer, kStart) && has(tokenizer, kEnd) && written(kStart)) return ChatForm::ChatMl;
  return ChatForm::Plain;
}

std::vector<int> chat_prompt(const Tokenizer& tokenizer, ChatForm form,
                             const std::vector<ChatMessage>& messages) {
  switch (form) {
    case ChatForm::Llama3:
      return llama3_prompt(tokenizer, messages);
    case ChatForm::ChatMl:
      return chatml_prompt(tokenizer, messages);
    default:
      return plain_prompt(tokenizer, messages);
  }
}

std::vector<int> chat_ends(const Tokenizer& tokenizer, ChatForm form) {
  if (form == ChatForm::Plain) return {};
  Tokens tokens(tokenizer);
  tokens.special(form == ChatForm::Llama3 ? kEndOfTurn : kEnd);
  return tokens.take();
}

std::vector<std::string> chat_stops(ChatForm form) {
  if (form == ChatForm::Plain) return {"\nUser:"};
  return {};
}

}  // namespace ow
