// SPDX-License-Identifier: Apache-2.0
#include "ow/device/bulk.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/device/sim_control.h"
#include "ow/device/tile_map.h"

namespace ow {
namespace {

using Header = isa::PacketHeader;
using Command = isa::PacketCommand;
// Reads under way at a port: enough that the next answer follows the last without a gap.
constexpr size_t kReadsAhead = 32;
constexpr size_t kWordsAhead = 3 * Bulk::kPacketWords;
// Words of a request before its data, at most.
constexpr size_t kHeadWords = 4;
// Requests that a port's queue holds while there are more.
constexpr size_t kAhead = 2 * (Bulk::kPacketWords + 8);

uint32_t hops(bool negative, int near, int far) {
  return Header::Negative::put(negative) | Header::Far::put(far) | Header::Near::put(near);
}
// An answer goes to the edge in one direction along a row or column, or not along it.
uint32_t to_edge(bool negative, bool positive) {
  return Header::Negative::put(negative) | Header::ToEdge::put(negative || positive);
}
bool along_row(Side side) { return side == Side::West || side == Side::East; }

}  // namespace

size_t Bulk::Job::cost() const { return words() + kHeadWords * packets.size(); }

size_t Bulk::PortState::words_read() const {
  size_t words = 0;
  for (const Read& read : reads) words += read.packet.words;
  return words;
}

Bulk::~Bulk() {
  for (const PortState& port : ports_) {
    for (const Read& read : port.reads) reads_.abandon(port.side, port.index, read.tag);
  }
}

void Bulk::write(int row, int col, const std::vector<Span>& spans, std::vector<uint32_t> words) {
  write(Rect{row, col, 1, 1}, spans, std::move(words));
}

void Bulk::read(int row, int col, const std::vector<Span>& spans, std::vector<uint32_t>* words) {
  Job job;
  job.rect = Rect{row, col, 1, 1};
  job.in = words;
  add(std::move(job), spans);
}

void Bulk::write(const Rect& rect, const std::vector<Span>& spans, std::vector<uint32_t> words) {
  const int above = std::clamp(entry_row_ - rect.row, 0, std::max(0, rect.rows));
  if (above > 0 && above < rect.rows) {  // rows on both sides of the entry
    write(Rect{rect.row, rect.col, above, rect.cols}, spans, words);
    write(Rect{rect.row + above, rect.col, rect.rows - above, rect.cols}, spans, std::move(words));
    return;
  }
  Job job;
  job.rect = rect;
  job.out = std::move(words);
  add(std::move(job), spans);
}

void Bulk::add(Job job, const std::vector<Span>& spans) {
  const GridShape grid = device_.shape();
  const Rect& rect = job.rect;
  if (!fits(rect, grid)) {
    throw BadInput(rect.rows == 1 && rect.cols == 1
                       ? fmt::format("tile ({}, {}) is not in the {} x {} grid", rect.row, rect.col,
                                     grid.rows, grid.cols)
                       : fmt::format("{} x {} tiles at ({}, {}) are not in the {} x {} grid",
                                     rect.rows, rect.cols, rect.row, rect.col, grid.rows,
                                     grid.cols));
  }
  size_t at = 0;
  for (const Span& span : spans) {
    if (span.addr % 4 != 0 || span.words == 0) {
      throw BadInput(
          fmt::format("copy of {} words at 0x{:x}: must be at least one, at a multiple of 4",
                      span.words, span.addr));
    }
    if (job.in == nullptr) check_write(span.addr, span.words, sram_bytes_);
    for (size_t done = 0; done < span.words; done += kPacketWords) {
      const size_t words = std::min(kPacketWords, span.words - done);
      job.packets.push_back({span.addr + static_cast<uint32_t>(4 * done), at, words});
      at += words;
    }
  }
  if (at == 0 || at != job.words()) {
    throw BadInput(fmt::format("copy of {} words into room for {}", job.words(), at));
  }
  if (direct_ && job.in == nullptr) {
    write_directly(job);
  } else {
    jobs_.push_back(std::move(job));
  }
}

void Bulk::write_directly(const Job& job) {
  const Rect& rect = job.rect;
  for (int i = 0; i < rect.rows * rect.cols; ++i) {
    for (const Packet& packet : job.packets) {
      device_.sim()->write_memory(rect.row + i / rect.cols, rect.col + i % rect.cols, packet.addr,
                                  &job.out[packet.at], packet.words);
    }
  }
}

size_t Bulk::port_of(Side side, int index) const {
  for (size_t i = 0; i < ports_.size(); ++i) {
    if (ports_[i].side == side && ports_[i].index == index) return i;
  }
  return ports_.size();
}

// First deals the tiles of every row and column out to both directions in proportion to the ports,
// then moves tiles to ports that have less.
void Bulk::assign() {
  const GridShape grid = device_.shape();
  for (int s = 0; s < kSides; ++s) {
    const Side side = static_cast<Side>(s);
    if (!device_.has_side(side)) continue;
    for (int i = 0; i < (along_row(side) ? grid.rows : grid.cols); ++i) {
      PortState port{};
      port.side = side;
      port.index = i;
      ports_.push_back(std::move(port));
    }
  }
  std::vector<size_t> owner(jobs_.size());
  std::vector<std::vector<size_t>> choices(jobs_.size());
  for (size_t j = 0; j < jobs_.size(); ++j) {
    const Job& job = jobs_[j];
    const int row = job.rect.row, col = job.rect.col;
    if (job.multicast()) {
      choices[j].push_back(port_of(Side::West, entry_row_));
    } else {
      for (int s = 0; s < kSides; ++s) {
        const Side side = static_cast<Side>(s);
        const size_t port = port_of(side, along_row(side) ? row : col);
        if (port < ports_.size()) choices[j].push_back(port);
      }
    }
    const bool by_row = (row + col) * grid.rows % (grid.rows + grid.cols) < grid.rows;
    size_t best = choices[j].front();
    const auto score = [&](size_t p) {
      return std::make_pair(along_row(ports_[p].side) != by_row, ports_[p].load);
    };
    for (const size_t p : choices[j]) {
      if (score(p) < score(best)) best = p;
    }
    owner[j] = best;
    ports_[best].load += job.cost();
  }
  for (int pass = 0; pass < 8; ++pass) {
    for (size_t j = 0; j < jobs_.size(); ++j) {
      const size_t cost = jobs_[j].cost();
      for (const size_t p : choices[j]) {
        if (ports_[p].load + cost >= ports_[owner[j]].load) continue;
        ports_[owner[j]].load -= cost;
        ports_[p].load += cost;
        owner[j] = p;
      }
    }
  }
  for (size_t j = 0; j < jobs_.size(); ++j) {
    ports_[owner[j]].jobs.push_back(j);
    left_ += jobs_[j].reads();
  }
}

// `data`: of a write.
void Bulk::request(const PortState& port, const Rect& rect, const Packet& packet,
                   std::optional<uint32_t> tag, const uint32_t* data) {
  const GridShape grid = device_.shape();
  std::vector<Wavelet> wavelets;
  const auto put = [&](uint32_t word) { wavelets.push_back(Wavelet{kColourReq, false, word}); };
  const int down = rect.row - entry_row_, last = down + rect.rows - 1;
  switch (port.side) {
    case Side::West:
      put(hops(false, rect.col, rect.col + rect.cols - 1));
      if (rect.row == port.index && rect.rows == 1) {
        put(0);
      } else {
        put(down >= 0 ? hops(false, down, last) : hops(true, -last, -down));
      }
      break;
    case Side::East:
      put(hops(true, grid.cols - 1 - rect.col, grid.cols - 1 - rect.col));
      put(0);
      break;
    case Side::North:
      put(hops(false, rect.row, rect.row));
      break;
    case Side::South:
      put(hops(true, grid.rows - 1 - rect.row, grid.rows - 1 - rect.row));
      break;
  }
  put(Command::Operation::put(tag ? isa::PacketOp::Read : isa::PacketOp::Write) |
      Command::Tag::put(tag.value_or(0)) | Command::Count::put(packet.words));
  put(packet.addr);
  if (tag) {
    put(to_edge(port.side == Side::West, port.side == Side::East));
    put(to_edge(port.side == Side::North, port.side == Side::South));
  } else {
    for (size_t i = 0; i < packet.words; ++i) put(data[i]);
  }
  wavelets.back().ctrl = true;
  device_.send(port.side, port.index, wavelets);
}

void Bulk::issue(PortState* port) {
  while (port->next_job < port->jobs.size() && port->reads.size() < kReadsAhead &&
         port->words_read() < kWordsAhead &&
         device_.pending_sends(port->side, port->index, kColourReq) < kAhead) {
    const size_t j = port->jobs[port->next_job];
    const Job& job = jobs_[j];
    if (port->next_packet < job.packets.size()) {
      const Packet& packet = job.packets[port->next_packet];
      if (job.in == nullptr) {
        request(*port, job.rect, packet, std::nullopt, job.out.data() + packet.at);
      } else if (!read(*port, port, Read{j, job.rect, packet})) {
        return;
      }
      ++port->next_packet;
      if (job.in == nullptr || port->next_packet < job.packets.size()) continue;
    } else if (!fence(port)) {
      return;
    }
    ++port->next_job;
    port->next_packet = 0;
  }
}

// Asks through `port` for what comes out at `out`. False if that has no tag left.
bool Bulk::read(const PortState& port, PortState* out, Read read) {
  const std::optional<uint32_t> tag = reads_.begin(out->side, out->index, read.answers);
  if (!tag) return false;
  read.tag = *tag;
  request(port, read.rect, read.packet, tag, nullptr);
  out->reads.push_back(read);
  return true;
}

// Reads the last word that was sent from each tile: an answer proves that all has been taken. The
// tiles of a row answer one read of a multicast, at the port of their row.
bool Bulk::fence(PortState* port) {
  const size_t j = port->jobs[port->next_job];
  const Job& job = jobs_[j];
  Packet last = job.packets.back();
  last.addr += static_cast<uint32_t>(4 * (last.words - 1));
  last.words = 1;
  for (; port->fenced_rows < job.rect.rows; ++port->fenced_rows) {
    Read r{j, job.rect, last};
    r.rect.row += port->fenced_rows;
    r.rect.rows = 1;
    r.answers = job.rect.cols;
    PortState* out = job.multicast() ? &ports_[port_of(Side::West, r.rect.row)] : port;
    if (!read(*port, out, r)) return false;
  }
  port->fenced_rows = 0;
  return true;
}

// Answers of different tiles may arrive in another order than the requests went out.
void Bulk::finish(PortState* port, const ControlReads::Answer& answer) {
  const auto read = std::find_if(port->reads.begin(), port->reads.end(),
                                 [&](const Read& r) { return r.tag == answer.tag; });
  const auto where = [&] {
    return fmt::format("{} edge, port {}", side_name(port->side), port->index);
  };
  if (read == port->reads.end()) {
    throw ProtocolError(where() + ": an answer to nothing that was asked");
  }
  const Packet packet = read->packet;
  const Rect rect = read->rect;
  const Job& job = jobs_[read->job];
  if (--read->answers == 0) {
    port->reads.erase(read);
    --left_;
  }
  if (answer.status != static_cast<uint32_t>(isa::PacketStatus::Done)) {
    throw DeviceFault(fmt::format("tile ({}, {}) refused a read of {} words at 0x{:x}", rect.row,
                                  rect.col, packet.words, packet.addr));
  }
  if (answer.words.size() != packet.words) {
    throw ProtocolError(fmt::format("{}: tile ({}, {}) answered a read of {} words with {}",
                                    where(), rect.row, rect.col, packet.words,
                                    answer.words.size()));
  }
  if (job.in != nullptr) {
    std::copy(answer.words.begin(), answer.words.end(),
              job.in->begin() + static_cast<std::ptrdiff_t>(packet.at));
  }
}

bool Bulk::pump() {
  if (!assigned_) assign();
  assigned_ = true;
  for (PortState& port : ports_) {
    while (const auto answer = reads_.next(port.side, port.index)) finish(&port, *answer);
    if (!held_) issue(&port);
  }
  return left_ == 0;
}

bool Bulk::idle() const {
  return std::all_of(ports_.begin(), ports_.end(), [this](const PortState& port) {
    return port.reads.empty() && device_.pending_sends(port.side, port.index, kColourReq) == 0;
  });
}

void Bulk::cancel() {
  held_ = false;
  left_ = 0;
  if (!assigned_) jobs_.clear();
  for (PortState& port : ports_) {
    left_ += port.reads.size();
    if (port.next_job == port.jobs.size()) continue;
    Job& job = jobs_[port.jobs[port.next_job]];
    const bool begun = port.next_packet > 0 && job.in == nullptr;
    if (begun) {  // what it has sent is fenced
      job.packets.resize(port.next_packet);
      left_ += static_cast<size_t>(job.rect.rows - port.fenced_rows);
    }
    port.jobs.resize(port.next_job + (begun ? 1 : 0));
  }
}

std::string Bulk::waiting_for() const {
  const auto text = [](const Rect& rect, size_t words, uint32_t addr) {
    return fmt::format("tile ({}, {}), for {} words at 0x{:x}", rect.row, rect.col, words, addr);
  };
  for (const PortState& port : ports_) {
    if (port.reads.empty() && port.next_job == port.jobs.size()) continue;
    const size_t j = port.reads.empty() ? port.jobs[port.next_job] : port.reads.front().job;
    const Rect& rect = port.reads.empty() ? jobs_[j].rect : port.reads.front().rect;
    return text(rect, jobs_[j].words(), jobs_[j].packets.front().addr);
  }
  return "no tile";
}

}  // namespace ow
