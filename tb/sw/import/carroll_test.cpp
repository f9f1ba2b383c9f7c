// SPDX-License-Identifier: Apache-2.0
// The model in data/models/carroll, computed in double precision straight from the definition,
// chooses the tokens that the program chose which it comes from.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "ow/base/json.h"
#include "ow/base/temporary_directory.h"
#include "ow/import/model_folder.h"
#include "ow/tensor/safetensors.h"

namespace ow {
namespace {

constexpr const char* kFolder = OW_SOURCE_DIR "/data/models/carroll";

using Vector = std::vector<double>;

class Model {
 public:
  explicit Model(const LanguageModel& model) : model_(model), s_(model.shape) {}

  // The logits after the last token so far.
  Vector next(size_t token) {
    Vector x = row(model_.embedding, token);
    keys_.resize(model_.blocks.size());
    values_.resize(model_.blocks.size());
    for (size_t n = 0; n < model_.blocks.size(); ++n) {
      const LanguageModel::Block& b = model_.blocks[n];
      add(&x, product(b.output, attention(n, b, norm(x, b.attention_norm))));
      const Vector y = norm(x, b.hidden_norm), up = product(b.up, y);
      Vector gate = product(b.gate, y);
      for (size_t k = 0; k < gate.size(); ++k) gate[k] *= up[k] / (1 + std::exp(-gate[k]));
      add(&x, product(b.down, gate));
    }
    ++position_;
    return product(model_.head.empty() ? model_.embedding : model_.head, norm(x, model_.norm));
  }

 private:
  double value(const std::vector<uint16_t>& v, size_t k) const {
    return from_half(model_.type, v[k]);
  }
  Vector row(const std::vector<uint16_t>& matrix, size_t n) const {
    const auto width = static_cast<size_t>(s_.width);
    Vector out(width);
    for (size_t k = 0; k < width; ++k) out[k] = value(matrix, n * width + k);
    return out;
  }
  Vector product(const std::vector<uint16_t>& matrix, const Vector& x) const {
    Vector out(matrix.size() / x.size());
    for (size_t j = 0; j < out.size(); ++j) {
      for (size_t k = 0; k < x.size(); ++k) out[j] += value(matrix, j * x.size() + k) * x[k];
    }
    return out;
  }
  static void add(Vector* x, const Vector& y) {
    for (size_t k = 0; k < y.size(); ++k) (*x)[k] += y[k];
  }
  Vector norm(const Vector& x, const std::vector<uint16_t>& gain) const {
    double square = 0;
    for (const double v : x) square += v * v;
    const double r = 1 / std::sqrt(square / static_cast<double>(x.size()) + s_.epsilon);
    Vector y(x.size());
    for (size_t k = 0; k < x.size(); ++k) y[k] = x[k] * r * value(gain, k);
    return y;
  }
  // Features i and i + size / 2 of each head.
  void rotate(Vector* x) const {
    const auto size = static_cast<size_t>(s_.head_size), half = size / 2;
    for (size_t at = 0; at < x->size(); at += size) {
      for (size_t i = 0; i < half; ++i) {
        const double angle = position_ * std::pow(s_.theta, -2.0 * static_cast<double>(i) /
                                                                static_cast<double>(size));
        const double c = std::cos(angle), d = std::sin(angle);
        double &low = (*x)[at + i], &high = (*x)[at + i + half];
        const double before = low;
        low = before * c - high * d;
        high = high * c + before * d;
      }
    }
  }
  Vector attention(size_t n, const LanguageModel::Block& b, const Vector& y) {
    Vector query = product(b.query, y), key = product(b.key, y);
    rotate(&query);
    rotate(&key);
    keys_[n].push_back(key);
    values_[n].push_back(product(b.value, y));
    const auto size = static_cast<size_t>(s_.head_size);
    const auto group = static_cast<size_t>(s_.heads / s_.kv_heads);
    Vector out(query.size());
    for (size_t head = 0; head < static_cast<size_t>(s_.heads); ++head) {
      const size_t from = head * size, shared = head / group * size;
      Vector weight;
      for (const Vector& k : keys_[n]) {
        double score = 0;
        for (size_t i = 0; i < size; ++i) score += query[from + i] * k[shared + i];
        weight.push_back(std::exp(score / std::sqrt(s_.head_size)));
      }
      double sum = 0;
      for (const double w : weight) sum += w;
      for (size_t t = 0; t < weight.size(); ++t) {
        for (size_t i = 0; i < size; ++i) {
          out[from + i] += weight[t] / sum * values_[n][t][shared + i];
        }
      }
    }
    return out;
  }

  const LanguageModel& model_;
  const LanguageShape& s_;
  int position_ = 0;
  std::vector<std::vector<Vector>> keys_, values_;  // by block and position
};

TEST(Carroll, ChoosesTheTokensOfTheProgramThatItIsFrom) {
  const LanguageModel carroll = read_model_folder(kFolder, HalfType::Binary16);
  const nlohmann::json greedy = read_json(std::string(kFolder) + "/greedy.json");
  const auto prompt = greedy["prompt"].get<std::vector<size_t>>();
  const auto tokens = greedy["tokens"].get<std::vector<size_t>>();
  ASSERT_EQ(prompt.size(), 5u);
  ASSERT_EQ(tokens.size(), 100u);
  Model model(carroll);
  Vector logits;
  for (const size_t token : prompt) logits = model.next(token);
  for (const size_t token : tokens) {
    const auto best = std::max_element(logits.begin(), logits.end());
    ASSERT_EQ(static_cast<size_t>(best - logits.begin()), token);
    logits = model.next(token);
  }
}

// Written again it has the same tensors.
TEST(Carroll, IsWrittenAsItWasRead) {
  const TemporaryDirectory directory;
  write_model_folder(directory.path(), read_model_folder(kFolder, HalfType::Binary16));
  const Tensors before = read_safetensors(std::string(kFolder) + "/model.safetensors");
  const Tensors after = read_safetensors(directory.path() + "/model.safetensors");
  ASSERT_EQ(after.size(), before.size());
  for (const auto& [name, tensor] : before) {
    EXPECT_EQ(after.at(name).shape, tensor.shape) << name;
    EXPECT_EQ(after.at(name).bytes, tensor.bytes) << name;
  }
}

}  // namespace
}  // namespace ow
