// SPDX-License-Identifier: Apache-2.0
// A grid of Verilated fabric nodes (router, ramp, control-plane endpoint) with models of the outer
// edges, for the fabric's tests and figures. Every node output is a register, so the nodes are
// evaluated one after another with the link words of the cycle before.
#ifndef OW_FABRIC_NODE_GRID_H_
#define OW_FABRIC_NODE_GRID_H_

#include <array>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "Vow_fabric_node.h"
#include "ow/device/link_word.h"
#include "ow/isa/isa.h"
#include "verilated.h"

namespace ow::fabric {

enum Port {
  kN = static_cast<int>(isa::Port::North),
  kE = static_cast<int>(isa::Port::East),
  kS = static_cast<int>(isa::Port::South),
  kW = static_cast<int>(isa::Port::West),
  kRamp = static_cast<int>(isa::Port::Ramp)
};
constexpr int kReq = isa::kColourReq;
constexpr int kRsp = isa::kColourRsp;
constexpr int kColours = isa::kMaxDataColours + 2;

// Credits that a sender starts with, of every colour.
constexpr int credits_of(int colour) {
  return colour < kReq ? isa::kLinkCredits : isa::kCtlCredits;
}

struct Wavelet {
  int colour = 0;
  bool ctrl = false;
  uint32_t data = 0;
};

struct Seen {
  uint64_t cycle = 0;
  Wavelet w;
};

inline uint64_t pack_wavelet(const Wavelet& w) {
  return link_of_wavelet({static_cast<uint8_t>(w.colour), w.ctrl, w.data});
}
// A control wavelet with commands spends all credits of its colour, and all of them come back.
inline bool is_fence(const Wavelet& w) {
  return w.colour < kReq && w.ctrl && (w.data & isa::Control::Commands::kMask) != 0;
}
// X or Y header of a packet to hops `near` to `far`.
inline uint32_t header(int near, int far, bool negative = false) {
  return isa::PacketHeader::Near::put(near) | isa::PacketHeader::Far::put(far) |
         isa::PacketHeader::Negative::put(negative);
}
// A request of one word to the tile that is `rows` south and `columns` east.
inline uint32_t one_word(int rows, int columns, int task) {
  using Brief = isa::PacketBrief;
  return Brief::West::put(columns < 0) | Brief::North::put(rows < 0) |
         Brief::HopsY::put(std::abs(rows)) | Brief::HopsX::put(std::abs(columns)) |
         Brief::Task::put(task);
}
// First word of a request of `n` words.
inline uint32_t command(isa::PacketOp op, size_t n, int tag = 0) {
  return isa::PacketCommand::Operation::put(op) | isa::PacketCommand::Tag::put(tag) |
         isa::PacketCommand::Count::put(n);
}
// X header of a response that leaves at the west edge.
constexpr uint32_t kToWestEdge =
    isa::PacketHeader::Negative::put(1) | isa::PacketHeader::ToEdge::put(1);

// A position of a switch.
constexpr uint32_t way(int in, uint32_t outs) {
  return isa::Position::InPort::put(in) | isa::Position::OutMask::put(outs);
}

// The neighbour beyond one edge link of the grid. It sends what is queued as credits allow, takes
// what comes, and returns the credits, by default at once.
class Edge {
 public:
  std::deque<Wavelet> to_send;  // in this order; the first blocks the others
  std::array<std::deque<Wavelet>, kColours>
      to_send_by_colour;  // round robin, when to_send is empty
  std::vector<Seen> seen;
  std::function<bool(int colour)> accepts = [](int) { return true; };
  std::vector<uint64_t> sent_cycles;
  bool log_sends = false;

  Edge() {
    for (int c = 0; c < kColours; ++c) credits_[c] = credits_of(c);
  }

