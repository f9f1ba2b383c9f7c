// SPDX-License-Identifier: Apache-2.0
// A row of three physical tiles that presents two logical ones: its chain and its west edge, as the
// host sees them.
#ifndef OW_TB_RETICLE_BENCH_H_
#define OW_TB_RETICLE_BENCH_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../chain/chain_host.h"
#include "Vow_reticle.h"
#include "ow/device/link_word.h"
#include "ow/isa/isa.h"
#include "ow/wafer/repair.h"

namespace ow::wafer {

inline constexpr int kStations = 3;
inline constexpr int kRequest = isa::kColourReq, kResponse = isa::kColourRsp;
namespace st = isa::station;
inline constexpr uint32_t kId = st::Id::kAddress, kControl = st::Control::kAddress,
                          kTileFuse = st::TileFuse::kAddress, kRowFuse = st::RowFuse::kAddress,
                          kPush = st::Push::kAddress, kPushLast = st::PushLast::kAddress,
                          kPop = st::Pop::kAddress, kPopState = st::PopState::kAddress;
inline constexpr uint32_t kRun = st::Control::Run::put(1), kTest = st::Control::Test::put(1);

struct Word {
  uint32_t data;
  bool last;
};

class Reticle {
 public:
  Reticle() {
    top_.rst_i = 1;
    for (int i = 0; i < 4; ++i) clock();
    top_.rst_i = 0;
  }

  std::optional<uint32_t> command(int column, bool write, uint32_t reg, uint32_t data = 0) {
    return tb::chain_command(
        [&](bool bit) {
          top_.chain_w_i = bit;
          clock();
          return top_.chain_w_near_o != 0;
        },
        kStations, column, write, static_cast<int>(reg), data);
  }

  bool find(int column) {
    for (int i = 0; i < 12; ++i) {
      if (command(column, false, kId) == st::Id::kReset) return true;
    }
    return false;
  }

  // A packet to the endpoint of a tile through its station, and the answer's words.
  std::vector<uint32_t> ask(int column, const std::vector<uint32_t>& packet, size_t answer) {
    for (size_t i = 0; i < packet.size(); ++i) {
      EXPECT_TRUE(command(column, true, i + 1 == packet.size() ? kPushLast : kPush, packet[i]));
    }
    std::vector<uint32_t> words;
    for (int tries = 0; words.size() < answer && tries < 20; ++tries) {
      const uint32_t state = command(column, false, kPopState).value_or(0);
      if (!st::PopState::Valid::get(state)) continue;
      words.push_back(pop(column).value_or(0));
      EXPECT_EQ(st::PopState::Last::get(state), words.size() == answer);
    }
    return words;
  }

  // The next word of the answer that the station has, by a new turn.
  std::optional<uint32_t> pop(int column) {
    turn_[static_cast<size_t>(column)].flip();
    return repeat_pop(column);
  }
  std::optional<uint32_t> repeat_pop(int column) {
    return command(column, true, kPop, st::Pop::Turn::put(turn_[static_cast<size_t>(column)]));
  }

  // A packet through the west edge, and what comes back there.
  std::vector<uint32_t> ask_mesh(const std::vector<uint32_t>& packet, size_t answer) {
    for (size_t i = 0; i < packet.size(); ++i) out_.push_back({packet[i], i + 1 == packet.size()});
    in_.clear();
    for (int t = 0; t < 300 && in_.size() < answer; ++t) clock();
    std::vector<uint32_t> words;
    for (const Word& w : in_) words.push_back(w.data);
    return words;
  }

  // A packet through the west edge that starts `cycles` cycles from now, whatever happens
  // meanwhile.
  void ask_later(int cycles, const std::vector<uint32_t>& packet) {
    for (size_t i = 0; i < packet.size(); ++i) out_.push_back({packet[i], i + 1 == packet.size()});
    in_.clear();
    start_ = cycles_ + cycles;
  }
  size_t heard() const { return in_.size(); }

