// SPDX-License-Identifier: Apache-2.0
// Which tiles of a simulated wafer are evaluated.
//
// Most tiles under test do the same at the same time. Tiles in the same state with the same inputs
// form a group, and one of them, the leader, is evaluated for all. A tile whose inputs differ from
// its leader's copies the leader's state and continues alone. Tiles that rest in the same state
// join again before the host's next commands.
#ifndef OW_SIM_WAFER_GROUPS_H_
#define OW_SIM_WAFER_GROUPS_H_

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "wafer_tiles.h"

namespace ow::wafer {

class Groups {
 public:
  explicit Groups(size_t tiles) : leaders_(tiles) {}

  size_t leader(size_t tile) const { return leaders_[tile]; }
  bool leads(size_t tile) const { return leaders_[tile] == tile; }

  // All tiles start alike. `may_follow(tile, leader)` says which tiles may be in a group.
  template <typename MayFollow>
  void form(const MayFollow& may_follow) {
    for (size_t i = 0; i < leaders_.size(); ++i) {
      leaders_[i] = i;
      for (size_t l = 0; l < i && leads(i); ++l) {
        if (leads(l) && may_follow(i, l)) leaders_[i] = l;
      }
    }
  }

  // Takes tiles with other inputs than their leader's out of their groups. Returns who leads now
  // and needs a copy of a state: pairs of the leader that was left and the new one.
  const std::vector<std::pair<size_t, size_t>>& part(const std::vector<Inputs>& inputs) {
    parted_.clear();
    for (size_t i = 0; i < leaders_.size(); ++i) {
      const size_t old = leaders_[i];
      if (old == i || inputs[i] == inputs[old]) continue;
      const auto at = std::find_if(parted_.begin(), parted_.end(), [&](const auto& pair) {
        return pair.first == old && inputs[pair.second] == inputs[i];
      });
      leaders_[i] = at == parted_.end() ? i : at->second;
      if (leads(i)) parted_.emplace_back(old, i);
    }
    return parted_;
  }

  // Groups tiles in the same state. `resting`: leaders that do nothing before something comes, in
  // order. `same(tile, leader)`: whether one may follow the other.
  template <typename Same>
  void join(const std::vector<size_t>& resting, const Same& same) {
    for (size_t k = 1; k < resting.size(); ++k) {
      for (size_t j = 0; j < k && leads(resting[k]); ++j) {
        if (!leads(resting[j]) || !same(resting[k], resting[j])) continue;
        std::replace(leaders_.begin(), leaders_.end(), resting[k], resting[j]);
      }
    }
  }

 private:
  std::vector<size_t> leaders_;                    // the tile evaluated for each, perhaps itself
  std::vector<std::pair<size_t, size_t>> parted_;  // in this cycle
};

}  // namespace ow::wafer

#endif  // OW_SIM_WAFER_GROUPS_H_
