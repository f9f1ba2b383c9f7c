// SPDX-License-Identifier: Apache-2.0
#include "tile_blocks.h"

#include <fmt/format.h>

#include <cstring>
#include <memory>

#include "ow/base/error.h"
#include "ow/device/bulk.h"
#include "ow/diagnose/hang_report.h"
#include "ow/diagnose/tile_error.h"
#include "ow/tensor/distribution.h"

namespace ow::jobs {
namespace {

// Most wavelets in a port's queue. It is refilled at kPortRefill, so it never runs empty.
constexpr size_t kQueued = kPortRoom;

}  // namespace

uint32_t float_bits(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

std::vector<uint32_t> pack_block(const Activations& x, int rows, int samples, int row, int col) {
  const int local = owned_elements(x.features, row, rows);
  std::vector<uint32_t> words(static_cast<size_t>(local) * static_cast<size_t>(samples) / 2, 0);
  for (int l = 0; l < local; ++l) {
    for (int s = 0; s < samples; ++s) {
      const int sample = col * samples + s;
      if (sample >= x.samples) break;
      const uint32_t value = x.at(l * rows + row, sample);
      words[static_cast<size_t>(l * samples + s) / 2] |= value << (16 * (s % 2));
    }
  }
  return words;
}

void unpack_block(const std::vector<uint32_t>& words, int rows, int samples, int row, int col,
                  Activations* y) {
  for (size_t w = 0; w < words.size(); ++w) {
    const int element = static_cast<int>(w) * 2;
    const int feature = element / samples * rows + row;
    const int sample = col * samples + element % samples;
    if (sample < y->samples) y->at(feature, sample) = static_cast<uint16_t>(words[w]);
    if (sample + 1 < y->samples) y->at(feature, sample + 1) = static_cast<uint16_t>(words[w] >> 16);
  }
}

void load_blocks(ControlPlane& control, const ElfImage& firmware, const Activations& x, int samples,
                 uint32_t addr) {
  constexpr uint64_t kStart = 100000, kAWord = 8;
  const GridShape grid = control.shape();
  Device& device = control.device();
  auto bulk = std::make_unique<Bulk>(control, control.sram_bytes(0, 0));
  uint64_t limit = kStart;
  for (int r = 0; r < grid.rows; ++r) {
    for (int c = 0; c < grid.cols; ++c) {
      std::vector<uint32_t> words = pack_block(x, grid.rows, samples, r, c);
      limit += kAWord * words.size();
      if (!words.empty()) bulk->write(r, c, addr, std::move(words));
    }
  }
  if (bulk->pump()) return;
  const RunStatus status = device.run(limit, [&bulk] { return bulk->pump(); });
  if (status == RunStatus::Done) return;
  const std::string what =
      fmt::format("samples wait for {}: {}", bulk->waiting_for(),
                  status == RunStatus::Quiet ? "nothing moves any more"
                                             : fmt::format("not there within {} cycles", limit));
  bulk.reset();
  check_errors(control, whole(grid), &firmware);  // if a tile has an error, that is the cause
  throw DeviceFault(what);
}

uint64_t run_until_quiet(ControlPlane& control, const ElfImage& firmware, const std::string& what,
                         uint64_t more) {
  constexpr uint64_t kLimit = 100000;
  const RunStatus status = control.device().run(kLimit + more);
  const uint64_t rest = control.device().cycle();
  check_errors(control, whole(control.shape()), &firmware);
  if (status != RunStatus::Quiet) {
    throw DeviceFault(
        fmt::format("{}: the grid is not at rest after {} cycles", what, kLimit + more));
  }
  return rest;
}

void feed(ControlPlane& control, const ElfImage& firmware, memoryx::WeightStream* stream,
          int colour, const std::function<bool()>& complete, uint64_t limit,
          const std::function<void()>& progress, EdgeTime* edge) {
  Device& device = control.device();
  const int rows = control.shape().rows;
  std::vector<Wavelet> part;
  const auto fill = [&] {
    for (int r = 0; r < rows; ++r) {
      size_t waiting = device.pending_sends(Side::West, r, colour);
      if (waiting > kPortRefill) continue;
      while (!stream->done(r) && waiting < kQueued) {
        const size_t before = stream->step(r);
        part.clear();
        stream->next(r, kQueued - waiting, &part);
        if (part.empty()) break;
        const size_t step = stream->step(r);
        if (edge != nullptr && step != before) edge->begin_step(r, before, step);
        device.send(Side::West, r, part);
        waiting += part.size();
      }
    }
  };
  fill();
  // Called whenever something has arrived or a queue has room again.
  uint32_t calls = 0;
  const auto done = [&] {
    if (progress && ++calls % 4096 == 0) progress();
    fill();
    return complete();
  };
  const RunStatus status = device.run(limit, done);
  if (status == RunStatus::Done || complete()) return;
  check_errors(control, whole(control.shape()), &firmware);
  const HangReport report = make_hang_report(control, &firmware);
  throw DeviceFault(fmt::format("the grid {} in cycle {} before all results were out\n{}",
                                status == RunStatus::Quiet ? "came to rest" : "was still busy",
                                report.cycle, report.text()));
}

}  // namespace ow::jobs
