// SPDX-License-Identifier: Apache-2.0
// dotw with row ends, which lead from vector to vector, and with results that are rows for the
// reducer, against golden. The bench reads and frees the rows as a reducer would.
#include <deque>
#include <string>

#include "engine_bench.h"
#include "ow/golden/formats.h"

using namespace ow_engine;  // NOLINT(google-build-using-namespace): the bench is the test's own

namespace {

template <typename T>
class DotwRowsTest : public ::testing::Test {};
TYPED_TEST_SUITE(DotwRowsTest, Widths);

struct Products {
  int type = kMixed;
  int length = 16;        // of a vector
  int vectors = 5;        // from which row ends lead to the next one; 0: there is one
  int pitch = 32;         // bytes from one vector to the next
  int row = 8, ring = 4;  // results a row, rows in the ring
  // Where the matrix and the vectors begin, and bytes from one row of the matrix to the next less
  // its length.
  uint32_t matrix = 1026, at = 6146;
  int gap = 2;
  int outputs = 20;  // row ends
  double density = 0.5;
  int in_rate = 100, free_delay = 0, disturb = 0;
};

template <typename V>
class ProductsRun {
 public:
  ProductsRun(const Products& p, Bench<V>* bench) : p_(p), b_(*bench), rng_(seed() + p.length) {}

  // Cycles from the launch to the last row closed.
  uint64_t run() {
    b_.in_rate = b_.out_rate = 100;
    b_.disturb = 0;
    load_memory(&b_, &m_, &rng_);
    draw();
    launch();
    const uint64_t start = b_.launched;
    const uint64_t end = use_rows();
    check_end();
    return end - start;
  }
  size_t results() const { return want_.size(); }

 private:
  static constexpr int kRows = 24;

  uint32_t product(uint32_t index, uint32_t vector) {
    std::vector<uint32_t> x, y;
    for (int e = 0; e < p_.length; e++) {
      x.push_back(m_.load(p_.matrix + index * (2 * p_.length + p_.gap) + 2 * e, 2));
      y.push_back(m_.load(vector + 2 * e, 2));
    }
    return ow::golden::reduce(ow::golden::Op::Dot,
                              p_.type == kMixed ? ow::golden::Type::F16 : ow::golden::Type::BF16,
                              ow::golden::Type::F32, x.data(), y.data(), x.size());
  }

  void draw() {
    int vector = 0;
    for (int j = 0; j < p_.outputs; j++) {
      for (uint32_t i = 0; i < kRows; i++) {
        if (std::uniform_real_distribution<>(0, 1)(rng_) >= p_.density) continue;
        stream_.push_back({false, i << 16 | random_f16(&rng_)});
        want_.push_back(product(i, p_.at + vector * p_.pitch));
      }
      const bool last = j + 1 == p_.outputs;
      if (!last && j % 3 == 1) stream_.push_back({true, kNeitherEnd});  // no effect
      stream_.push_back({true, last && p_.outputs % 2 ? kRowEnd | kStreamEnd : kRowEnd});
      if (p_.vectors > 0) vector = (vector + 1) % p_.vectors;
    }
    if (p_.outputs % 2 == 0) stream_.push_back({true, kStreamEnd});
    stream_.push_back({false, 0xDEADBEEF});  // must stay
  }

  void launch() {
    Dsr a = mem(p_.matrix, static_cast<uint16_t>(p_.length), 2);
    a.len[1] = kRows;
    a.step[1] = static_cast<int16_t>(2 * p_.length + p_.gap);
    Dsr b = fab_in(5, 0);
    b.len[1] = static_cast<uint16_t>(p_.vectors);
    b.step[1] = static_cast<int16_t>(p_.pitch);
    Dsr d = mem(kAcc, static_cast<uint16_t>(p_.row), 4);
    d.type = kF32;
    d.len[1] = static_cast<uint16_t>(p_.ring);
    b_.write_dsr(0, d);
    b_.write_dsr(1, a);
    b_.write_dsr(2, b);
    b_.in[5] = stream_;
    b_.rows = 0;
    b_.row_written.clear();
    b_.done.clear();
    b_.in_rate = p_.in_rate;
    b_.disturb = p_.disturb;
    Insn i = insn(kDotw, p_.type, 1, 0, 1, 2);
    i.value = p_.at;
    i.done = 1;
    i.task = 19;
    b_.launch(i);
  }

  uint64_t use_rows() {
    const int rows = static_cast<int>((want_.size() + p_.row - 1) / p_.row);
    uint64_t end = b_.cycle();
    int freed = 0, age = 0;
    for (int n = 0; freed < rows || b_.busy(); n++) {
      EXPECT_LT(n, 400000) << "the stream does not end";
      if (n >= 400000) break;
      b_->row_free_i = 0;
      if (b_.rows > freed && ++age > p_.free_delay) {
        if (!row_is_right(freed)) break;
        b_->row_free_i = 1;
        age = 0;
        freed++;
      }
      const int before = b_.rows;
      b_.tick();
      if (b_.rows != before) end = b_.cycle();
    }
    b_->row_free_i = 0;
    EXPECT_EQ(b_.rows, rows);
    return end;
  }

