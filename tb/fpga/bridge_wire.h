// SPDX-License-Identifier: Apache-2.0
// The Verilated bridge at the end of a wire that loses, doubles and changes bytes. Only the
// edge of the grid is there: it takes wavelets as routers do, and sends what a test gives it.
#ifndef OW_TB_BRIDGE_WIRE_H_
#define OW_TB_BRIDGE_WIRE_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "Vow_bridge.h"
#include "ow/base/error.h"
#include "ow/base/rng.h"
#include "ow/device/link_word.h"
#include "ow/device/test_chain.h"
#include "ow/uart/wire.h"
#include "verilated.h"

namespace ow::uart {

constexpr int kPorts = 8;
constexpr double kClockHz = 1e5;  // of the simulated board: slow, so that seconds are short
constexpr int kByteCycles = 8;

// One side of the grid's edge at one port.
class Edge {
 public:
  explicit Edge(uint64_t seed) : rng_(seed) { credits_.fill(0); }

  void give(const Wavelet& w) {
    waiting_[w.colour].push_back(w);
    ++busy_;
  }
  const std::vector<Wavelet>& got(int colour) const { return got_[static_cast<size_t>(colour)]; }
  size_t left() const {
    size_t n = 0;
    for (const auto& q : waiting_) n += q.size();
    return n;
  }
  void set_blocked(uint32_t colours) { blocked_ = colours; }
  void reset() {
    for (int c = 0; c < kMaxColours; ++c) credits_[static_cast<size_t>(c)] = link_credits(c);
    for (auto& q : kept_) {
      busy_ -= q.size();
      q.clear();
    }
    for (auto& q : got_) q.clear();
    busy_ -= owed_.size();
    owed_.clear();
  }

  // The word that the grid drives, from what came in the cycle before.
  uint64_t clock(uint64_t in) {
    if (in == 0 && busy_ == 0) return 0;
    if (in != 0 && !link_has_wavelet(in) && !link_has_credit(in)) broken = "nothing is not zero";
    if (link_has_wavelet(in)) {
      const Wavelet w = link_wavelet(in);
      got_[w.colour].push_back(w);
      kept_[w.colour].push_back(w);
      ++busy_;
      size_t price = 0;
      for (const Wavelet& k : kept_[w.colour]) price += static_cast<size_t>(cost(k));
      if (price > static_cast<size_t>(link_credits(w.colour))) broken = "sent without a credit";
    }
    if (link_has_credit(in)) {
      const int c = link_credit_colour(in);
      if (++credits_[static_cast<size_t>(c)] > link_credits(c)) broken = "a credit too many";
    }
    uint64_t out = 0;
    for (size_t c = 0; c < kMaxColours; ++c) {  // what was kept leaves at some time
      if (kept_[c].empty() || (blocked_ >> c & 1) != 0 || rng_.below(4) != 0) continue;
      for (int k = 0; k < cost(kept_[c].front()); ++k) owed_.push_back(static_cast<int>(c));
      busy_ += static_cast<size_t>(cost(kept_[c].front())) - 1;
      kept_[c].pop_front();
    }
    if (!owed_.empty()) {
      out |= link_of_credit(owed_.front());
      owed_.pop_front();
      --busy_;
    }
    for (size_t k = 0; k < kMaxColours; ++k) {
      const size_t c = (k + next_) % kMaxColours;
      if (waiting_[c].empty() || credits_[c] < cost(waiting_[c].front())) continue;
      credits_[c] -= cost(waiting_[c].front());
      out |= link_of_wavelet(waiting_[c].front());
      waiting_[c].pop_front();
      --busy_;
      next_ = c + 1;
      break;
    }
    return out;
  }

  std::string broken;

 private:
  static int cost(const Wavelet& w) { return is_command(w) ? link_credits(w.colour) : 1; }

  Rng rng_;
  std::array<std::deque<Wavelet>, kMaxColours> waiting_, kept_;
  std::array<std::vector<Wavelet>, kMaxColours> got_;
  std::array<int, kMaxColours> credits_;
  std::deque<int> owed_;
  uint32_t blocked_ = 0;
  size_t busy_ = 0;  // wavelets and credits that are to go
  size_t next_ = 0;
};

// What happens to bytes of one direction.
struct Noise {
  double changed = 0, lost = 0, doubled = 0;
};

// A station at a chain: one column's, with its identity and nothing else.
class Station {
 public:
  explicit Station(int column) : column_(static_cast<uint64_t>(column)) {}
  // So many answers are not sent.
  void lose(int answers) { lost_ = answers; }
  int commands() const { return commands_; }
  // What it drives, from what is driven: a start bit and 64 bits, and so back.
  bool clock(bool in) {
    using Frame = isa::ChainFrame;
    if (coming_ > 0) {
      frame_ = frame_ << 1 | (in ? 1 : 0);
      if (--coming_ == 0 && Frame::Column::get(frame_) == column_) {
        const uint64_t head = (frame_ & ~(Frame::Data::kMask | Frame::Crc::kMask)) |
                              Frame::Answer::put(1) | Frame::Data::put(wafer::kStationIdValue);
        frame_ = head | wafer::chain_crc(head >> Frame::Crc::kWidth);
        ++commands_;
        going_ = lost_ > 0 ? 0 : 65;
        lost_ -= lost_ > 0;
      }
      return false;
    }
    if (going_ > 0) return --going_ == 64 || (frame_ >> going_ & 1) != 0;
    if (in) coming_ = 64;
    return false;
  }

