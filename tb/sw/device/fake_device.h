// SPDX-License-Identifier: Apache-2.0
// A device without RTL: every tile is a table of words that answers the control plane as
// docs/fabric.md has it. For tests of host code alone.
#ifndef OW_TB_FAKE_DEVICE_H_
#define OW_TB_FAKE_DEVICE_H_

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "ow/device/device.h"
#include "ow/device/tile_map.h"

namespace ow {

class FakeDevice : public Device {
 public:
  static constexpr uint32_t kSramBytes = 49152;

  FakeDevice(int rows, int cols) : shape_{rows, cols} {
    memory_.resize(static_cast<size_t>(rows * cols));
    responses_.resize(static_cast<size_t>(rows));
    arrivals_.resize(static_cast<size_t>(rows));
    using Config = isa::reg::Config;
    for (auto& m : memory_) {
      m[kRegConfig] = Config::Lanes::put(isa::kFull.lanes) |
                      Config::Threads::put(isa::kFull.num_threads - 1) |
                      Config::Colours::put(isa::kFull.num_colours) |
                      Config::Sram::put(kSramBytes / isa::kConfigSramUnit);
    }
    // Every credit of every link is there: four words a link, the last of them of no colour.
    for (auto& m : memory_) {
      for (uint32_t k = 0; k < 16; ++k) {
        m[kRegRtCredits + 4 * k] = k % 4 == 3 ? 0 : 0x11111111u * kLinkCredits;
      }
    }
  }

  std::map<uint32_t, uint32_t>& tile(int row, int col) {
    return memory_[static_cast<size_t>(row * shape_.cols + col)];
  }
  void set_pending(Side side, int index, int colour, size_t n) {
    extra_[{side, index, colour}] = n;
  }
  void set_credits(Side side, int index, int colour, int n) { credits_[{side, index, colour}] = n; }
  void set_deaf(bool deaf) { deaf_ = deaf; }
  size_t packets() const { return packets_; }
  int most_outstanding() const { return most_outstanding_; }

  GridShape shape() const override { return shape_; }
  uint64_t cycle() const override { return cycle_; }
  size_t offer(Side side, int index, const Wavelet* w, size_t n) override {
    if (side != Side::West || index != entry_row_) ++misdirected_;
    const size_t taken = std::min(n, room_ - std::min(room_, queue_.size()));
    queue_.insert(queue_.end(), w, w + taken);
    refused_ = refused_ || taken < n;
    return taken;
  }
  size_t queued(Side side, int index, int colour) const override {
    const auto it = extra_.find({side, index, colour});
    return it == extra_.end() ? 0 : it->second;
  }
  size_t queued(Side, int) const override { return queue_.size(); }
  size_t queued() const override { return queue_.size(); }
  // A queue of that many wavelets, as a board at the end of a wire has.
  void set_room(size_t wavelets) { room_ = wavelets; }
  size_t most_queued() const { return most_queued_; }
  int send_credits(Side side, int index, int colour) const override {
    const auto it = credits_.find({side, index, colour});
    return it == credits_.end() ? kLinkCredits : it->second;
  }
  std::vector<Arrival> take_arrivals(Side, int index, int) override {
    std::vector<Arrival> out;
    out.swap(arrivals_[static_cast<size_t>(index)]);
    return out;
  }
  size_t available(Side side, int index, int colour) const override {
    return side == Side::West && colour == kColourRsp ? arrivals_[static_cast<size_t>(index)].size()
                                                      : 0;
  }
  bool tells_quiet() const override { return true; }
  Pause advance(uint64_t max_cycles) override {
    for (uint64_t n = 0; n < max_cycles; ++n) {
      if ((queue_.empty() || deaf_) && std::all_of(responses_.begin(), responses_.end(),
                                                   [](const auto& q) { return q.empty(); })) {
        return Pause::Quiet;
      }
      if (step()) return Pause::Event;
    }
    return Pause::Limit;
  }
  std::string description() const override { return "fake"; }

