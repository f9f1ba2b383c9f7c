// SPDX-License-Identifier: Apache-2.0
#include "ow/wafer/yield.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "ow/base/rng.h"
#include "ow/wafer/repair.h"

namespace ow::wafer {
namespace {

// Variates that are the same on every machine: made from the generator's numbers, since the
// distributions of the standard library are not portable.
class Random {
 public:
  explicit Random(uint64_t seed) : rng_(seed) {}

  // (0, 1]
  double uniform() { return 1.0 - rng_.uniform(); }

  uint64_t below(uint64_t n) { return rng_.below(n); }

  // Exponential gaps between the events of a unit interval.
  uint64_t poisson(double mean) {
    uint64_t n = 0;
    for (double at = -std::log(uniform()); at <= mean; at -= std::log(uniform())) ++n;
    return n;
  }

  double normal() {
    return std::sqrt(-2.0 * std::log(uniform())) * std::cos(6.283185307179586 * uniform());
  }

  // Gamma variate of mean 1 and variance 1 / alpha, by the method of Marsaglia and Tsang (2000).
  double gamma(double alpha) {
    double boost = 1.0;
    double shape = alpha;
    if (shape < 1.0) {
      boost = std::pow(uniform(), 1.0 / shape);
      shape += 1.0;
    }
    const double d = shape - 1.0 / 3.0;
    const double c = 1.0 / std::sqrt(9.0 * d);
    for (;;) {
      const double x = normal();
      const double v = std::pow(1.0 + c * x, 3.0);
      if (v > 0.0 && std::log(uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) {
        return boost * d * v / alpha;
      }
    }
  }

 private:
  Rng rng_;
};

// A random connection of a reticle. Every tile has 1 + spare_cols to the east and (1 + spare_rows)
// * (2 * spare_cols + 1) to the south. Those that would leave the reticle do not exist. They are
// drawn and dropped, so every existing connection has the same chance.
bool random_wire(const Shape& s, Random& random, Wire* wire) {
  const int east = 1 + s.spare_cols;
  const int across = 2 * s.spare_cols + 1;
  const int south = (1 + s.spare_rows) * across;
  const auto tiles = static_cast<uint64_t>(s.physical_rows()) * s.physical_cols();
  const uint64_t tile = random.below(tiles);
  const int k = static_cast<int>(random.below(static_cast<uint64_t>(east + south)));
  wire->from = {static_cast<int>(tile) / s.physical_cols(),
                static_cast<int>(tile) % s.physical_cols()};
  wire->to = wire->from;
  if (k < east) {
    wire->to.col += 1 + k;
  } else {
    wire->to.row += 1 + (k - east) / across;
    wire->to.col += (k - east) % across - s.spare_cols;
  }
  return wire->to.row < s.physical_rows() && wire->to.col >= 0 && wire->to.col < s.physical_cols();
}

double wires_drawn(const Shape& s) {
  return static_cast<double>(s.physical_rows()) * s.physical_cols() *
         (1 + s.spare_cols + (1 + s.spare_rows) * (2 * s.spare_cols + 1));
}

// Whether the wafer works with every logical tile in the place of its own number.
bool perfect(const Shape& s, const Defects& d) {
  const auto identity = [&](const Position& p) { return p.row < s.rows && p.col < s.cols; };
  for (size_t i = 0; i < d.reticles.size(); ++i) {
    for (const Position& p : d.reticles[i].tiles) {
      if (identity(p)) return false;
    }
    for (const Wire& w : d.reticles[i].wires) {
      const bool next = w.to.row - w.from.row + std::abs(w.to.col - w.from.col) == 1;
      if (next && identity(w.from) && identity(w.to)) return false;
    }
    for (int row : d.reticles[i].chains) {
      if (row < s.rows) return false;
    }
    for (int slot : d.east_links[i]) {
      if (slot < s.rows) return false;
    }
    for (int slot : d.south_links[i]) {
      if (slot < s.cols) return false;
    }
  }
  return true;
}

template <typename T>
void sort_unique(std::vector<T>* v) {
  std::sort(v->begin(), v->end());
  v->erase(std::unique(v->begin(), v->end()), v->end());
}

}  // namespace

Defects random_defects(const Shape& shape, const YieldModel& model, uint64_t seed) {
  Random random(seed);
  Defects defects(shape);
  const double tiles = static_cast<double>(shape.physical_rows()) * shape.physical_cols();
  for (int d = 0; d < shape.reticles(); ++d) {
    const auto i = static_cast<size_t>(d);
    const double factor = model.alpha > 0 ? random.gamma(model.alpha) : 1.0;
    ReticleDefects& reticle = defects.reticles[i];
    for (uint64_t n = random.poisson(model.tile_defects * tiles * factor); n > 0; --n) {
      const auto tile = static_cast<int>(random.below(static_cast<uint64_t>(tiles)));
      reticle.tiles.push_back({tile / shape.physical_cols(), tile % shape.physical_cols()});
    }
    for (uint64_t n = random.poisson(model.wire_defects * wires_drawn(shape) * factor); n > 0;
         --n) {
      Wire wire;
      if (random_wire(shape, random, &wire)) reticle.wires.push_back(wire);
    }
    for (uint64_t n = random.poisson(model.chain_defects * shape.physical_rows() * factor); n > 0;
         --n) {
      reticle.chains.push_back(
          static_cast<int>(random.below(static_cast<uint64_t>(shape.physical_rows()))));
    }
    sort_unique(&reticle.tiles);
    sort_unique(&reticle.wires);
    sort_unique(&reticle.chains);
    if (model.link_failure > 0) {
      if (d % shape.reticle_cols + 1 < shape.reticle_cols) {
        for (int slot = 0; slot < shape.physical_rows(); ++slot) {
          if (random.uniform() <= model.link_failure) defects.east_links[i].push_back(slot);
        }
      }
      if (d / shape.reticle_cols + 1 < shape.reticle_rows) {
        for (int slot = 0; slot < shape.physical_cols(); ++slot) {
          if (random.uniform() <= model.link_failure) defects.south_links[i].push_back(slot);
        }
      }
    }
  }
  return defects;
}

YieldResult simulate_yield(const Shape& shape, const YieldModel& model, uint64_t wafers,
                           uint64_t seed, const std::function<void(uint64_t)>& progress) {
  YieldResult result;
  const Window all{0, 0, shape.rows, shape.cols};
  for (uint64_t w = 0; w < wafers; ++w) {
    const Defects defects = random_defects(shape, model, seed + w);
    result.defects += defects.count();
    ++result.wafers;
    if (perfect(shape, defects)) ++result.perfect;
    if (repair_wafer(shape, defects).map) {
      ++result.whole;
    } else {
      for (const ReticleDefects& reticle : defects.reticles) {
        if (!reticle.empty() && !repair_reticle(shape, reticle, all)) ++result.reticles_lost;
      }
    }
    if (progress) progress(w + 1);
  }
  return result;
}

double exact_yield(const Shape& shape, double tile_defects) {
  const double p = 1.0 - std::exp(-tile_defects);
  const auto at_most = [](int n, int k, double q) {
    double sum = 0, term = std::pow(1.0 - q, n);
    for (int i = 0; i <= k; ++i) {
      sum += term;
      term *= static_cast<double>(n - i) / (i + 1) * q / (1.0 - q);
    }
    return sum;
  };
  const double row_lost = 1.0 - at_most(shape.physical_cols(), shape.spare_cols, p);
  const double reticle = at_most(shape.physical_rows(), shape.spare_rows, row_lost);
  return std::pow(reticle, shape.reticles());
}

double exact_yield_unrepaired(const Shape& shape, double tile_defects) {
  return std::exp(-tile_defects * shape.rows * shape.cols * shape.reticles());
}

}  // namespace ow::wafer
