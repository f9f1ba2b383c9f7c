// SPDX-License-Identifier: Apache-2.0
#include "ow/measure/tile_runner.h"

#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/device/tile_map.h"
#include "ow/diagnose/hang_report.h"
#include "ow/runtime/cores.h"
#include "ow/runtime/load_image.h"
#include "ow/runtime/ramp.h"
#include "ow/runtime/routes.h"
#include "ow/runtime/tile_config.h"
#include "ow/sim/sim.h"

namespace ow::bench {
namespace {

constexpr uint64_t kCycleLimit = 2000000;

uint32_t dim_word(uint32_t length, int32_t step) {
  return isa::DsrDim::Length::put(length) | isa::DsrDim::Step::put(step);
}

}  // namespace

ow_tb_dsr memory(uint32_t dsr, Type type, uint32_t addr, const std::vector<Dim>& dims,
                 uint32_t flags) {
  ow_tb_dsr d{};
  d.dsr = dsr;
  d.word[0] = isa::Dsr0::Kind::put(isa::DsrKind::Mem) | isa::Dsr0::Type::put(type) | flags;
  d.word[1] = addr;
  for (size_t k = 0; k < dims.size() && k < 4; ++k) {
    d.word[2 + k] = dim_word(dims[k].length, dims[k].step);
  }
  return d;
}

ow_tb_dsr vector(uint32_t dsr, Type type, uint32_t addr, uint32_t n) {
  return memory(dsr, type, addr, {{n, golden::type_bytes(type)}});
}

ow_tb_dsr fabric_in(uint32_t dsr, Type type, uint32_t queue, uint32_t length, uint32_t flags) {
  ow_tb_dsr d{};
  d.dsr = dsr;
  d.word[0] = isa::Dsr0::Kind::put(isa::DsrKind::FabricIn) | isa::Dsr0::Type::put(type) |
              isa::Dsr0::Queue::put(queue) | flags;
  d.word[2] = dim_word(length, 0);
  return d;
}

ow_tb_dsr fabric_out(uint32_t dsr, Type type, uint32_t queue, uint32_t length, uint32_t flags) {
  ow_tb_dsr d = fabric_in(dsr, type, queue, length, flags);
  d.word[0] = isa::Dsr0::Kind::set(d.word[0], isa::DsrKind::FabricOut);
  return d;
}

uint32_t control(uint32_t dst, uint32_t a, uint32_t b, uint32_t thread, uint32_t flags) {
  return isa::TensorCtl::Dst::put(dst) | isa::TensorCtl::A::put(a) | isa::TensorCtl::B::put(b) |
         isa::TensorCtl::Thread::put(thread) | flags;
}

uint32_t instruction_word(Op op, Type type) {
  constexpr uint32_t kA0 = 10;
  constexpr uint32_t kA1 = 11;
  return static_cast<uint32_t>(op) << 25 | kA1 << 20 | kA0 << 15 |
         static_cast<uint32_t>(type) << 12 | isa::kOpcodeTensor;
}

TileRunner::TileRunner(std::unique_ptr<Device> device, const std::string& firmware)
    : own_(std::move(device)), device_(own_.get()) {
  init(firmware);
}

TileRunner::TileRunner(Device& device, const std::string& firmware) : device_(&device) {
  init(firmware);
}

void TileRunner::init(const std::string& firmware) {
  const GridShape shape = device_->shape();
  control_ = std::make_unique<ControlPlane>(*device_);
  const Rect grid = whole(shape);
  RouteSet routes(shape);
  routes.set(0, 0, kColourIn, {Port::West, kOutRamp});
  routes.set(0, 0, kColourTask, {Port::West, kOutRamp});
  routes.set(0, 0, kColourOut, {Port::Ramp, kOutE});
  if (shape.cols > 1) {
    routes.set(0, 1, kColourOut, {Port::West, kOutRamp});
  } else {
    routes.listen(Side::East, 0, kColourOut);
  }
  routes.apply(*control_);
  const Rect first{0, 0, 1, 1};
  bind_inq(*control_, first, OW_TB_INQ, kColourIn);
  bind_inq(*control_, first, OW_TB_INQ_TASK, kColourTask);
  bind_outq(*control_, first, OW_TB_OUTQ, kColourOut);
  if (shape.cols > 1) bind_inq(*control_, Rect{0, 1, 1, 1}, OW_TB_INQ, kColourOut);

  image_ = read_elf(firmware, read_tile_size(*control_, 0, 0).sram_bytes);
  heap_ = image_.symbol("ow_heap");
  heap_end_ = image_.symbol("ow_heap_end");
  load_program(*control_, grid, image_);
  start_cores(*control_, grid, image_.entry);
  control_->fence(grid);
  if (device_->run(kCycleLimit) != RunStatus::Quiet) throw DeviceFault("the cores do not start");
  const size_t tiles = static_cast<size_t>(shape.cols);
  calls_.assign(tiles, 0);
  dones_.assign(tiles, 0);
  before_.resize(tiles);
  insn_.assign(tiles, 0);
}

void TileRunner::write(uint32_t addr, Type type, const Vec& elements, int col) {
  if (elements.empty()) return;
  const uint32_t bytes = static_cast<uint32_t>(golden::type_bytes(type));
  const uint32_t end = addr + bytes * static_cast<uint32_t>(elements.size());
  const uint32_t first = addr & ~3u;
  const uint32_t last = (end + 3) & ~3u;
  std::vector<uint32_t> words((last - first) / 4);
  if (addr != first) words.front() = read_word(first, col);
  if (end != last && words.size() > (addr != first ? 1u : 0u)) {
    words.back() = read_word(last - 4, col);
  }
  for (size_t i = 0; i < elements.size(); ++i) {
    const uint32_t at = addr - first + bytes * static_cast<uint32_t>(i);
    if (bytes == 4) {
      words[at / 4] = elements[i];
    } else {
      const uint32_t mask = (bytes == 2 ? 0xFFFFu : 0xFFu) << (8 * (at % 4));
      words[at / 4] = (words[at / 4] & ~mask) | (elements[i] << (8 * (at % 4)) & mask);
    }
  }
  control_->write_tile(0, col, first, words);
}

Vec TileRunner::read(uint32_t addr, Type type, size_t n, int col) {
  Vec out;
  if (n == 0) return out;
  const uint32_t bytes = static_cast<uint32_t>(golden::type_bytes(type));
  const uint32_t first = addr & ~3u;
  const uint32_t last = (addr + bytes * static_cast<uint32_t>(n) + 3) & ~3u;
  const std::vector<uint32_t> words = control_->read_tile(0, col, first, (last - first) / 4);
  for (size_t i = 0; i < n; ++i) {
    const uint32_t at = addr - first + bytes * static_cast<uint32_t>(i);
    const uint32_t word = words[at / 4] >> (8 * (at % 4));
    out.push_back(bytes == 4 ? word : bytes == 2 ? word & 0xFFFF : word & 0xFF);
  }
  return out;
}

void TileRunner::prepare(const Call& call, int col) {
  if (call.args.size() > OW_TB_ARGS || call.dsrs.size() > OW_TB_DSRS) {
    throw InternalError("a call has too many arguments or descriptors");
  }
  const size_t tile = static_cast<size_t>(col);
  if (call.insn != 0 && insn_[tile] != call.insn) {
    control_->write_tile(0, col, image_.symbol("ow_tb_insn"), call.insn);
    insn_[tile] = call.insn;
  }
  std::vector<uint32_t> words = {call.function};
  words.insert(words.end(), call.args.begin(), call.args.end());
  words.resize(1 + OW_TB_ARGS);
  words.push_back(static_cast<uint32_t>(call.dsrs.size()));
  for (const ow_tb_dsr& d : call.dsrs) {
    words.push_back(d.dsr);
    words.insert(words.end(), d.word, d.word + 6);
  }
  control_->write_tile(0, col, image_.symbol("ow_tb_call"), words);
  control_->fence(Rect{0, col, 1, 1});
  before_[tile] = read_counters(*control_, 0, col);
}

void TileRunner::start(int col) {
  control_->write_tile(0, col, kRegTaskActivate, 1u << OW_TB_TASK_LAUNCH);
}

void TileRunner::wait(const std::string& what) {
  const RunStatus status = device_->run(kCycleLimit);
  if (status != RunStatus::Quiet) throw DeviceFault(what + ": does not end");
}

CallResult TileRunner::finish(const Call& call, int col) {
  const size_t tile = static_cast<size_t>(col);
  const std::vector<uint32_t> words = control_->read_tile(0, col, image_.symbol("ow_tb_result"), 4);
  calls_[tile] += 1;
  dones_[tile] = call.dones == ~0u ? words[3] : dones_[tile] + call.dones;
  if (words[2] != calls_[tile] || words[3] != dones_[tile]) {
    const CoreState core = read_core_state(*control_, 0, col);
    throw DeviceFault(fmt::format(
        "a call (function {}, instruction 0x{:08x}) did not end: pc 0x{:x} ({}), engine fault "
        "0x{:x}\n{}",
        call.function, call.insn, core.pc, image_.locate(core.pc), core.engine_fault,
        make_hang_report(*control_, &image_).text()));
  }
  CallResult result;
  result.begin = words[0];
  result.end = words[1];
  result.cycles = words[1] - words[0];
  const Counters after = read_counters(*control_, 0, col);
  for (size_t k = 0; k < after.size(); ++k) result.counters[k] = after[k] - before_[tile][k];
  return result;
}

CallResult TileRunner::call(const Call& call, int col) {
  prepare(call, col);
  if (call.stream_first) {
    send(call.stream);
    device_->run(64);
  }
  start(col);
  if (!call.stream_first && !call.stream.empty()) send(call.stream);
  wait(fmt::format("function {}", call.function));
  return finish(call, col);
}

}  // namespace ow::bench
