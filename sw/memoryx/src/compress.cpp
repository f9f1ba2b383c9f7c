// SPDX-License-Identifier: Apache-2.0
#include "compress.h"

#include <algorithm>
#include <cstring>

#include "halves.h"
#include "openwafer/number.h"
#include "wider.h"

namespace ow::memoryx {
namespace {

// A wavelet is handled as a word of the host, so a loop of vectors takes several at once.
static_assert(sizeof(Wavelet) == sizeof(uint64_t) && offsetof(Wavelet, data) == sizeof(uint32_t),
              "a wavelet is a word of the host, half of it data");
constexpr bool kLittle = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
constexpr int kDataShift = kLittle ? 32 : 0;

template <typename T>
uint64_t word_with(T part, size_t offset) {
  uint64_t word = 0;
  std::memcpy(reinterpret_cast<char*>(&word) + offset, &part, sizeof part);
  return word;
}

constexpr size_t kBits = 64;  // values of a block

// Bit i: value i is not zero.
inline uint64_t not_zero(const uint16_t* values, size_t count) {
  uint64_t bits = 0;
  if (count < kBits || !kLittle) {
    for (size_t i = 0; i < count; ++i) bits |= uint64_t{!half_is_zero(values[i])} << i;
    return bits;
  }
  uint8_t yes[kBits];
  for (size_t i = 0; i < kBits; ++i) yes[i] = (values[i] & 0x7FFFu) != 0 ? 1 : 0;
  for (size_t i = 0; i < kBits; i += 8) {
    uint64_t word;
    std::memcpy(&word, yes + i, sizeof word);
    // Byte j's bit moves to bit 56 + j; no two bits of the products meet.
    bits |= (word * 0x0102040810204080u) >> 56 << i;
  }
  return bits;
}

template <Sent kSent>
inline void put(const uint16_t* values, const uint32_t* places, size_t i, Wavelet* out) {
  const uint32_t data = kSent == Sent::Positions ? places[i] : places[i] | values[i];
  const uint64_t word = uint64_t{data} << kDataShift;
  std::memcpy(static_cast<void*>(out), &word, sizeof word);
}

// Block by block; a word of bits says which values are sent. There are three cases. If all are, the
// block is a loop of vectors. If many are, every value is written to the next place, and the place
// advances only after a sent one, so only the place depends on the values. If few are, only these
// are visited.
template <Sent kSent>
inline size_t compress_blocks(const uint16_t* values, const uint32_t* places, size_t count,
                              Wavelet* out) {
  constexpr int kMuch = 24;
  size_t n = 0;
  for (size_t first = 0; first < count; first += kBits, values += kBits, places += kBits) {
    const size_t some = std::min(kBits, count - first);
    const uint64_t all = ~uint64_t{0} >> (kBits - some);
    uint64_t bits = kSent == Sent::All ? all : not_zero(values, some);
    if (bits == all) {
      for (size_t i = 0; i < some; ++i) put<kSent>(values, places, i, out + n + i);
      n += some;
    } else if (__builtin_popcountll(bits) > kMuch) {
      for (size_t i = 0; i < some; ++i) {
        put<kSent>(values, places, i, out + n);
        n += bits >> i & 1;
      }
    } else {
      for (; bits != 0; bits &= bits - 1) {
        put<kSent>(values, places, static_cast<size_t>(__builtin_ctzll(bits)), out + n++);
      }
    }
  }
  return n;
}

OW_WIDER size_t compress_all(const uint16_t* values, const uint32_t* places, size_t count,
                             Wavelet* out) {
  return compress_blocks<Sent::All>(values, places, count, out);
}

OW_WIDER size_t compress_not_zero(const uint16_t* values, const uint32_t* places, size_t count,
                                  Wavelet* out) {
  return compress_blocks<Sent::NotZero>(values, places, count, out);
}

OW_WIDER size_t compress_positions(const uint16_t* values, const uint32_t* places, size_t count,
                                   Wavelet* out) {
  return compress_blocks<Sent::Positions>(values, places, count, out);
}

OW_WIDER uint64_t sum_of_bits(const Wavelet* wavelets, size_t count, uint64_t bit) {
  uint64_t sum = 0;
  for (size_t i = 0; i < count; ++i) {
    uint64_t word;
    std::memcpy(&word, &wavelets[i], sizeof word);
    sum += word & bit;
  }
  return sum;
}

// Reorders elements so that neighbours across vectors become neighbours in a vector. The bits of an
// element's place are those of its vector and then those of its lane. A merge of pairs of vectors
// rotates these bits by one. After three merges the number of the vector has become that of the
// lane.
template <size_t kRows>
size_t deal_vectors(const uint16_t* values, size_t count, uint16_t* out, size_t stride) {
  size_t k = 0;
  for (; (k + kHalves) * kRows <= count; k += kHalves, values += kHalves * kRows) {
    HalfRow a[kRows], b[kRows];
    for (size_t v = 0; v < kRows; ++v) a[v] = load_halves(values + v * kHalves);
    size_t apart = kRows / 2;  // vectors that are merged
    for (int merge = 0; merge < 3; ++merge) {
      for (size_t v = 0; v < kRows; ++v) {
        if ((v & apart) == 0) {
          b[v] = low_halves(a[v], a[v + apart]);
          b[v + apart] = high_halves(a[v], a[v + apart]);
        }
      }
      for (size_t v = 0; v < kRows; ++v) a[v] = b[v];
      apart = apart > 1 ? apart / 2 : kRows / 2;
    }
    for (size_t v = 0; v < kRows; ++v) {
      // With four rows the two bits of the row's number are exchanged.
      const size_t row = kRows == 4 ? (v & 1) * 2 + v / 2 : v;
      store_halves(a[v], out + row * stride + k);
    }
  }
  return k;
}

}  // namespace

size_t compress(Sent sent, const uint16_t* values, const uint32_t* places, size_t count,
                Wavelet* out) {
  if (sent == Sent::All) return compress_all(values, places, count, out);
  if (sent == Sent::NotZero) return compress_not_zero(values, places, count, out);
  return compress_positions(values, places, count, out);
}

void deal(const uint16_t* values, size_t count, size_t rows, uint16_t* out) {
  const size_t stride = dealt_size(count, rows);
  size_t k = 0;
  if (rows == 2) k = deal_vectors<2>(values, count, out, stride);
  if (rows == 4) k = deal_vectors<4>(values, count, out, stride);
  if (rows == 8) k = deal_vectors<8>(values, count, out, stride);
  for (size_t row = 0; row < rows; ++row) {
    for (size_t i = row + k * rows, at = row * stride + k; i < count; i += rows, ++at) {
      out[at] = values[i];
    }
  }
}

size_t control_wavelets(const Wavelet* wavelets, size_t count) {
  // The sum has room for as many of these bits as fit the host's memory.
  const uint64_t bit = word_with(uint8_t{1}, offsetof(Wavelet, ctrl));
  return sum_of_bits(wavelets, count, bit) / bit;
}

}  // namespace ow::memoryx
