// SPDX-License-Identifier: Apache-2.0
// The control plane: packets on colour 24 that the test writes word by word, answers on colour 25.
#include <fmt/format.h>

#include <tuple>

#include "maker.h"
#include "ow/isa/isa.h"

namespace ow::conform {
namespace {

using Header = isa::PacketHeader;
using Command = isa::PacketCommand;
using Brief = isa::PacketBrief;

constexpr int kRequests = 24, kAnswers = 25, kCycles = 4000;
constexpr uint32_t kPlace = 0x1000;

Needs grid(int rows, int columns) {
  Needs needs;
  needs.features = {"fabric", "tile", "control"};
  needs.rows = rows;
  needs.columns = columns;
  needs.sram = 8192;
  return needs;
}

uint32_t hops(uint32_t near, uint32_t far, bool negative = false) {
  return Header::Near::put(near) | Header::Far::put(far) | Header::Negative::put(negative);
}
uint32_t back_west() { return Header::ToEdge::put(1) | Header::Negative::put(1); }

// The last word of a packet has its control bit set.
std::vector<Word> packet(const std::vector<uint32_t>& words) {
  std::vector<Word> out;
  for (size_t k = 0; k < words.size(); ++k) out.push_back({k + 1 == words.size(), words[k]});
  return out;
}

uint32_t command(isa::PacketOp op, uint32_t count, uint32_t tag) {
  return Command::Operation::put(op) | Command::Count::put(count) | Command::Tag::put(tag);
}

void send(Maker* m, char side, int index, const std::vector<uint32_t>& words, const Rules& rules) {
  m->ask(send_line(side, index, kRequests, packet(words)), rules);
  m->ask(fmt::format("run {}", kCycles));
}

void answer(Maker* m, int row, const Rules& rules) { m->ask(take_line('w', row, kAnswers), rules); }

void make_words(Maker* m) {
  m->begin("control.words",
           "Words are written and read by packets of one tile; a read follows a write on its path.",
           grid(1, 1), {"F15", "F97", "F98", "F99", "F100"});
  m->ask("reset 1 1");
  std::vector<uint32_t> words = {
      hops(0, 0), hops(0, 0), command(isa::PacketOp::Write, 3, 0), kPlace, 1, 2, 3};
  for (size_t k = 4; k < words.size(); ++k) words[k] = m->word();
  send(m, 'w', 0, words, {"F97"});
  answer(m, 0, {"F99"});
  send(m, 'w', 0,
       {hops(0, 0), hops(0, 0), command(isa::PacketOp::Read, 3, 0x5A), kPlace, back_west(),
        hops(0, 0)},
       {"F97"});
  answer(m, 0, {"F98", "F100", "F92"});

  m->begin(
      "control.malformed",
      "Ranges that are not whole are address errors; malformed packets are refused or ignored.",
      grid(1, 1), {"F18", "F101", "F102", "F103"});
  m->ask("reset 1 1");
  const auto read = [&](uint32_t address, uint32_t count) {
    send(m, 'w', 0,
         {hops(0, 0), hops(0, 0), command(isa::PacketOp::Read, count, 7), address, back_west(),
          hops(0, 0)},
         {});
  };
  read(0x40000000, 1);
  answer(m, 0, {"F18", "F101"});
  read(kPlace + 2, 1);
  answer(m, 0, {"F18", "F101"});
  read(kPlace, 0);
  answer(m, 0, {"F102"});
  // Words beyond the count, an operation that is none, a packet that ends early.
  send(m, 'w', 0, {hops(0, 0), hops(0, 0), command(isa::PacketOp::Write, 1, 0), kPlace, 11, 22, 33},
       {});
  send(m, 'w', 0, {hops(0, 0), hops(0, 0), Command::Count::put(1) | 7u << 28, kPlace, 44}, {});
  read(kPlace, 2);
  answer(m, 0, {"F103"});
}

void make_rectangles(Maker* m) {
  m->begin("control.rectangle",
           "A request for a rectangle reaches each of its tiles, and no other.", grid(2, 3),
           {"F16", "F88", "F89"});
  m->ask("reset 2 3");
  const uint32_t value = m->word();
  // Columns 1 to 2, rows 0 to 1, from the west port of row 0.
  send(m, 'w', 0, {hops(1, 2), hops(0, 1), command(isa::PacketOp::Write, 1, 0), kPlace, value},
       {"F16"});
  for (int row = 0; row < 2; ++row) {
    for (uint32_t col = 0; col < 3; ++col) {
      send(m, 'w', row,
           {hops(col, col), hops(0, 0), command(isa::PacketOp::Read, 1, col), kPlace, back_west(),
            hops(0, 0)},
           {"F88"});
      answer(m, row, {"F16", "F88", "F92"});
    }
  }
  m->begin("control.sides",
           "From the north and the south a packet has one header and stays in its column.",
           grid(2, 3), {"F89"});
  m->ask("reset 2 3");
  const uint32_t first = m->word(), second = m->word();
  send(m, 'n', 1, {hops(1, 1), command(isa::PacketOp::Write, 1, 0), kPlace, first}, {"F89"});
  send(m, 's', 2, {hops(0, 0), command(isa::PacketOp::Write, 1, 0), kPlace, second}, {"F89"});
  for (const uint32_t col : {1u, 2u}) {
    send(m, 'w', 1,
         {hops(col, col), hops(0, 0), command(isa::PacketOp::Read, 1, col), kPlace, back_west(),
          hops(0, 0)},
         {});
    answer(m, 1, {"F89"});
  }
  m->begin("control.swallowed", "A header that leads nowhere swallows its packet.", grid(1, 2),
           {"F90"});
  m->ask("reset 1 2");
  send(m, 'w', 0, {hops(1, 0), hops(0, 0), command(isa::PacketOp::Write, 1, 0), kPlace, 1},
       {"F90"});
  for (const uint32_t col : {0u, 1u}) {
    send(m, 'w', 0,
         {hops(col, col), hops(0, 0), command(isa::PacketOp::Read, 1, col), kPlace, back_west(),
          hops(0, 0)},
         {});
    answer(m, 0, {"F90"});
  }
}

// Reads a word of tile (0, col) from the west.
void read_back(Maker* m, uint32_t col, const Rules& rules) {
  send(m, 'w', 0,
       {hops(col, col), hops(0, 0), command(isa::PacketOp::Read, 1, col), kPlace, back_west(),
        hops(0, 0)},
       {});
  answer(m, 0, rules);
}

void make_ways(Maker* m) {
  m->begin("control.no_turning_back",
           "A copy that would leave by the port at which its packet came is not made; others are.",
           grid(1, 2), {"F91"});
  m->ask("reset 1 2");
  const auto write = [&](char side, std::vector<uint32_t> heads, uint32_t value) {
    for (const uint32_t word : {command(isa::PacketOp::Write, 1, 0), kPlace, value})
      heads.push_back(word);
    send(m, side, 0, heads, {"F91"});
    for (const uint32_t col : {0u, 1u}) read_back(m, col, {"F91"});
    for (const char edge : {'n', 'e', 's', 'w'}) m->ask(take_line(edge, 0, kRequests), {"F91"});
  };
  write('w', {hops(0, 1), hops(0, 0)}, m->word());
  write('w', {hops(1, 1, true), hops(0, 0)}, m->word());
  write('n', {hops(1, 1, true)}, m->word());
  write('w', {hops(0, 1, true), hops(0, 0)}, m->word());
  write('n', {hops(0, 1, true)}, m->word());

  m->begin("control.whole_packets",
           "Packets that meet at an output pass one after the other, each whole.", grid(1, 2),
           {"F87"});
  m->ask("reset 1 2");
  constexpr uint32_t kCount = 24;
  for (int k = 0; k < 3; ++k) {
    for (const auto& [side, head, place] :
         {std::tuple{'w', hops(0, 0), kPlace}, {'e', hops(1, 1, true), kPlace + 0x100}}) {
      std::vector<uint32_t> words = {head, hops(0, 0), command(isa::PacketOp::Write, kCount, 0),
                                     place};
      for (uint32_t n = 0; n < kCount; ++n) words.push_back(m->word());
      m->ask(send_line(side, 0, kRequests, packet(words)));
    }
    m->ask(fmt::format("run {}", kCycles));
    m->ask(read_line(0, 0, kPlace, kCount), {"F87"});
    m->ask(read_line(0, 0, kPlace + 0x100, kCount), {"F87"});
  }
}

// The tasks that a tile has been asked to run, read by a packet.
void read_tasks(Maker* m, int row, uint32_t col, const Rules& rules) {
  const uint32_t command_word = command(isa::PacketOp::Read, 1, col);
  send(m, 'w', row,
       {hops(col, col), hops(0, 0), command_word, isa::reg::TaskActivate::kAddress, back_west(),
        hops(0, 0)},
       {});
  answer(m, row, rules);
}

uint32_t brief(uint32_t x, uint32_t y, bool activates) {
  constexpr uint32_t kTask = 20;
  return Brief::HopsX::put(x) | Brief::HopsY::put(y) | Brief::Task::put(kTask) |
         Brief::Activate::put(activates);
}

void make_brief(Maker* m) {
  const Rules rules = {"F17", "F93", "F95"};
  m->begin("control.brief", "A request of one word activates a task of the tile that it leads to.",
           grid(2, 2), rules);
  m->ask("reset 2 2");
  send(m, 'w', 0, {brief(1, 1, true)}, {"F93"});
  send(m, 'n', 0, {brief(0, 1, true)}, {"F93"});
  send(m, 'w', 0, {brief(1, 0, false)}, {"F95"});
  for (int row = 0; row < 2; ++row) {
    for (uint32_t col = 0; col < 2; ++col) read_tasks(m, row, col, rules);
  }
  m->begin("control.cut_short",
           "The first word of a read of nothing that ends there is no request of one word.",
           grid(1, 1), {"F103"});
  m->ask("reset 1 1");
  send(m, 'w', 0, {hops(0, 0), hops(0, 0), command(isa::PacketOp::Read, 0, 0)}, {"F103"});
  read_tasks(m, 0, 0, {"F103"});
  m->begin("control.brief_column",
           "From the north only the hops of the column count, whatever those of the row are.",
           grid(2, 2), {"F94"});
  m->ask("reset 2 2");
  send(m, 'n', 0, {brief(3, 1, true)}, {"F94"});
  for (int row = 0; row < 2; ++row) read_tasks(m, row, 0, {"F94"});
}

}  // namespace

void make_control(Maker* m) {
  make_words(m);
  make_rectangles(m);
  make_ways(m);
  make_brief(m);
}

}  // namespace ow::conform
