// SPDX-License-Identifier: Apache-2.0
// Weights on their way: rounding, the three passes' streams, the bounded producer.
#include <gtest/gtest.h>

#include <cmath>

#include "both.h"
#include "messages.h"
#include "ow/base/error.h"
#include "ow/isa/isa.h"
#include "ow/memoryx/round.h"

namespace ow::memoryx {
namespace {

float float_of(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

TEST(MemoryXStream, RoundsAsTheNumberTypesDo) {
  std::vector<float> in;
  // Around every number of each format and every midpoint between two, and at random.
  for (uint32_t upper = 0; upper < 0x10000; ++upper) {
    for (const uint32_t lower : {0u, 1u, 0x7FFFu, 0x8000u, 0x8001u, 0xFFFFu}) {
      in.push_back(float_of(upper << 16 | lower));
    }
    const float half = from_half(HalfType::Binary16, static_cast<uint16_t>(upper));
    uint32_t bits;
    std::memcpy(&bits, &half, sizeof bits);
    for (const uint32_t off : {0u, 1u, 0xFFFu, 0x1000u, 0x1001u, 0x1FFFu}) {
      in.push_back(float_of(bits + off));
    }
    if (std::isfinite(half)) {
      const float next = from_half(HalfType::Binary16, static_cast<uint16_t>(upper ^ 1));
      in.push_back((half + next) / 2);  // of subnormals too
      in.push_back(std::nextafter((half + next) / 2, 0.0f));
    }
  }
  Rng rng(1);
  for (int k = 0; k < 3000000; ++k) in.push_back(float_of(static_cast<uint32_t>(rng.next())));
  std::vector<uint16_t> out(in.size());
  for (const HalfType type : {HalfType::Binary16, HalfType::Bfloat16}) {
    round_half(type, in.data(), in.size(), out.data());
    for (size_t k = 0; k < in.size(); ++k) {
      ASSERT_EQ(out[k], to_half(type, static_cast<double>(in[k])))
          << half_name(type) << " " << in[k];
    }
  }
}

// A stream as it is defined, one grid row of one matrix; positions in pieces of `piece` outputs,
// each owner by owner.
std::vector<Wavelet> by_definition(const std::vector<uint16_t>& sent, int piece, int outputs,
                                   int inputs, int row, int rows) {
  std::vector<Wavelet> out;
  const int most = piece > 0 ? piece : outputs;
  for (int first = 0; first < outputs; first += most) {
    const size_t head = out.size();
    if (piece > 0) out.push_back({0, false, 0});
    for (int owner = 0; owner < rows; ++owner) {
      for (int j = first; j < std::min(outputs, first + most); ++j) {
        if (j % rows != owner) continue;
        for (int i = row; i < inputs; i += rows) {
          const uint16_t v = sent[static_cast<size_t>(j * inputs + i)];
          if ((v & 0x7FFF) == 0) continue;
          const auto local = static_cast<uint32_t>(i / rows);
          out.push_back({0, false, local << 16 | (piece > 0 ? 0u : v)});
          if (piece > 0) ++out[head].data;
        }
        out.push_back({0, true, isa::Control::RowEnd::kMask});
      }
    }
    out.back().data |= isa::Control::StreamEnd::kMask;
  }
  return out;
}

// The same for whole sums: the grid row's own outputs, each with all its inputs.
std::vector<Wavelet> whole_by_definition(const std::vector<uint16_t>& sent, int window, int outputs,
                                         int inputs, int row, int rows) {
  std::vector<uint32_t> place(static_cast<size_t>(inputs));
  uint32_t next = 0;
  for (int owner = 0; owner < rows; ++owner) {
    for (int i = owner; i < inputs; i += rows) place[static_cast<size_t>(i)] = next++;
  }
  std::vector<Wavelet> out;
  int local = 0;
  for (int j = row; j < outputs; j += rows) {
    for (int i = 0; i < inputs; ++i) {
      const uint16_t v = sent[static_cast<size_t>(j * inputs + i)];
      if ((v & 0x7FFF) != 0) out.push_back({0, false, place[static_cast<size_t>(i)] << 16 | v});
    }
    const bool last = ++local % window == 0 || j + rows >= outputs;
    const uint32_t end = isa::Control::RowEnd::kMask;
    out.push_back({0, true, last ? end | isa::Control::StreamEnd::kMask : end});
  }
  return out;
}

// .. and for sums round the column, in windows of so many outputs of each owner.
std::vector<Wavelet> windows_by_definition(const std::vector<uint16_t>& sent, int window,
                                           int outputs, int inputs, int row, int rows) {
  std::vector<Wavelet> out;
  for (int first = 0; first * rows < outputs; first += window) {
    std::vector<uint16_t> part;
    const int some = std::min(window * rows, outputs - first * rows);
    const auto from = sent.begin() + static_cast<std::ptrdiff_t>(first) * rows * inputs;
    part.assign(from, from + static_cast<std::ptrdiff_t>(some) * inputs);
    const auto wavelets = by_definition(part, 0, some, inputs, row, rows);
    out.insert(out.end(), wavelets.begin(), wavelets.end());
  }
  return out;
}

// A pass over a network's matrix, at most `most` outputs in a step; 0: all.
void add_pass(size_t parameter, Pass pass, SumOrder order, int outputs, int most,
              StreamSchedule* schedule) {
  for (int first = 0; first < outputs;) {
    const int count = most > 0 ? std::min(most, outputs - first) : 0;
    schedule->push_back({parameter, pass, order, first, count});
    first += count > 0 ? count : outputs;
  }
}

class Streams : public testing::Test {
 protected:
  Streams() {
    job_.layers = {{70, 45, "relu", true}, {45, 6, "none", true}};
    job_.sparsity.resize(1);
    job_.sparsity[0].pattern = "layers.0.weight";
    job_.sparsity[0].density = constant_schedule(0.3);
  }
  std::vector<std::vector<Wavelet>> all(WeightStream* stream, int rows, uint64_t seed) {
    // Rows take parts of any size in any order.
    Rng rng(seed);
    std::vector<std::vector<Wavelet>> out(static_cast<size_t>(rows));
    const auto open = [&] {
      for (int r = 0; r < rows; ++r) {
        if (!stream->done(r)) return true;
      }
      return false;
    };
    while (open()) {
      const int r = static_cast<int>(rng.below(static_cast<uint64_t>(rows)));
      stream->next(r, rng.below(200), &out[static_cast<size_t>(r)]);
    }
    return out;
  }
  TrainingJob job_;
};

TEST_F(Streams, OfAllPassesAreTheirDefinitionFromMemoryAndFromAFile) {
  const golden::Trainer golden(job_);
  for (const HalfType type : {HalfType::Binary16, HalfType::Bfloat16}) {
    job_.type = type;
    MemoryOptions options;
    for (const char* directory : {"", "file"}) {
      if (*directory != 0) options.store = {testing::TempDir(), 1};
      MemoryX memory(job_, options);
      memory.begin();
      for (const int rows : {1, 3, 4}) {
        for (const Pass pass : {Pass::Forward, Pass::Delta, Pass::Gradient, Pass::GradientOfAll}) {
          const int piece = rows == 1 ? 0 : rows == 3 ? 2 : 10;  // 0: all outputs
          StreamSchedule schedule;
          for (const size_t k : {1, 0}) {
            // A vector before the matrix sends nothing.
            schedule.push_back({2 * k + 1, Pass::Gradient});
            const bool positions = pass == Pass::Gradient || pass == Pass::GradientOfAll;
            const LayerShape& layer = job_.layers[k];
            add_pass(2 * k, pass, SumOrder::Column,
                     pass == Pass::Delta ? layer.inputs : layer.outputs, positions ? piece : 0,
                     &schedule);
          }
          const auto stream = memory.stream(schedule, {rows, false, 300});
          const auto got = all(stream.get(), rows, 1);
          for (int r = 0; r < rows; ++r) {
            std::vector<Wavelet> want;
            for (const size_t k : {1, 0}) {
              const golden::Parameter& p = golden.parameters()[2 * k];
              const bool turned = pass == Pass::Delta;
              const bool positions = pass == Pass::Gradient || pass == Pass::GradientOfAll;
              std::vector<uint16_t> sent(p.value.size());
              for (size_t j = 0; j < p.rows; ++j) {
                for (size_t i = 0; i < p.columns; ++i) {
                  const size_t at = j * p.columns + i;
                  const bool kept =
                      pass == Pass::GradientOfAll || p.mask.empty() || p.mask[at] != 0;
                  sent[turned ? i * p.rows + j : at] =
                      positions ? static_cast<uint16_t>(kept)
                                : to_half(type, static_cast<double>(p.value[at]));
                }
              }
              const auto part =
                  by_definition(sent,
                                !positions  ? 0
                                : piece > 0 ? piece
                                            : static_cast<int>(p.rows),
                                static_cast<int>(turned ? p.columns : p.rows),
                                static_cast<int>(turned ? p.rows : p.columns), r, rows);
              want.insert(want.end(), part.begin(), part.end());
            }
            ASSERT_EQ(got[static_cast<size_t>(r)], want) << rows << " " << r;
          }
        }
      }
    }
  }
}

TEST_F(Streams, OfWholeSumsAndOfWindowsAreTheirDefinition) {
  const golden::Trainer golden(job_);
  for (const SumOrder order : {SumOrder::Column, SumOrder::Whole}) {
    MemoryX memory(job_, {});
    memory.begin();
    for (const int rows : {1, 3, 4, 8}) {
      for (const int window : {0, 1, 2, 100}) {
        for (const Pass pass : {Pass::Forward, Pass::Delta}) {
          StreamSchedule schedule;
          for (const size_t k : {1, 0}) {
            const LayerShape& layer = job_.layers[k];
            const bool turned = pass == Pass::Delta;
            add_pass(2 * k, pass, order, turned ? layer.inputs : layer.outputs,
                     turned ? window * rows : 0, &schedule);
          }
          const auto stream = memory.stream(schedule, {rows, false, 300});
          const auto got = all(stream.get(), rows, 1);
          for (int r = 0; r < rows; ++r) {
            std::vector<Wavelet> want;
            for (const size_t k : {1, 0}) {
              const golden::Parameter& p = golden.parameters()[2 * k];
              const bool turned = pass == Pass::Delta;
              std::vector<uint16_t> sent(p.value.size());
              for (size_t j = 0; j < p.rows; ++j) {
                for (size_t i = 0; i < p.columns; ++i) {
                  sent[turned ? i * p.rows + j : j * p.columns + i] =
                      to_half(job_.type, static_cast<double>(p.value[j * p.columns + i]));
                }
              }
              const int outputs = static_cast<int>(turned ? p.columns : p.rows);
              const int inputs = static_cast<int>(turned ? p.rows : p.columns);
              const int wide = turned && window > 0 ? window : outputs;
              const auto part = order == SumOrder::Whole
                                    ? whole_by_definition(sent, wide, outputs, inputs, r, rows)
                                    : windows_by_definition(sent, wide, outputs, inputs, r, rows);
              want.insert(want.end(), part.begin(), part.end());
            }
            ASSERT_EQ(got[static_cast<size_t>(r)], want) << rows << " " << r << " " << window;
          }
        }
      }
    }
  }
}

TEST_F(Streams, OfStepsOutsideTheirMatrixAreRefused) {
  MemoryX memory(job_, {});
  const auto refused = [&](const StreamStep& step) {
    return message<InternalError>([&] { memory.stream({step}, {2}); });
  };
  EXPECT_EQ(refused({0, Pass::Forward, SumOrder::Column, 44, 1}), "");
  EXPECT_NE(refused({0, Pass::Forward, SumOrder::Column, 44, 2}), "");
  EXPECT_NE(refused({0, Pass::Forward, SumOrder::Column, 45, 0}), "");
  EXPECT_NE(refused({0, Pass::Delta, SumOrder::Column, -1, 1}), "");
  EXPECT_NE(refused({4, Pass::Forward}), "");
}

TEST_F(Streams, AreTheSameWithAnyDepthAndInAnyOrderOfTaking) {
  MemoryX memory(job_, {});
  memory.begin();
  const StreamSchedule schedule = {{0, Pass::Delta}, {2, Pass::Delta}};
  const auto want = all(memory.stream(schedule, {3, false}).get(), 3, 2);
  for (const size_t depth : {size_t{1}, size_t{500}, size_t{1} << 20}) {
    for (uint64_t seed = 0; seed < 5; ++seed) {
      const auto stream = memory.stream(schedule, {3, false, depth});
      ASSERT_EQ(all(stream.get(), 3, seed), want) << depth;
    }
  }
}

// The stream of a network's layer, for any density and any number of grid rows. Widths are
// multiples of the chunk that is made at once, and not.
TEST(MemoryXCompression, LeavesOutTheZerosOfEveryWidthDensityAndNumberOfRows) {
  constexpr int kOutputs = 9;
  constexpr uint16_t kMark = 1;  // stands for a zero that is sent
  Rng rng(4);
  for (const int inputs : {1, 7, 64, 129, 512, 1103}) {
    for (const double density : {0.0, 0.1, 0.4, 0.7, 0.995, 1.0}) {
      Layer layer;
      layer.inputs = inputs;
      layer.outputs = kOutputs;
      for (int k = 0; k < kOutputs * inputs; ++k) {
        const auto value = static_cast<uint16_t>(2 + rng.below(0x7000));
        const auto zero = static_cast<uint16_t>(rng.below(2) << 15);  // of either sign
        layer.weights.push_back(rng.uniform() < density ? value : zero);
      }
      layer.bias = false;
      Network network;
      network.layers = {layer};
      MemoryX memory(forward_job(network, 1, 1, 8), {});
      memory.begin();
      std::vector<uint16_t> marked = layer.weights;
      for (uint16_t& v : marked) v = half_is_zero(v) ? static_cast<uint16_t>(v | kMark) : v;
      for (const int rows : {1, 2, 3, 4, 5, 8}) {
        StreamOptions options;
        options.rows = rows;
        for (const bool dense : {false, true}) {
          options.dense = dense;
          const auto begun = memory.stream({{0, Pass::Forward}}, options);
          WeightStream& stream = *begun;
          for (int r = 0; r < rows; ++r) {
            std::vector<Wavelet> got;
            while (!stream.done(r)) stream.next(r, 1000, &got);
            for (Wavelet& w : got) {
              if (dense && !w.ctrl && half_is_zero(static_cast<uint16_t>(w.data))) w.data |= kMark;
            }
            const auto want =
                by_definition(dense ? marked : layer.weights, 0, kOutputs, inputs, r, rows);
            ASSERT_EQ(got, want) << inputs << " " << density << " " << r << "/" << rows;
            ASSERT_EQ(stream.wavelets(r), want.size());
            ASSERT_EQ(stream.weights(r), want.size() - kOutputs);
          }
        }
      }
    }
  }
}

// Counts the rows that were asked for.
class Counted : public MatrixSource {
 public:
  explicit Counted(int* made) : made_(*made) {}
  int outputs() const override { return 4000; }
  int inputs() const override { return 40000; }
  void rows(int, int, int count, uint16_t* out) const override {
    made_ += count;
    std::fill(out, out + static_cast<size_t>(count) * 40000, uint16_t{1});
  }

 private:
  int& made_;
};

TEST(MemoryXProducer, StaysWithinItsDepth) {
  int made = 0;
  const StreamOptions options{2, false, 100000};
  const auto source = [&](const StreamStep&) { return std::make_unique<Counted>(&made); };
  WeightStream stream(matrix_batches({StreamStep{}}, source, options), options);
  std::vector<Wavelet> out;
  EXPECT_EQ(made, 0) << "nothing before it is asked for";
  // One row takes what may be made and gets no more: the other one holds it.
  stream.next(0, 1000000, &out);
  EXPECT_EQ(made, 3) << "40,002 wavelets an output: the third passes the depth";
  EXPECT_EQ(out.size(), 3u * 20001);
  stream.next(0, 10, &out);
  EXPECT_EQ(out.size(), 3u * 20001);
  EXPECT_EQ(made, 3);
  stream.next(1, 20001, &out);
  stream.next(0, 10, &out);
  EXPECT_EQ(out.size(), 4u * 20001 + 10);
  EXPECT_EQ(made, 4);
}

class Failing : public MatrixSource {
 public:
  int outputs() const override { return 4; }
  int inputs() const override { return 4; }
  void rows(int, int, int, uint16_t*) const override { throw BadInput("no weights"); }
};

TEST(MemoryXProducer, HandsOnWhatGoesWrong) {
  const StreamOptions options{1, false, 100};
  const auto source = [](const StreamStep&) { return std::make_unique<Failing>(); };
  WeightStream stream(matrix_batches({StreamStep{}}, source, options), options);
  std::vector<Wavelet> out;
  EXPECT_THROW(stream.next(0, 10, &out), BadInput);
}

}  // namespace
}  // namespace ow::memoryx
