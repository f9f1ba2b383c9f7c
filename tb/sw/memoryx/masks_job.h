// SPDX-License-Identifier: Apache-2.0
// The trainings whose masks are compared with an oracle.
#ifndef OW_TB_MEMORYX_MASKS_JOB_H_
#define OW_TB_MEMORYX_MASKS_JOB_H_

#include <string>
#include <vector>

#include "ow/tensor/training.h"

namespace ow::memoryx {

// One layer's masks, told in numbers rather than in schedules.
struct MaskCase {
  size_t layer;
  SparsityGroup::Algorithm algorithm;
  int schedule;  // 0: `from`; 1: straight to `to` in 120 steps; 2: as a cubic in 150
  double from, to;
  double density;  // SET and RigL, for which the schedule is of the share to drop
  bool magnitude;  // else random
  uint64_t start, every;
};

inline std::vector<MaskCase> mask_cases(SparsityGroup::Algorithm algorithm, int schedule) {
  const bool gradual = algorithm == SparsityGroup::Algorithm::Gradual;
  // A gradual mask must move: its first schedule is one in two constant pieces.
  const double from = gradual ? 0.93 : 0.37;
  const double to = gradual ? 0.13 : 0.05;
  return {
      {0, algorithm, gradual && schedule == 0 ? 1 : schedule, from, to, 0.217, true, 3, 5},
      {1, algorithm, schedule == 0 && gradual ? 2 : schedule, from * 0.9, to, 0.5, false, 0, 7}};
}

inline TrainingJob masks_job(const std::vector<MaskCase>& cases, uint64_t seed) {
  TrainingJob job;
  job.layers = {{20, 33, Activation::Relu, true},
                {33, 17, Activation::Relu, false},
                {17, 5, Activation::None, true}};
  job.grid_rows = 2;
  job.samples = 16;
  job.seed = seed;
  job.optimizer.rate = constant_schedule(0.01);
  job.loss_scale.initial = 128;
  for (const MaskCase& c : cases) {
    const Schedule one = constant_schedule(c.from);
    const Schedule straight = {{SchedulePiece::Kind::Linear, c.from, c.to, 120, 1}};
    const Schedule cubic = {{SchedulePiece::Kind::Cubic, c.from, c.to, 150, 1}};
    const Schedule& schedule = c.schedule == 0 ? one : c.schedule == 1 ? straight : cubic;
    SparsityGroup g;
    g.pattern = c.layer == 0 ? "layers.0.*" : "layers.[13].wei?ht";
    g.algorithm = c.algorithm;
    g.init = c.magnitude ? SparsityGroup::Init::Magnitude : SparsityGroup::Init::Random;
    if (c.algorithm == SparsityGroup::Algorithm::Static ||
        c.algorithm == SparsityGroup::Algorithm::Gradual) {
      g.density = schedule;
    } else {
      g.density = constant_schedule(c.density);
      g.drop = schedule;
    }
    g.update.start = c.start;
    g.update.every = c.every;
    job.sparsity.push_back(g);
  }
  return job;
}

}  // namespace ow::memoryx

#endif  // OW_TB_MEMORYX_MASKS_JOB_H_