 private:
  uint64_t column_, frame_ = 0;
  int coming_ = 0, going_ = 0;
  int lost_ = 0, commands_ = 0;
};

class Board {
 public:
  explicit Board(uint64_t seed) : rng_(seed) {
    for (int p = 0; p < kPorts; ++p) edges.emplace_back(seed * 100 + static_cast<uint64_t>(p));
    reset();
  }
  ~Board() { model_->final(); }

  void reset() {
    model_->rst_i = 1;
    model_->idle_i = 1;
    for (int k = 0; k < 4; ++k) clock();
    model_->rst_i = 0;
  }

  void clock() {
    const bool in_reset = model_->rst_i != 0 || model_->grid_rst_o != 0;
    for (int p = 0; p < kPorts; ++p) {
      Edge& e = edges[static_cast<size_t>(p)];
      if (in_reset) e.reset();
      put(p, in_reset ? 0 : e.clock(get(p)));
    }
    model_->cycle_i = in_reset ? 0 : model_->cycle_i + 1;
    model_->chain_near_i = model_->chain_skip_i = 0;
    for (auto& [end, chain] : stations) {
      const bool out = chain.station.clock((model_->chain_o >> end & 1) != 0);
      auto& heard = chain.beyond ? model_->chain_skip_i : model_->chain_near_i;
      heard = static_cast<CData>(heard | (out ? 1u << end : 0u));
    }
    clock_wire();
    model_->clk_i = 1;
    model_->eval();
    model_->clk_i = 0;
    model_->eval();
    ++cycles;
  }

  Noise down, up;
  uint64_t out_until = 0;  // the cable is out before this cycle
  std::deque<uint8_t> to_board, to_host;
  std::vector<Edge> edges;
  struct Chain {
    Station station;
    bool beyond = false;  // farther from the port than a dead station
  };
  std::map<int, Chain> stations;  // by the end of a chain
  uint64_t cycles = 0;
  uint64_t faults = 0;

 private:
  // A byte at most every kByteCycles in each direction.
  void clock_wire() {
    const bool slot = cycles % kByteCycles == 0;
    model_->rx_valid_i = 0;
    if (slot && !to_board.empty()) {
      model_->rx_data_i = to_board.front();
      model_->rx_valid_i = 1;
      to_board.pop_front();
    }
    model_->tx_ready_i = slot;
    model_->eval();
    if (slot && model_->tx_valid_o != 0) pass(model_->tx_data_o, up, &to_host);
  }

 public:
  // A byte through the noise.
  void pass(uint8_t byte, const Noise& noise, std::deque<uint8_t>* out) {
    if (cycles < out_until || rng_.uniform() < noise.lost) {
      ++faults;
      return;
    }
    if (rng_.uniform() < noise.changed) {
      ++faults;
      byte ^= static_cast<uint8_t>(1 + rng_.below(255));
    }
    out->push_back(byte);
    if (rng_.uniform() < noise.doubled) {
      ++faults;
      out->push_back(byte);
    }
  }

 private:
  // The 45 bits of a port lie in two or three words of the packed ports.
  void put(int port, uint64_t word) {
    for (int b = 0; b < kLinkBits;) {
      const int at = port * kLinkBits + b;
      const int n = std::min(32 - at % 32, kLinkBits - b);
      const auto mask = static_cast<EData>(((uint64_t{1} << n) - 1) << (at % 32));
      EData& part = model_->links_i.at(static_cast<size_t>(at / 32));
      part = (part & ~mask) | (static_cast<EData>(word >> b << (at % 32)) & mask);
      b += n;
    }
  }
  uint64_t get(int port) const {
    uint64_t word = 0;
    for (int b = 0; b < kLinkBits;) {
      const int at = port * kLinkBits + b;
      const int n = std::min(32 - at % 32, kLinkBits - b);
      const uint64_t part = model_->links_o.at(static_cast<size_t>(at / 32)) >> (at % 32);
      word |= (part & ((uint64_t{1} << n) - 1)) << b;
      b += n;
    }
    return word;
  }

  Rng rng_;
  VerilatedContext context_;
  std::unique_ptr<Vow_bridge> model_ = std::make_unique<Vow_bridge>(&context_, "bridge");
};

// The host's end; the board runs while the host waits.
class BridgeWire : public Wire {
 public:
  explicit BridgeWire(Board* board) : board_(*board) {}
  size_t write(const uint8_t* data, size_t count) override {
    // As a port's buffer: some, not all.
    size_t n = 0;
    for (; n < count && board_.to_board.size() < 300; ++n) {
      board_.pass(data[n], board_.down, &board_.to_board);
    }
    return n;
  }
  size_t read(uint8_t* data, size_t count, double seconds) override {
    const uint64_t end = board_.cycles + 1 + static_cast<uint64_t>(seconds * kClockHz);
    while (board_.to_host.empty() && board_.cycles < end) board_.clock();
    size_t n = 0;
    for (; n < count && !board_.to_host.empty(); ++n) {
      data[n] = board_.to_host.front();
      board_.to_host.pop_front();
    }
    return n;
  }
  double now() override { return static_cast<double>(board_.cycles) / kClockHz; }
  double rate() const override { return kClockHz / kByteCycles; }
  double latency() const override { return 0; }
  std::string description() const override { return "bridge"; }

 private:
  Board& board_;
};

}  // namespace ow::uart

#endif  // OW_TB_BRIDGE_WIRE_H_
