// SPDX-License-Identifier: Apache-2.0
// Links: training, skew, faulty lanes.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "link_test.h"
#include "ow/device/link_word.h"

namespace ow::conform {
namespace {

void make_training_of_links(Maker* m) {
  LinkTest b(m);
  b.begin("training", "Two ends train by themselves after a reset.", {"L10", "L45"});
  // No faulty lanes are known, nothing was sent.
  b.say("period 0", "68 ffffff50 68 68 0", {"L38", "L40"});
  b.say("period 1", "68 ffffff50 68 68 0", {"L38", "L40"});
  b.up({"L10"}, "c00..1300");
  for (int end = 0; end < 2; ++end) {
    b.state(end, 0, "0:1", {"L45", "L51"});
    for (const uint32_t word : {4u, 5u, 6u, 7u}) b.status(end, word, "0", {"L44", "L51"});
    b.status(end, isa::link::RxMap::kAddress, "ffffff", {"L51"});
    b.status(end, isa::link::TxMap::kAddress, "ffffff", {"L51"});
  }
  b.send(0, 5, 8);
  b.send(1, 6, 8);
  b.run(200);
  b.take_all({"L14"});

  b.begin("hunt",
          "A marker that does not come again in its period sends the receiver back to the hunt.",
          {"L41"});
  b.run(1200);
  b.state(1, 3, "0:0", {"L41"});
  b.say("cut 0 1");
  b.run(3000);
  b.state(1, 2, "0:0", {"L41"});
  b.say("cut 0 0");
  b.up({"L41"}, "1..2800");

  b.begin("skew", "Lanes that come up to two bit times late are aligned; the latest decides.",
          {"L42", "L43"});
  for (int lane = 0; lane < kLinkLanes; ++lane)
    b.say(fmt::format("late 0 {} {}", lane, 1 + lane % 3 % 2));
  b.up({"L42"});
  b.say("latency 0 3", "8", {"L43"});
  b.say("latency 1 3", "6", {"L43"});
  b.send(0, 5, 30);
  b.run(200);
  b.take_all({"L42"});

  b.begin("common", "A delay that all lanes have adds itself and no more.", {"L43"});
  for (int lane = 0; lane < kLinkLanes; ++lane) b.say(fmt::format("late 0 {} 1", lane));
  b.up();
  b.say("latency 0 3", "7", {"L43"});

  b.begin("majority", "A marker is read although 24 lanes of 68 contradict it; with 40 it is not.",
          {"L39", "L46", "L11"});
  for (int lane = 0; lane < 24; ++lane) b.fault(0, 2 * lane, "stuck1");
  b.run(40000);
  b.state(1, 4, "0:0", {"L39", "L11"});
  b.state(0, 5, "0:0", {"L39", "L11"});
  for (int lane = 24; lane < 40; ++lane) b.fault(0, lane, "stuck1");
  b.say("retrain 1");
  b.run(6000);
  b.state(1, 2, "1:0", {"L46"});
}

void make_repairs(Maker* m) {
  LinkTest b(m);
  const auto four = [m](std::set<int>* lanes) {
    // Two of each group.
    while (lanes->size() < 2) lanes->insert(static_cast<int>(m->pick(kLinkGroupLanes)));
    std::set<int> second;
    while (second.size() < 2)
      second.insert(kLinkGroupLanes + static_cast<int>(m->pick(kLinkGroupLanes)));
    lanes->insert(second.begin(), second.end());
  };
  for (const char* kind : {"stuck0", "stuck1", "inverted"}) {
    b.begin(std::string("repair.") + kind,
            "Two faulty lanes in each group are found and left out; nothing is lost.",
            {"L15", "L44", "L1"});
    std::set<int> lanes;
    four(&lanes);
    for (const int lane : lanes) b.fault(0, lane, kind);
    b.up({"L44"});
    uint64_t groups[2] = {};
    std::string map;
    uint32_t rx = 0;
    int shift = 0;
    for (const int lane : lanes) {
      groups[lane / kLinkGroupLanes] |= uint64_t{1} << lane % kLinkGroupLanes;
      map += fmt::format(" {}", lane % kLinkGroupLanes);
      rx |= static_cast<uint32_t>(lane % kLinkGroupLanes) << shift;
      shift += 6;
    }
    for (uint32_t g = 0; g < 2; ++g) {
      b.status(1, 4 + 2 * g, fmt::format("{:x}", groups[g] & 0xFFFFFFFF), {"L44", "L51"});
      b.status(1, 5 + 2 * g, fmt::format("{:x}", groups[g] >> 32), {"L44", "L51"});
    }
    b.status(1, isa::link::RxMap::kAddress, fmt::format("{:x}", rx), {"L44", "L51"});
    b.status(0, isa::link::TxMap::kAddress, fmt::format("{:x}", rx), {"L44", "L51"});
    b.say("listen 0" + map);
    b.run(100);
    b.say("align 1");
    const uint32_t one = m->word(), two = m->word();
    b.say(fmt::format("send 0 9 d{:x} d{:x}", one, two));
    b.run(10);
    b.say("take 1 9", fmt::format("d{:x} d{:x}", one, two), {"L15"});
    // Faulty and spare lanes are 0, the others carry the frame.
    b.say(
        "frames 0",
        fmt::format("{} 0 * * {} {} 0 0 0 right", frame_word(9, one), kHeader0, frame_word(9, two)),
        {"L15", "L1"});
  }
}
}  // namespace

void make_link_trainings(Maker* m) {
  make_training_of_links(m);
  make_repairs(m);
}

}  // namespace ow::conform