  // Sets the fuses of two logical tiles, without the one that is left out, and lets them run.
  void connect(int left_out) {
    const Shape shape{1, 1, 1, 2, 0, 1};
    Defects defects(shape);
    defects.reticles[0].tiles = {{0, left_out}};
    const Repair repair = repair_wafer(shape, defects);
    ASSERT_TRUE(repair.map);
    const ReticleFuses f = fuses(*repair.map, 0);
    ASSERT_TRUE(command(0, true, kRowFuse, f.row[0]));
    for (int c = 0; c < kStations; ++c) {
      const auto fuse = f.tile[static_cast<size_t>(c)];
      ASSERT_TRUE(command(c, true, kTileFuse, fuse));
      EXPECT_EQ(command(c, false, kTileFuse), fuse);
      ASSERT_TRUE(command(c, true, kControl, fuse != 0 ? kRun : 0));
    }
  }

  void run(int cycles) {
    for (int i = 0; i < cycles; ++i) clock();
  }
  bool idle() const { return top_.idle_o != 0; }
  bool silent() const { return top_.west_o == 0 && top_.east_o == 0; }
  int cycles() const { return cycles_; }
  int idle_cycles() const { return idle_cycles_; }
  // Off: the host gives no credit for what it gets, so that responses stay in the tiles.
  void give_credits(bool on) { gives_ = on; }
  // The edge also forgets what it has sent and got.
  void begin_edge_anew() {
    out_.clear();
    credits_ = 2;
    owed_ = 0;
    gives_ = true;
  }

 private:
  void clock() {
    // The edge speaks the links' protocol: a credit for each request, one back for each response.
    uint64_t link = 0;
    if (owed_ > 0 && gives_) {
      --owed_;
      link |= link_of_credit(kResponse);
    }
    if (!out_.empty() && credits_ > 0 && cycles_ >= start_) {
      const Word w = out_.front();
      out_.pop_front();
      --credits_;
      link |= link_of_wavelet({kRequest, w.last, w.data});
    }
    top_.west_i = link;
    top_.clk_i = 0;
    top_.eval();
    const uint64_t sent = top_.west_o;
    top_.clk_i = 1;
    top_.eval();
    if (link_has_credit(sent) && link_credit_colour(sent) == kRequest) ++credits_;
    ++cycles_;
    idle_cycles_ += top_.idle_o;
    if (!link_has_wavelet(sent)) return;
    const Wavelet w = link_wavelet(sent);
    if (w.colour != kResponse) return;
    ++owed_;
    in_.push_back({w.data, w.ctrl});
  }

  Vow_reticle top_;
  std::vector<bool> turn_ = std::vector<bool>(kStations);  // of each station's last pop
  int credits_ = 2;
  int owed_ = 0;  // credits to be given
  bool gives_ = true;
  int cycles_ = 0, idle_cycles_ = 0;
  int start_ = 0;  // before this cycle the edge sends nothing
  std::deque<Word> out_;
  std::vector<Word> in_;
};

using Command = isa::PacketCommand;
using Response = isa::PacketResponse;
using Header = isa::PacketHeader;
inline constexpr uint32_t kTag = 5;
inline constexpr uint32_t kRead1 =
    Command::Operation::put(isa::PacketOp::Read) | Command::Tag::put(kTag) | Command::Count::put(1);
inline constexpr uint32_t kWrite1 =
    Command::Operation::put(isa::PacketOp::Write) | Command::Count::put(1);
inline constexpr uint32_t kToWestEdge = Header::Negative::put(1) | Header::ToEdge::put(1);
using Config = isa::reg::Config;
using Mbist = isa::reg::Mbist;
inline constexpr uint32_t kConfig = Config::kAddress, kMbist = Mbist::kAddress;

}  // namespace ow::wafer

#endif  // OW_TB_RETICLE_BENCH_H_
