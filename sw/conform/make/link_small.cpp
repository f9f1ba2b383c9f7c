// SPDX-License-Identifier: Apache-2.0
// Links of few lanes, where a beat takes 8 cycles.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "link_test.h"
#include "ow/device/link_word.h"

namespace ow::conform {
namespace {

void make_small(Maker* m) {
  LinkTest b(m, true);
  b.begin("training", "A link of ten lanes trains.", {"L10", "L38", "L39", "L40"});
  b.say("period 0", "10 ffffff50 10 10 0", {"L38", "L40"});
  b.up({"L10"}, "c00..1450");
  b.state(0, 0, "0:1", {"L10"});

  b.begin("majority", "Three lanes of ten may contradict a marker.", {"L39", "L11"});
  for (const int lane : {1, 4, 8}) b.fault(0, lane, "stuck1");
  b.run(40000);
  b.state(1, 4, "0:0", {"L39", "L11"});

  b.begin("frame", "A frame of few lanes: two beats of eight cycles.", {"L1", "L2", "L16", "L19"});
  b.up();
  b.run(64);
  b.say("listen 0");
  const uint32_t one = m->word(), two = m->word();
  b.say("align 3");
  b.say(fmt::format("send 0 2 d{:x} d{:x}", one, two));
  b.run(70);
  b.say("take 1 2", fmt::format("d{:x} d{:x}", one, two), {"L2"});

  b.begin("latency", "A wavelet takes K + 8 to 3 K + 6 cycles, by when it comes.", {"L37"});
  b.up();
  b.run(64);
  for (int phase = 0; phase < 16; ++phase) {
    b.say(fmt::format("align {}", phase));
    b.say("latency 0 1", "16..30", {"L37"});
    b.run(100);
  }

  b.begin("errors", "Wrong bits on ten lanes are found, whatever one lane does.",
          {"L17", "L18", "L19"});
  b.up();
  for (int n = 0; n < 12; ++n) {
    std::string flips = "flip 0";
    for (int k = 0; k < 16; ++k) {
      const bool burst = n % 2 == 0;
      const uint32_t mask = burst ? 1u << n % 8 : (k == n ? 1u << m->pick(8) : 0);
      flips += fmt::format(" {:x} 0", burst && m->pick(2) == 0 ? 0 : mask);
    }
    b.say(flips);
    b.send(0, 1, 4);
    b.run(400);
    b.take(1, 1, {"L17", "L18", "L19"});
    b.send(0, 3, 8);
    b.run(300);
    b.take(1, 3);
  }

  b.begin("buffers", "A blocked colour fills its eight entries.", {"L7"});
  b.up();
  b.say("block 1 1 1");
  b.send(0, 1, 30);
  b.run(2000);
  b.say("counts", "c 2 0 0", {"L7"});
  b.send(0, 2, 8);
  b.run(400);
  b.take(1, 2, {"L7"});
  b.say("block 1 1 0");
  b.run(2000);
  b.take(1, 1, {"L31"});

  b.begin("cost", "A wrong frame costs four frames.", {"L29"});
  b.up();
  std::string words;
  for (int k = 0; k < 300; ++k) words += fmt::format(" d{:x}", k);
  for (int colour = 0; colour < 4; ++colour)
    for (int end = 0; end < 2; ++end) b.say(fmt::format("send {} {}{}", end, colour, words));
  b.run(2000);
  b.say("align 0");
  b.say("measure 1600", "c8 c8", {"L29", "L2"});
  b.say("flip 0 20 0");
  b.say("measure 1600", "c0 c8", {"L29"});
}
}  // namespace

void make_small_links(Maker* m) { make_small(m); }

}  // namespace ow::conform
