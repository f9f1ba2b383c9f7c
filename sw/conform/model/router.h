// SPDX-License-Identifier: Apache-2.0
// A tile's router as docs/fabric.md defines it for data colours: where each wavelet goes, and what
// is on it then. It knows no cycles and no credits: a buffer holds whatever comes.
#ifndef OW_CONFORM_MODEL_ROUTER_H_
#define OW_CONFORM_MODEL_ROUTER_H_

#include <array>
#include <cstdint>
#include <deque>
#include <functional>

#include "faults.h"
#include "ow/conform/door.h"
#include "ow/isa/isa.h"

namespace ow::conform {

class Router {
 public:
  static constexpr int kPorts = 5;  // north, east, south, west, ramp
  static constexpr int kRamp = 4;
  static constexpr int kFilters = 6;
  static bool is_fence(const Word& word);
  using Buffer = std::deque<Word>;
  // Takes a wavelet of a colour at an output port.
  using Output = std::function<void(int port, int colour, const Word& word)>;
  // Whether an output port has room for a colour; a fence needs all of it.
  using Ready = std::function<bool(int port, int colour, bool fence)>;

  explicit Router(const Wrong* wrong) : wrong_(wrong) {}

  Buffer& buffer(int port, int colour) {
    return in_[static_cast<size_t>(port)][static_cast<size_t>(colour)];
  }
  // Moves a wavelet of a colour, if one can move.
  bool move(int colour, const Ready& ready, const Output& output);

  // Registers, by their offset; false: none of the router's.
  bool write(uint32_t offset, uint32_t value);
  bool read(uint32_t offset, uint32_t* value) const;
  // Set by a teardown, until it is asked for.
  bool take_teardown();

 private:
  struct Colour {
    uint32_t route = 0;
    std::array<uint32_t, 4> positions{};
    uint32_t last = 0, current = 0;
    bool torn = false;
    bool stopped = false;  // by a wavelet at a wrong port, or that was held there
    size_t held = 0;       // when it was stopped by a new route
    bool begun = false;    // some copies of the head are sent; those in `owed` are not
    uint32_t owed = 0;
  };
  struct Filter {
    uint32_t control = 0, first = 0, second = 0, count = 0;
  };

  bool misrouted(int colour, int in);
  // A new route whose input is another port stops the colour; what is held counts as that port's.
  void turn(int colour, uint32_t before);
  // A stopped colour drops what comes while its buffer is full.
  bool dropped(int colour, int in);
  bool passes(int colour, const Word& word);
  bool judge(Filter* filter, const Word& word) const;
  // Carries out slot 0; the list of the copies, and whether the ramp of this router gets one.
  Word command(Colour* colour, const Word& word, bool* to_ramp);
  bool advance(Colour* colour) const;

  const Wrong* wrong_;
  std::array<std::array<Buffer, isa::kMaxDataColours>, kPorts> in_;
  std::array<Colour, isa::kMaxDataColours> colours_;
  std::array<Filter, kFilters> filters_;
  bool teardown_ = false;
};

}  // namespace ow::conform

#endif  // OW_CONFORM_MODEL_ROUTER_H_
