// SPDX-License-Identifier: Apache-2.0
// What the tests of bring-up share: a simulated wafer of mini tiles with faults, and its bring-up
// with the short self-test.
#ifndef OW_TB_BRINGUP_BENCH_H_
#define OW_TB_BRINGUP_BENCH_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ow/sim/wafer.h"
#include "ow/wafer/bringup.h"
#include "ow/wafer/files.h"

namespace ow::wafer {

// The memory of the small core: word 34 is the address of its instruction, words 0 to 31 are the
// general registers.
inline constexpr char kCoreWords[] =
    "u_core__DOT__gen_serial__DOT__u_serial__DOT__u_words__DOT__mem_q";
inline constexpr int kPcWord = 34 * 32;

inline const BringupOptions& options() {
  static const BringupOptions o = [] {
    BringupOptions made;
    made.tile = isa::kMini;
    const auto one = make_mini_wafer_device({1, 1, 1, 1, 0, 0});
    made.selftest =
        good_run(*one, read_elf(OW_FIRMWARE_DIR "/selftest.elf", isa::kMini.sram_bytes));
    return made;
  }();
  return o;
}

inline std::string text(const Shape& shape, const Defects& defects) {
  return to_json(shape, defects).dump();
}
inline std::string all(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}
inline std::string words(const Bringup& b) {
  std::string out;
  for (const Finding& f : b.findings) {
    out += std::to_string(f.reticle) + " (" + std::to_string(f.at.row) + ", " +
           std::to_string(f.at.col) + "): " + f.what + "\n";
  }
  return out;
}

// Brings the wafer up and compares what was found with what was broken.
inline Bringup check(const Shape& shape, const Faults& faults) {
  const auto wafer = make_mini_wafer_device(shape, faults);
  Bringup b = bring_up(*wafer, &wafer->device(), options());
  EXPECT_EQ(text(shape, b.defects), text(shape, faults.expected(shape))) << words(b);
  EXPECT_EQ(all(b.verification), "");
  return b;
}

const Shape kOne{1, 1, 2, 2, 1, 1};

// A flip-flop of a tile of the first reticle, stuck at 1.
inline TileFault stuck(const Position& at, const char* name, int bit) {
  return {0, at, TileFault::Kind::Register, 0, 0, name, bit, true};
}

}  // namespace ow::wafer

#endif  // OW_TB_BRINGUP_BENCH_H_
