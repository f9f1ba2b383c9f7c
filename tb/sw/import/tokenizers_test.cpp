// SPDX-License-Identifier: Apache-2.0
// Tokenizers in files of other programs, as the files that they become.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "messages.h"
#include "other_forms.h"
#include "ow/base/temporary_directory.h"
#include "ow/import/imported_model.h"
#include "ow/import/model_settings.h"
#include "ow/text/chat_form.h"
#include "ow/text/tokenizer.h"

namespace ow {
namespace {

using Ids = std::vector<int>;

// A model of so many tokens, and nearly nothing else.
RealLanguage tiny_model(int vocabulary) {
  LanguageShape s;
  s.width = s.head_size = s.hidden = 2;
  s.layers = s.heads = s.kv_heads = 1;
  s.vocabulary = vocabulary;
  s.positions = 4;
  s.epsilon = 1e-5;
  return real_language(random_language_model(s, HalfType::Binary16, 1, true));
}

Tokenizer tokenizer_of(const ImportedModel& imported) {
  const TemporaryDirectory directory;
  const std::string folder = directory.path() + "/folder";
  write_imported_model(folder, imported);
  return Tokenizer(tokenizer_file(folder));
}

class GgufTokenizer : public testing::Test {
 protected:
  GgufForm form(int vocabulary) {
    RealLanguage model = tiny_model(vocabulary);
    return gguf_form(&model, GgufType::F32);
  }
  ImportedModel read(const GgufForm& form) {
    write_file(path(), form.file());
    return read_gguf(path());
  }
  std::string refusal(const GgufForm& form) {
    const std::string text = refusal_of([&] { read(form); });
    return text.substr(std::min(text.size(), path().size()));
  }
  std::string path() const { return directory_.path() + "/model.gguf"; }

