// SPDX-License-Identifier: Apache-2.0
// Decoding of language models, a token at a time, as regions of resident weights must compute it
// (docs/numerics.md, "Language models, a token at a time"). All that it knows of the machine is the
// shape of a region, which fixes the order of the sums. What one user gets never depends on others.
#ifndef OW_GOLDEN_DECODE_H_
#define OW_GOLDEN_DECODE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "ow/graph/language_model.h"

namespace ow::golden {

// Keys and values of one user, of all blocks of a model.
class DecodeCache {
 public:
  int positions() const { return positions_; }
  // Forgets all positions from `positions` on.
  void truncate(int positions);

 private:
  friend class Decoder;
  struct Block {
    std::vector<float> keys;    // [position / 16][feature of all heads][position % 16]
    std::vector<float> values;  // [position][head][feature, rounded up to 16]
  };
  int positions_ = 0;
  std::vector<Block> blocks_;
};

// Values inside a step, as encodings in the model's type, to compare a machine with.
struct DecodeTaps {
  struct Block {
    std::vector<uint16_t> attention_input;  // [width], after the norm
    std::vector<uint16_t> query;            // [heads * head_size], turned and scaled
    std::vector<uint16_t> key, value;       // [kv_heads * head_size], the key turned
    std::vector<uint16_t> attention;        // [heads * head_size], before the output matrix
    std::vector<uint16_t> middle;           // [width], the residual after the attention
    std::vector<uint16_t> hidden_input;     // [width], after the norm
    std::vector<uint16_t> hidden;           // [hidden], before the matrix `down`
    std::vector<uint16_t> out;              // [width], the residual after the block
  };
  std::vector<uint16_t> embedding;  // [width], what the first block takes
  std::vector<Block> blocks;
  std::vector<uint16_t> head_input;  // [width], after the last norm; only of step()
};

// A model on regions of rows x columns tiles. Keeps a copy of the weights, 4 bytes each. Constant
// functions may run at the same time on several threads, each with its own cache.
class Decoder {
 public:
  // BadInput for a shape that such a region cannot hold, InternalError for matrices that do not
  // have the sizes of the model's shape.
  Decoder(const LanguageModel& model, int rows, int columns);
  ~Decoder();

  const LanguageShape& shape() const;

  // Takes the token of position cache->positions() and gives the logits of the next one: fp32
  // encodings, [vocabulary]. BadInput if the model has no such token or position.
  std::vector<uint32_t> step(DecodeCache* cache, int token, DecodeTaps* taps = nullptr) const;
  // The same without the head.
  void extend(DecodeCache* cache, int token, DecodeTaps* taps = nullptr) const;

 private:
  struct Weights;
  std::vector<uint16_t> run_blocks(DecodeCache* cache, int token, DecodeTaps* taps) const;

  std::unique_ptr<const Weights> weights_;
};

}  // namespace ow::golden

#endif  // OW_GOLDEN_DECODE_H_