  // The word that is on the link in the coming cycle.
  uint64_t drive(uint64_t cycle) {
    uint64_t word = 0;
    if (!to_send.empty()) {
      if (may_send(to_send.front())) {
        word |= send(to_send.front(), cycle);
        to_send.pop_front();
      }
    } else {
      for (int i = 1; i <= kColours; ++i) {
        int c = (last_ + i) % kColours;
        if (to_send_by_colour[c].empty() || !may_send(to_send_by_colour[c].front())) continue;
        word |= send(to_send_by_colour[c].front(), cycle);
        to_send_by_colour[c].pop_front();
        last_ = c;
        break;
      }
    }
    for (int i = 1; i <= kColours; ++i) {
      int c = (last_credit_ + i) % kColours;
      if (held_[c] == 0 || !accepts(c)) continue;
      --held_[c];
      word |= link_of_credit(c);
      last_credit_ = c;
      break;
    }
    return word;
  }

  void sample(uint64_t word, uint64_t cycle) {
    if (word != 0 && !link_has_wavelet(word) && !link_has_credit(word))
      throw std::runtime_error("edge: a link that carries nothing is not zero");
    if (link_has_wavelet(word)) {
      const ow::Wavelet in = link_wavelet(word);
      const Wavelet w{in.colour, in.ctrl, in.data};
      held_[w.colour] += is_fence(w) ? credits_of(w.colour) : 1;
      if (held_[w.colour] > credits_of(w.colour))
        throw std::runtime_error("edge: sent without a credit");
      seen.push_back({cycle, w});
    }
    if (link_has_credit(word)) {
      const int c = link_credit_colour(word);
      if (++credits_[c] > credits_of(c)) throw std::runtime_error("edge: a credit too many");
    }
  }

  bool quiet() const {
    for (int c = 0; c < kColours; ++c) {
      if (held_[c] != 0 || credits_[c] != credits_of(c) || !to_send_by_colour[c].empty())
        return false;
    }
    return to_send.empty();
  }
  int credits(int colour) const { return credits_[colour]; }
  void set_credits(int colour, int credits) { credits_[colour] = credits; }

 private:
  bool may_send(const Wavelet& w) const {
    return credits_[w.colour] >= (is_fence(w) ? credits_of(w.colour) : 1);
  }
  uint64_t send(const Wavelet& w, uint64_t cycle) {
    credits_[w.colour] -= is_fence(w) ? credits_of(w.colour) : 1;
    if (log_sends) sent_cycles.push_back(cycle);
    return pack_wavelet(w);
  }
  std::array<int, kColours> credits_{};
  std::array<int, kColours> held_{};
  int last_ = 0;
  int last_credit_ = 0;
};

class Node {
 public:
  Node()
      : ctx_(std::make_unique<VerilatedContext>()),
        m_(std::make_unique<Vow_fabric_node>(ctx_.get())) {
    ctx_->assertOn(true);
  }
  Vow_fabric_node& m() { return *m_; }

  // One clock edge. With `skip`, a node that says that nothing can change is not evaluated.
  void clock(bool skip) {
    bool inputs = (m_->link_n_i | m_->link_e_i | m_->link_s_i | m_->link_w_i) != 0 || m_->push_i ||
                  m_->push2_i || m_->clear_i || m_->inq_pop_i || m_->ask_valid_i ||
                  m_->mem_stall_i || m_->rst_i;
    if (skip && !inputs && was_idle_) return;
    m_->clk_i = 0;
    m_->eval();
    was_idle_ = m_->idle_o && !inputs;
    m_->clk_i = 1;
    m_->eval();
    ++evals;
  }
  bool in_valid(int q) const { return m_->inq_valid_o >> q & 1; }
  bool out_ready(int q) const { return m_->push_turn_o && (m_->outq_ready_o >> q & 1) != 0; }
  uint64_t in_head(int q) const {  // bit 32: control
    uint64_t v = 0;
    for (int i = 0; i < 33; ++i) {
      int b = 33 * q + i;
      v |= uint64_t(m_->inq_head_o[b / 32] >> (b % 32) & 1) << i;
    }
    return v;
  }
  uint32_t memory(uint32_t word) {
    m_->dbg_addr_i = word;
    m_->eval();
    return m_->dbg_data_o;
  }
  uint64_t evals = 0;

