// SPDX-License-Identifier: Apache-2.0
#include "ow/device/bulk.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/device/tile_map.h"

namespace ow {
namespace {

using Header = isa::PacketHeader;
using Command = isa::PacketCommand;
// Reads under way at a port: enough that the next answer follows the last without a gap.
constexpr size_t kReadsAhead = 3;
// Requests that a port's queue holds while there are more.
constexpr size_t kAhead = 2 * (Bulk::kPacketWords + 8);

uint32_t hops(bool negative, int n) {
  return Header::Negative::put(negative) | Header::Far::put(n) | Header::Near::put(n);
}
// An answer goes to the edge in one direction along a row or column, or not along it.
uint32_t to_edge(bool negative, bool positive) {
  return Header::Negative::put(negative) | Header::ToEdge::put(negative || positive);
}
bool along_row(Side side) { return side == Side::West || side == Side::East; }

}  // namespace

Bulk::~Bulk() {
  for (const PortState& port : ports_) {
    for (const Packet& read : port.reads) reads_.abandon(port.side, port.index, read.tag);
  }
}

void Bulk::write(int row, int col, uint32_t addr, std::vector<uint32_t> words) {
  Job job;
  job.row = row;
  job.col = col;
  job.addr = addr;
  job.out = std::move(words);
  add(std::move(job));
}

void Bulk::read(int row, int col, uint32_t addr, std::vector<uint32_t>* words) {
  Job job;
  job.row = row;
  job.col = col;
  job.addr = addr;
  job.in = words;
  add(std::move(job));
}

void Bulk::add(Job job) {
  const GridShape grid = device_.shape();
  if (job.row < 0 || job.col < 0 || job.row >= grid.rows || job.col >= grid.cols) {
    throw BadInput(fmt::format("tile ({}, {}) is not in the {} x {} grid", job.row, job.col,
                               grid.rows, grid.cols));
  }
  if (job.addr % 4 != 0 || job.words() == 0) {
    throw BadInput(
        fmt::format("copy of {} words at 0x{:x}: must be at least one, at a multiple of 4",
                    job.words(), job.addr));
  }
  if (job.in == nullptr) check_write(job.addr, job.words(), sram_bytes_);
  jobs_.push_back(std::move(job));
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
    for (int s = 0; s < kSides; ++s) {
      const Side side = static_cast<Side>(s);
      const size_t port = port_of(side, along_row(side) ? job.row : job.col);
      if (port < ports_.size()) choices[j].push_back(port);
    }
    const bool row = (job.row + job.col) * grid.rows % (grid.rows + grid.cols) < grid.rows;
    size_t best = choices[j].front();
    const auto score = [&](size_t p) {
      return std::make_pair(along_row(ports_[p].side) != row, ports_[p].load);
    };
    for (const size_t p : choices[j]) {
      if (score(p) < score(best)) best = p;
    }
    owner[j] = best;
    ports_[best].load += job.words();
  }
  for (int pass = 0; pass < 8; ++pass) {
    for (size_t j = 0; j < jobs_.size(); ++j) {
      const size_t words = jobs_[j].words();
      for (const size_t p : choices[j]) {
        if (ports_[p].load + words >= ports_[owner[j]].load) continue;
        ports_[owner[j]].load -= words;
        ports_[p].load += words;
        owner[j] = p;
      }
    }
  }
  for (size_t j = 0; j < jobs_.size(); ++j) {
    ports_[owner[j]].jobs.push_back(j);
    const Job& job = jobs_[j];
    left_ += job.in == nullptr ? 1 : (job.words() + kPacketWords - 1) / kPacketWords;
  }
}

