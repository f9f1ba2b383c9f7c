// SPDX-License-Identifier: Apache-2.0
// Wafers in a ring: what leaves one of them crosses a link and enters the next. Simulated wafers
// have clocks of their own. No word is on a link for less than its latency, so a wafer may work
// ahead of the one before it by that much, and nothing depends on the order in which they work.
//
// A link has the bandwidth and the latency of the preset `wse` (ow/memoryx/time_model.h). The rows
// of the edge share it: words of all rows cross one after another.
#ifndef OW_COMPILE_WAFER_RING_H_
#define OW_COMPILE_WAFER_RING_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "openwafer/runtime.h"
#include "ow/memoryx/time_model.h"
#include "ow/runtime/machine.h"

namespace ow::jobs {

class WaferRing {
 public:
  WaferRing(const WaferRing&) = delete;
  WaferRing& operator=(const WaferRing&) = delete;
  // Programs on machines. If there are several, each has the streams `in` and `out` of equally many
  // ports, which are linked to the neighbours from here on. BadInput if a machine is not simulated.
  WaferRing(const std::vector<Runtime>& machines, const std::vector<Run>& runs);

  // Cycles since the ring was made, of a wafer: now, or when its machine was in cycle `cycle`.
  uint64_t now(size_t wafer) const;
  uint64_t time(size_t wafer, uint64_t cycle) const { return cycle - wafers_[wafer].begin; }

  // Lets all wafers work until `done` returns true. False if nothing moves any more, or after so
  // many cycles.
  bool work(uint64_t cycles, const std::function<bool()>& done);
  // Lets all wafers work until they have come to the same cycle.
  void meet();
  // Why they do not go on.
  std::string fault() const;

 private:
  struct OnTheWay {
    uint64_t cycle = 0;  // of the ring: it leaves a wafer, or enters the next one
    size_t row = 0;      // port
    uint32_t data = 0;
  };
  struct Wafer {
    Runtime machine;
    uint64_t begin = 0;               // cycle of the machine when the ring was made
    std::vector<StreamPort> entries;  // of what comes
    std::vector<OnTheWay> left;       // since the last look
    uint64_t link_free = 0;           // 1/65,536 cycles: the link behind it
    std::deque<OnTheWay> comes;
  };

  void connect(size_t wafer, const Run& run);
  size_t slowest() const;
  void cross(size_t wafer);  // the link, by what has left
  void enter(size_t wafer);
  // At most to `end`, and no farther than the link allows. Whether something moved.
  bool advance(size_t wafer, uint64_t end, const std::function<bool()>& done);

  Flow link_;
  std::vector<Wafer> wafers_;
};

}  // namespace ow::jobs

#endif  // OW_COMPILE_WAFER_RING_H_
