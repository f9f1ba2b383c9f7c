// SPDX-License-Identifier: Apache-2.0
// Models of both families in all forms that are read: against each other, against double precision,
// and how a form that does not fit is refused.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "draws.h"
#include "messages.h"
#include "other_forms.h"
#include "ow/base/rng.h"
#include "ow/base/temporary_directory.h"
#include "ow/golden/decode.h"
#include "ow/golden/formats.h"
#include "ow/import/imported_model.h"
#include "ow/import/model_folder.h"
#include "same_model.h"
#include "seed.h"

namespace ow {
namespace {

// Widths that quantised blocks divide.
LanguageShape drawn_shape(Rng* rng, LanguageFamily family) {
  const auto one_of = [rng](const std::vector<int>& values) {
    return values[rng->below(values.size())];
  };
  LanguageShape s;
  s.family = family;
  s.width = one_of({32, 64, 96});
  s.heads = one_of({1, 2, 4});
  s.kv_heads = family == LanguageFamily::Gpt2 || s.heads == 1 ? s.heads : s.heads / one_of({1, 2});
  s.head_size = s.width / s.heads;
  s.hidden = one_of({32, 96, 160});
  s.layers = one_of({1, 2, 3});
  s.vocabulary = one_of({50, 128, 300});
  s.positions = 40;
  s.epsilon = 1e-5;
  s.theta = one_of({10000, 500000});
  return s;
}

// Weights of 32 bits, near those of a random model, so that each is rounded when it is read.
RealLanguage drawn_model(const LanguageShape& shape, Rng* rng, bool tied) {
  RealLanguage m =
      real_language(random_language_model(shape, HalfType::Bfloat16, rng->next(), tied));
  const auto shake = [rng](Reals* values) {
    for (double& v : *values) v = static_cast<float>(v * (1 + 0x1p-9 * rng->uniform()));
  };
  for (Reals* part : {&m.embedding, &m.places, &m.norm, &m.norm_bias, &m.head}) shake(part);
  for (RealLanguage::Block& b : m.blocks) {
    for (Reals* part :
         {&b.attention_norm, &b.attention_norm_bias, &b.query, &b.query_bias, &b.key, &b.key_bias,
          &b.value, &b.value_bias, &b.output, &b.output_bias, &b.hidden_norm, &b.hidden_norm_bias,
          &b.gate, &b.up, &b.up_bias, &b.down, &b.down_bias}) {
      shake(part);
    }
  }
  return m;
}

const std::vector<std::pair<std::string, double>> kNoPieces = {
    {"<unk>", 0}, {"\n<s>\n", 0}, {"\n</s>\n", 0}};

std::string pieces_for(int vocabulary) {
  auto pieces = kNoPieces;
  while (static_cast<int>(pieces.size()) < vocabulary) {
    pieces.emplace_back("p" + std::to_string(pieces.size()),
                        -1.0 * static_cast<int>(pieces.size()));
  }
  return llama2c_pieces(pieces);
}

// A form: writes a model into a directory, after it has put what the form loses into the model, and
// reads it.
struct Form {
  const char* name;
  LanguageFamily family;
  std::function<LanguageModel(RealLanguage* model, const std::string& directory)> read;
};

LanguageModel from_folder(RealLanguage* m, const std::string& directory) {
  FolderForm(*m, directory);
  return read_model_folder(directory, HalfType::Binary16);
}

Form gguf(const char* name, LanguageFamily family, GgufType type) {
  return {name, family, [type](RealLanguage* m, const std::string& directory) {
            const std::string path = directory + "/model.gguf";
            write_file(path, gguf_form(m, type).file());
            return read_gguf(path).model;
          }};
}

LanguageModel from_llama2c(RealLanguage* m, const std::string& directory) {
  m->shape.theta = 10000;
  write_file(directory + "/model.bin", llama2c_form(*m));
  write_file(directory + "/tokenizer.bin", pieces_for(m->shape.vocabulary));
  return read_llama2c(directory + "/model.bin", directory + "/tokenizer.bin").model;
}

LanguageModel from_npz(RealLanguage* m, const std::string& directory) {
  m->head.clear();
  write_file(directory + "/model.npz", npz_form(*m));
  return read_npz_model(directory + "/model.npz").model;
}

std::vector<Form> all_forms() {
  constexpr LanguageFamily kLlama = LanguageFamily::Llama, kGpt2 = LanguageFamily::Gpt2;
  return {{"Llama folder", kLlama, from_folder},
          {"GPT-2 folder", kGpt2, from_folder},
          gguf("Llama GGUF F32", kLlama, GgufType::F32),
          gguf("Llama GGUF F16", kLlama, GgufType::F16),
          gguf("Llama GGUF BF16", kLlama, GgufType::BF16),
          gguf("Llama GGUF Q8_0", kLlama, GgufType::Q8_0),
          gguf("Llama GGUF Q4_0", kLlama, GgufType::Q4_0),
          gguf("Llama GGUF Q4_1", kLlama, GgufType::Q4_1),
          gguf("GPT-2 GGUF F32", kGpt2, GgufType::F32),
          gguf("GPT-2 GGUF F16", kGpt2, GgufType::F16),
          gguf("GPT-2 GGUF BF16", kGpt2, GgufType::BF16),
          gguf("GPT-2 GGUF Q8_0", kGpt2, GgufType::Q8_0),
          gguf("GPT-2 GGUF Q4_0", kGpt2, GgufType::Q4_0),
          gguf("GPT-2 GGUF Q4_1", kGpt2, GgufType::Q4_1),
          {"llama2.c", kLlama, from_llama2c},
          {"npz", kLlama, from_npz}};
}

// The largest error of the logits of a text, in deviations.
double text_error(const LanguageModel& model, const RealLanguage& real, Rng* rng) {
  const golden::Decoder decoder(model, 1 + static_cast<int>(rng->below(3)), 1);
  golden::DecodeCache cache;
  RealDecoder expected(real);
  double most = 0;
  for (int k = 0; k < 24; ++k) {
    const auto token = static_cast<int>(rng->below(static_cast<uint64_t>(model.shape.vocabulary)));
    std::vector<double> logits;
    for (const uint32_t v : decoder.step(&cache, token)) {
      logits.push_back(golden::bits_to_float(v));
    }
    most = std::max(most, logit_error(logits, expected.step(token)));
  }
  return most;
}

TEST(ModelForms, LogitsAreThoseOfDoublePrecision) {
  const uint64_t seed = test_seed(1);
  for (const Form& form : all_forms()) {
    double most = 0;
    for (int n = 0; n < draws(10); ++n) {
      SCOPED_TRACE(std::string(form.name) + ", OW_SEED=" + std::to_string(seed) + ", draw " +
                   std::to_string(n));
      Rng rng(mix64(seed) + static_cast<uint64_t>(n));
      const TemporaryDirectory directory;
      RealLanguage real = drawn_model(drawn_shape(&rng, form.family), &rng, rng.below(2) == 0);
      const LanguageModel model = form.read(&real, directory.path());
      const double error = text_error(model, real, &rng);
      EXPECT_LE(error, 0.05);
      most = std::max(most, error);
    }
    std::printf("%-16s %2d models: at most %.4f deviations of the logits\n", form.name, draws(10),
                most);
  }
}

// The same weights, in F32, give the same encodings, whatever the order of the pairs in a file.
TEST(ModelForms, ADrawnModelIsTheSameInAll) {
  for (const uint64_t seed : test_seeds(1, 4)) {
    SCOPED_TRACE("OW_SEED=" + std::to_string(seed));
    for (const LanguageFamily family : {LanguageFamily::Llama, LanguageFamily::Gpt2}) {
      Rng rng(seed);
      LanguageShape shape = drawn_shape(&rng, family);
      shape.theta = 10000;
      shape.epsilon = static_cast<float>(1e-5);  // GGUF has 32 bits
      RealLanguage real = drawn_model(shape, &rng, true);
      std::optional<LanguageModel> first;
      for (const Form& form : all_forms()) {
        const std::string name = form.name;
        const bool exact = name.find("folder") != std::string::npos ||
                           name.find("F32") != std::string::npos || name == "llama2.c" ||
                           name == "npz";
        if (form.family != family || !exact) continue;
        SCOPED_TRACE(name);
        const TemporaryDirectory directory;
        LanguageModel model = form.read(&real, directory.path());
        model.shape.epsilon = static_cast<float>(model.shape.epsilon);
        if (first) expect_equal(model, *first);
        first = model;
      }
    }
  }
}

TEST(ModelForms, WhatIsImportedIsAFolder) {
  Rng rng(test_seed(3));
  for (const LanguageFamily family : {LanguageFamily::Llama, LanguageFamily::Gpt2}) {
    RealLanguage real = drawn_model(drawn_shape(&rng, family), &rng, false);
    const TemporaryDirectory directory;
    write_file(directory.path() + "/a.gguf", gguf_form(&real, GgufType::F16).file());
    const ImportedModel imported = read_gguf(directory.path() + "/a.gguf");
    const std::string folder = directory.path() + "/folder";
    write_imported_model(folder, imported);
    expect_equal(read_model_folder(folder, HalfType::Binary16), imported.model);
    EXPECT_EQ(refusal_of([&] { write_imported_model(folder, imported); }),
              folder + ": is there already, and is not an empty folder");
  }
}

// A file of the form with one change.
class Refusals {
 public:
  explicit Refusals(LanguageFamily family) {
    Rng rng(5);
    LanguageShape shape = drawn_shape(&rng, family);
    shape.layers = 1;
    real_ = drawn_model(shape, &rng, true);
  }
  RealLanguage* model() { return &real_; }
  std::string path() const { return directory_.path() + "/model"; }
  std::string gguf(const std::string& file) const {
    write_file(path(), file);
    return refusal_of([&] { read_gguf(path()); });
  }
  std::string gguf_with(const std::function<void(GgufForm*)>& change) {
    GgufForm form = gguf_form(&real_, GgufType::F32);
    change(&form);
    return gguf(form.file());
  }

