// SPDX-License-Identifier: Apache-2.0
// Causal softmax attention: forward (N111) and backward (N112). Everything is for one head and the
// queries of one tile at a time. Rows of queries lie next to each other, and each query has its own
// order of sums, so the host's vectors change no bit.
#include <algorithm>
#include <cmath>

#include "ow/golden/formats.h"
#include "ow/golden/gradients.h"
#include "ow/golden/halves.h"
#include "ow/golden/kind.h"
#include "ow/golden/nonlinear.h"

namespace ow::golden {
namespace {

uint32_t bits(float x) { return float_to_f32(x); }

uint16_t never(HalfType type) { return narrow(type, kInf32 | 0x80000000u); }  // -infinity

// sums[i] = factor * row[i] + sums[i]. A product of two binary16 numbers is exact in fp32; one of
// two bfloat16 numbers is fused (N56).
void add_row(HalfType type, float factor, const float* row, size_t first, size_t last,
             float* sums) {
  if (type == HalfType::Binary16) {
    for (size_t i = first; i < last; ++i) sums[i] = factor * row[i] + sums[i];
  } else {
    for (size_t i = first; i < last; ++i) sums[i] = std::fma(factor, row[i], sums[i]);
  }
}

// A matrix of rows, one element per query of a tile.
template <typename T>
struct Rows {
  Rows(size_t rows, size_t width) : width(width), all(rows * width) {}
  T* row(size_t r) { return &all[r * width]; }
  const T* row(size_t r) const { return &all[r * width]; }
  size_t width;
  std::vector<T> all;
};

// A value of one head in all slots: h rows, as numbers.
struct HeadValue {
  HeadValue(HalfType type, const Activations& a, size_t heads, size_t head)
      : slots(static_cast<size_t>(a.samples)) {
    for (auto f = static_cast<int>(head); f < a.features; f += static_cast<int>(heads)) {
      for (int s = 0; s < a.samples; ++s) all.push_back(bits_to_float(widen(type, a.at(f, s))));
    }
  }
  const float* row(size_t k) const { return &all[k * slots]; }
  size_t slots;
  std::vector<float> all;
};

// What all heads share.
struct Shape {
  explicit Shape(const LayerPass& pass)
      : type(pass.numerics.type),
        heads(static_cast<size_t>(pass.op.attributes.at("heads"))),
        size(static_cast<size_t>(pass.inputs[0]->features) / heads),
        n(static_cast<size_t>(pass.numerics.samples)),
        slots(static_cast<size_t>(pass.inputs[0]->samples)),
        halves(static_cast<size_t>(pass.numerics.rows) == 2 * heads ? 2 : 1),
        tokens(pass.tokens),
        scale(Halves{type}.round(1 / std::sqrt(static_cast<double>(size)))) {
    require(tokens != nullptr && n % (halves * kSlotGroup) == 0 && slots % n == 0,
            "attention without tokens in whole groups of slots");
  }
  // The queries of the tile from slot `tile` on that have a key: `first` to `last` - 1 of the tile.
  struct Range {
    size_t first, last;
  };
  Range queries_of(size_t key, size_t tile) const {
    const size_t first = key < tile ? 0 : key / kSlotGroup * kSlotGroup - tile;
    size_t last = first;
    while (last < n && static_cast<size_t>(tokens->start_of(tile + last)) <= key) {
      last += kSlotGroup;
    }
    return {first, last};
  }
  // The first key of a tile's own block, or of one to the west of it, that a query of it has.
  size_t first_key(size_t tile) const { return static_cast<size_t>(tokens->start_of(tile)); }

