// SPDX-License-Identifier: Apache-2.0
// Links: buffers, credits, fences; what trains a link again and what keeps it down.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "link_test.h"
#include "ow/device/link_word.h"

namespace ow::conform {
namespace {

void make_buffers(Maker* m) {
  LinkTest b(m);
  b.begin("buffers", "A blocked colour fills its entries, and no other colour notices.",
          {"L7", "L30", "L31"});
  b.up();
  b.say("block 1 7 1");
  b.send(0, 7, 40);
  b.run(200);
  // 16 in the receive buffer, 2 in the far router, 2 in the send buffer.
  b.say("counts", "14 2 0 0", {"L7", "L30"});
  b.send(0, 9, 60);
  b.run(100);
  b.take(1, 9, {"L7"});
  b.say("block 1 7 0");
  b.run(150);
  b.take(1, 7, {"L31"});
  b.say("counts", "64 64 0 0", {"L31"});

  b.begin("blocked",
          "Colours that are blocked one after the other leave the last one its full rate.",
          {"L7", "L55"});
  b.up();
  for (int colour = 0; colour < 20; ++colour) {
    b.say(fmt::format("block 1 {} 1", colour));
    b.send(0, colour, 30);
    b.run(60);
  }
  std::string words;
  for (int k = 0; k < 700; ++k) words += fmt::format(" d{:x}", k);
  b.say("send 0 22" + words);
  b.run(100);
  b.say("measure 400", "190 0", {"L7", "L55"});

  b.begin("rate", "One colour alone runs at one wavelet per cycle each way.", {"L2", "L14", "L55"});
  b.up();
  for (int end = 0; end < 2; ++end) b.say(fmt::format("send {} 11{}", end, words));
  b.run(100);
  b.say("measure 400", "190 190", {"L2", "L55"});

  b.begin("control", "The control plane gets a slot of four beside data.", {"L32"});
  b.up();
  std::vector<int> colours = {24};
  for (int colour = 0; colour < 20; ++colour) colours.push_back(colour);
  for (const int colour : colours) {
    b.say(fmt::format("block 1 {} 1", colour));
    b.send(0, colour, 20);
  }
  b.run(600);
  for (const int colour : colours) b.say(fmt::format("block 1 {} 0", colour));
  b.run(64);
  // Two were there before.
  b.say("came 1 24", "10..14", {"L32"});
  b.run(600);
  b.take_all();

  // What waits in the send buffers after a wrong frame stays there, because the router sends on.
  b.begin("control_backlog", "The control plane goes on beside data that wait.", {"L32"});
  b.up();
  for (int colour = 0; colour < 10; ++colour) b.send(0, colour, 100);
  b.send(0, 24, 60);
  b.run(30);
  b.say("flip 0 20 0");
  b.run(200);
  // One of eleven that the router sends.
  b.say("came 1 24", "e..1c", {"L32"});
  b.run(1000);
  b.take_all();

  b.begin("latency", "A wavelet on an idle link takes six cycles.", {"L9"});
  b.up();
  b.run(50);
  for (const int end : {0, 1}) {
    for (const int phase : {0, 1}) {
      b.say(fmt::format("align {}", phase));
      b.say(fmt::format("latency {} {}", end, 5 + phase), "6", {"L9"});
      b.run(30);
    }
  }
}

// Fences and the credits of switched colours, word by word.
void make_fences(Maker* m) {
  LinkTest b(m);
  constexpr int kColour = 5;
  const auto word = [](const Wavelet& w) { return fmt::format("{:x}", link_of_wavelet(w)); };
  const std::string credit = fmt::format("{:x}", link_of_credit(kColour));
  const std::string data = word({kColour, false, 1});
  const std::string fence =
      word({kColour, true, isa::Control::Commands::put(0, isa::SwitchOp::Advance)});
  b.begin("fence", "A command passes with all credits; what is returned then passes as grants.",
          {"L8"});
  b.up();
  b.say("script 0 " + data);
  b.say("script 1");
  b.run(60);
  b.say("noted 1", data, {"L14"});
  b.say("noted 0", credit, {"L30"});
  b.say("script 0 " + fence);
  b.run(60);
  // The far end does not hold all credits.
  b.say("noted 1", "", {"L8"});
  b.say("script 1 " + credit);
  b.run(60);
  b.say("noted 1", fence, {"L8"});
  b.say("noted 0", "", {"L8"});
  b.say("script 1 " + credit + " " + credit);
  b.run(60);
  b.say("noted 0", credit + " " + credit, {"L8"});
  b.say("script 0 " + data + " " + data);
  b.run(60);
  b.say("noted 1", data + " " + data, {"L8"});
}

// Grants are credits of the routers, and not of the buffers between them.
void make_full_after_fences(Maker* m) {
  LinkTest b(m);
  b.begin("fence_then_full", "After grants a colour that is blocked fills its entries and no more.",
          {"L8", "L31"});
  b.up();
  std::string fences;
  for (int k = 0; k < 4; ++k)
    fences += fmt::format(" c{:x}", isa::Control::Commands::put(0, isa::SwitchOp::Advance));
  b.say("send 0 5" + fences);
  b.run(400);
  b.say("take 1 5", fences.substr(1), {"L8"});
  b.say("block 1 5 1");
  b.send(0, 5, 60);
  b.run(300);
  // Two slots of the far router, 16 entries, two of the send buffer.
  b.say("counts", "18 6 0 0", {"L31", "L30"});
  b.say("block 1 5 0");
  b.run(300);
  b.take(1, 5, {"L31"});
}

// The credits of a switched colour, beside one that uses the link in every cycle.
void make_grants(Maker* m) {
  LinkTest b(m);
  const std::string fence =
      fmt::format(" c{:x}", isa::Control::Commands::put(0, isa::SwitchOp::Advance));
  b.begin("grants", "A colour that uses the link in every cycle does not hold up grants.", {"L34"});
  b.up();
  b.send(0, 9, 200);
  b.run(40);
  b.say("credits 0", "");
  b.say("send 0 5" + fence);
  // There and back, and one cycle of four for a grant.
  b.run(40);
  b.say("credits 0 5", "5 5", {"L34"});
  b.run(300);
  b.take(1, 9);

  b.begin("grants_in_turn",
          "A colour whose switch moves all the time does not hold up another colour's.", {"L35"});
  b.up();
  b.send(0, 9, 200);
  std::string fences;
  for (int k = 0; k < 8; ++k) fences += fence;
  b.say("send 0 5" + fences);
  b.say("send 0 7" + fences);
  b.run(40);
  b.say("credits 0", "");
  b.say("send 0 6" + fence);
  b.run(50);
  b.say("credits 0 6", "6 6", {"L35"});
  b.run(300);
  b.take(1, 9);
}

// Before a link is up, and while nothing is sent, an end drives nothing to its tile.
void make_quiet(Maker* m) {
  LinkTest b(m);
  b.begin("quiet", "An end that has nothing to say drives zeros to its tile.", {"F23", "L14"});
  b.say("script 0");
  b.say("script 1");
  for (const int end : {0, 1}) b.say(fmt::format("reset {}", end));
  b.run(20);
  for (const int end : {0, 1}) b.say(fmt::format("noted {}", end), "", {"F23", "L14"});
  b.up();
  b.run(50);
  for (const int end : {0, 1}) b.say(fmt::format("noted {}", end), "", {"F23", "L14"});
}

// What trains a link again, and what keeps it down.
void make_retrainings(Maker* m) {
  LinkTest b(m);
  b.begin("command", "A command trains a link that is up; nothing is lost.", {"L12", "L47", "L48"});
  b.up();
  b.send(0, 3, 30);
  b.send(1, 4, 30);
  b.run(10);
  b.say("retrain 0");
  b.run(40);
  b.up({"L12", "L48"});
  b.run(300);
  b.take_all({"L48"});
  b.state(0, 0, "1:2", {"L12", "L51"});
  b.status(1, 0, "20003..20383", {"L48"});

  b.begin("off", "An end that is off is silent; switched on, it trains, and nothing is lost.",
          {"L47", "L48"});
  b.up();
  b.say("off 0");
  b.run(100);
  b.state(0, static_cast<uint32_t>(isa::LinkDown::Off), "0:1", {"L47", "L51"});
  b.send(0, 3, 2);
  b.send(1, 4, 2);
  b.run(6000);
  b.say("take 1 3", "", {"L47"});
  b.say("take 0 4", "", {"L47"});
  b.say("on 0");
  b.up({"L47"}, "1..2900");
  b.run(300);
  b.take_all({"L48"});

  b.begin("noise", "Wrong frames one after the other train a link.", {"L12", "L48", "L59"});
  b.up();
  std::string flips = "flip 0";
  for (int k = 0; k < 500; ++k) flips += k % 2 == 0 ? " 8 0" : " 0 0";
  b.say(flips);
  b.send(0, 3, 40);
  b.run(400);
  b.up({"L12"});
  b.run(300);
  b.take_all({"L48"});
  b.state(1, 0, "2:2", {"L12", "L51"});

  b.begin("silence",
          "An end that nobody acknowledges goes back, then trains; idle ends notice nothing.",
          {"L27", "L54", "L50"});
  b.up();
  b.run(50);
  b.say("cut 0 1");
  b.say("cut 1 1");
  b.run(5000);
  for (int end = 0; end < 2; ++end) b.state(end, 0, "0:1", {"L54"});
  b.send(0, 3, 2);
  // 32 frames, eight times.
  b.run(400);
  b.state(0, 0, "0:1", {"L27"});
  b.run(400);
  b.status(0, isa::link::State::kAddress, "1018a..1019a", {"L27"});
  b.run(10000);
  b.status(0, isa::link::State::kAddress, "10190..10192", {"L50"});
  b.say("cut 0 0");
  b.say("cut 1 0");
  b.up({"L50"});
  b.run(300);
  b.take_all({"L50", "L48"});
}

void make_failures(Maker* m) {
  LinkTest b(m);
  b.begin("failure", "Three faulty lanes in a group take both ends down; the status says why.",
          {"L11", "L47"});
  for (const int lane : {3, 17, 30}) b.fault(0, lane, "stuck0");
  b.say("up 20000", "down", {"L11"});
  b.state(1, 4, "0:0", {"L11", "L51"});
  b.state(0, 5, "0:0", {"L11", "L51"});
  b.status(1, 4, "40020008", {"L11", "L51"});
  b.send(0, 3, 2);
  b.say("listen 0");
  b.run(200);
  b.say("frames 0", "", {"L11"});
  b.say("take 1 3", "", {"L11"});
  b.fault(0, 17, "none");
  b.say("retrain 0");
  b.run(40);
  b.up({"L47"});
  b.run(100);
  b.take(1, 3, {"L11", "L47"});

  b.begin("reset_alone",
          "The partner of an end that was reset alone stays down until it is reset too.", {"L49"});
  b.up();
  b.send(0, 3, 4);
  b.send(1, 3, 4);
  b.run(100);
  b.take_all();
  b.say("reset 1");
  b.run(12000);
  b.state(0, 6, "2:1", {"L49"});
  b.state(1, 5, "0:0", {"L49"});
  b.say("reset 0");
  b.say("reset 1");
  b.up({"L49"});
}

void make_edge_test(Maker* m) {
  LinkTest b(m);
  b.begin("edge_test", "The test of the tile's edge: a pattern to the tile, and what it brings.",
          {"L13", "L52"});
  b.up();
  const uint64_t pattern =
      static_cast<uint64_t>(isa::kEdgePatternHigh) << 32 | isa::kEdgePatternLow;
  const auto shows = [&](uint64_t word) {
    b.say("noted 0", fmt::format("{0:x} {0:x} {0:x}", word & kLinkMask), {"L13"});
  };
  b.say("script 0");
  b.status(0, isa::link::TestOn::kAddress, "0", {"L51"});
  b.run(3);
  shows(pattern);
  const uint64_t brings = 0x0A2B3C4D5E6F;
  std::string words;
  for (int k = 0; k < 6; ++k) words += fmt::format(" {:x}", brings);
  b.say("script 0" + words);
  b.run(2);
  b.status(0, isa::link::EdgeLow::kAddress, fmt::format("{:x}", brings & 0xFFFFFFFF), {"L52"});
  b.status(0, isa::link::EdgeHigh::kAddress, fmt::format("{:x}", brings >> 32), {"L52"});
  b.run(40);
  b.say("counts", "0 0 0 0", {"L52"});
  b.status(0, isa::link::TestInvert::kAddress, "0", {"L51"});
  b.run(1);
  b.say("script 0");
  b.run(3);
  shows(~pattern);
  b.status(0, isa::link::TestOff::kAddress, "0", {"L51"});
  b.run(1);
  b.say("script 0");
  b.run(3);
  b.say("noted 0", "", {"L13"});
}

}  // namespace

void make_link_states(Maker* m) {
  make_buffers(m);
  make_fences(m);
  make_full_after_fences(m);
  make_grants(m);
  make_quiet(m);
  make_retrainings(m);
  make_failures(m);
  make_edge_test(m);
}

}  // namespace ow::conform
