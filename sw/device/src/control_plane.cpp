// SPDX-License-Identifier: Apache-2.0
#include "ow/device/control_plane.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/device/bulk.h"
#include "ow/device/tile_map.h"

namespace ow {
namespace {

constexpr size_t kMaxPacketWords = isa::PacketCommand::Count::kMax;
constexpr size_t kManyReads = 4096;  // that enter at all sides, with a fence before them
using Header = isa::PacketHeader;

uint32_t hops(bool negative, int near, int far) {
  return Header::Negative::put(negative) | Header::Far::put(far) | Header::Near::put(near);
}

uint32_t command(isa::PacketOp op, size_t n, uint32_t tag = 0) {
  return isa::PacketCommand::Operation::put(op) | isa::PacketCommand::Tag::put(tag) |
         isa::PacketCommand::Count::put(n);
}

Wavelet request(uint32_t data) { return Wavelet{kColourReq, false, data}; }

// The rectangle lies on one side of the entry row, or starts in it.
void push_headers(std::vector<Wavelet>* packet, const Rect& rect, int entry_row) {
  packet->push_back(request(hops(false, rect.col, rect.col + rect.cols - 1)));
  const int first = rect.row - entry_row;
  const int last = first + rect.rows - 1;
  if (first >= 0) {
    packet->push_back(request(hops(false, first, last)));
  } else {
    packet->push_back(request(hops(true, -last, -first)));
  }
}

}  // namespace

void check_write(uint32_t addr, size_t words, uint32_t sram_bytes) {
  if (addr >= kTileRegs || addr + uint64_t{4} * words <= sram_bytes) return;
  throw BadInput(fmt::format("write of {} bytes at 0x{:x}: a tile has {} bytes of SRAM", 4 * words,
                             addr, sram_bytes));
}

ControlPlane::ControlPlane(Device& device) : ControlPlane(device, Options()) {}

ControlPlane::ControlPlane(Device& device, const Options& options)
    : device_(device), options_(options), reads_(device) {
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
  if (!fits(rect, s)) {
    throw BadInput(fmt::format("{} x {} tiles at row {}, column {} are not in the {} x {} grid",
                               rect.rows, rect.cols, rect.row, rect.col, s.rows, s.cols));
  }
}

void ControlPlane::write(const Rect& rect, uint32_t addr, const std::vector<uint32_t>& words) {
  check_rect(rect);
  if (addr % 4 != 0) {
    throw BadInput(fmt::format("write to 0x{:x}: the address must be a multiple of 4", addr));
  }
  if (words.empty()) throw BadInput(fmt::format("write of no words to 0x{:x}", addr));
  if (addr < kTileRegs) check_write(addr, words.size(), sram_bytes(rect.row, rect.col));
  written_ = written_ ? around(*written_, rect) : rect;
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
    push_headers(&packet, rect, options_.entry_row);
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

void ControlPlane::write(const Rect& rect, uint32_t addr, uint32_t word) {
  write(rect, addr, std::vector<uint32_t>{word});
}
void ControlPlane::write_tile(int row, int col, uint32_t addr, const std::vector<uint32_t>& words) {
  write(Rect{row, col, 1, 1}, addr, words);
}
void ControlPlane::write_tile(int row, int col, uint32_t addr, uint32_t word) {
  write(Rect{row, col, 1, 1}, addr, std::vector<uint32_t>{word});
}

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

// Reads in packets, several of them under way at a time. Those that are under way when an error
// ends this are abandoned.
class ControlPlane::ManyReads {
 public:
  ManyReads(ControlPlane* control, const std::vector<ReadRequest>& requests)
      : ManyReads(control, requests.size()) {
    for (size_t i = 0; i < requests.size(); ++i) {
      const ReadRequest& r = requests[i];
      const Rect tile{r.row, r.col, 1, 1};
      control_.check_rect(tile);
      if (r.addr % 4 != 0) {
        throw BadInput(fmt::format("read of 0x{:x}: the address must be a multiple of 4", r.addr));
      }
      if (r.n == 0) throw BadInput(fmt::format("read of no words at 0x{:x}", r.addr));
      results_[i].resize(r.n);
      for (size_t at = 0; at < r.n; at += kMaxPacketWords) {
        packets_.push_back(Packet{tile, r.addr + static_cast<uint32_t>(4 * at),
                                  std::min(kMaxPacketWords, r.n - at), &results_[i][at]});
      }
    }
  }
  // A fence: a tile's answer proves that it has taken all earlier writes. The tiles of a row answer
  // one multicast.
  ManyReads(ControlPlane* control, const Rect& fenced) : ManyReads(control, 0) {
    for (int row = fenced.row; row < fenced.row + fenced.rows; ++row) {
      packets_.push_back(Packet{Rect{row, fenced.col, 1, fenced.cols}, 0, 1, nullptr});
    }
  }

  ~ManyReads() {
    for (const auto& [key, packet] : under_way_) {
      control_.reads_.abandon(Side::West, key.first, key.second);
    }
  }
  ManyReads(const ManyReads&) = delete;
  ManyReads& operator=(const ManyReads&) = delete;

  std::vector<std::vector<uint32_t>> run() {
    issue();
    wait();
    if (!refused_.empty()) throw DeviceFault(refused_);
    return std::move(results_);
  }

 private:
  struct Packet {
    Rect rect;  // tiles of a row
    uint32_t addr;
    size_t n;
    uint32_t* to;  // nullptr: a fence
  };
  ManyReads(ControlPlane* control, size_t results)
      : control_(*control),
        device_(control->device_),
        results_(results),
        last_progress_(device_.patience_cycle()) {}

  // Sends as many as may be under way.
  void issue() {
    while (issued_ < packets_.size() &&
           under_way_.size() < static_cast<size_t>(control_.options_.max_outstanding)) {
      const Rect& rect = packets_[issued_].rect;
      const std::optional<uint32_t> tag = control_.reads_.begin(Side::West, rect.row, rect.cols);
      if (!tag && !under_way_.empty()) return;
      if (!tag) {
        throw DeviceFault(fmt::format(
            "no read can be sent: the tiles of row {} have not answered {} earlier ones", rect.row,
            ControlReads::kTags));
      }
      send(packets_[issued_], *tag);
      under_way_[{rect.row, *tag}] = {issued_++, rect.cols};
    }
  }

  void send(const Packet& p, uint32_t tag) {
    std::vector<Wavelet> packet;
    push_headers(&packet, p.rect, control_.options_.entry_row);
    packet.push_back(request(command(isa::PacketOp::Read, p.n, tag)));
    packet.push_back(request(p.addr));
    packet.push_back(request(Header::Negative::put(1) |
                             Header::ToEdge::put(1)));  // west, to the edge of its row
    packet.push_back(request(0));
    packet.back().ctrl = true;
    device_.send(Side::West, control_.options_.entry_row, packet);
  }

  // The time limit counts from the last sign of life, and starts only when all requests have left
  // the host's queue (writes before them can be long).
  void wait() {
    const uint64_t timeout = control_.options_.timeout;
    while (finished_ < packets_.size()) {
      const size_t before = device_.pending_sends();
      const RunStatus status = device_.run(timeout, [this] { return collect(); });
      if (status == RunStatus::Done) return;
      if (status == RunStatus::Quiet) throw DeviceFault(describe() + ": nothing moves any more");
      if (device_.pending_sends() >= before &&
          device_.patience_cycle() - last_progress_ >= timeout) {
        throw DeviceFault(describe() + fmt::format(" within {} cycles", timeout));
      }
    }
  }

  bool collect() {
    for (int row = 0; row < device_.shape().rows; ++row) {
      if (device_.available(Side::West, row, kColourRsp) != 0) {
        last_progress_ = device_.patience_cycle();
      }
      while (const auto answer = control_.reads_.next(Side::West, row)) finish(row, *answer);
    }
    issue();
    return finished_ == packets_.size();
  }

  void finish(int row, const ControlReads::Answer& answer) {
    const auto it = under_way_.find({row, answer.tag});
    if (it == under_way_.end()) {
      throw ProtocolError(
          fmt::format("answer with tag {} in row {}: another read has it", answer.tag, row));
    }
    const Packet& p = packets_[it->second.packet];
    if (--it->second.answers == 0) {
      under_way_.erase(it);
      ++finished_;
    }
    if (answer.status == static_cast<uint32_t>(isa::PacketStatus::Done)) {
      store(p, answer);
    } else if (refused_.empty()) {
      refused_ = refusal(p, answer.status);
    }
  }

  void store(const Packet& p, const ControlReads::Answer& answer) {
    if (answer.count != p.n || answer.words.size() != p.n) {
      throw ProtocolError(fmt::format("{} answered a read of {} words with {} ({} sent)", who(p),
                                      p.n, answer.count, answer.words.size()));
    }
    if (p.to != nullptr) std::copy(answer.words.begin(), answer.words.end(), p.to);
  }

  static std::string who(const Packet& p) {
    return p.rect.cols == 1 ? fmt::format("tile ({}, {})", p.rect.row, p.rect.col)
                            : fmt::format("a tile of row {}", p.rect.row);
  }
  std::string refusal(const Packet& p, uint32_t status) const {
    return fmt::format("{} refused a read of {} words at 0x{:x}: {}", who(p), p.n, p.addr,
                       status == static_cast<uint32_t>(isa::PacketStatus::Address)
                           ? "address error"
                           : "malformed request");
  }
  std::string describe() const {
    const Packet& p = packets_[under_way_.empty() ? 0 : under_way_.begin()->second.packet];
    return fmt::format("{} did not answer a read of {} words at 0x{:x}", who(p), p.n, p.addr);
  }

  struct UnderWay {
    size_t packet;
    int answers;  // that have not come
  };

  ControlPlane& control_;
  Device& device_;
  std::vector<std::vector<uint32_t>> results_;
  std::vector<Packet> packets_;
  size_t issued_ = 0;
  size_t finished_ = 0;
  uint64_t last_progress_;
  std::map<std::pair<int, uint32_t>, UnderWay> under_way_;  // by row and tag
  std::string refused_;  // the first refusal; thrown when all answers are in
};

std::vector<std::vector<uint32_t>> ControlPlane::read_many(
    const std::vector<ReadRequest>& requests) {
  return requests.size() < kManyReads ? ManyReads(this, requests).run()
                                      : read_at_all_sides(requests);
}

// A tile answers one after another what is asked of it.
std::vector<std::vector<uint32_t>> ControlPlane::read_at_all_sides(
    const std::vector<ReadRequest>& requests) {
  if (written_) fence(*written_);
  written_.reset();
  struct Tile {
    std::vector<Bulk::Span> spans;
    std::vector<size_t> requests;
    std::vector<uint32_t> words;
  };
  std::map<std::pair<int, int>, Tile> tiles;
  for (size_t i = 0; i < requests.size(); ++i) {
    const ReadRequest& r = requests[i];
    Tile& tile = tiles[{r.row, r.col}];
    tile.spans.push_back({r.addr, r.n});
    tile.requests.push_back(i);
    tile.words.resize(tile.words.size() + r.n);
  }
  Bulk bulk(*this, sram_bytes_);
  for (auto& [place, tile] : tiles) bulk.read(place.first, place.second, tile.spans, &tile.words);
  for (bool done = bulk.pump(); !done;) {
    const size_t before = bulk.left();
    const RunStatus status = device_.run(options_.timeout, [&bulk] { return bulk.pump(); });
    done = status == RunStatus::Done;
    if (done || (status != RunStatus::Quiet && bulk.left() < before)) continue;
    throw DeviceFault(fmt::format("no answer of {}: {}", bulk.waiting_for(),
                                  status == RunStatus::Quiet
                                      ? "nothing moves any more"
                                      : fmt::format("none within {} cycles", options_.timeout)));
  }
  std::vector<std::vector<uint32_t>> results(requests.size());
  for (const auto& [place, tile] : tiles) {
    auto at = tile.words.begin();
    for (const size_t i : tile.requests) {
      const auto end = at + static_cast<std::ptrdiff_t>(requests[i].n);
      results[i].assign(at, end);
      at = end;
    }
  }
  return results;
}

void ControlPlane::fence(const Rect& rect) {
  check_rect(rect);
  if (static_cast<size_t>(rect.rows) * static_cast<size_t>(rect.cols) < kManyReads) {
    read_rect(rect, 0, 1);
  } else {
    ManyReads(this, rect).run();
  }
}

}  // namespace ow
