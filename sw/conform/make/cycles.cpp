// SPDX-License-Identifier: Apache-2.0
// Cycles of the fabric at the edges of a grid. These tests report and never fail. In a `run`, the
// first wavelet that was sent is on the link of the edge in the first cycle, and one that leaves
// can be taken in the cycle after.
#include <fmt/format.h>

#include "maker.h"
#include "ow/isa/isa.h"

namespace ow::conform {
namespace {

using isa::Position;
using isa::reg::Route;

enum Port : uint32_t { kNorth, kEast, kSouth, kWest };
constexpr int kWords = 300;

Needs grid(int columns, std::vector<std::string> features) {
  Needs needs;
  needs.features = std::move(features);
  needs.features.emplace_back("switches");  // the full router; the small one has other cycles
  needs.columns = columns;
  needs.colours = 4;
  return needs;
}

std::vector<Word> numbered(int first, int end) {
  std::vector<Word> words;
  for (int k = first; k < end; ++k) words.push_back({false, static_cast<uint32_t>(k)});
  return words;
}

std::string shown(const std::vector<Word>& words) {
  std::string text;
  for (const Word& word : words)
    text += fmt::format("{}{}{:x}", text.empty() ? "" : " ", word.control ? 'c' : 'd', word.data);
  return text;
}

std::string any(int count) {
  std::string text;
  for (int k = 0; k < count; ++k) text += k == 0 ? "*" : " *";
  return text;
}

void set_route(Maker* m, int col, int colour, Port in, uint32_t outs) {
  m->expect(
      write_line(0, col, Route::address(colour),
                 {Route::Enable::put(1) |
                  Route::Position::put(Position::InPort::put(in) | Position::OutMask::put(outs))}),
      "");
}

void make_hops(Maker* m) {
  for (const int columns : {1, 4}) {
    m->begin_timing(fmt::format("timing.hops_{}", columns),
                    "A wavelet takes a cycle for each router, and one follows in each cycle.",
                    grid(columns, {"fabric"}), {"F4", "F26"});
    m->expect(fmt::format("reset 1 {}", columns), "");
    for (int col = 0; col < columns; ++col) set_route(m, col, 0, kWest, 1u << kEast);
    m->expect("run 1000", "");
    m->expect(send_line('w', 0, 0, numbered(0, kWords)), "");
    m->expect(fmt::format("run {}", columns), "");
    m->expect(take_line('e', 0, 0), "", {"F4"});
    m->expect("run 1", "");
    m->expect(take_line('e', 0, 0), "d0", {"F4"});
    m->expect("run 50", "");
    m->expect(take_line('e', 0, 0), shown(numbered(1, 51)), {"F26"});
    m->expect("run 200", "");
    m->expect(take_line('e', 0, 0), shown(numbered(51, 251)), {"F26"});
  }
}

void make_shares(Maker* m) {
  m->begin_timing("timing.shares", "Three flows to one output get a third of its slots each.",
                  grid(1, {"fabric"}), {"F8", "F53"});
  m->expect("reset 1 1", "");
  set_route(m, 0, 0, kWest, 1u << kEast);
  set_route(m, 0, 1, kNorth, 1u << kEast);
  set_route(m, 0, 2, kSouth, 1u << kEast);
  m->expect("run 1000", "");
  const char sides[] = "wns";
  for (int c = 0; c < 3; ++c) m->expect(send_line(sides[c], 0, c, numbered(0, kWords)), "");
  m->expect("run 40", "");
  for (int c = 0; c < 3; ++c) m->expect(take_line('e', 0, c), "...");
  for (const int cycles : {60, 120}) {
    m->expect(fmt::format("run {}", cycles), "");
    for (int c = 0; c < 3; ++c) m->expect(take_line('e', 0, c), any(cycles / 3), {"F8", "F53"});
  }
}

// A long request that passes through, alone and beside data that want each slot of the output.
void make_control_share(Maker* m) {
  using Header = isa::PacketHeader;
  m->begin_timing("timing.control",
                  "The control plane has a word per cycle, and a slot of four beside data.",
                  grid(1, {"fabric", "control"}), {"F86", "F20", "F55"});
  m->expect("reset 1 1", "");
  for (int c = 0; c < 2; ++c) set_route(m, 0, c, c == 0 ? kNorth : kSouth, 1u << kEast);
  m->expect("run 1000", "");
  // It goes on beyond the edge.
  std::vector<Word> packet = {{false, Header::Near::put(5) | Header::Far::put(5)}};
  for (const Word& word : numbered(1, 500)) packet.push_back(word);
  m->expect(send_line('w', 0, isa::kColourReq, packet), "");
  m->expect("run 2", "");
  m->expect(take_line('e', 0, isa::kColourReq),
            shown({{false, Header::Near::put(4) | Header::Far::put(4)}}), {"F86"});
  m->expect("run 60", "");
  m->expect(take_line('e', 0, isa::kColourReq), shown(numbered(1, 61)), {"F86"});
  m->expect(send_line('n', 0, 0, numbered(0, kWords)), "");
  m->expect(send_line('s', 0, 1, numbered(0, kWords)), "");
  // Two cycles until the data are there; then every fourth slot.
  m->expect("run 102", "");
  m->expect(take_line('e', 0, isa::kColourReq), any(27), {"F20", "F55"});
}

// Wavelets that arrive in one cycle for one output leave by the order of the ports.
void make_order(Maker* m) {
  m->begin_timing("timing.order",
                  "Of wavelets that arrive together, that of the first port leaves first.",
                  grid(1, {"fabric"}), {"F52"});
  m->expect("reset 1 1", "");
  const std::pair<char, Port> inputs[] = {{'n', kNorth}, {'s', kSouth}, {'w', kWest}};
  for (int c = 0; c < 3; ++c) set_route(m, 0, c, inputs[c].second, 1u << kEast);
  m->expect("run 1000", "");
  for (int c = 0; c < 3; ++c) m->expect(send_line(inputs[c].first, 0, c, numbered(c, c + 1)), "");
  m->expect("run 1", "");
  for (int n = 0; n < 3; ++n) {
    m->expect("run 1", "");
    for (int c = 0; c < 3; ++c)
      m->expect(take_line('e', 0, c), c == n ? fmt::format("d{}", c) : "", {"F52"});
  }
}

// Both networks of the control plane want one output; data and requests share a link.
void make_control_turns(Maker* m) {
  using Header = isa::PacketHeader;
  m->begin_timing("timing.control_turns", "Requests and responses take turns at an output.",
                  grid(1, {"fabric", "control"}), {"F61"});
  m->expect("reset 1 1", "");
  std::vector<Word> request = {{false, 0}, {false, Header::Near::put(5) | Header::Far::put(5)}};
  std::vector<Word> response = {{false, Header::ToEdge::put(1)}};
  for (const Word& word : numbered(1, 400)) {
    request.push_back(word);
    response.push_back(word);
  }
  m->expect(send_line('w', 0, isa::kColourReq, request), "");
  m->expect(send_line('n', 0, isa::kColourRsp, response), "");
  m->expect("run 20", "");
  for (const int colour : {isa::kColourReq, isa::kColourRsp})
    m->expect(take_line('s', 0, colour), "...");
  m->expect("run 60", "");
  for (const int colour : {isa::kColourReq, isa::kColourRsp})
    m->expect(take_line('s', 0, colour), any(30), {"F61"});

  m->begin_timing("timing.credit_share",
                  "Credits of the control plane go first, but data credits get a slot of four.",
                  grid(1, {"fabric", "control"}), {"F27"});
  m->expect("reset 1 1", "");
  set_route(m, 0, 0, kWest, 1u << kSouth);
  m->expect("run 1000", "");
  request.erase(request.begin());
  m->expect(send_line('w', 0, isa::kColourReq, request), "");
  m->expect(send_line('w', 0, 0, numbered(0, kWords)), "");
  m->expect("run 110", "");
  m->expect(take_line('s', 0, 0), any(25) + " ...", {"F27"});
  m->expect(take_line('e', 0, isa::kColourReq), any(25) + " ...", {"F27"});
}

// A long write into one tile, or into two, and then a read.
void make_writes(Maker* m) {
  using Header = isa::PacketHeader;
  using Command = isa::PacketCommand;
  constexpr uint32_t kCount = 200, kPlace = 0x1000;
  const auto hops = [](uint32_t near, uint32_t far) {
    return Word{false, Header::Near::put(near) | Header::Far::put(far)};
  };
  const auto command = [](isa::PacketOp op, uint32_t count) {
    return Word{false, Command::Operation::put(op) | Command::Count::put(count)};
  };
  for (const uint32_t columns : {1u, 2u}) {
    Needs needs = grid(static_cast<int>(columns), {"fabric", "tile", "control"});
    needs.sram = 8192;
    m->begin_timing(fmt::format("timing.write_{}", columns),
                    "A write moves a word per cycle, into two tiles as fast as into one.", needs,
                    {"F19"});
    m->expect(fmt::format("reset 1 {}", columns), "");
    m->expect("run 1000", "");
    std::vector<Word> words = {
        hops(0, columns - 1), hops(0, 0), command(isa::PacketOp::Write, kCount), {false, kPlace}};
    for (const Word& word : numbered(0, kCount)) words.push_back(word);
    words.back().control = true;
    for (const Word& word :
         {hops(columns - 1, columns - 1), hops(0, 0), command(isa::PacketOp::Read, 1),
          Word{false, kPlace + 4 * (kCount - 1)},
          Word{false, Header::ToEdge::put(1) | Header::Negative::put(1)}, Word{true, 0}})
      words.push_back(word);
    m->expect(send_line('w', 0, isa::kColourReq, words), "");
    m->expect(fmt::format("run {}", kCount), "");
    m->expect(take_line('w', 0, isa::kColourRsp), "", {"F19"});
    m->expect("run 40", "");
    m->expect(take_line('w', 0, isa::kColourRsp), fmt::format("* * * c{:x}", kCount - 1), {"F19"});
  }
}

}  // namespace

void make_cycles(Maker* m) {
  make_order(m);
  make_control_turns(m);
  make_writes(m);
  make_hops(m);
  make_shares(m);
  make_control_share(m);
}

}  // namespace ow::conform
