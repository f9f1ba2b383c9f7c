// SPDX-License-Identifier: Apache-2.0
// The trainings whose masks are compared with an oracle: four algorithms, each with three jobs of
// two groups, so that every kind of schedule stands for a density and for a share to drop.
#ifndef OW_TB_MEMORYX_MASKS_JOB_H_
#define OW_TB_MEMORYX_MASKS_JOB_H_

#include <cmath>
#include <cstdint>
#include <vector>

#include "ow/graph/training.h"

namespace ow::memoryx {

// A value over steps, told twice: as the pieces that a job gets, and as what they mean.
struct Told {
  Schedule pieces;
  double (*value)(double step);
};

// One layer's masks.
struct MaskCase {
  size_t layer;
  SparsityGroup::Algorithm algorithm;
  SparsityGroup::Init init;
  Told density;
  Told drop;  // of SET and RigL
  UpdateTimes update;
  SparsityGroup::Balance balance = SparsityGroup::Balance::None;
  int parts = 1;
};

namespace told {

using Kind = SchedulePiece::Kind;

inline double cosine(double from, double to, double x) {
  return x >= 1 ? to : to + (from - to) * (1 + std::cos(M_PI * x)) / 2;
}
inline double linear(double from, double to, double x) {
  return x >= 1 ? to : from + (to - from) * x;
}
inline double cubic(double from, double to, double x) {
  return x >= 1 ? to : to + (from - to) * std::pow(1 - x, 3);
}

inline Told constant() {
  return {constant_schedule(0.217), [](double) { return 0.217; }};
}
inline Told more() {
  return {constant_schedule(0.523), [](double) { return 0.523; }};
}
inline Told straight() {
  return {{{Kind::Linear, 0.613, 0.131, 120, 1}},
          [](double t) { return linear(0.613, 0.131, t / 120); }};
}
inline Told rising() {
  return {{{Kind::Linear, 0.151, 0.457, 100, 1}, {Kind::Cubic, 0.457, 0.303, 50, 1}}, [](double t) {
            return t < 100 ? linear(0.151, 0.457, t / 100) : cubic(0.457, 0.303, (t - 100) / 50);
          }};
}
inline Told round() {
  return {{{Kind::Cosine, 0.931, 0.0713, 160, 1}},
          [](double t) { return cosine(0.931, 0.0713, t / 160); }};
}
inline Told curved() {
  return {{{Kind::Cubic, 0.877, 0.0531, 150, 1}},
          [](double t) { return cubic(0.877, 0.0531, t / 150); }};
}
inline Told decaying() {
  return {{{Kind::Power, 0.783, 0.0917, 190, 0.97}},
          [](double t) { return t < 190 ? 0.0917 + 0.6913 * std::pow(0.97, t) : 0.0917; }};
}
inline Told in_pieces() {
  return {{{Kind::Constant, 0.811, 0.811, 30, 1},
           {Kind::Linear, 0.811, 0.403, 50, 1},
           {Kind::Constant, 0.403, 0.403, 20, 1},
           {Kind::Cosine, 0.403, 0.0507, 90, 1}},
          [](double t) {
            if (t < 30) return 0.811;
            if (t < 80) return linear(0.811, 0.403, (t - 30) / 50);
            return t < 100 ? 0.403 : cosine(0.403, 0.0507, (t - 100) / 90);
          }};
}
inline Told without_end() {
  return {{{Kind::Slope, 0.713, 0.2, kForever, -0.0037}},
          [](double t) { return std::max(0.2, 0.713 - 0.0037 * t); }};
}
inline Told nearing() {
  return {{{Kind::Power, 0.621, 0.131, kForever, 0.971}},
          [](double t) { return 0.131 + 0.49 * std::pow(0.971, t); }};
}
// A list that is gone through again and again.
inline Told cycling() {
  return {{{Kind::Constant, 0.313, 0.313, 10, 1},
           {Kind::Constant, 0.481, 0.481, 10, 1},
           {Kind::Constant, 0.227, 0.227, 10, 1},
           {Kind::Repeat, 0, 0, 3, 1}},
          [](double t) {
            const double values[] = {0.313, 0.481, 0.227};
            return values[static_cast<int>(t) / 10 % 3];
          }};
}
// First 25 constant steps, then down and up again with a half period of 30 steps.
inline Told waving() {
  return {{{Kind::Constant, 0.5, 0.5, 25, 1},
           {Kind::Cosine, 0.417, 0.0917, 30, 1},
           {Kind::Cosine, 0.0917, 0.417, 30, 1},
           {Kind::Repeat, 0, 0, 2, 1}},
          [](double t) {
            return t < 25 ? 0.5 : 0.0917 + 0.3253 * (1 + std::cos(M_PI * (t - 25) / 30)) / 2;
          }};
}
inline Told to_nothing() {
  return {{{Kind::Linear, 0.417, 0, 140, 1}}, [](double t) { return linear(0.417, 0, t / 140); }};
}

}  // namespace told

// `number`: 0 to 2.
inline std::vector<MaskCase> mask_cases(SparsityGroup::Algorithm algorithm, int number) {
  using namespace told;
  using Algorithm = SparsityGroup::Algorithm;
  using Init = SparsityGroup::Init;
  const UpdateTimes fifth{3, UINT64_MAX, 5, {}}, seventh{0, 150, 7, {}}, each{},
      listed{0, UINT64_MAX, 1, {2, 10, 11, 60, 61, 104, 150, 199}};
  if (algorithm == Algorithm::Static) {
    // What a schedule says at step 0 holds.
    const Told first[] = {constant(), straight(), round()};
    const Told second[] = {decaying(), in_pieces(), curved()};
    return {
        {0, algorithm, Init::Magnitude, first[number], constant(), each},
        {1, algorithm, number == 1 ? Init::Even : Init::Random, second[number], constant(), fifth}};
  }
  if (algorithm == Algorithm::Gradual) {
    const Told first[] = {straight(), round(), in_pieces()};
    const Told second[] = {curved(), decaying(), straight()};
    const UpdateTimes times[] = {fifth, each, seventh};
    const UpdateTimes others[] = {seventh, fifth, listed};
    return {{0, algorithm, Init::Magnitude, first[number], constant(), times[number]},
            {1, algorithm, Init::Random, second[number], constant(), others[number]}};
  }
  const Told density[] = {constant(), straight(), rising()};
  const Told drop[] = {more(), round(), to_nothing()};
  const Told other_density[] = {more(), decaying(), curved()};
  const Told other_drop[] = {to_nothing(), curved(), decaying()};
  const UpdateTimes times[] = {fifth, each, listed};
  const UpdateTimes others[] = {seventh, fifth, each};
  return {{0, algorithm, Init::Magnitude, density[number], drop[number], times[number]},
          {1, algorithm, number == 1 ? Init::Even : Init::Random, other_density[number],
           other_drop[number], others[number]}};
}

// What number 0 to 2 have not: schedules that go on for good, other beginnings, balanced parts (of
// 20, 33 and 17 features: 4 of the inputs or 3 or 11 of the outputs of layer 0, 17 of layer 1's).
inline std::vector<std::vector<MaskCase>> more_mask_cases() {
  using namespace told;
  using Algorithm = SparsityGroup::Algorithm;
  using Init = SparsityGroup::Init;
  using Balance = SparsityGroup::Balance;
  const UpdateTimes fifth{3, UINT64_MAX, 5, {}}, each{}, late{20, UINT64_MAX, 3, {}};
  return {
      {{0, Algorithm::Rigl, Init::Random, constant(), waving(), fifth, Balance::Inputs, 4},
       {1, Algorithm::Rigl, Init::Zeros, cycling(), more(), late, Balance::Outputs, 17}},
      {{0, Algorithm::Rigl, Init::Dense, without_end(), cycling(), fifth, Balance::Outputs, 11},
       {1, Algorithm::Set, Init::Zeros, waving(), without_end(), each}},
      {{0, Algorithm::Gradual, Init::Dense, without_end(), constant(), fifth, Balance::Inputs, 5},
       {1, Algorithm::Gradual, Init::Even, nearing(), constant(), fifth, Balance::Inputs, 3}},
      {{0, Algorithm::Set, Init::Even, nearing(), waving(), fifth, Balance::Outputs, 3},
       {1, Algorithm::Static, Init::Even, constant(), constant(), each, Balance::Inputs, 11}},
      {{0, Algorithm::Static, Init::Magnitude, more(), constant(), each, Balance::Inputs, 20},
       {1, Algorithm::Set, Init::Dense, cycling(), nearing(), late}},
  };
}

inline TrainingJob masks_job(const std::vector<MaskCase>& cases, uint64_t seed) {
  TrainingJob job;
  job.layers = {{20, 33, "relu", true}, {33, 17, "relu", false}, {17, 5, "none", true}};
  job.grid_rows = 2;
  job.samples = 16;
  job.seed = seed;
  job.optimizer.rate = constant_schedule(0.01);
  job.loss_scale.initial = 128;
  for (const MaskCase& c : cases) {
    SparsityGroup g;
    g.pattern = c.layer == 0 ? "layers.0.*" : "layers.[13].wei?ht";
    g.algorithm = c.algorithm;
    g.init = c.init;
    g.density = c.density.pieces;
    g.drop = c.drop.pieces;
    g.update = c.update;
    g.balance = c.balance;
    g.parts = c.parts;
    job.sparsity.push_back(g);
  }
  return job;
}

}  // namespace ow::memoryx

#endif  // OW_TB_MEMORYX_MASKS_JOB_H_
