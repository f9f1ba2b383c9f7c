// SPDX-License-Identifier: Apache-2.0
// ow-conform-link: the two ends of our own link, behind the line protocol of `ow conform` on
// standard input and output.
#include <array>
#include <cstdio>
#include <memory>

#include "ow/conform/door.h"
#include "ow/measure/link/end_model.h"
#include "verilated.h"

namespace ow {
namespace {

class Ends : public conform::Device {
 protected:
  void open_ends(bool mini) override {
    for (auto& end : ends_) {
      end.reset();
      end = link::EndModel::make(&context_, mini ? link::kMini : link::kFull);
      end->in.reset = true;
      for (int k = 0; k < 2; ++k) clock(end.get());
      end->in.reset = false;
    }
    cycle_ = 0;
  }

  std::array<conform::EndClock, 2> clock_ends(const std::array<conform::EndClock, 2>& in) override {
    if (!ends_[0]) throw conform::Refused("ends comes first");
    std::array<conform::EndClock, 2> out;
    for (size_t s = 0; s < 2; ++s) {
      link::EndModel& end = *ends_[s];
      const uint32_t command = in[s].word;
      end.in.reset = (command & 1) != 0;
      end.in.retrain = (command >> 1 & 1) != 0;
      end.in.enable = (command >> 2 & 1) == 0;
      end.in.status = (command >> 3 & 1) != 0;
      end.in.word = static_cast<uint8_t>(command >> 8 & 63);
      end.in.cycle = static_cast<uint8_t>(cycle_ & 15);
      end.in.tile = in[s].tile;
      end.in.lanes.group = in[s].lanes;
      clock(&end);
      out[s] = {end.out.tile, end.out.lanes.group, end.out.status};
    }
    ++cycle_;
    return out;
  }

 private:
  static void clock(link::EndModel* end) {
    end->eval(false);
    end->eval(true);
  }

  VerilatedContext context_;
  std::array<std::unique_ptr<link::EndModel>, 2> ends_;
  uint64_t cycle_ = 0;
};

}  // namespace
}  // namespace ow

int main() {
  ow::Ends ends;
  ow::conform::serve(&ends, stdin, stdout);
  return 0;
}