  void set_entry_row(int row) { entry_row_ = row; }
  int misdirected() const { return misdirected_; }
  std::vector<uint32_t> last_packet;

 private:
  // One cycle; true if something arrived or a queue that was full has room.
  bool step() {
    bool event = false;
    for (size_t r = 0; r < responses_.size(); ++r) {
      if (responses_[r].empty()) continue;
      event = true;
      arrivals_[r].push_back(Arrival{cycle_, responses_[r].front()});
      if (responses_[r].front().ctrl) --outstanding_;
      responses_[r].pop_front();
    }
    most_queued_ = std::max(most_queued_, queue_.size());
    if (!queue_.empty() && !deaf_) {
      packet_.push_back(queue_.front());
      queue_.pop_front();
      event = event || refused_;
      refused_ = false;
      if (packet_.back().ctrl) execute();
    }
    ++cycle_;
    return event;
  }

  static bool valid(uint32_t addr) {
    return addr < kSramBytes || (addr >= kTileRegs && addr < kTileRegs + isa::reg::kBytes);
  }

  void execute() {
    ++packets_;
    std::vector<uint32_t> w;
    for (const Wavelet& x : packet_) w.push_back(x.data);
    packet_.clear();
    last_packet = w;
    using Header = isa::PacketHeader;
    using Command = isa::PacketCommand;
    using Response = isa::PacketResponse;
    const int col0 = static_cast<int>(Header::Near::get(w[0]));
    const int col1 = static_cast<int>(Header::Far::get(w[0]));
    const int sign = Header::Negative::get(w[1]) ? -1 : 1;
    const int near = static_cast<int>(Header::Near::get(w[1]));
    const int far = static_cast<int>(Header::Far::get(w[1]));
    const size_t n = Command::Count::get(w[2]);
    for (int h = near; h <= far; ++h) {
      const int row = entry_row_ + sign * h;
      for (int col = col0; col <= col1; ++col) {
        auto& m = tile(row, col);
        if (Command::Operation::get(w[2]) == static_cast<uint32_t>(isa::PacketOp::Write)) {
          for (size_t i = 0; i < n; ++i) m[w[3] + static_cast<uint32_t>(4 * i)] = w[4 + i];
        } else {
          most_outstanding_ = std::max(most_outstanding_, ++outstanding_);
          auto& q = responses_[static_cast<size_t>(row)];
          const bool ok = valid(w[3]) && valid(w[3] + static_cast<uint32_t>(4 * (n - 1)));
          std::vector<uint32_t> out = {
              w[4], w[5],
              Response::Status::put(ok ? isa::PacketStatus::Done : isa::PacketStatus::Address) |
                  Response::Tag::put(Command::Tag::get(w[2])) | Response::Count::put(ok ? n : 0)};
          for (size_t i = 0; ok && i < n; ++i)
            out.push_back(m[w[3] + static_cast<uint32_t>(4 * i)]);
          for (size_t i = 0; i < out.size(); ++i) {
            q.push_back(Wavelet{kColourRsp, i + 1 == out.size(), out[i]});
          }
        }
      }
    }
  }

  struct Key {
    Side side;
    int index;
    int colour;
    bool operator<(const Key& o) const {
      return std::tie(side, index, colour) < std::tie(o.side, o.index, o.colour);
    }
  };

  GridShape shape_;
  uint64_t cycle_ = 0;
  int entry_row_ = 0;
  int misdirected_ = 0;
  bool deaf_ = false;
  size_t packets_ = 0;
  int outstanding_ = 0;
  int most_outstanding_ = 0;
  std::vector<std::map<uint32_t, uint32_t>> memory_;
  std::deque<Wavelet> queue_;
  std::vector<Wavelet> packet_;
  std::vector<std::deque<Wavelet>> responses_;
  std::vector<std::vector<Arrival>> arrivals_;
  std::map<Key, size_t> extra_;
  std::map<Key, int> credits_;
  size_t room_ = 1 << 20;
  bool refused_ = false;
  size_t most_queued_ = 0;
};

}  // namespace ow

#endif  // OW_TB_FAKE_DEVICE_H_