 private:
  RealLanguage real_;
  TemporaryDirectory directory_;
};

TEST(Gguf, WhatIsNotSupportedIsRefusedByName) {
  Refusals r(LanguageFamily::Llama);
  const std::string at = r.path() + ": ";
  EXPECT_EQ(r.gguf_with([](GgufForm*) {}), "");
  EXPECT_EQ(r.gguf("GGML"), at + "is no GGUF: it must begin with GGUF");
  EXPECT_EQ(r.gguf("GG"), at + "is cut short, at byte 2");
  EXPECT_EQ(r.gguf(gguf_form(r.model(), GgufType::F32).file(1)),
            at + "is version 1 of GGUF, must be 2 or 3");
  EXPECT_EQ(r.gguf_with([](GgufForm* f) { f->number("llama.attention.clamp_kqv", 8); }),
            at + "'llama.attention.clamp_kqv' is not supported");
  EXPECT_EQ(r.gguf_with([](GgufForm* f) { f->text("llama.rope.scaling.type", "yarn"); }),
            at + "'llama.rope.scaling.type' is not supported");
  EXPECT_EQ(r.gguf_with([](GgufForm* f) { f->text("llama.rope.scaling.type", "none"); }), "");
  EXPECT_EQ(r.gguf_with([](GgufForm* f) { f->whole("llama.expert_count", 8); }),
            at + "'llama.expert_count' is not supported");
  EXPECT_EQ(r.gguf_with([](GgufForm* f) {
    f->tensor("rope_freqs.weight", {4}, GgufType::F32, float_bytes({1, 1, 1, 1}));
  }),
            at + "tensor 'rope_freqs.weight' is not one of the model's");
  EXPECT_EQ(r.gguf_with([](GgufForm* f) {
    f->tensor("x", {2, 256}, static_cast<GgufType>(14), std::string(420, '\0'));
  }),
            at + "tensor 'x' is of the type 14; F32, F16, BF16, Q8_0, Q4_0 and Q4_1 are supported");
  EXPECT_EQ(r.gguf_with([](GgufForm* f) {
    f->tensor("x", {2, 16}, GgufType::Q8_0, "");
  }),
            at + "tensor 'x' has rows of 16, which Q8_0 does not divide into blocks of 32");
  EXPECT_EQ(r.gguf_with([](GgufForm* f) { f->whole("llama.block_count", 1); }),
            at + "'llama.block_count' is there twice");
  const std::string whole = gguf_form(r.model(), GgufType::F32).file();
  expect_in("ends beyond the file: it is cut short", r.gguf(whole.substr(0, whole.size() - 32)));
  RealLanguage infinite = *r.model();
  infinite.norm[3] = 1e6;
  expect_in("tensor 'output_norm.weight' holds a number that is not finite in binary16, at 3",
            r.gguf(gguf_form(&infinite, GgufType::F32).file()));
  GgufForm other;
  other.text("general.architecture", "qwen2");
  EXPECT_EQ(r.gguf(other.file()), at + "'general.architecture' is 'qwen2', must be gpt2 or llama");
}

TEST(Gguf, TheFilesTypeIsTheModels) {
  Refusals r(LanguageFamily::Llama);
  EXPECT_EQ(r.gguf_with([](GgufForm* f) { f->whole("general.file_type", 32); }), "");
  EXPECT_EQ(read_gguf(r.path()).model.type, HalfType::Bfloat16);
  EXPECT_EQ(read_gguf(r.path(), HalfType::Binary16).model.type, HalfType::Binary16);
}

TEST(Llama2c, FilesOfAnotherSizeAreRefused) {
  Refusals r(LanguageFamily::Llama);
  r.model()->shape.theta = 10000;
  const std::string model = llama2c_form(*r.model()), at = r.path() + ": ";
  const int vocabulary = r.model()->shape.vocabulary;
  const TemporaryDirectory directory;
  const std::string tokenizer = directory.path() + "/tokenizer.bin";
  const auto refusal = [&](const std::string& file, const std::string& pieces) {
    write_file(r.path(), file);
    write_file(tokenizer, pieces);
    return refusal_of([&] { read_llama2c(r.path(), tokenizer); });
  };
  const std::string pieces = pieces_for(vocabulary);
  EXPECT_EQ(refusal(model, pieces), "");
  EXPECT_EQ(refusal(model + "0000", pieces), at + "has " + std::to_string(model.size() + 4) +
                                                 " bytes, its header asks for " +
                                                 std::to_string(model.size()));
  EXPECT_EQ(refusal("24ka" + model.substr(4), pieces),
            at + "is of a later format of llama2.c; the first one (version 0) is supported");
  EXPECT_EQ(refusal(std::string(28, '\0'), pieces),
            at + "is no file of llama2.c: dim is 0, must be from 1 to 131072");
  EXPECT_EQ(refusal(model, pieces_for(vocabulary + 1)),
            tokenizer + ": has " +
                std::to_string(pieces_for(vocabulary + 1).size() - pieces.size()) +
                " bytes after the " + std::to_string(vocabulary) + " pieces of the model");
  EXPECT_EQ(refusal(model, pieces.substr(0, pieces.size() - 1)),
            tokenizer + ": is cut short, at byte " + std::to_string(pieces.size() - 1));
}

TEST(NpzModel, TheTextSaysTheShape) {
  Refusals r(LanguageFamily::Llama);
  const auto refusal = [&](const std::vector<std::pair<std::string, std::string>>& files) {
    write_file(r.path(), zip_of(files, false));
    return refusal_of([&] { read_npz_model(r.path()); });
  };
  EXPECT_EQ(refusal({{"E.npy", npy_of("<f4", "(1,)", float_bytes({1}))}}),
            r.path() + ": has no text '__config__', which says the model's shape");
  const auto config = [](const std::string& text) {
    std::string characters;
    for (const char c : text) characters += little(static_cast<uint8_t>(c), 4);
    return std::pair<std::string, std::string>(
        "__config__.npy", npy_of("<U" + std::to_string(text.size()), "()", characters));
  };
  EXPECT_EQ(refusal({config(R"({"window": 3})")}),
            r.path() + ": '__config__': 'window' is not supported");
  EXPECT_EQ(refusal({config(R"({"d_model": 8})")}),
            r.path() + ": '__config__': 'n_layers' is missing");
}

}  // namespace
}  // namespace ow
