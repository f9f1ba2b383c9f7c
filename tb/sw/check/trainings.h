// SPDX-License-Identifier: Apache-2.0
// Trainings of these tests: on RTL tiles or on the golden model, and images to train on.
#ifndef OW_TB_CHECK_TRAININGS_H_
#define OW_TB_CHECK_TRAININGS_H_

#include <algorithm>
#include <string>
#include <vector>

#include "ow/base/file.h"
#include "ow/base/rng.h"
#include "ow/check/training_job.h"
#include "ow/execute/run_job.h"
#include "ow/sim/sim.h"

namespace ow {

// A training on RTL tiles, without golden beside it.
inline jobs::RunOptions on_rtl() {
  jobs::RunOptions run;
  run.firmware = OW_FIRMWARE_DIR "/train.elf";
  run.model = golden::training_wafer;
  run.make = [](GridShape grid) { return make_device(DeviceKind::Replicated, grid); };
  run.check = false;
  return run;
}

// The same with golden beside it, which every weight is compared with after every step.
inline jobs::RunOptions checked_on_rtl(jobs::TrainMode mode) {
  jobs::RunOptions run = on_rtl();
  run.mode = mode;
  run.check = true;
  run.train_reference = golden::training_reference;
  return run;
}

inline void put_word(std::string* text, uint32_t word) {
  for (int shift = 24; shift >= 0; shift -= 8) text->push_back(static_cast<char>(word >> shift));
}

// Images of 28 x 28 with ten classes, as IDX files: for each class a fixed picture of soft spots,
// shifted and with noise.
inline void write_images(const std::string& directory, uint64_t seed, uint32_t count) {
  constexpr int kSide = 28, kClasses = 10, kSpots = 6, kLastSpot = 20;
  Rng rng(seed);
  int spots[kClasses][kSpots][2];
  for (auto& picture : spots) {
    for (auto& spot : picture) {
      for (int& place : spot) place = 4 + static_cast<int>(rng.below(kLastSpot));
    }
  }
  std::string images, labels;
  put_word(&images, 0x00000803);
  for (const uint32_t size : {count, uint32_t{kSide}, uint32_t{kSide}}) put_word(&images, size);
  put_word(&labels, 0x00000801);
  put_word(&labels, count);
  for (uint32_t n = 0; n < count; ++n) {
    const auto label = static_cast<int>(rng.below(kClasses));
    const int dy = static_cast<int>(rng.below(5)) - 2, dx = static_cast<int>(rng.below(5)) - 2;
    labels.push_back(static_cast<char>(label));
    for (int y = 0; y < kSide; ++y) {
      for (int x = 0; x < kSide; ++x) {
        int value = static_cast<int>(rng.below(64));
        for (const auto& spot : spots[label]) {
          const int v = y - dy - spot[0], u = x - dx - spot[1];
          value += std::max(0, 190 - 30 * (v * v + u * u));
        }
        images.push_back(static_cast<char>(std::min(value, 255)));
      }
    }
  }
  write_file(directory + "/images-idx3-ubyte", images);
  write_file(directory + "/labels-idx1-ubyte", labels);
}

// A network on such images: adamw, masks of `density`.
inline jobs::TrainParams image_job(const std::string& directory, GridShape grid, int samples,
                                   const std::vector<int>& sizes, double density) {
  jobs::TrainParams p;
  p.base.path = "images";
  p.base.data.file = directory + "/images-idx3-ubyte";
  p.base.data.labels = directory + "/labels-idx1-ubyte";
  p.base.data.format = DataFormat::Idx;
  p.base.data.scale = 255;
  p.base.held_out = jobs::RunParams::HeldOut{4, 3};
  for (size_t k = 0; k + 1 < sizes.size(); ++k) {
    const std::string f = k + 2 < sizes.size() ? "relu" : "none";
    p.base.layers.push_back({sizes[k], sizes[k + 1], f, true});
  }
  p.base.grid = grid;
  p.job.layers = p.base.layers;
  p.job.grid_rows = grid.rows;
  p.job.grid_cols = grid.cols;
  p.job.samples = samples;
  p.job.optimizer.rate = constant_schedule(0.002);
  p.job.loss_scale.initial = 256;
  if (density < 1) {
    p.job.sparsity.resize(1);
    p.job.sparsity[0].pattern = "*.weight";
    p.job.sparsity[0].density = constant_schedule(density);
  }
  return p;
}

}  // namespace ow

#endif  // OW_TB_CHECK_TRAININGS_H_
