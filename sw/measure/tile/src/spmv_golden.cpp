// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "openwafer/tile/spmv.h"
#include "ow/base/error.h"
#include "ow/isa/isa.h"
#include "ow/measure/sparse.h"

namespace ow::bench {
namespace {

using golden::Type;
using golden::Vec;

class Image {
 public:
  Image(Type type, const std::vector<uint32_t>& words)
      : words_(words), value_bytes_(type == Type::F32 ? 4 : 2) {}

  uint32_t value_bytes() const { return value_bytes_; }
  // A structure of the format at word `at`, which then stands after it.
  template <typename T>
  T take(size_t* at) const {
    T out{};
    const size_t n = sizeof(T) / 4;
    if (*at + n > words_.size()) throw InternalError("image of a sparse matrix ends too early");
    std::memcpy(&out, &words_[*at], sizeof out);
    *at += n;
    return out;
  }
  uint32_t value(uint32_t stream, uint32_t entry) const {
    return element(head_values_[stream] + entry * value_bytes_, value_bytes_);
  }
  uint32_t index(uint32_t stream, uint32_t entry) const {
    return element(head_indices_[stream] + 2 * entry, 2);
  }
  void set_head(const ow_spmv_head& head) {
    for (uint32_t h = 0; h < OW_SPMV_STREAMS; ++h) {
      head_values_[h] = head.values[h];
      head_indices_[h] = head.indices[h];
    }
  }

 private:
  uint32_t element(uint32_t byte, uint32_t bytes) const {
    const uint32_t word = words_.at(byte / 4);
    return bytes == 4 ? word : word >> (8 * (byte % 4)) & 0xFFFF;
  }

  const std::vector<uint32_t>& words_;
  uint32_t value_bytes_;
  uint32_t head_values_[OW_SPMV_STREAMS] = {};
  uint32_t head_indices_[OW_SPMV_STREAMS] = {};
};

}  // namespace

Vec spmv(Type type, const SpmvPart& part, const Vec& x) {
  const Type to = golden::source_type(type);
  Image image(type, part.words);
  size_t at = 0;
  const auto head = image.take<ow_spmv_head>(&at);
  image.set_head(head);
  Vec y(part.rows, 0);
  uint32_t entry[OW_SPMV_STREAMS] = {};
  for (uint32_t round = 0; round < head.rounds; ++round) {
    ow_spmv_slice slice[OW_SPMV_STREAMS];
    Vec sums[OW_SPMV_STREAMS];
    for (uint32_t h = 0; h < OW_SPMV_STREAMS; ++h) {
      slice[h] = image.take<ow_spmv_slice>(&at);
      sums[h].assign(isa::DsrDim::Length::get(slice[h].dim), 0);
    }
    for (uint32_t k = 0; k < slice[0].segments; ++k) {
      for (uint32_t h = 0; h < OW_SPMV_STREAMS; ++h) {
        const auto segment = image.take<ow_spmv_segment>(&at);
        const uint32_t width = isa::DsrDim::Length::get(segment.dim0);
        const uint32_t diagonals = width == 0 ? 0 : isa::DsrDim::Length::get(segment.dim1);
        for (uint32_t n = 0; n < width * diagonals; ++n, ++entry[h]) {
          uint32_t& sum = sums[h].at(n % width);
          sum = golden::apply(golden::Op::Fma, type, image.value(h, entry[h]),
                              x.at(image.index(h, entry[h])), sum);
        }
      }
    }
    for (uint32_t h = 0; h < OW_SPMV_STREAMS; ++h) {
      const uint32_t first = slice[h].y_offset / image.value_bytes();
      if (sums[h].empty()) continue;
      if (slice[h].long_row != 0) {
        y.at(first) =
            golden::reduce(golden::Op::Sum, Type::F32, to, sums[h].data(), nullptr, sums[h].size());
        continue;
      }
      for (size_t k = 0; k < sums[h].size(); ++k) {
        y.at(first + k) = to == Type::F32 ? sums[h][k] : golden::convert(Type::F32, to, sums[h][k]);
      }
    }
  }
  return y;
}

}  // namespace ow::bench
