// SPDX-License-Identifier: Apache-2.0
// How the messages of a chat become the tokens that a model was trained to answer.
#ifndef OW_TEXT_CHAT_FORM_H_
#define OW_TEXT_CHAT_FORM_H_

#include <string>
#include <vector>

#include "ow/text/tokenizer.h"

namespace ow {

enum class ChatForm {
  Llama3,  // Llama 3: <|start_header_id|>user<|end_header_id|>, an empty line, the text, <|eot_id|>
  ChatMl,  // ChatML: <|im_start|>user, a new line, the text, <|im_end|>, a new line
  Plain    // "User: " and the text as text, for models that know no chats
};

struct ChatMessage {
  std::string role;  // system, user or assistant
  std::string content;
};

// "llama3", "chatml" or "plain".
const char* chat_form_name(ChatForm form);
// BadInput for another name.
ChatForm chat_form_named(const std::string& name);
// The form whose special tokens the tokenizer has and the model's template of chats writes, else
// Plain. An empty template says nothing.
ChatForm usual_chat_form(const Tokenizer& tokenizer, const std::string& chat_template);

// The tokens of messages and of the head of the assistant's answer. Names of special tokens in what
// users write are text. BadInput if the tokenizer lacks a token of the form, and as encode().
std::vector<int> chat_prompt(const Tokenizer& tokenizer, ChatForm form,
                             const std::vector<ChatMessage>& messages);

// What ends an answer: a token, or for Plain a text.
std::vector<int> chat_ends(const Tokenizer& tokenizer, ChatForm form);
std::vector<std::string> chat_stops(ChatForm form);

}  // namespace ow

#endif  // OW_TEXT_CHAT_FORM_H_
