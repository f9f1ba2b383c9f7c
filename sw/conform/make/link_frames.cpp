// SPDX-License-Identifier: Apache-2.0
// Links: the bits of frames, numbers, replays, errors.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "link_test.h"
#include "ow/device/link_word.h"

namespace ow::conform {
namespace {

void make_frames(Maker* m) {
  LinkTest b(m);
  b.begin("frame", "A frame of two wavelets, bit by bit.", {"L1", "L2", "L3", "L5", "L16"});
  b.up();
  b.run(50);
  for (int end = 0; end < 2; ++end) b.say(fmt::format("listen {}", end));
  b.run(100);
  b.say("frames 0", "", {"L4"});
  b.say("frames 1", "", {"L4"});
  const uint32_t one = m->word(), two = m->word(), three = m->word();
  b.say("align 1");
  b.say(fmt::format("send 0 23 d{:x} c{:x}", one, two & 0xFC000003));
  b.run(10);
  const std::string second = frame_word(23, two & 0xFC000003, true);
  b.say("frames 0",
        fmt::format("{} 0 0 0 {} {} 0 0 0 right", frame_word(23, one), kHeader0, second),
        {"L1", "L2", "L3", "L5", "L16", "L26"});
  b.say("take 1 23", fmt::format("d{:x} c{:x}", one, two & 0xFC000003));
  b.run(60);
  b.say("listen 0");
  // One that comes in an odd cycle does not wait.
  b.say("align 0");
  b.say(fmt::format("send 0 24 d{:x}", three));
  b.run(10);
  b.say("frames 0", fmt::format("0 0 0 0 0 {} 1f 1 0 right", frame_word(24, three)),
        {"L20", "L2", "L5"});
  b.say("take 1 24", fmt::format("d{:x}", three), {"L20"});
}

// Two wavelets a frame from end 0, as many as asked for, all of one colour and with the credits for
// it.
void make_replays(Maker* m) {
  LinkTest b(m);
  b.begin("numbers", "Frames are numbered modulo 16, and acknowledged.", {"L5", "L26"});
  b.up();
  b.run(50);
  for (int n = 0; n < 19; ++n) {
    b.say("align 1");
    const uint32_t one = m->word(), two = m->word();
    b.say("listen 0");
    b.say(fmt::format("send 0 7 d{:x} d{:x}", one, two));
    b.run(10);
    b.say("frames 0",
          fmt::format("{} 0 * 0 {} {} 0 {:x} 0 right", frame_word(7, one), kHeader0,
                      frame_word(7, two), n % 16),
          {"L5"});
    b.run(40);
  }
  b.say("listen 1");
  b.say("align 1");
  const uint32_t answer = m->word();
  b.say("listen 1");
  b.say(fmt::format("send 1 7 d{:x}", answer));
  b.run(10);
  // It expects number 3 of the other end.
  b.say("frames 1", fmt::format("{} 0 3 0 {} 0 0 * 0 right", frame_word(7, answer), kHeader0),
        {"L26", "L5"});

  b.begin("replay", "After a wrong frame the sender goes back once, in the next epoch.",
          {"L5", "L23", "L24", "L25", "L6"});
  b.up();
  b.run(50);
  b.say("listen 0");
  b.say("listen 1");
  const uint32_t one = m->word(), two = m->word();
  b.say("flip 0 10 0");  // data bit 4
  b.say("align 1");
  b.say(fmt::format("send 0 7 d{:x} d{:x}", one, two));
  b.run(26);
  const auto sent = [&](const char* header, int epoch) {
    return fmt::format("{} 0 0 0 {} {} 0 0 {} {}", frame_word(7, one), header, frame_word(7, two),
                       epoch, "right");
  };
  // As it was driven, and again.
  b.say("frames 0", sent(kHeader0, 0) + " " + sent(kHeader1, 1), {"L24", "L25"});
  b.say("take 1 7", fmt::format("d{:x} d{:x}", one, two), {"L5", "L23"});
  b.status(1, isa::link::Wrong::kAddress, "1", {"L23", "L51"});
  b.status(0, isa::link::Replays::kAddress, "1", {"L24", "L51"});
  b.status(1, isa::link::Frames::kAddress, "1", {"L5", "L51"});

  b.begin("cost", "A wrong frame costs seven frames.", {"L6"});
  b.up();
  // A full link for 1,000 cycles, without and with an error.
  std::string words;
  for (int k = 0; k < 400; ++k) words += fmt::format(" d{:x}", k);
  for (int colour = 0; colour < 6; ++colour)
    for (int end = 0; end < 2; ++end) b.say(fmt::format("send {} {}{}", end, colour, words));
  b.run(300);
  b.say("counts", "* * * *");
  b.say("align 0");
  b.say("measure 400", "190 190", {"L6"});
  b.say("flip 0 20 0");
  b.say("measure 400", "182 190", {"L6"});
  b.say("measure 400", "190 190", {"L6"});
}

// Wires that are some cycles longer: a wavelet takes as much longer, and a wrong frame costs more.
void make_long_wires(Maker* m) {
  LinkTest b(m);
  std::string words;
  for (int k = 0; k < 700; ++k) words += fmt::format(" d{:x}", k);
  for (int late = 1; late < 3; ++late) {
    b.begin(fmt::format("flight_{}", late), "Latency and cost of an error over longer wires.",
            {"L36", "L28"});
    for (int end = 0; end < 2; ++end) {
      for (int lane = 0; lane < kLinkLanes; ++lane)
        b.say(fmt::format("late {} {} {}", end, lane, late));
    }
    b.up();
    b.run(50);
    for (const int end : {0, 1}) {
      b.say(fmt::format("latency {} 5", end), std::to_string(6 + late), {"L36"});
      b.run(30);
    }
    for (int colour = 0; colour < 6; ++colour)
      for (int end = 0; end < 2; ++end) b.say(fmt::format("send {} {}{}", end, colour, words));
    b.run(300);
    b.say("align 0");
    b.say("measure 400", "190 190");
    // 8 or 9 frames of two wavelets.
    b.say("flip 0 20 0");
    b.say("measure 400", fmt::format("{:x} 190", 400 - 2 * (7 + late)), {"L28"});
  }
}

// Data bit b of a slice of `full` as a mask of lanes, without faulty lanes.
std::string lanes_of(uint64_t bits) {
  return fmt::format("{:x} {:x}", bits & 0xFFFFFFFF, bits >> 32);
}

// The remainder that bit k of a frame (127: first of the first beat) leaves in the CRC.
uint16_t remainder_of(int k) {
  uint32_t x = 1;
  for (int n = 0; n < k; ++n) x = (x << 1 & 0xFFFF) ^ ((x >> 15 & 1) != 0 ? 0x3D65 : 0);
  return static_cast<uint16_t>(x);
}

// Sends frames of two wavelets, each hit by wrong bits: first beat, second beat.
void hit(LinkTest* b, const std::vector<std::pair<uint64_t, uint64_t>>& errors,
         const Rules& rules) {
  int wrong = 0;
  for (const auto& [first, second] : errors) {
    b->say(fmt::format("flip 0 {} {}", lanes_of(first), lanes_of(second)));
    b->say("align 1");
    b->send(0, 7, 2);
    b->run(200);
    b->take(1, 7, rules);
    b->status(1, isa::link::Wrong::kAddress, fmt::format("{:x}", ++wrong), rules);
    // Right frames, so that the end does not train (L12).
    b->send(0, 9, 8);
    b->run(40);
    b->take(1, 9);
  }
}

void make_errors(Maker* m) {
  LinkTest b(m);
  const auto bit_of = [](int k, std::pair<uint64_t, uint64_t>* error) {
    (k >= 64 ? error->first : error->second) ^= uint64_t{1} << k % 64;
  };
  using Errors = std::vector<std::pair<uint64_t, uint64_t>>;
  b.begin("errors", "One to five wrong bits of a frame, and bursts within 16, are always found.",
          {"L17", "L3"});
  b.up();
  Errors errors;
  for (int n = 0; n < 40; ++n) {
    std::pair<uint64_t, uint64_t> error;
    std::set<int> bits;
    while (bits.size() < static_cast<size_t>(1 + n % 5))
      bits.insert(static_cast<int>(m->pick(128)));
    for (const int k : bits) bit_of(k, &error);
    errors.push_back(error);
  }
  for (int n = 0; n < 20; ++n) {
    std::pair<uint64_t, uint64_t> error;
    const int at = static_cast<int>(m->pick(112));
    for (uint32_t pattern = m->word() | 0x8001, k = 0; k < 16; ++k)
      if ((pattern >> k & 1) != 0) bit_of(at + static_cast<int>(k), &error);
    errors.push_back(error);
  }
  hit(&b, errors, {"L17", "L3"});

  b.begin("lane_errors", "Whatever one lane does to a frame is found.", {"L18"});
  b.up();
  errors.clear();
  for (int lane = 0; lane < 64; lane += 7) {
    for (int pattern = 1; pattern < 4; ++pattern) {
      const uint64_t bit = uint64_t{1} << lane;
      errors.emplace_back((pattern & 1) != 0 ? bit : 0, (pattern & 2) != 0 ? bit : 0);
    }
  }
  hit(&b, errors, {"L18"});

  b.begin("form", "A frame of a right CRC and a wrong marker, or a wrong hint, is a wrong frame.",
          {"L22"});
  b.up();
  errors.clear();
  for (const int k : {127, 125, 123}) {
    std::pair<uint64_t, uint64_t> error;
    bit_of(k, &error);
    error.second ^= remainder_of(k);
    errors.push_back(error);
  }
  {
    // The hint of the other epoch.
    std::pair<uint64_t, uint64_t> error;
    for (int k = 117; k < 123; ++k) {
      bit_of(k, &error);
      error.second ^= remainder_of(k);
    }
    errors.push_back(error);
  }
  hit(&b, errors, {"L22"});

  b.begin("nothing", "Up to five wrong bits on idle lanes make no frame.", {"L21", "L4"});
  b.up();
  b.run(50);
  // Fewer than make the end train.
  for (int n = 0; n < 12; ++n) {
    std::pair<uint64_t, uint64_t> error;
    for (int k = 0; k < 1 + n % 5; ++k) bit_of(static_cast<int>(m->pick(128)), &error);
    b.say("align 0");
    b.say(fmt::format("disturb 0 {} {}", lanes_of(error.first), lanes_of(error.second)));
    b.run(40);
  }
  b.status(1, isa::link::Frames::kAddress, "0", {"L21"});
  b.say("counts", "0 0 0 0", {"L21"});
  b.send(0, 7, 4);
  b.run(60);
  b.take(1, 7, {"L21"});
}
}  // namespace

void make_link_frames(Maker* m) {
  make_frames(m);
  make_replays(m);
  make_errors(m);
  make_long_wires(m);
}

}  // namespace ow::conform