 private:
  std::unique_ptr<VerilatedContext> ctx_;
  std::unique_ptr<Vow_fabric_node> m_;
  bool was_idle_ = false;
};

class Grid {
 public:
  Grid(int rows, int cols) : rows_(rows), cols_(cols), nodes_(rows * cols) {
    for (auto& n : nodes_) n = std::make_unique<Node>();
    edges_[kN].resize(cols);
    edges_[kS].resize(cols);
    edges_[kE].resize(rows);
    edges_[kW].resize(rows);
    out_.resize(nodes_.size());
    for (auto& n : nodes_) {
      n->m().rst_i = 1;
      n->clock(false);
      n->clock(false);
      n->m().rst_i = 0;
    }
  }

  int rows() const { return rows_; }
  int cols() const { return cols_; }
  Node& at(int r, int c) { return *nodes_[r * cols_ + c]; }
  Edge& edge(int port, int i) { return edges_[port][i]; }
  uint64_t cycle() const { return cycle_; }
  bool skip = false;

  // Called for each node before the clock edge: sees the state of the cycle, sets push and pop.
  std::function<void(int r, int c, Node&)> drive_node;

  void step() {
    for (size_t i = 0; i < nodes_.size(); ++i) {
      auto& m = nodes_[i]->m();
      out_[i] = {m.link_n_o, m.link_e_o, m.link_s_o, m.link_w_o};
    }
    for (int r = 0; r < rows_; ++r) {
      for (int c = 0; c < cols_; ++c) {
        Node& n = at(r, c);
        auto& m = n.m();
        m.link_n_i = r > 0 ? out(r - 1, c, kS) : edges_[kN][c].drive(cycle_);
        m.link_s_i = r + 1 < rows_ ? out(r + 1, c, kN) : edges_[kS][c].drive(cycle_);
        m.link_w_i = c > 0 ? out(r, c - 1, kE) : edges_[kW][r].drive(cycle_);
        m.link_e_i = c + 1 < cols_ ? out(r, c + 1, kW) : edges_[kE][r].drive(cycle_);
        if (drive_node) drive_node(r, c, n);
        n.clock(skip);
      }
    }
    for (int c = 0; c < cols_; ++c) {
      edges_[kN][c].sample(out(0, c, kN), cycle_);
      edges_[kS][c].sample(out(rows_ - 1, c, kS), cycle_);
    }
    for (int r = 0; r < rows_; ++r) {
      edges_[kW][r].sample(out(r, 0, kW), cycle_);
      edges_[kE][r].sample(out(r, cols_ - 1, kE), cycle_);
    }
    ++cycle_;
  }
  void run(int cycles) {
    for (int i = 0; i < cycles; ++i) step();
  }

