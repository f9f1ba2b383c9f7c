// SPDX-License-Identifier: Apache-2.0
// Bring-up over chains that spoil answers.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "bringup_bench.h"

namespace ow::wafer {
namespace {

// The chains of a wafer, which spoil every third answer that carries a word of a tile's answer.
class NoisyChains : public ChainAccess {
 public:
  explicit NoisyChains(WaferDevice* wafer)
      : wafer_(*wafer), ears_(wafer->pins().size()), lost_(wafer->pins().size()) {}

  const Shape& wafer_shape() const override { return wafer_.wafer_shape(); }
  void wait_cycles(uint64_t cycles) override { wafer_.wait_cycles(cycles); }
  bool reset() override { return wafer_.reset(); }
  void run_chains(std::vector<ChainJob>* jobs) override {
    drive_chains(
        wafer_shape(), &wafer_.pins(),
        [this] {
          wafer_.wait_cycles(1);
          for (size_t i = 0; i < ears_.size(); ++i) spoil(i);
        },
        jobs);
  }
  int answers() const { return answers_; }
  int lost() const { return lost_answers_; }

 private:
  // What one of an end's two lines has brought of a frame.
  struct Ear {
    int bits = 0;
    uint64_t word = 0;
    // True when the frame's head is there: answer, column, write and register.
    bool hears(bool bit) {
      if (bits == 0 && !bit) return false;
      word = word << 1 | (bit ? 1 : 0);
      if (++bits == 65) bits = 0;
      return bits == 17;
    }
    bool pop() const {
      using Frame = isa::ChainFrame;
      const uint64_t frame = word << 48;
      return Frame::Answer::get(frame) != 0 && Frame::Write::get(frame) != 0 &&
             Frame::Register::get(frame) == kStationPop;
    }
  };

  void spoil(size_t end) {
    ChainPins& pins = wafer_.pins()[end];
    bool begins = false;
    const std::array<bool*, 2> lines{&pins.near, &pins.skip};
    for (size_t k = 0; k < 2; ++k) {
      Ear& ear = ears_[end][k];
      begins |= ear.hears(*lines[k]) && ear.pop();
    }
    int& left = lost_[end];
    // The two lines bring an answer one cycle after the other.
    if (begins && left <= 0) left = ++answers_ % 3 == 0 ? (++lost_answers_, 20) : -1;
    if (left > 0) {
      --left;
      pins.near = !pins.near;
      pins.skip = !pins.skip;
    }
  }

  WaferDevice& wafer_;
  std::vector<std::array<Ear, 2>> ears_;
  std::vector<int> lost_;  // cycles in which an end's lines are still to be spoiled
  int answers_ = 0, lost_answers_ = 0;
};

// The command is carried out, and its answer is not heard. It is sent again, and brings the same
// word.
TEST(Bringup, AnAnswerOfAChainThatIsLostLosesNoWord) {
  const Shape shape{1, 1, 1, 3, 0, 0};
  const auto wafer = make_mini_wafer_device(shape);
  NoisyChains chains(wafer.get());
  const Bringup b = bring_up(chains, &wafer->device(), options());
  EXPECT_EQ(words(b), "");
  EXPECT_EQ(all(b.verification), "");
  EXPECT_GT(chains.lost(), 20);
  EXPECT_EQ(chains.lost(), chains.answers() / 3);
}

}  // namespace
}  // namespace ow::wafer
