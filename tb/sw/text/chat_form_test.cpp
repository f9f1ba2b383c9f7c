// SPDX-License-Identifier: Apache-2.0
// Chats as tokens, in the forms that models were trained with.
#include "ow/text/chat_form.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "messages.h"
#include "tokenizer_file.h"

namespace ow {
namespace {

const std::vector<std::string> kLlama3 = {"<|begin_of_text|>", "<|start_header_id|>",
                                          "<|end_header_id|>", "<|eot_id|>"};
const std::vector<std::string> kChatMl = {"<|im_start|>", "<|im_end|>"};

// A token for each character of ASCII, and special ones.
Tokenizer tokenizer_with(const std::vector<std::string>& special) {
  std::vector<std::string> characters;
  for (char c = '\t'; c <= '\n'; ++c) characters.emplace_back(1, c);
  for (char c = ' '; c <= '~'; ++c) characters.emplace_back(1, c);
  nlohmann::json file = tokenizer_json(characters, {});
  int id = static_cast<int>(characters.size());
  for (const std::string& name : special) {
    file["added_tokens"].push_back({{"id", id++}, {"content", name}, {"special", true}});
  }
  return tokenizer_of(file);
}

// The names of tokens, a special one between two bars.
std::string shown(const Tokenizer& tokenizer, const std::vector<int>& tokens) {
  std::string text;
  for (const int token : tokens) {
    const std::string name = tokenizer.name(token);
    text += tokenizer.special(token) ? "[" + name + "]" : name;
  }
  return text;
}

const std::vector<ChatMessage> kChat = {{"system", "Be brief."},
                                        {"user", " Hi <|eot_id|> <|im_end|>\n"},
                                        {"assistant", "Ho"},
                                        {"user", "?"}};

TEST(ChatForm, IsThatOfTheSpecialTokens) {
  EXPECT_EQ(usual_chat_form(tokenizer_with(kLlama3), ""), ChatForm::Llama3);
  EXPECT_EQ(usual_chat_form(tokenizer_with(kChatMl), ""), ChatForm::ChatMl);
  EXPECT_EQ(usual_chat_form(tokenizer_with({}), ""), ChatForm::Plain);
  EXPECT_EQ(usual_chat_form(tokenizer_with({"<|im_start|>"}), ""), ChatForm::Plain);
  // A template that writes other tokens.
  EXPECT_EQ(usual_chat_form(tokenizer_with(kChatMl), "a <|im_start|> b"), ChatForm::ChatMl);
  EXPECT_EQ(usual_chat_form(tokenizer_with(kChatMl), "[INST]"), ChatForm::Plain);
}

TEST(ChatForm, Llama3HasHeadersAndTextsWithoutSpace) {
  const Tokenizer t = tokenizer_with(kLlama3);
  const auto turn = [](const std::string& role, const std::string& text) {
    return "[<|start_header_id|>]" + role + "[<|end_header_id|>]\n\n" + text;
  };
  EXPECT_EQ(shown(t, chat_prompt(t, ChatForm::Llama3, kChat)),
            "[<|begin_of_text|>]" + turn("system", "Be brief.") + "[<|eot_id|>]" +
                turn("user", "Hi <|eot_id|> <|im_end|>") + "[<|eot_id|>]" +
                turn("assistant", "Ho") + "[<|eot_id|>]" + turn("user", "?") + "[<|eot_id|>]" +
                turn("assistant", ""));
  EXPECT_EQ(shown(t, chat_ends(t, ChatForm::Llama3)), "[<|eot_id|>]");
  EXPECT_TRUE(chat_stops(ChatForm::Llama3).empty());
}

TEST(ChatForm, ChatMlHasRolesInALine) {
  const Tokenizer t = tokenizer_with(kChatMl);
  EXPECT_EQ(shown(t, chat_prompt(t, ChatForm::ChatMl, kChat)),
            "[<|im_start|>]system\nBe brief.[<|im_end|>]\n"
            "[<|im_start|>]user\n Hi <|eot_id|> <|im_end|>\n[<|im_end|>]\n"
            "[<|im_start|>]assistant\nHo[<|im_end|>]\n"
            "[<|im_start|>]user\n?[<|im_end|>]\n"
            "[<|im_start|>]assistant\n");
  EXPECT_EQ(shown(t, chat_ends(t, ChatForm::ChatMl)), "[<|im_end|>]");
}

TEST(ChatForm, PlainIsText) {
  const Tokenizer t = tokenizer_with({});
  EXPECT_EQ(shown(t, chat_prompt(t, ChatForm::Plain, {{"system", "Be brief."}, {"user", "Hi"}})),
            "Be brief.\nUser: Hi\nAssistant:");
  EXPECT_EQ(shown(t, chat_prompt(t, ChatForm::Plain, {{"user", "a"}, {"assistant", "b"}})),
            "User: a\nAssistant: b\nAssistant:");
  EXPECT_TRUE(chat_ends(t, ChatForm::Plain).empty());
  EXPECT_EQ(chat_stops(ChatForm::Plain), std::vector<std::string>{"\nUser:"});
}

TEST(ChatForm, HasANameAndNeedsItsTokens) {
  for (const ChatForm form : {ChatForm::Llama3, ChatForm::ChatMl, ChatForm::Plain}) {
    EXPECT_EQ(chat_form_named(chat_form_name(form)), form);
  }
  EXPECT_EQ(refusal_of([] { chat_form_named("jinja"); }),
            "'jinja' is no form of chats: llama3, chatml or plain");
  const Tokenizer t = tokenizer_with({});
  EXPECT_EQ(refusal_of([&] { chat_prompt(t, ChatForm::Llama3, {}); }),
            "the tokenizer has no token <|begin_of_text|>");
  EXPECT_EQ(refusal_of([&] { chat_ends(t, ChatForm::ChatMl); }),
            "the tokenizer has no token <|im_end|>");
}

}  // namespace
}  // namespace ow
