// SPDX-License-Identifier: Apache-2.0
#include "ow/device/control_plane.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/device/tile_map.h"

namespace ow {
namespace {

constexpr size_t kMaxPacketWords = isa::PacketCommand::Count::kMax;
using Header = isa::PacketHeader;

uint32_t hops(bool negative, int near, int far) {
  return Header::Negative::put(negative) | Header::Far::put(far) | Header::Near::put(near);
}

uint32_t command(isa::PacketOp op, size_t n, uint32_t tag = 0) {
  return isa::PacketCommand::Operation::put(op) | isa::PacketCommand::Tag::put(tag) |
         isa::PacketCommand::Count::put(n);
}

Wavelet request(uint32_t data) { return Wavelet{kColourReq, false, data}; }

}  // namespace

ControlPlane::ControlPlane(Device& device) : ControlPlane(device, Options()) {}

ControlPlane::ControlPlane(Device& device, const Options& options)
    : device_(device), options_(options), receivers_(static_cast<size_t>(device.shape().rows)) {
  if (options.entry_row < 0 || options.entry_row >= device.shape().rows) {
    throw BadInput(fmt::format("control plane entry row {}: the grid has rows 0 to {}",
                               options.entry_row, device.shape().rows - 1));
  }
  if (options.max_outstanding < 1 || options.max_outstanding > 256) {
    throw BadInput(fmt::format("{} outstanding reads: must be 1 to 256", options.max_outstanding));
  }
}

void ControlPlane::check_rect(const Rect& rect) const {
  const GridShape s = device_.shape();
  if (rect.row < 0 || rect.col < 0 || rect.rows < 1 || rect.cols < 1 ||
      rect.row + rect.rows > s.rows || rect.col + rect.cols > s.cols) {
    throw BadInput(fmt::format("{} x {} tiles at row {}, column {} are not in the {} x {} grid",
                               rect.rows, rect.cols, rect.row, rect.col, s.rows, s.cols));
  }
}

// The rectangle lies on one side of the entry row (or starts in it).
void ControlPlane::push_headers(std::vector<Wavelet>* packet, const Rect& rect) const {
  packet->push_back(request(hops(false, rect.col, rect.col + rect.cols - 1)));
  const int first = rect.row - options_.entry_row;
  const int last = first + rect.rows - 1;
  if (first >= 0) {
    packet->push_back(request(hops(false, first, last)));
  } else {
    packet->push_back(request(hops(true, -last, -first)));
  }
}

void ControlPlane::write(const Rect& rect, uint32_t addr, const std::vector<uint32_t>& words) {
  check_rect(rect);
  if (addr % 4 != 0) {
    throw BadInput(fmt::format("write to 0x{:x}: the address must be a multiple of 4", addr));
  }
  if (words.empty()) throw BadInput(fmt::format("write of no words to 0x{:x}", addr));
  if (addr < kTileRegs) check_fits(rect, addr, words.size());
  const int above = std::clamp(options_.entry_row - rect.row, 0, rect.rows);
  if (above > 0 && above < rect.rows) {  // rows on both sides of the entry: a packet each
    write(Rect{rect.row, rect.col, above, rect.cols}, addr, words);
    write(Rect{rect.row + above, rect.col, rect.rows - above, rect.cols}, addr, words);
    return;
  }
  for (size_t at = 0; at < words.size(); at += kMaxPacketWords) {
    const size_t n = std::min(kMaxPacketWords, words.size() - at);
    std::vector<Wavelet> packet;
    packet.reserve(n + 4);
    push_headers(&packet, rect);
    packet.push_back(request(command(isa::PacketOp::Write, n)));
    packet.push_back(request(addr + static_cast<uint32_t>(4 * at)));
    for (size_t i = 0; i < n; ++i) packet.push_back(request(words[at + i]));
    packet.back().ctrl = true;
    device_.send(Side::West, options_.entry_row, packet);
  }
}

uint32_t ControlPlane::sram_bytes(int row, int col) {
  if (sram_bytes_ == 0) {
    sram_bytes_ =
        isa::reg::Config::Sram::get(read_tile(row, col, kRegConfig)) * isa::kConfigSramUnit;
  }
  return sram_bytes_;
}

// A tile drops a write that does not fit as a whole, without an answer.
void ControlPlane::check_fits(const Rect& rect, uint32_t addr, size_t words) {
  const uint32_t sram = sram_bytes(rect.row, rect.col);
  if (addr + uint64_t{4} * words > sram) {
    throw BadInput(fmt::format("write of {} bytes at 0x{:x}: a tile has {} bytes of SRAM",
                               4 * words, addr, sram));
  }
}

void ControlPlane::write(const Rect& rect, uint32_t addr, uint32_t word) {
  write(rect, addr, std::vector<uint32_t>{word});
}
void ControlPlane::write_tile(int row, int col, uint32_t addr, const std::vector<uint32_t>& words) {
  write(Rect{row, col, 1, 1}, addr, words);
}
void ControlPlane::write_tile(int row, int col, uint32_t addr, uint32_t word) {
  write(Rect{row, col, 1, 1}, addr, std::vector<uint32_t>{word});
}

void ControlPlane::fence(const Rect& rect) { read_rect(rect, 0, 1); }

std::vector<uint32_t> ControlPlane::read_tile(int row, int col, uint32_t addr, size_t n) {
  return std::move(read_many({ReadRequest{row, col, addr, n}}).front());
}

uint32_t ControlPlane::read_tile(int row, int col, uint32_t addr) {
  return read_tile(row, col, addr, 1).front();
}

std::vector<std::vector<uint32_t>> ControlPlane::read_rect(const Rect& rect, uint32_t addr,
                                                           size_t n) {
  check_rect(rect);
  std::vector<ReadRequest> requests;
  // Column by column: consecutive requests then answer through different rows.
  for (int c = 0; c < rect.cols; ++c) {
    for (int r = 0; r < rect.rows; ++r) {
      requests.push_back(ReadRequest{rect.row + r, rect.col + c, addr, n});
    }
  }
  std::vector<std::vector<uint32_t>> by_column = read_many(requests);
  std::vector<std::vector<uint32_t>> result(by_column.size());
  for (int c = 0; c < rect.cols; ++c) {
    for (int r = 0; r < rect.rows; ++r) {
      result[static_cast<size_t>(r * rect.cols + c)] =
          std::move(by_column[static_cast<size_t>(c * rect.rows + r)]);
    }
  }
  return result;
}

std::vector<std::vector<uint32_t>> ControlPlane::read_many(
    const std::vector<ReadRequest>& requests) {
  struct Packet {
    size_t request;
    size_t offset;  // words
    size_t n;
  };
  std::vector<Packet> packets;
  std::vector<std::vector<uint32_t>> results(requests.size());
  for (size_t i = 0; i < requests.size(); ++i) {
    const ReadRequest& r = requests[i];
    check_rect(Rect{r.row, r.col, 1, 1});
    if (r.addr % 4 != 0) {
      throw BadInput(fmt::format("read of 0x{:x}: the address must be a multiple of 4", r.addr));
    }
    if (r.n == 0) throw BadInput(fmt::format("read of no words at 0x{:x}", r.addr));
    results[i].resize(r.n);
    for (size_t at = 0; at < r.n; at += kMaxPacketWords) {
      packets.push_back(Packet{i, at, std::min(kMaxPacketWords, r.n - at)});
    }
  }

  size_t issued = 0;
  size_t finished = 0;
  uint64_t last_progress = device_.cycle();
  std::map<uint32_t, size_t> by_tag;
  uint32_t next_tag = 0;

  std::string refused;  // the first refusal; thrown when all answers are in

  auto issue = [&] {
    while (issued < packets.size() &&
           by_tag.size() < static_cast<size_t>(options_.max_outstanding)) {
      const Packet& p = packets[issued];
      const ReadRequest& r = requests[p.request];
      while (by_tag.count(next_tag) != 0) next_tag = (next_tag + 1) & isa::PacketCommand::Tag::kMax;
      std::vector<Wavelet> packet;
      push_headers(&packet, Rect{r.row, r.col, 1, 1});
      packet.push_back(request(command(isa::PacketOp::Read, p.n, next_tag)));
      packet.push_back(request(r.addr + static_cast<uint32_t>(4 * p.offset)));
      packet.push_back(request(Header::Negative::put(1) |
                               Header::ToEdge::put(1)));  // west, to the edge of its row
      packet.push_back(request(0));
      packet.back().ctrl = true;
      device_.send(Side::West, options_.entry_row, packet);
      by_tag[next_tag] = issued++;
      next_tag = (next_tag + 1) & isa::PacketCommand::Tag::kMax;
    }
  };

  auto finish = [&](int row, const std::vector<uint32_t>& words) {
    if (words.size() < 3) {
      throw ProtocolError(fmt::format("response of {} words on the west edge, row {}: at least 3",
                                      words.size(), row));
    }
    const uint32_t status = isa::PacketResponse::Status::get(words[2]);
    const uint32_t tag = isa::PacketResponse::Tag::get(words[2]);
    const size_t n = isa::PacketResponse::Count::get(words[2]);
    const auto it = by_tag.find(tag);
    if (it == by_tag.end()) {
      throw ProtocolError(
          fmt::format("response with unknown tag {} on the west edge, row {}", tag, row));
    }
    const Packet& p = packets[it->second];
    const ReadRequest& r = requests[p.request];
    if (r.row != row) {
      throw ProtocolError(
          fmt::format("response of tile ({}, {}) came out of row {}", r.row, r.col, row));
    }
    if (status != static_cast<uint32_t>(isa::PacketStatus::Done)) {
      if (refused.empty()) {
        refused = fmt::format("tile ({}, {}) refused a read of {} words at 0x{:x}: {}", r.row,
                              r.col, p.n, r.addr + 4 * p.offset,
                              status == static_cast<uint32_t>(isa::PacketStatus::Address)
                                  ? "address error"
                                  : "malformed request");
      }
      by_tag.erase(it);
      ++finished;
      return;
    }
    if (n != p.n || words.size() != n + 3) {
      throw ProtocolError(fmt::format("tile ({}, {}) answered a read of {} words with {} ({} sent)",
                                      r.row, r.col, p.n, n, words.size() - 3));
    }
    std::copy(words.begin() + 3, words.end(),
              results[p.request].begin() + static_cast<std::ptrdiff_t>(p.offset));
    by_tag.erase(it);
    ++finished;
  };

  auto collect = [&] {
    for (size_t row = 0; row < receivers_.size(); ++row) {
      if (device_.available(Side::West, static_cast<int>(row), kColourRsp) == 0) continue;
      last_progress = device_.cycle();
      for (const Arrival& a : device_.take(Side::West, static_cast<int>(row), kColourRsp)) {
        receivers_[row].words.push_back(a.wavelet.data);
        if (!a.wavelet.ctrl) continue;
        std::vector<uint32_t> words;
        words.swap(receivers_[row].words);
        finish(static_cast<int>(row), words);
      }
    }
    issue();
    return finished == packets.size();
  };

  auto describe = [&] {
    const Packet& p = packets[by_tag.empty() ? 0 : by_tag.begin()->second];
    const ReadRequest& r = requests[p.request];
    return fmt::format("tile ({}, {}) did not answer a read of {} words at 0x{:x}", r.row, r.col,
                       p.n, r.addr + 4 * p.offset);
  };

  issue();
  // The time limit counts from the last sign of life, and from the moment when the requests have
  // all left the host's queue (writes before them can be long).
  for (;;) {
    const size_t before = device_.pending_sends();
    const RunStatus status = device_.run(options_.timeout, collect);
    if (status == RunStatus::Done) break;
    if (status == RunStatus::Quiet) throw DeviceFault(describe() + ": nothing moves any more");
    if (device_.pending_sends() >= before && device_.cycle() - last_progress >= options_.timeout) {
      throw DeviceFault(describe() + fmt::format(" within {} cycles", options_.timeout));
    }
  }
  if (!refused.empty()) throw DeviceFault(refused);
  return results;
}

}  // namespace ow