  HalfType type;
  size_t heads, size;  // of a head
  size_t n, slots;
  size_t halves;  // in which a tile's queries add to the deltas of keys and values
  const Tokens* tokens;
  uint16_t scale;
};

// Queries times 1 / sqrt(h), as an Activations of the same features.
Activations scaled(const Shape& shape, const Activations& q) {
  Activations out = q;
  for (uint16_t& x : out.values) x = Halves{shape.type}.mul(x, shape.scale);
  return out;
}

// A head's operands.
struct Head {
  Head(const Shape& s, const LayerPass& pass, const Activations& scaled_queries, size_t head)
      : query(s.type, scaled_queries, s.heads, head),
        key(s.type, *pass.inputs[1], s.heads, head),
        value(s.type, *pass.inputs[2], s.heads, head) {}
  HeadValue query, key, value;
};

// Products of every key of a block with the tile's queries: of `keys` and `queries`, rows over the
// features. [key of the block][query]; +0 outside the ranges.
Rows<float> products(const Shape& s, const HeadValue& keys, const HeadValue& queries, size_t tile,
                     size_t block) {
  Rows<float> out(s.n, s.n);
  for (size_t j = 0; j < s.n; ++j) {
    const Shape::Range range = s.queries_of(block + j, tile);
    for (size_t k = 0; k < s.size; ++k) {
      add_row(s.type, keys.row(k)[block + j], queries.row(k) + tile, range.first, range.last,
              out.row(j));
    }
  }
  return out;
}

Rows<uint16_t> scores(const Shape& s, const Head& head, size_t tile, size_t block) {
  const Halves h{s.type};
  const Rows<float> sums = products(s, head.key, head.query, tile, block);
  Rows<uint16_t> out(s.n, s.n);
  for (size_t j = 0; j < s.n; ++j) {
    const Shape::Range range = s.queries_of(block + j, tile);
    for (size_t i = range.first; i < range.last; ++i) {
      uint16_t score = narrow(s.type, bits(sums.row(j)[i]));
      if (block + j > tile + i) score = h.add(score, never(s.type));
      out.row(j)[i] = score;
    }
  }
  return out;
}

// Results of a tile's queries, and what the backward pass needs of them.
struct Softmax {
  explicit Softmax(const Shape& s) : most(s.n, never(s.type)), inverse(s.n), result(s.size, s.n) {}
  std::vector<uint16_t> most;
  std::vector<uint32_t> inverse;  // of the sum of powers
  Rows<float> result;             // not yet divided by it
};

// Calls f(block) for the blocks of a tile's queries: its own, then to the west.
template <typename F>
void each_block(const Shape& s, size_t tile, const F& f) {
  const size_t last = s.first_key(tile) / s.n * s.n;
  for (size_t block = tile;; block -= s.n) {
    f(block);
    if (block == last) return;
  }
}

// The powers of a block's scores less `most`: [key][query].
Rows<float> powers(const Shape& s, const Rows<uint16_t>& scores, const std::vector<uint16_t>& most,
                   size_t tile, size_t block) {
  const Halves h{s.type};
  Rows<float> out(s.n, s.n);
  for (size_t j = 0; j < s.n; ++j) {
    const Shape::Range range = s.queries_of(block + j, tile);
    for (size_t i = range.first; i < range.last; ++i) {
      out.row(j)[i] = bits_to_float(widen(s.type, h.exp(h.sub(scores.row(j)[i], most[i]))));
    }
  }
  return out;
}

// sums[k] = the sum over the block's keys of rows.row(k)[key] times weights[key], from +0.
Rows<float> weighted(const Shape& s, const HeadValue& rows, const Rows<float>& weights, size_t tile,
                     size_t block) {
  Rows<float> out(s.size, s.n);
  for (size_t k = 0; k < s.size; ++k) {
    for (size_t j = 0; j < s.n; ++j) {
      const Shape::Range range = s.queries_of(block + j, tile);
      add_row(s.type, rows.row(k)[block + j], weights.row(j), range.first, range.last, out.row(k));
    }
  }
  return out;
}

Softmax attend(const Shape& s, const Head& head, size_t tile) {
  const Halves h{s.type};
  Softmax out(s);
  std::vector<float> sum(s.n);
  each_block(s, tile, [&](size_t block) {
    const Rows<uint16_t> score = scores(s, head, tile, block);
    std::vector<uint16_t> most = out.most;
    std::vector<bool> has(s.n, false);
    for (size_t j = 0; j < s.n; ++j) {
      const Shape::Range range = s.queries_of(block + j, tile);
      for (size_t i = range.first; i < range.last; ++i) {
        most[i] = h.max(most[i], score.row(j)[i]);
        has[i] = true;
      }
    }
    const Rows<float> e = powers(s, score, most, tile, block);
    std::vector<float> own(s.n);
    for (size_t j = 0; j < s.n; ++j) {
      const Shape::Range range = s.queries_of(block + j, tile);
      for (size_t i = range.first; i < range.last; ++i) own[i] += e.row(j)[i];
    }
    const Rows<float> values = weighted(s, head.value, e, tile, block);
    for (size_t i = 0; i < s.n; ++i) {
      if (!has[i]) continue;  // its sequence does not reach the block
      const float shrink =
          block == tile ? 0.0f : bits_to_float(widen(s.type, h.exp(h.sub(out.most[i], most[i]))));
      const auto joined = [&](float before, float more) {
        return block == tile ? more : std::fma(before, shrink, more);
      };
      sum[i] = joined(sum[i], own[i]);
      for (size_t k = 0; k < s.size; ++k) {
        float& o = out.result.row(k)[i];
        o = joined(o, values.row(k)[i]);
      }
    }
    out.most = most;
  });
  for (size_t i = 0; i < s.n; ++i) out.inverse[i] = f32_rcp(bits(sum[i]), 1);
  return out;
}

// Writes 16-bit numbers of a head into the slots of a tile: number(k, slot of the tile).
template <typename F>
void put(const Shape& s, size_t head, size_t tile, Activations* out, const F& number) {
  for (size_t k = 0; k < s.size; ++k) {
    for (size_t i = 0; i < s.n; ++i) {
      out->at(static_cast<int>(k * s.heads + head), static_cast<int>(tile + i)) =
          narrow(s.type, number(k, i));
    }
  }
}

Activations forward(const LayerPass& pass) {
  const Shape s(pass);
  const Activations queries = scaled(s, *pass.inputs[0]);
  Activations y = Activations::zero(queries.features, queries.samples);
  for (size_t g = 0; g < s.heads; ++g) {
    const Head head(s, pass, queries, g);
    for (size_t tile = 0; tile < s.slots; tile += s.n) {
      const Softmax softmax = attend(s, head, tile);
      put(s, g, tile, &y, [&](size_t k, size_t i) {
        return f32_mul(bits(softmax.result.row(k)[i]), softmax.inverse[i]);
      });
    }
  }
  return y;
}

// Neighbouring slots, the rows one after the other.
std::vector<float> of_slots(const Shape& s, const HeadValue& value, size_t first, size_t count) {
  std::vector<float> out;
  for (size_t k = 0; k < s.size; ++k) {
    out.insert(out.end(), value.row(k) + first, value.row(k) + first + count);
  }
  return out;
}

// Sums of a half of each tile's queries that go west, for every slot of a head: [slot][feature].
struct Westward {
  explicit Westward(const Shape& s) : sums(s.slots, s.size), begun(s.slots) {}
  // Of the next tile to the west: dot products (N6) of its queries' weights for a key with their
  // rows.
  void add(const Shape& s, size_t slot, Shape::Range range, size_t tile, const float* weights,
           const HeadValue& rows) {
    Numerics one;
    one.samples = static_cast<int>(range.last - range.first);
    const std::vector<float> queries =
        of_slots(s, rows, tile + range.first, range.last - range.first);
    std::vector<float> own(s.size);
    gradients_of_row(s.type, weights + range.first, queries.data(), s.size, SampleRow(one), nullptr,
                     own.data());
    float* sum = sums.row(slot);
    for (size_t k = 0; k < s.size; ++k) sum[k] = begun[slot] ? own[k] + sum[k] : own[k];
    begun[slot] = true;
  }
  Rows<float> sums;
  std::vector<bool> begun;
};

// One head's deltas.
class HeadBackward {
 public:
  HeadBackward(const Shape& s, const LayerPass& pass, const Activations& queries,
               const Activations& delta, size_t head)
      : s_(s),
        number_(head),
        head_(s, pass, queries, head),
        result_(s.type, *pass.output, s.heads, head),
        delta_(s.type, delta, s.heads, head),
        keys_(s.halves, Westward(s)),
        values_(s.halves, Westward(s)) {}