void Bulk::request(PortState* port, const Packet& packet, bool read) {
  const Job& job = jobs_[packet.job];
  const GridShape grid = device_.shape();
  std::vector<Wavelet> wavelets;
  const auto put = [&](uint32_t word) { wavelets.push_back(Wavelet{kColourReq, false, word}); };
  switch (port->side) {
    case Side::West:
      put(hops(false, job.col));
      put(0);
      break;
    case Side::East:
      put(hops(true, grid.cols - 1 - job.col));
      put(0);
      break;
    case Side::North:
      put(hops(false, job.row));
      break;
    case Side::South:
      put(hops(true, grid.rows - 1 - job.row));
      break;
  }
  put(Command::Operation::put(read ? isa::PacketOp::Read : isa::PacketOp::Write) |
      Command::Tag::put(packet.tag) | Command::Count::put(packet.words));
  put(job.addr + static_cast<uint32_t>(4 * packet.at));
  if (read) {
    put(to_edge(port->side == Side::West, port->side == Side::East));
    put(to_edge(port->side == Side::North, port->side == Side::South));
  } else {
    for (size_t i = 0; i < packet.words; ++i) put(job.out[packet.at + i]);
  }
  wavelets.back().ctrl = true;
  device_.send(port->side, port->index, wavelets);
}

void Bulk::issue(PortState* port) {
  while (port->next_job < port->jobs.size() && port->reads.size() < kReadsAhead &&
         device_.pending_sends(port->side, port->index, kColourReq) < kAhead) {
    const size_t j = port->jobs[port->next_job];
    const Job& job = jobs_[j];
    const bool fence = job.in == nullptr && port->next_word == job.words();
    Packet packet{j, port->next_word,
                  fence ? 1 : std::min(kPacketWords, job.words() - port->next_word), 0};
    if (fence)
      packet.at = job.words() - 1;  // an answer that follows proves that all has been taken
    const bool read = fence || job.in != nullptr;
    if (read) {
      const std::optional<uint32_t> tag = reads_.begin(port->side, port->index);
      if (!tag) return;
      packet.tag = *tag;
      port->reads.push_back(packet);
    }
    request(port, packet, read);
    port->next_word += fence ? 0 : packet.words;
    if (fence || (read && port->next_word == job.words())) {
      ++port->next_job;
      port->next_word = 0;
    }
  }
}

// Answers of different tiles may arrive in another order than the requests went out.
void Bulk::finish(PortState* port, const ControlReads::Answer& answer) {
  const auto read = std::find_if(port->reads.begin(), port->reads.end(),
                                 [&](const Packet& p) { return p.tag == answer.tag; });
  const auto where = [&] {
    return fmt::format("{} edge, port {}", side_name(port->side), port->index);
  };
  if (read == port->reads.end()) {
    throw ProtocolError(where() + ": an answer to nothing that was asked");
  }
  const Packet packet = *read;
  port->reads.erase(read);
  const Job& job = jobs_[packet.job];
  if (answer.status != static_cast<uint32_t>(isa::PacketStatus::Done)) {
    throw DeviceFault(fmt::format("tile ({}, {}) refused a read of {} words at 0x{:x}", job.row,
                                  job.col, packet.words, job.addr + 4 * packet.at));
  }
  if (answer.words.size() != packet.words) {
    throw ProtocolError(fmt::format("{}: tile ({}, {}) answered a read of {} words with {}",
                                    where(), job.row, job.col, packet.words, answer.words.size()));
  }
  if (job.in != nullptr) {
    std::copy(answer.words.begin(), answer.words.end(),
              job.in->begin() + static_cast<std::ptrdiff_t>(packet.at));
  }
  --left_;
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

std::string Bulk::waiting_for() const {
  for (const PortState& port : ports_) {
    if (port.reads.empty() && port.next_job == port.jobs.size()) continue;
    const Job& job = jobs_[port.reads.empty() ? port.jobs[port.next_job] : port.reads.front().job];
    return fmt::format("tile ({}, {}), for {} words at 0x{:x}", job.row, job.col, job.words(),
                       job.addr);
  }
  return "no tile";
}

}  // namespace ow
