// SPDX-License-Identifier: Apache-2.0
#include "probe.h"

#include <map>

#include "ow/device/tile_map.h"
#include "ow/firmware/selftest.h"

namespace ow::wafer {
namespace {

// Packets of the endpoint (docs/fabric.md): the answer goes to the edge, and carries the tag.
constexpr uint32_t kToEdge =
    isa::PacketHeader::Negative::put(1) | isa::PacketHeader::ToEdge::put(1);
constexpr uint32_t kTag = 5;

}  // namespace

uint64_t rotated(uint64_t word, int n) {
  return n == 0 ? word : ((word << n) | (word >> (isa::Link::kBits - n))) & kWordMask;
}

Probe::Probe(ChainAccess& access, const BringupOptions& bringup_options)
    : chain(access), options(bringup_options), shape(access.wafer_shape()), result(shape) {
  const auto lines = static_cast<size_t>(shape.reticles() * rows());
  found.assign(lines * static_cast<size_t>(cols()), false);
  bad_ = turns_ = found;
  usable.assign(lines, false);
  from_east = usable;
}

void Probe::lose(int d, int p, int c, const std::string& why) {
  if (bad_[index(d, p, c)]) return;
  bad_[index(d, p, c)] = true;
  result.findings.push_back({d, {p, c}, why});
}

void Probe::each(const std::function<void(int, int, int)>& call) const {
  for (int d = 0; d < shape.reticles(); ++d) {
    for (int p = 0; p < rows(); ++p) {
      for (int c = 0; c < cols(); ++c) call(d, p, c);
    }
  }
}

void Probe::each_alive(const std::function<void(int, int, int)>& call) const {
  each([&](int d, int p, int c) {
    if (alive(d, p, c)) call(d, p, c);
  });
}

void Probe::each_row(const std::function<void(int, int)>& call) const {
  for (int d = 0; d < shape.reticles(); ++d) {
    for (int p = 0; p < rows(); ++p) {
      if (usable[row_index(d, p)]) call(d, p);
    }
  }
}

bool Probe::neighbour(int p, int c, int side, const Setting& s, Position* at) const {
  const bool along = side == kEast || side == kWest;
  if (s.skip > (along ? shape.spare_cols : shape.spare_rows) || (along && s.shift != 0)) {
    return false;
  }
  const int far = 1 + s.skip;
  *at = {p + far * ((side == kSouth) - (side == kNorth)),
         c + far * ((side == kEast) - (side == kWest)) + s.shift};
  return at->row >= 0 && at->row < rows() && at->col >= 0 && at->col < cols();
}

bool Probe::listens(int d, int p, int c, int side, const Setting& s) const {
  Position at;
  return neighbour(p, c, side, s, &at) && usable_tile(d, at.row, at.col) && usable_tile(d, p, c) &&
         !broken(d, {p, c}, at);
}

TileFuse Probe::direct(int d, int p, int c, const Setting& s) const {
  TileFuse f;
  f.enable = true;
  f.n_shift = f.s_shift = s.shift;
  int* const skips[] = {&f.n_skip, &f.e_skip, &f.s_skip, &f.w_skip};
  for (int side = 0; side < 4; ++side) {
    *skips[side] = listens(d, p, c, side, s) ? s.skip : kNoSkip;
  }
  return f;
}

LinkEnd Probe::link_end(int d, int side, int slot) const {
  return {d, side, slot,
          side == kNorth   ? Position{0, slot}
          : side == kEast  ? Position{slot, cols() - 1}
          : side == kSouth ? Position{rows() - 1, slot}
                           : Position{slot, 0}};
}

void Probe::open_batch() {
  jobs_.clear();
  where_.assign(usable.size(), -1);
}

ChainJob& Probe::job_of(int d, int p) {
  int& at = where_[row_index(d, p)];
  if (at < 0) {
    at = static_cast<int>(jobs_.size());
    ChainJob job;
    job.where = {d, p, from_east[row_index(d, p)]};
    job.overlap = discovered;
    jobs_.push_back(job);
  }
  return jobs_[static_cast<size_t>(at)];
}

Handle Probe::add_command(int d, int p, int c, bool write, int reg, uint32_t data) {
  if (reg == kStationControl && (data & kStationTest) == 0) turns_[index(d, p, c)] = false;
  return add(d, p, {c, write, reg, data});
}

Handle Probe::add_pop(int d, int p, int c) {
  turns_[index(d, p, c)].flip();
  return add(d, p, pop_command(c, turns_[index(d, p, c)]));
}

Handle Probe::add(int d, int p, const ChainCommand& command) {
  ChainJob& job = job_of(d, p);
  job.commands.push_back(command);
  return {row_index(d, p), job.commands.size() - 1};
}

Handle Probe::add_link(const LinkEnd& e, uint32_t w) {
  add_command(e.reticle, e.at.row, e.at.col, true, kStationLink,
              isa::station::Link::Side::put(e.side) | isa::station::Link::Number::put(w));
  return add_command(e.reticle, e.at.row, e.at.col, false, kStationLinkStatus);
}

void Probe::add_write(int d, int p, int c, uint32_t addr, const std::vector<uint32_t>& words) {
  add_command(d, p, c, true, kStationPush,
              isa::PacketCommand::Operation::put(isa::PacketOp::Write) |
                  isa::PacketCommand::Count::put(words.size()));
  add_command(d, p, c, true, kStationPush, addr);
  for (size_t i = 0; i < words.size(); ++i) {
    add_command(d, p, c, true, i + 1 < words.size() ? kStationPush : kStationPushLast, words[i]);
  }
}

Handle Probe::add_read(int d, int p, int c, uint32_t addr, int n) {
  add_command(d, p, c, true, kStationPush,
              isa::PacketCommand::Operation::put(isa::PacketOp::Read) |
                  isa::PacketCommand::Tag::put(kTag) | isa::PacketCommand::Count::put(n));
  add_command(d, p, c, true, kStationPush, addr);
  add_command(d, p, c, true, kStationPush, kToEdge);
  add_command(d, p, c, true, kStationPushLast, kToEdge);
  add_pop(d, p, c);
  add_pop(d, p, c);
  const Handle status = add_pop(d, p, c);
  for (int i = 0; i < n; ++i) add_pop(d, p, c);
  return status;
}

void Probe::broadcast(uint32_t addr, const std::vector<uint32_t>& words) {
  each_row([&](int d, int p) { add_write(d, p, kEveryColumn, addr, words); });
}

std::optional<uint32_t> Probe::word(const Handle& status, int i, int n) const {
  if (answer(status) !=
      (isa::PacketResponse::Status::put(isa::PacketStatus::Done) |
       isa::PacketResponse::Tag::put(kTag) | isa::PacketResponse::Count::put(n))) {
    return std::nullopt;
  }
  return answer(status.after(1 + static_cast<size_t>(i)));
}

bool Probe::reset() {
  if (!chain.reset()) return false;
  turns_.assign(turns_.size(), false);
  return true;
}

void Probe::start_all() {
  open_batch();
  each_alive([&](int d, int p, int c) {
    add_command(d, p, c, true, kStationControl, kStationRun | kStationTest);
  });
  run_batch();
}

void Probe::restart_all() {
  open_batch();
  each_alive([&](int d, int p, int c) { add_command(d, p, c, true, kStationControl, 0); });
  run_batch();
  start_all();
}

void Probe::load(const ElfImage& image) {
  open_batch();
  for (const ElfSegment& segment : image.segments) {
    std::vector<uint32_t> words((segment.bytes.size() + 3) / 4, 0);
    for (size_t i = 0; i < segment.bytes.size(); ++i) {
      words[i / 4] |= static_cast<uint32_t>(segment.bytes[i]) << 8 * (i % 4);
    }
    if (!words.empty()) broadcast(segment.addr, words);
  }
  broadcast(kRegCorePc, {image.entry});
  run_batch();
}

std::vector<std::optional<uint32_t>> Probe::signatures(const ElfImage& image, uint64_t cycles) {
  const uint32_t order = image.symbol("ow_selftest_order");
  const uint32_t result = image.symbol("ow_selftest_result");
  open_batch();
  broadcast(order, {OW_SELFTEST_CORE});
  broadcast(result, {0});
  broadcast(kRegCoreCtrl, {kCoreRun | kCoreReset});
  run_batch();
  chain.wait_cycles(cycles);
  open_batch();
  std::map<size_t, Handle> reads;
  each_alive([&](int d, int p, int c) {
    if (usable_tile(d, p, c)) reads[index(d, p, c)] = add_read(d, p, c, result, 2);
  });
  run_batch();
  std::vector<std::optional<uint32_t>> out(found.size());
  for (const auto& [at, handle] : reads) {
    if (word(handle, 0, 2) == OW_SELFTEST_DONE + OW_SELFTEST_CORE) out[at] = word(handle, 1, 2);
  }
  return out;
}

void Probe::run_exchange(uint32_t at, uint32_t colours) {
  open_batch();
  broadcast(kRegCorePc, {options.selftest.image.entry});
  broadcast(at, {0, 0, 0, 0, 0, 0});
  run_batch();
  open_batch();  // a batch of its own, so all rows start in the same cycle
  broadcast(kRegCoreCtrl, {kCoreRun | kCoreReset});
  run_batch();
  chain.wait_cycles(ow_selftest_router_cycles(colours, ow_selftest_slot(options.tile.small_tile)));
}

}  // namespace ow::wafer