  void run(std::vector<Activations>* deltas) {
    for (size_t tile = s_.slots; tile > 0;) {
      tile -= s_.n;
      queries(tile, &(*deltas)[0]);
    }
    for (size_t tile = 0; tile < s_.slots; tile += s_.n) {
      put(s_, number_, tile, &(*deltas)[1],
          [&](size_t k, size_t i) { return joined(keys_, tile + i, k); });
      put(s_, number_, tile, &(*deltas)[2],
          [&](size_t k, size_t i) { return joined(values_, tile + i, k); });
    }
  }

 private:
  void queries(size_t tile, Activations* out) {
    const Softmax softmax = attend(s_, head_, tile);
    Rows<float> sums(s_.size, s_.n);
    std::vector<float> along(s_.n);
    for (size_t k = 0; k < s_.size; ++k) {
      for (size_t i = 0; i < s_.n; ++i) {
        add_row(s_.type, result_.row(k)[tile + i], delta_.row(k) + tile, i, i + 1, along.data());
      }
    }
    each_block(s_, tile, [&](size_t block) {
      const Rows<uint16_t> score = scores(s_, head_, tile, block);
      Rows<float> share = powers(s_, score, softmax.most, tile, block);
      Rows<float> slope = products(s_, head_.value, delta_, tile, block);
      for (size_t j = 0; j < s_.n; ++j) {
        const Shape::Range range = s_.queries_of(block + j, tile);
        for (size_t i = range.first; i < range.last; ++i) {
          float& p = share.row(j)[i];
          p = rounded(f32_mul(bits(p), softmax.inverse[i]));
          float& ds = slope.row(j)[i];
          ds = rounded(f32_mul(bits(p), f32_sub(bits(ds), bits(along[i]))));
        }
        for (size_t half = 0; half < s_.halves; ++half) {
          const size_t width = s_.n / s_.halves;
          const Shape::Range part{std::max(range.first, half * width),
                                  std::min(range.last, (half + 1) * width)};
          if (part.first >= part.last) continue;
          keys_[half].add(s_, block + j, part, tile, slope.row(j), head_.query);
          values_[half].add(s_, block + j, part, tile, share.row(j), delta_);
        }
      }
      const Rows<float> own = weighted(s_, head_.key, slope, tile, block);
      for (size_t k = 0; k < s_.size; ++k) {
        for (size_t i = 0; i < s_.n; ++i) {
          if (!reaches(tile + i, block)) continue;
          float& sum = sums.row(k)[i];
          sum = block == tile ? own.row(k)[i] : sum + own.row(k)[i];
        }
      }
    });
    const uint32_t scale = widen(s_.type, s_.scale);
    put(s_, number_, tile, out,
        [&](size_t k, size_t i) { return f32_mul(bits(sums.row(k)[i]), scale); });
  }

