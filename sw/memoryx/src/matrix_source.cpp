// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "halves.h"
#include "ow/base/error.h"
#include "ow/memoryx/round.h"
#include "ow/memoryx/weight_stream.h"

namespace ow::memoryx {
namespace {

constexpr uint16_t kSent = 1;  // stands for a position of a mask

class StoreMatrix : public MatrixSource {
 public:
  StoreMatrix(const Store& store, size_t tensor, HalfType type, Pass pass)
      : store_(store), tensor_(tensor), type_(type), pass_(pass) {
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
  bool all_positions() const override {
    return pass_ == Pass::GradientOfAll ||
           (pass_ == Pass::Gradient && !store_.spec(tensor_).masked);
  }
  // A batch of the transpose has as many columns as a buffer of 4 MB holds, because each batch
  // reads the whole matrix.
  int batch() const override {
    constexpr size_t kBuffer = size_t{1} << 21;
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
      } else if (all_positions()) {
        std::fill(out, out + n, kSent);
      } else {
        const View<uint8_t> mask = store_.mask(tensor_, at, n);
        for (size_t i = 0; i < n; ++i) out[i] = mask[i] != 0 ? kSent : uint16_t{0};
      }
    }
  }

 private:
  // Columns first, first + step, ...: count x rows_ encodings. They are transposed in blocks that
  // stay in a cache. The matrix's rows are far apart, which no hardware prefetcher predicts, so
  // some rows are fetched ahead.
  void columns(int first, int step, int count, uint16_t* out) const {
    constexpr size_t kAhead = 8;  // rows
    const auto n = static_cast<size_t>(rows_);
    const auto width = static_cast<size_t>(columns_);
    const auto stride = static_cast<size_t>(step);
    const size_t window_rows =
        std::max(kBlockRows, store_.window() / width / kBlockRows * kBlockRows);
    float values[kBlockColumns];
    Block block;
    for (size_t j = 0; j < n; j += window_rows) {
      const size_t some = std::min(window_rows, n - j);
      const View<float> w = store_.weights(tensor_, j * width, some * width);
      for (size_t r = 0; r < some; r += kBlockRows) {
        const size_t height = std::min(kBlockRows, some - r);
        for (size_t c = 0; c < static_cast<size_t>(count); c += kBlockColumns) {
          const size_t wide = std::min(kBlockColumns, static_cast<size_t>(count) - c);
          const float* from = w.data() + r * width + static_cast<size_t>(first) + c * stride;
          for (size_t y = 0; y < height; ++y, from += width) {
            if (r + y + kAhead < some) fetch(from + kAhead * width, wide * stride);
            for (size_t x = 0; stride > 1 && x < wide; ++x) values[x] = from[x * stride];
            round_half(type_, stride > 1 ? values : from, wide, block[y]);
          }
          turn(block, height, wide, out + c * n + j + r, n);
        }
      }
    }
  }

  static constexpr size_t kBlockRows = 32;
  static constexpr size_t kBlockColumns = 128;
  using Block = uint16_t[kBlockRows][kBlockColumns];

  // Writes the columns of a block one after another, `stride` apart.
  static void turn(const Block& block, size_t height, size_t wide, uint16_t* out, size_t stride) {
    constexpr size_t kSide = kHalves;  // of squares that stay in registers
    size_t x = 0;
    if (height == kBlockRows) {
      for (; x + kSide <= wide; x += kSide) {
        for (size_t y = 0; y < kBlockRows; y += kSide) {
          turn_square(&block[y][x], kBlockColumns, out + x * stride + y, stride);
        }
      }
    }
    for (; x < wide; ++x) {
      for (size_t y = 0; y < height; ++y) out[x * stride + y] = block[y][x];
    }
  }

  // Transposes 8 x 8 halves: pairs of rows are merged three times.
  static void turn_square(const uint16_t* from, size_t from_stride, uint16_t* to,
                          size_t to_stride) {
    HalfRow a[8], b[8];
    for (size_t y = 0; y < 8; ++y) a[y] = load_halves(from + y * from_stride);
    const auto merge = [&](const HalfRow* in, HalfRow* out) {
      for (size_t y = 0; y < 4; ++y) {
        out[2 * y] = low_halves(in[y], in[y + 4]);
        out[2 * y + 1] = high_halves(in[y], in[y + 4]);
      }
    };
    merge(a, b);
    merge(b, a);
    merge(a, b);
    for (size_t x = 0; x < 8; ++x) store_halves(b[x], to + x * to_stride);
  }

  // Prefetches `count` values that are read soon.
  static void fetch(const float* values, size_t count) {
    constexpr size_t kLine = 64 / sizeof(float);
    for (size_t i = 0; i < count; i += kLine) __builtin_prefetch(values + i);
  }

  const Store& store_;
  size_t tensor_;
  HalfType type_;
  Pass pass_;
  int rows_ = 0;
  int columns_ = 0;
};

// A matrix whose rows stand there several times. In the pass of the deltas they are the inputs.
class CopiedMatrix : public MatrixSource {
 public:
  CopiedMatrix(std::unique_ptr<MatrixSource> matrix, bool transposed, int copies)
      : matrix_(std::move(matrix)), transposed_(transposed), copies_(copies) {}
  int outputs() const override { return matrix_->outputs() * (transposed_ ? 1 : copies_); }
  int inputs() const override { return matrix_->inputs() * (transposed_ ? copies_ : 1); }
  int batch() const override { return matrix_->batch(); }
  bool all_positions() const override { return matrix_->all_positions(); }
  bool index_only() const override { return matrix_->index_only(); }
  void rows(int first, int step, int count, uint16_t* out) const override {
    const auto width = static_cast<size_t>(matrix_->inputs());
    if (!transposed_) {
      for (int k = 0; k < count; ++k, out += width) {
        matrix_->rows((first + k * step) / copies_, 1, 1, out);
      }
      return;
    }
    std::vector<uint16_t> once(width * static_cast<size_t>(count));
    matrix_->rows(first, step, count, once.data());
    for (const uint16_t value : once) out = std::fill_n(out, copies_, value);
  }

 private:
  const std::unique_ptr<MatrixSource> matrix_;
  const bool transposed_;
  const int copies_;
};

}  // namespace

std::unique_ptr<MatrixSource> store_matrix(const Store& store, size_t tensor, HalfType type,
                                           Pass pass, int copies) {
  auto matrix = std::make_unique<StoreMatrix>(store, tensor, type, pass);
  if (copies == 1) return matrix;
  return std::make_unique<CopiedMatrix>(std::move(matrix), pass == Pass::Delta, copies);
}

}  // namespace ow::memoryx
