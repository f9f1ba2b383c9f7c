// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "ow/base/error.h"
#include "ow/memoryx/round.h"
#include "ow/memoryx/weight_stream.h"

namespace ow::memoryx {
namespace {

constexpr uint16_t kSent = 1;  // stands for a position of a mask

class LayerMatrix : public MatrixSource {
 public:
  explicit LayerMatrix(const Layer& layer) : layer_(layer) {}
  int outputs() const override { return layer_.outputs; }
  int inputs() const override { return layer_.inputs; }
  void rows(int first, int step, int count, uint16_t* out) const override {
    const auto inputs = static_cast<size_t>(layer_.inputs);
    for (int k = 0; k < count; ++k, out += inputs) {
      std::memcpy(out, &layer_.weights[static_cast<size_t>(first + k * step) * inputs],
                  inputs * sizeof *out);
    }
  }

 private:
  const Layer& layer_;
};

class StoreMatrix : public MatrixSource {
 public:
  StoreMatrix(const Store& store, size_t tensor, HalfType type, Pass pass, SumOrder order)
      : store_(store), tensor_(tensor), type_(type), pass_(pass), order_(order) {
    const TensorSpec& spec = store.spec(tensor);
    if (spec.shape.size() != 2 || spec.shape[0] > INT32_MAX || spec.shape[1] > INT32_MAX) {
      throw InternalError("parameter '" + spec.name + "' is no matrix that can be streamed");
    }
    rows_ = static_cast<int>(spec.shape[0]);
    columns_ = static_cast<int>(spec.shape[1]);
  }
  int outputs() const override { return pass_ == Pass::Delta ? columns_ : rows_; }
  int inputs() const override { return pass_ == Pass::Delta ? rows_ : columns_; }
  bool index_only() const override {
    return pass_ == Pass::Gradient || pass_ == Pass::GradientOfAll;
  }
  SumOrder order() const override { return index_only() ? SumOrder::Column : order_; }
  bool windowed() const override { return pass_ == Pass::Delta; }
  // The transpose is made of as many columns at once as a buffer of 1 MB holds: each buffer passes
  // over the whole matrix.
  int batch() const override {
    constexpr size_t kBuffer = size_t{1} << 19;
    if (pass_ != Pass::Delta) return 1;
    return static_cast<int>(std::max<size_t>(1, kBuffer / static_cast<size_t>(rows_)));
  }
  void rows(int first, int step, int count, uint16_t* out) const override {
    if (pass_ == Pass::Delta) {
      columns(first, step, count, out);
      return;
    }
    const auto n = static_cast<size_t>(columns_);
    for (int k = 0; k < count; ++k, out += n) {
      const size_t at = static_cast<size_t>(first + k * step) * n;
      if (pass_ == Pass::Forward) {
        round_half(type_, store_.weights(tensor_, at, n).data(), n, out);
      } else if (pass_ == Pass::GradientOfAll || !store_.spec(tensor_).masked) {
        std::fill(out, out + n, kSent);
      } else {
        const View<uint8_t> mask = store_.mask(tensor_, at, n);
        for (size_t i = 0; i < n; ++i) out[i] = mask[i] != 0 ? kSent : uint16_t{0};
      }
    }
  }

 private:
  // Columns first, first + step, ...: count x rows_ encodings, by blocks of rows that stay in a
  // cache while they are turned round.
  void columns(int first, int step, int count, uint16_t* out) const {
    constexpr size_t kRows = 32;
    constexpr size_t kColumns = 256;
    const auto n = static_cast<size_t>(rows_);
    const auto width = static_cast<size_t>(columns_);
    const size_t block_rows = std::max(kRows, store_.window() / width / kRows * kRows);
    float values[kColumns];
    uint16_t halves[kRows][kColumns];
    for (size_t j = 0; j < n; j += block_rows) {
      const size_t some = std::min(block_rows, n - j);
      const View<float> w = store_.weights(tensor_, j * width, some * width);
      for (size_t r = 0; r < some; r += kRows) {
        const size_t height = std::min(kRows, some - r);
        for (size_t c = 0; c < static_cast<size_t>(count); c += kColumns) {
          const size_t wide = std::min(kColumns, static_cast<size_t>(count) - c);
          for (size_t y = 0; y < height; ++y) {
            const float* from = w.data() + (r + y) * width + static_cast<size_t>(first);
            for (size_t x = 0; x < wide; ++x) values[x] = from[(c + x) * static_cast<size_t>(step)];
            round_half(type_, values, wide, halves[y]);
          }
          for (size_t x = 0; x < wide; ++x) {
            uint16_t* to = out + (c + x) * n + j + r;
            for (size_t y = 0; y < height; ++y) to[y] = halves[y][x];
          }
        }
      }
    }
  }

  const Store& store_;
  size_t tensor_;
  HalfType type_;
  Pass pass_;
  SumOrder order_;
  int rows_ = 0;
  int columns_ = 0;
};

}  // namespace

std::unique_ptr<MatrixSource> layer_matrix(const Layer& layer) {
  return std::make_unique<LayerMatrix>(layer);
}

std::unique_ptr<MatrixSource> store_matrix(const Store& store, size_t tensor, HalfType type,
                                           Pass pass, SumOrder order) {
  return std::make_unique<StoreMatrix>(store, tensor, type, pass, order);
}

}  // namespace ow::memoryx
