// SPDX-License-Identifier: Apache-2.0
#include "ow/execute/executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "openwafer/layout.h"
#include "openwafer/program.h"
#include "ow/base/error.h"
#include "ow/firmware/job.h"
#include "ow/tensor/distribution.h"
#include "tile_blocks.h"

namespace ow::jobs {
namespace {

// Weights enter at the west edge of each grid row and are multicast along it. Partial sums go round
// each column. Results go to the edge through the tiles before it, which pass them on.
Layout layout_of(const Executable& executable) {
  const GridShape grid = executable.grid;
  Layout layout(grid);
  layout.broadcast("weights", Side::West);
  if (grid.rows > 1) layout.ring("sums", Side::South);
  const int west = executable.exit == Exit::West ? grid.cols : grid.cols / 2;
  if (west > 0) {
    Region region = layout.region("west", {0, 0, grid.rows, west});
    region.chain("result", Side::West, false, true);
  }
  if (west < grid.cols) {
    Region region = layout.region("east", {0, west, grid.rows, grid.cols - west});
    region.chain("result", Side::East, false, true);
  }
  if (grid.cols > 1) {
    for (const auto& [name, side] : executable.chains) layout.chain(name, side);
  }
  return layout;
}

// The blocks of other tiles that each one passes on, tile by tile.
std::vector<uint32_t> relays_of(const Executable& executable) {
  const GridShape grid = executable.grid;
  const int west = executable.exit == Exit::West ? grid.cols : grid.cols / 2;
  std::vector<uint32_t> relays;
  for (int row = 0; row < grid.rows; ++row) {
    for (int col = 0; col < grid.cols; ++col) {
      relays.push_back(static_cast<uint32_t>(col < west ? west - 1 - col : col - west));
    }
  }
  return relays;
}

}  // namespace

Executor::Executor(const Runtime& machine, const ElfImage& program, const Executable& executable)
    : machine_(machine),
      executable_(executable),
      left_(std::make_shared<std::map<StreamPort, std::vector<Left>>>()),
      west_taker_(std::make_shared<std::function<void(size_t, const Left&)>>()) {
  check_machine();
  for (const Phase& phase : executable_.phases) {
    kernels_.push_back(program.symbol(std::string("ow_phase_") + phase.kernel));
    if (kernels_.back() > UINT16_MAX) throw BadInput(program.path + ": a kernel beyond 64 kB");
  }
  load(program);
}

void Executor::check_machine() const {
  const MachineInfo& info = machine_.info();
  const GridShape grid = executable_.grid;
  if (info.grid == grid && info.lanes == executable_.lanes) return;
  throw BadInput(fmt::format("{}: {} x {} tiles of {} lanes; the job is compiled for {} x {} of {}",
                             info.description, info.grid.rows, info.grid.cols, info.lanes,
                             grid.rows, grid.cols, executable_.lanes));
}

void Executor::load(const ElfImage& image) {
  const auto word = [](int n) { return static_cast<uint32_t>(n); };
  Program program(image.path, layout_of(executable_));
  program.set_parameter("samples", word(executable_.samples));
  program.set_parameter("lanes", word(executable_.lanes));
  program.set_parameter("ring", word(executable_.ring));
  program.set_parameter("grid_rows", word(executable_.grid.rows));
  // A program that is built for one type has no such export.
  if (image.find("half")) {
    program.set_parameter(
        "half", static_cast<uint32_t>(executable_.type == HalfType::Bfloat16 ? ElementType::Bf16
                                                                             : ElementType::F16));
  }
  program.set_parameter("relay", relays_of(executable_), Mapping::tiles());
  memory_ = image.exported("memory").addr;
  run_ = std::make_unique<Run>(machine_.load(program));
  if (executable_.exit == Exit::West || executable_.grid.cols > 1) listen("west.result", &west_);
  if (executable_.exit == Exit::BothSides) listen("east.result", &east_);
  write_list();
}

void Executor::listen(const std::string& stream, std::vector<StreamPort>* ports) {
  *ports = stream_ports(*run_, stream);
  for (size_t p = 0; p < ports->size(); ++p) {
    const StreamPort port = (*ports)[p];
    run_->consume(stream, p, [left = left_, taker = west_taker_, port, p](Word word) {
      const Left one{word.data, word.cycle};
      if (port.side == Side::West && *taker) {
        (*taker)(p, one);
      } else {
        (*left)[port].push_back(one);
      }
    });
  }
}

std::vector<Left> Executor::take(const StreamPort& port) {
  return std::exchange((*left_)[port], {});
}

void Executor::write_list() {
  const GridShape grid = executable_.grid;
  std::vector<uint32_t> words;
  size_t each = 0;
  for (int row = 0; row < grid.rows; ++row) {
    const std::vector<uint32_t> list = list_words(executable_, kernels_, row);
    each = list.size();
    for (int col = 0; col < grid.cols; ++col) words.insert(words.end(), list.begin(), list.end());
  }
  write_tiles(executable_.list_addr, words, each);
}

void Executor::set_phases(const Executable& executable) {
  if (executable.phases.size() != kernels_.size() ||
      executable.list_addr != executable_.list_addr) {
    throw InternalError("phases of another executable");
  }
  executable_ = executable;
  run_->write("samples", static_cast<uint32_t>(executable_.samples));
  run_->write("ring", static_cast<uint32_t>(executable_.ring));
  write_list();
}

void Executor::write_tiles(uint32_t addr, const std::vector<uint32_t>& words, size_t each) {
  if (each == 0) return;
  run_->write("memory", words, Mapping::tiles().slice(0, (addr - memory_) / 4, each));
}

void Executor::write_all(uint32_t addr, const std::vector<uint32_t>& words) {
  if (words.empty()) return;
  run_->write("memory", words, Mapping::same().slice(0, (addr - memory_) / 4, words.size()));
}

void Executor::write(uint32_t addr, const Activations& x) {
  const GridShape grid = executable_.grid;
  const int samples = executable_.samples;
  size_t each = 0;  // words of the first grid row, which has most
  std::vector<uint32_t> words;
  for (int row = 0; row < grid.rows; ++row) {
    for (int col = 0; col < grid.cols; ++col) {
      std::vector<uint32_t> block = pack_block(x, grid.rows, samples, row, col);
      if (row == 0) each = block.size();
      block.resize(each, 0);
      words.insert(words.end(), block.begin(), block.end());
    }
  }
  write_tiles(addr, words, each);
}

Activations Executor::read(uint32_t addr, int features, int samples, bool gathered) {
  const GridShape grid = executable_.grid;
  Activations y = Activations::zero(features, samples);
  uint32_t at = addr;
  for (int row = 0; row < grid.rows; ++row) {
    const auto each = static_cast<size_t>(owned_elements(features, row, grid.rows)) *
                      static_cast<size_t>(executable_.samples) / 2;
    if (each == 0) break;
    const Mapping mapping =
        Mapping::tiles().slice(0, (at - memory_) / 4, each).on_tiles({row, 0, 1, grid.cols});
    const auto words = run_->read<uint32_t>("memory", mapping);
    for (int col = 0; col < grid.cols; ++col) {
      const auto first = words.begin() + static_cast<std::ptrdiff_t>(each) * col;
      unpack_block({first, first + static_cast<std::ptrdiff_t>(each)}, grid.rows,
                   executable_.samples, row, col, &y);
    }
    if (gathered) at += static_cast<uint32_t>(4 * each);
  }
  return y;
}

void Executor::tick() {
  if (progress_ && ++ticks_ % 4096 == 0) progress_();
}

bool Executor::make_wavelets(size_t row, size_t room, std::vector<Wavelet>* wavelets) {
  tick();
  const int r = static_cast<int>(row);
  const size_t before = weights_->step(r);
  weights_->next(r, room, wavelets);
  const size_t step = weights_->step(r);
  if (edge_ != nullptr && !wavelets->empty() && step != before) edge_->begin_step(r, before, step);
  return !weights_->done(r);
}

Launched Executor::launch(size_t phases, float scale, memoryx::WeightStream* weights,
                          uint64_t limit, EdgeTime* edge) {
  weights_ = weights;
  edge_ = edge;
  const auto rows = static_cast<size_t>(executable_.grid.rows);
  for (size_t row = 0; row < rows; ++row) {
    if (weights->done(static_cast<int>(row))) continue;
    produce_wavelets(*run_, "weights", row, [this, row](size_t room, std::vector<Wavelet>* out) {
      return make_wavelets(row, room, out);
    });
  }
  Launched launched;
  Event event = run_->launch("run", executable_.list_addr, static_cast<uint32_t>(phases),
                             executable_.ends_addr, scale);
  launched.first_cycle = cycle();
  try {
    event.wait(limit);
  } catch (...) {
    run_->cancel("weights");  // nobody has the stream any more
    throw;
  }
  launched.rest_cycle = event.cycle();
  for (size_t row = 0; row < rows; ++row) {
    if (!weights->done(static_cast<int>(row))) {
      throw ProtocolError(fmt::format("grid row {}: the tiles rest before their stream ends", row));
    }
  }
  std::vector<size_t> end_of = {0};  // by phase, after the launch
  for (size_t k = 0, n = 1; k < phases; ++k) {
    end_of.push_back(n);
    n += leaves_end(executable_.phases, executable_.forward, k) ? 1 : 0;
  }
  const size_t each = end_of.back() + 1;
  const Mapping ends = Mapping::tiles().slice(0, (executable_.ends_addr - memory_) / 4, each);
  const auto words = run_->read<uint32_t>("memory", ends);
  for (size_t tile = 0; tile < words.size(); tile += each) {
    launched.ends.emplace_back();
    for (const size_t n : end_of) launched.ends.back().push_back(words[tile + n]);
  }
  return launched;
}

}  // namespace ow::jobs