  uint32_t joined(const std::vector<Westward>& halves, size_t slot, size_t k) const {
    const float first = halves[0].sums.row(slot)[k];
    return s_.halves == 1 ? bits(first) : f32_add(bits(first), bits(halves[1].sums.row(slot)[k]));
  }
  float rounded(uint32_t x) const { return bits_to_float(widen(s_.type, narrow(s_.type, x))); }
  // Whether a query's sequence has slots in a block.
  bool reaches(size_t slot, size_t block) const {
    return static_cast<size_t>(s_.tokens->start_of(slot)) < block + s_.n;
  }

  const Shape& s_;
  size_t number_;
  Head head_;
  HeadValue result_, delta_;
  std::vector<Westward> keys_, values_;  // by half
};

Backward backward(const LayerPass& pass, const Activations& delta) {
  const Shape s(pass);
  const Activations queries = scaled(s, *pass.inputs[0]);
  Backward back;
  back.deltas.assign(3, Activations::zero(delta.features, delta.samples));
  for (size_t g = 0; g < s.heads; ++g) HeadBackward(s, pass, queries, delta, g).run(&back.deltas);
  return back;
}

}  // namespace

const LayerKind& attention_layer_kinds() {
  static const LayerKind kind{"attention", forward, backward};
  return kind;
}

}  // namespace ow::golden
