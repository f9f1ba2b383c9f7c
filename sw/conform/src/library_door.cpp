// SPDX-License-Identifier: Apache-2.0
// Devices in shared libraries (openwafer/conform.h): with wavelets, or with wires.
#include <dlfcn.h>

#include <algorithm>

#include "openwafer/conform.h"
#include "ow/base/error.h"
#include "ow/conform/grid_device.h"
#include "ow/sim/sim_device.h"

namespace ow::conform {
namespace {

using Functions = const ow_conform_device*;

void done(int status, const char* what) {
  if (status != 0) throw Refused(what);
}

template <typename F>
F needed(F function, const char* what) {
  if (function == nullptr) throw Refused(what);
  return function;
}

// A grid at its wires. Whether it still moves is known only from what it drives, so it is quiet
// after some cycles in which it has driven nothing.
class WiresGrid : public SimDevice {
 public:
  WiresGrid(Functions device, GridShape shape) : SimDevice(shape), device_(device) {}
  std::string description() const override { return "a device at its wires"; }
  uint64_t evaluations() const override { return cycle(); }

 protected:
  void clock_grid(uint64_t, const uint64_t* in, uint64_t* out) override {
    constexpr uint64_t kEnough = 20000;
    int port = 0;
    bool moves = false;
    for (int side = 0; side < kSides; ++side) {
      const int count = side % 2 == 0 ? shape_.cols : shape_.rows;
      for (int index = 0; index < count; ++index, ++port) {
        uint64_t driven = 0;
        done(device_->edge(device_->self, side, index, in[port], &driven), "edge");
        out[port] = driven;
        moves = moves || in[port] != 0 || driven != 0;
      }
    }
    done(device_->step(device_->self), "step");
    still_ = moves ? 0 : std::min(still_ + 1, kEnough);
    quiet_ = still_ == kEnough;
  }
  bool grid_quiet() const override { return quiet_; }

 private:
  Functions device_;
  uint64_t still_ = 0;
  bool quiet_ = false;
};

class WavesDevice : public Device {
 public:
  explicit WavesDevice(Functions device) : d_(device) {}

 protected:
  void reset(GridShape s) override {
    done(needed(d_->reset, "reset")(d_->self, s.rows, s.cols), "reset");
  }
  void write(int row, int col, uint32_t address, const std::vector<uint32_t>& words) override {
    done(needed(d_->write, "write")(d_->self, row, col, address, words.data(), words.size()),
         "write");
  }
  std::vector<uint32_t> read(int row, int col, uint32_t address, size_t count) override {
    std::vector<uint32_t> words(count);
    done(needed(d_->read, "read")(d_->self, row, col, address, words.data(), count), "read");
    return words;
  }
  void send(Side side, int index, int colour, const std::vector<Word>& words) override {
    std::vector<ow_conform_word> sent;
    for (const Word& word : words) sent.push_back({word.data, word.control ? 1u : 0u});
    done(needed(d_->send, "send")(d_->self, static_cast<int>(side), index, colour, sent.data(),
                                  sent.size()),
         "send");
  }
  std::vector<Word> take(Side side, int index, int colour) override {
    constexpr size_t kRoom = 1024, kMost = 1 << 20;
    std::vector<Word> words;
    for (std::vector<ow_conform_word> some(kRoom);;) {
      const long n = needed(d_->take, "take")(d_->self, static_cast<int>(side), index, colour,
                                              some.data(), kRoom);
      if (n < 0 || static_cast<size_t>(n) > kRoom || words.size() > kMost) throw Refused("take");
      for (long k = 0; k < n; ++k) {
        words.push_back(
            {some[static_cast<size_t>(k)].control != 0, some[static_cast<size_t>(k)].data});
      }
      if (n == 0) return words;
    }
  }
  void hold(Side side, int index, int colour, bool held) override {
    done(needed(d_->hold, "hold")(d_->self, static_cast<int>(side), index, colour, held ? 1 : 0),
         "hold");
  }
  uint64_t run(uint64_t cycles) override { return needed(d_->run, "run")(d_->self, cycles); }
  std::vector<uint32_t> call(const Call& c) override {
    if (c.count == 0) throw Refused("call of no elements");
    std::vector<uint32_t> results(c.count);
    done(needed(d_->call, "call")(d_->self, c.op.c_str(), c.type.c_str(), c.result.c_str(), c.count,
                                  c.operands.data(), results.data()),
         "call");
    const bool reduces = c.op == "dot" || c.op == "sum" || c.op == "rmax" || c.op == "rmin";
    if (reduces) results.resize(1);
    return results;
  }
  void open_ends(bool mini) override {
    done(needed(d_->ends, "ends")(d_->self, mini ? 1 : 0), "ends");
  }
  std::array<EndClock, 2> clock_ends(const std::array<EndClock, 2>& in) override {
    ow_conform_end from[2] = {}, to[2] = {};
    for (size_t s = 0; s < 2; ++s)
      from[s] = {in[s].tile, {in[s].lanes[0], in[s].lanes[1]}, in[s].word};
    done(needed(d_->clock, "clock")(d_->self, from, to), "clock");
    std::array<EndClock, 2> out;
    for (size_t s = 0; s < 2; ++s)
      out[s] = {to[s].tile, {to[s].lanes[0], to[s].lanes[1]}, to[s].word};
    return out;
  }

 private:
  Functions d_;
};

// Keeps the library, and whichever of the two devices fits its functions.
class LibraryDoor : public Door {
 public:
  LibraryDoor(const std::string& path, const std::string& arguments) {
    library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) throw BadInput(dlerror());
    using Open = Functions (*)(const char*);
    const auto open = reinterpret_cast<Open>(dlsym(library_, "ow_conform_open"));
    if (open == nullptr) throw BadInput(path + ": it has no function ow_conform_open");
    device_ = open(arguments.c_str());
    if (device_ == nullptr) throw BadInput(path + ": ow_conform_open opened nothing");
    if (device_->interface != OW_CONFORM_INTERFACE) {
      throw BadInput(path + ": its interface is " + std::to_string(device_->interface) +
                     ", that of the kit " + std::to_string(OW_CONFORM_INTERFACE));
    }
    if (device_->step != nullptr && device_->edge != nullptr) {
      door_ = std::make_unique<GridDevice>([this](GridShape shape) {
        done(needed(device_->reset, "reset")(device_->self, shape.rows, shape.cols), "reset");
        return std::make_unique<WiresGrid>(device_, shape);
      });
    } else {
      door_ = std::make_unique<WavesDevice>(device_);
    }
  }
  ~LibraryDoor() override {
    door_.reset();
    if (device_ != nullptr && device_->close != nullptr) device_->close(device_->self);
    if (library_ != nullptr) dlclose(library_);
  }
  std::string ask(const std::string& line) override { return door_->ask(line); }

 private:
  void* library_ = nullptr;
  Functions device_ = nullptr;
  std::unique_ptr<Door> door_;
};

}  // namespace

std::unique_ptr<Door> make_library_door(const std::string& path, const std::string& arguments) {
  return std::make_unique<LibraryDoor>(path, arguments);
}

}  // namespace ow::conform
