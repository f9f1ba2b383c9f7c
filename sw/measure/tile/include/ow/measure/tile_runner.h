// SPDX-License-Identifier: Apache-2.0
// Calls of kernels and single instructions on simulated tiles, with their time: the host's side of
// the firmware tile_bench. All through the device interface and the control plane.
#ifndef OW_MEASURE_TILE_RUNNER_H_
#define OW_MEASURE_TILE_RUNNER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ow/device/control_plane.h"
#include "ow/device/device.h"
#include "ow/golden/kernels.h"
#include "ow/golden/tile_ops.h"
#include "ow/measure/tile_calls.h"
#include "ow/runtime/counters.h"
#include "ow/runtime/elf.h"

namespace ow::bench {

using golden::Op;
using golden::Type;
using golden::Vec;

// Descriptors as the hardware has them.
struct Dim {
  uint32_t length;
  int32_t step;  // dimension 0: from element to element; above: added at the end of the one below
};
ow_tb_dsr memory(uint32_t dsr, Type type, uint32_t addr, const std::vector<Dim>& dims,
                 uint32_t flags = 0);
ow_tb_dsr vector(uint32_t dsr, Type type, uint32_t addr, uint32_t n);
ow_tb_dsr fabric_in(uint32_t dsr, Type type, uint32_t queue, uint32_t length, uint32_t flags = 0);
ow_tb_dsr fabric_out(uint32_t dsr, Type type, uint32_t queue, uint32_t length, uint32_t flags = 0);
uint32_t control(uint32_t dst, uint32_t a, uint32_t b, uint32_t thread, uint32_t flags = 0);
uint32_t instruction_word(Op op, Type type);

struct CallResult {
  uint64_t cycles = 0;
  uint32_t begin = 0;
  uint32_t end = 0;
  Counters counters{};  // what the call added
};

struct Call {
  uint32_t function = 0;
  std::vector<uint32_t> args;
  std::vector<ow_tb_dsr> dsrs;
  uint32_t insn = 0;            // OW_TB_INSTRUCTION and the like: instruction_word()
  uint32_t dones = 0;           // runs of TASK_DONE that must follow; ~0u: any number
  std::vector<Wavelet> stream;  // sent to the tile with the call
  bool stream_first = false;    // as much of it as fits waits at the ramp when it starts
};

// A row of tiles with the firmware loaded. Colour 0 comes in from the west to input queue OW_TB_INQ
// and colour 1 to OW_TB_INQ_TASK of tile 0; what tile 0 sends on OW_TB_OUTQ (colour 2) goes to
// OW_TB_INQ of tile 1 if there is one, else to the east edge.
class TileRunner {
 public:
  static constexpr int kColourIn = 0;
  static constexpr int kColourTask = 1;
  static constexpr int kColourOut = 2;

  TileRunner(std::unique_ptr<Device> device, const std::string& firmware);
  // For a device that somebody else keeps.
  TileRunner(Device& device, const std::string& firmware);

  Device& device() { return *device_; }
  ControlPlane& control() { return *control_; }
  const ElfImage& image() const { return image_; }

  // Memory for operands: [heap(), heap_end()).
  uint32_t heap() const { return heap_; }
  uint32_t heap_end() const { return heap_end_; }

  // Elements of a vector as the tile has them; any address that is aligned to the elements.
  void write(uint32_t addr, Type type, const Vec& elements, int col = 0);
  Vec read(uint32_t addr, Type type, size_t n, int col = 0);

  // Throws DeviceFault with the hang report if the call does not end.
  CallResult call(const Call& call, int col = 0);

  // Parts of call(), for measurements with several tiles.
  void prepare(const Call& call, int col);
  void start(int col);
  void wait(const std::string& what);
  CallResult finish(const Call& call, int col);

  void send(const std::vector<Wavelet>& wavelets) { device_->send(Side::West, 0, wavelets); }
  uint32_t read_word(uint32_t addr, int col = 0) { return control_->read_tile(0, col, addr); }

 private:
  void init(const std::string& firmware);

  std::unique_ptr<Device> own_;
  Device* device_ = nullptr;
  std::unique_ptr<ControlPlane> control_;
  ElfImage image_;
  uint32_t heap_ = 0;
  uint32_t heap_end_ = 0;
  std::vector<uint32_t> calls_;
  std::vector<uint32_t> dones_;
  std::vector<Counters> before_;
  std::vector<uint32_t> insn_;
};

}  // namespace ow::bench

#endif  // OW_MEASURE_TILE_RUNNER_H_