  TemporaryDirectory directory_;
};

GgufForm with_merges(GgufForm form) {
  form.text("tokenizer.ggml.model", "gpt2");
  form.texts("tokenizer.ggml.tokens",
             {"<|im_start|>", "<|im_end|>", "a", "b", "1", "\xC4\xA0", "ab",
              "\xC4\xA0"
              "ab"});
  form.wholes("tokenizer.ggml.token_type", {3, 3, 1, 1, 1, 1, 1, 1});
  form.texts("tokenizer.ggml.merges", {"a b", "\xC4\xA0 ab"});
  form.whole("tokenizer.ggml.bos_token_id", 0);
  form.whole("tokenizer.ggml.eos_token_id", 1);
  return form;
}

TEST_F(GgufTokenizer, OfMerges) {
  GgufForm merges = with_merges(form(8));
  merges.text("tokenizer.ggml.pre", "smollm");
  const ImportedModel imported = read(merges);
  EXPECT_EQ(imported.ends, Ids{1});
  const Tokenizer t = tokenizer_of(imported);
  EXPECT_EQ(t.encode("ab ab11"), (Ids{6, 7, 4, 4}));
  EXPECT_EQ(t.encode("<|im_end|>a", SpecialNames::AsTokens), (Ids{1, 2}));
  EXPECT_EQ(t.decode({0, 6, 7, 4}), "ab ab1");
  EXPECT_EQ(t.before(), Ids{});
  EXPECT_EQ(usual_chat_form(t, ""), ChatForm::ChatMl);
  EXPECT_EQ(imported.files.count("tokenizer_config.json"), 0u);
  merges.text("tokenizer.chat_template", "{{ '<|im_start|>' }}");
  const TemporaryDirectory directory;
  write_imported_model(directory.path() + "/folder", read(merges));
  EXPECT_EQ(read_model_settings(directory.path() + "/folder").chat_template,
            "{{ '<|im_start|>' }}");
  GgufForm around = merges;
  around.flag("tokenizer.ggml.add_bos_token", true);
  around.flag("tokenizer.ggml.add_eos_token", true);
  const Tokenizer both = tokenizer_of(read(around));
  EXPECT_EQ(both.before(), Ids{0});
  EXPECT_EQ(both.after(), Ids{1});
  // Every way of cutting that is known.
  for (const char* cut : {"gpt-2", "llama-bpe", "qwen2"}) {
    GgufForm other = with_merges(form(8));
    other.text("tokenizer.ggml.pre", cut);
    EXPECT_EQ(tokenizer_of(read(other)).encode("ab ab"), (Ids{6, 7})) << cut;
  }
}

TEST_F(GgufTokenizer, OfPieces) {
  GgufForm pieces = form(9);
  pieces.text("tokenizer.ggml.model", "llama");
  pieces.texts("tokenizer.ggml.tokens",
               {"<unk>", "<s>", "</s>", "<0xC3>", "<0xA4>", "\xE2\x96\x81", "a", "b", "ab"});
  pieces.wholes("tokenizer.ggml.token_type", {2, 3, 3, 6, 6, 1, 1, 1, 1});
  pieces.numbers("tokenizer.ggml.scores", {0, 0, 0, 0, 0, -4, -2, -3, -1});
  pieces.whole("tokenizer.ggml.bos_token_id", 1);
  pieces.whole("tokenizer.ggml.eos_token_id", 2);
  const ImportedModel imported = read(pieces);
  EXPECT_EQ(imported.ends, Ids{2});
  const Tokenizer t = tokenizer_of(imported);
  EXPECT_EQ(t.before(), Ids{1});
  EXPECT_EQ(t.encode("ab a\xC3\xA4"), (Ids{5, 8, 5, 6, 3, 4}));
  EXPECT_EQ(t.decode({1, 5, 8, 5, 6, 3, 4}), "ab a\xC3\xA4");
  pieces.flag("tokenizer.ggml.add_bos_token", false);
  pieces.flag("tokenizer.ggml.add_space_prefix", false);
  const Tokenizer bare = tokenizer_of(read(pieces));
  EXPECT_EQ(bare.before(), Ids{});
  EXPECT_EQ(bare.encode("ab"), Ids{8});
}

TEST_F(GgufTokenizer, WhatIsNotSupportedIsRefused) {
  GgufForm other = form(8);
  EXPECT_TRUE(read(other).files.empty());
  other.text("tokenizer.ggml.model", "bert");
  other.texts("tokenizer.ggml.tokens", {"a"});
  EXPECT_EQ(refusal(other), ": 'tokenizer.ggml.model' is 'bert', must be gpt2 or llama");
  EXPECT_EQ(refusal(with_merges(form(7))),
            ": 'tokenizer.ggml.tokens' has 8 tokens, the model has 7");
  GgufForm cut = with_merges(form(8));
  cut.text("tokenizer.ggml.pre", "chatglm");
  EXPECT_EQ(
      refusal(cut),
      ": 'tokenizer.ggml.pre' is 'chatglm': gpt-2, llama-bpe, qwen2 and smollm are supported");
  GgufForm end = with_merges(form(8));
  end.whole("tokenizer.ggml.eot_token_id", 8);
  EXPECT_EQ(refusal(end), ": 'tokenizer.ggml.eot_token_id' is 8, must be from 0 to 7");
}

TEST(Llama2cTokenizer, IsThatOfSentencePiece) {
  const RealLanguage model = tiny_model(9);
  const TemporaryDirectory directory;
  write_file(directory.path() + "/model", llama2c_form(model));
  write_file(directory.path() + "/pieces", llama2c_pieces({{"<unk>", 0},
                                                           {"\n<s>\n", 0},
                                                           {"\n</s>\n", 0},
                                                           {"<0x00>", 0},
                                                           {"<0x01>", 0},
                                                           {" ", -4},
                                                           {"a", -2},
                                                           {"b", -3},
                                                           {" ab", -1}}));
  const ImportedModel imported =
      read_llama2c(directory.path() + "/model", directory.path() + "/pieces");
  // Its texts end where another one begins.
  EXPECT_EQ(imported.ends, (Ids{1, 2}));
  const Tokenizer t = tokenizer_of(imported);
  EXPECT_EQ(t.before(), Ids{1});
  EXPECT_EQ(t.encode("a ab\x01"), (Ids{5, 6, 5, 6, 7, 4}));
  EXPECT_EQ(t.decode({1, 8, 4, 2}), "ab\x01");
}

}  // namespace
}  // namespace ow
