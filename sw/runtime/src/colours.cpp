// SPDX-License-Identifier: Apache-2.0
#include "ow/runtime/colours.h"

#include <cstddef>
#include <set>
#include <tuple>

namespace ow {
namespace {

using Tile = std::pair<int, int>;

int count_bits(uint32_t bits) {
  int n = 0;
  for (; bits != 0; bits &= bits - 1) ++n;
  return n;
}

int lowest_zero(uint32_t bits) {
  int n = 0;
  while ((bits >> n & 1) != 0) ++n;
  return n;
}

std::optional<std::vector<int>> in_order(const ColourProblem& problem, uint32_t all) {
  std::map<Tile, uint32_t> used = problem.taken;
  std::vector<int> colour;
  for (const std::vector<Tile>& tiles : problem.nets) {
    uint32_t here = ~all;
    for (const Tile& tile : tiles) here |= used[tile];
    if (here == ~uint32_t{0}) return std::nullopt;
    colour.push_back(lowest_zero(here));
    for (const Tile& tile : tiles) used[tile] |= uint32_t{1} << colour.back();
  }
  return colour;
}

std::optional<std::vector<int>> most_constrained_first(const ColourProblem& problem, uint32_t all) {
  const size_t n = problem.nets.size();
  std::map<Tile, std::vector<size_t>> nets_of;
  for (size_t k = 0; k < n; ++k) {
    for (const Tile& tile : problem.nets[k]) nets_of[tile].push_back(k);
  }
  std::vector<uint32_t> used(n, ~all);
  std::vector<size_t> crowd(n, 0);  // nets met, counted once a tile
  for (size_t k = 0; k < n; ++k) {
    for (const Tile& tile : problem.nets[k]) {
      const auto taken = problem.taken.find(tile);
      if (taken != problem.taken.end()) used[k] |= taken->second;
      crowd[k] += nets_of[tile].size();
    }
  }
  // The net with the fewest colours left comes last; among equals the one that meets most others.
  using Key = std::tuple<int, size_t, size_t>;
  const auto key = [&](size_t k) { return Key{count_bits(used[k]), crowd[k], n - k}; };
  std::set<Key> open;
  for (size_t k = 0; k < n; ++k) open.insert(key(k));
  std::vector<int> colour(n, -1);
  while (!open.empty()) {
    const size_t k = n - std::get<2>(*open.rbegin());
    open.erase(key(k));
    if (used[k] == ~uint32_t{0}) return std::nullopt;
    colour[k] = lowest_zero(used[k]);
    const uint32_t bit = uint32_t{1} << colour[k];
    for (const Tile& tile : problem.nets[k]) {
      for (const size_t other : nets_of[tile]) {
        if (colour[other] >= 0 || (used[other] & bit) != 0) continue;
        open.erase(key(other));
        used[other] |= bit;
        open.insert(key(other));
      }
    }
  }
  return colour;
}

}  // namespace

std::optional<std::vector<int>> assign_colours(const ColourProblem& problem) {
  const uint32_t all = problem.colours >= 32 ? ~uint32_t{0} : (uint32_t{1} << problem.colours) - 1;
  std::optional<std::vector<int>> found = in_order(problem, all);
  return found ? found : most_constrained_first(problem, all);
}

}  // namespace ow
