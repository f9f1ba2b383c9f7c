// SPDX-License-Identifier: Apache-2.0
// A language model with its weights, as its readers give it: a decoder of blocks of attention and
// feed-forward, each behind a norm and around a residual.
#ifndef OW_GRAPH_LANGUAGE_MODEL_H_
#define OW_GRAPH_LANGUAGE_MODEL_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "ow/tensor/half.h"

namespace ow {

enum class LanguageFamily {
  // RMS norms, rotary embedding, a gated feed-forward part with silu, no biases (Touvron et al.,
  // LLaMA, 2023; grouped heads: Ainslie et al., 2023).
  Llama,
  // Layer norms, learned positions, a feed-forward part with gelu, biases (Radford et al., GPT-2,
  // 2019). As many heads of keys and values as of queries.
  Gpt2
};

// Longer contexts by slower rotation of the low frequencies, as Llama 3.1 defines it.
struct RotaryScaling {
  double factor = 1;
  double low_frequency_factor = 1;
  double high_frequency_factor = 4;
  int original_positions = 8192;
};

struct LanguageShape {
  LanguageFamily family = LanguageFamily::Llama;
  int width = 0;   // features of the residual
  int layers = 0;  // blocks
  int heads = 0;   // of queries; a multiple of kv_heads
  int kv_heads = 0;
  int head_size = 0;   // features of a head, even
  int hidden = 0;      // features of the feed-forward part
  int vocabulary = 0;  // tokens
  int positions = 0;   // of the longest context
  double epsilon = 0;  // of the norms
  // Of the Llama family.
  double theta = 10000;
  std::optional<RotaryScaling> scaling;
};

// A model's parts. `Values`: the numbers of a matrix or vector, or its name somewhere. A matrix is
// [outputs][inputs]. Every bias is empty in the Llama family, and so are the learned positions.
template <typename Values>
struct LanguageParts {
  LanguageShape shape;

  struct Block {
    Values attention_norm, attention_norm_bias;  // [width]; a gain, and its bias
    // [heads * head_size][width]; keys and values with kv_heads. Rotary turns feature i of a head
    // together with feature i + head_size / 2.
    Values query, key, value;
    Values query_bias, key_bias, value_bias;
    Values output;  // [width][heads * head_size]
    Values output_bias;
    Values hidden_norm, hidden_norm_bias;  // [width]
    Values gate;                           // [hidden][width]; empty in GPT-2
    Values up;                             // [hidden][width]
    Values up_bias;
    Values down;  // [width][hidden]
    Values down_bias;
  };

  Values embedding;  // [vocabulary][width]
  Values places;     // [positions][width], added to the embedding
  std::vector<Block> blocks;
  Values norm, norm_bias;  // [width], before the head
  Values head;             // [vocabulary][width]; empty if it is the embedding
};

// A model with its weights: encodings in `type`, row by row.
struct LanguageModel : LanguageParts<std::vector<uint16_t>> {
  HalfType type = HalfType::Binary16;
};

// The rows and columns of tiles that hold a block, or the head with the embedding. They are part of
// a model's numerics (N116).
struct LanguageRegion {
  int rows = 1;
  int columns = 1;
};

// Whether a region of so many columns can hold the model's heads (N116): it divides `heads`, and
// divides `kv_heads` or is a multiple of it; or it is a multiple of `heads`, and each head can be
// cut into so many parts with equally many pairs of features.
bool region_holds_heads(const LanguageShape& shape, int columns);
// The columns that share a head of queries.
int parts_of_head(const LanguageShape& shape, int columns);

// The region of a model that names none (N127). It depends on the model's shape alone.
LanguageRegion usual_region(const LanguageModel& model);

// A model for tests and measurements, the same bits for a seed everywhere. Weights are uniform with
// a variance of 1 / inputs, those that add to the residual with 1 / (2 inputs layers), so that
// activations stay near 1 whatever the shape. Rows of the embedding and the head have a length near
// 1, gains are from 0.9 to 1.1, and biases from -0.1 to 0.1. `tied`: the head is the embedding.
LanguageModel random_language_model(const LanguageShape& shape, HalfType type, uint64_t seed,
                                    bool tied = false);

}  // namespace ow

#endif  // OW_GRAPH_LANGUAGE_MODEL_H_