  // A request packet from the west edge of row `from` to the rectangle (r0..r1, c0..c1), rows at or
  // below `from`.
  void request(int from, int r0, int r1, int c0, int c1, const std::vector<uint32_t>& words) {
    auto& q = edges_[kW][from].to_send;
    q.push_back({kReq, false, header(c0, c1)});
    q.push_back({kReq, false, header(r0 - from, r1 - from)});
    for (size_t i = 0; i < words.size(); ++i) {
      q.push_back({kReq, i + 1 == words.size(), words[i]});
    }
  }
  void write(int r0, int r1, int c0, int c1, uint32_t addr, const std::vector<uint32_t>& data) {
    std::vector<uint32_t> words = {command(isa::PacketOp::Write, data.size()), addr};
    words.insert(words.end(), data.begin(), data.end());
    request(0, r0, r1, c0, c1, words);
  }
  // A register by its address (isa::reg).
  void write_reg(int r, int c, uint32_t addr, uint32_t value) { write(r, r, c, c, addr, {value}); }
  void route(int r, int c, int colour, int in, int mask) {
    write_reg(r, c, isa::reg::Route::address(colour),
              isa::reg::Route::Enable::put(1) | isa::reg::Route::Position::put(way(in, mask)));
  }
  void bind_in(int r, int c, int queue, int colour) {
    write_reg(r, c, isa::reg::Inq::address(queue),
              isa::reg::Inq::Enable::put(1) | isa::reg::Inq::Colour::put(colour));
  }
  void bind_out(int r, int c, int queue, int colour) {
    write_reg(r, c, isa::reg::Outq::address(queue),
              isa::reg::Outq::Enable::put(1) | isa::reg::Outq::Colour::put(colour));
  }
  // Sends what is queued at the edges and waits for it to settle.
  void settle(int limit = 100000) {
    int still = 0;
    while (still < 60) {
      bool idle = true;
      for (auto& side : edges_) {
        for (auto& e : side) idle = idle && e.to_send.empty();
      }
      step();
      still = idle ? still + 1 : 0;
      if (--limit == 0) throw std::runtime_error("fabric does not settle");
    }
  }
  // Reads by a request from the west edge of row 0. The response leaves at the west edge of row r.
  std::vector<uint32_t> read(int r, int c, uint32_t addr, int words, int* status = nullptr) {
    constexpr int kTag = 0x5A;
    Edge& w = edges_[kW][r];
    size_t first = w.seen.size();
    request(0, r, r, c, c, {command(isa::PacketOp::Read, words, kTag), addr, kToWestEdge, 0});
    std::vector<uint32_t> got;
    for (int i = 0; i < 100000; ++i) {
      step();
      got.clear();
      bool done = false;
      for (size_t k = first; k < w.seen.size(); ++k) {
        if (w.seen[k].w.colour != kRsp) continue;
        got.push_back(w.seen[k].w.data);
        done = w.seen[k].w.ctrl;
      }
      if (done) break;
    }
    if (got.size() < 3) throw std::runtime_error("no response");
    if (status) *status = int(isa::PacketResponse::Status::get(got[2]));
    if (isa::PacketResponse::Tag::get(got[2]) != kTag)
      throw std::runtime_error("response with a wrong tag");
    if (isa::PacketResponse::Count::get(got[2]) != got.size() - 3)
      throw std::runtime_error("response length is wrong");
    return {got.begin() + 3, got.end()};
  }
  // All credits are back and nothing is stored anywhere; "" or what is wrong.
  std::string check_quiet(int colours = 24) {
    for (int r = 0; r < rows_; ++r) {
      for (int c = 0; c < cols_; ++c) {
        std::string where = " at row " + std::to_string(r) + " column " + std::to_string(c);
        if (read(r, c, isa::reg::RtOccupied::kAddress, 1)[0]) return "occupied" + where;
        if (read(r, c, isa::reg::RtMisroute::kAddress, 1)[0]) return "misroute" + where;
        auto s = read(r, c, isa::reg::RtCredits::kAddress, isa::reg::RtCredits::kCount);
        for (int p = 0; p < 4; ++p) {
          for (int k = 0; k < colours; ++k) {
            if (isa::reg::RtCredits::Credits::get(s[4 * p + k / 8], k % 8) !=
                uint32_t(credits_of(k))) {
              return "credits of colour " + std::to_string(k) + " port " + std::to_string(p) +
                     where;
            }
          }
        }
      }
    }
    run(20);
    for (auto& side : edges_) {
      for (auto& e : side) {
        if (!e.quiet()) return "an edge is not quiet";
      }
    }
    return "";
  }

 private:
  uint64_t out(int r, int c, int p) const { return out_[r * cols_ + c][p]; }
  int rows_, cols_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::array<std::vector<Edge>, 4> edges_;
  std::vector<std::array<uint64_t, 4>> out_;
  uint64_t cycle_ = 0;
};

}  // namespace ow::fabric

#endif  // OW_FABRIC_NODE_GRID_H_