  bool row_is_right(int r) {
    EXPECT_TRUE(b_.row_written[r]) << "row " << r;
    for (int k = 0; k < p_.row; k++) {
      const size_t n = static_cast<size_t>(r) * p_.row + k;
      if (n == want_.size()) break;  // a row that the end has closed
      const uint32_t got = b_.acc_word(r % p_.ring * p_.row + k);
      EXPECT_EQ(got, want_[n]) << "row " << r << " result " << k;
      if (got != want_[n]) return false;
    }
    return true;
  }

  void check_end() {
    EXPECT_EQ(b_->fault_o, 0u);
    EXPECT_EQ(b_.in[5].size(), 1u);
    EXPECT_EQ(b_.done.size(), 1u);
    b_.in[5].clear();
    for (int k = 0; k < 3; k++) b_.tick();
  }

  Products p_;
  Bench<V>& b_;
  std::mt19937 rng_;
  Machine m_;
  std::deque<Wavelet> stream_;
  std::vector<uint32_t> want_;
};

// Vectors, rings and rows of many sizes; wavelets that come slowly; rows that stay long; no wavelet
// at all. The stream ends with a row end, after one or without one, in the middle of a row or not.
TYPED_TEST(DotwRowsTest, ResultsAreRowsOfTheVectorThatRowEndsSelect) {
  Bench<typename TypeParam::Top> b(TypeParam::kLanes);
  std::mt19937 rng(seed());
  constexpr int kLanes = TypeParam::kLanes;
  for (int round = 0; round < 40; round++) {
    Products p;
    p.type = round % 2 ? kMixed : kMixedB;
    p.length = 1 + static_cast<int>(rng() % 40);
    p.vectors = static_cast<int>(rng() % 7);
    p.pitch = static_cast<int>(rng() % 60) * 2 - 20;
    const int words = 1 + static_cast<int>(rng() % 4);
    p.row = words * kLanes;
    p.ring = 1 + static_cast<int>(rng() % (16 / words));
    p.outputs = 1 + static_cast<int>(rng() % 30);
    p.density = round % 5 == 0 ? 0.05 : std::uniform_real_distribution<>(0, 1)(rng);
    p.in_rate = round % 3 ? 100 : 30;
    p.free_delay = round % 4 ? static_cast<int>(rng() % 20) : 150;
    p.disturb = round % 7 == 3 ? 40 : 0;
    SCOPED_TRACE("round " + std::to_string(round));
    ProductsRun<typename TypeParam::Top>(p, &b).run();
    if (this->HasFailure()) return;
  }
}

// Faults: a ring that does not fit, a row that is not a whole number of words, results of 16 bits.
TYPED_TEST(DotwRowsTest, RowsThatDoNotFitAreAFault) {
  constexpr auto kLanes = static_cast<uint16_t>(TypeParam::kLanes);
  for (int what = 0; what < 4; what++) {
    Bench<typename TypeParam::Top> b(TypeParam::kLanes);
    Dsr d = mem(kAcc, kLanes, 4);
    d.type = kF32;
    d.len[1] = 16;
    if (what == 0) d.len[1] = 17;
    if (what == 1) d.len[0] = kLanes - 1;
    if (what == 2) d.type = kF16;
    if (what == 3) d.step[0] = 8;
    b.write_dsr(0, d);
    b.write_dsr(1, mem(0, 16, 2));
    b.write_dsr(2, fab_in(5, 0));
    b.launch(insn(kDotw, kMixed, 1, 0, 1, 2));
    for (int k = 0; k < 50; k++) b.tick();
    EXPECT_EQ(b->fault_o, fault(1, kDescriptor)) << what;
  }
}

// 32 aligned samples take 4 beats per result, with any row ends and rows. A reducer that takes 20
// cycles per row does not slow this down.
TEST(EngineRate, DotwWithRowEndsTakesABeatForEightElements) {
  Bench<VEngine8> b(8);
  Products p;
  p.length = 32;
  p.pitch = 64;
  p.ring = 16;
  p.outputs = 40;
  p.density = 1;
  p.free_delay = 20;
  p.matrix = 1024;
  p.gap = 0;
  p.at = 6144;
  ProductsRun<VEngine8> run(p, &b);
  const uint64_t cycles = run.run();
  const uint64_t beats = run.results() * 4;
  std::printf("dotw of 32 with row ends: %d cycles for %d beats\n", static_cast<int>(cycles),
              static_cast<int>(beats));
  EXPECT_LE(cycles, beats + 40);
}

}  // namespace
