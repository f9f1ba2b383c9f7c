// SPDX-License-Identifier: Apache-2.0
// Masks: which weights are kept, and how that changes (docs/numerics.md, N20).
#ifndef OW_MEMORYX_SPARSITY_H_
#define OW_MEMORYX_SPARSITY_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ow/graph/training.h"
#include "ow/memoryx/store.h"

namespace ow::memoryx {

// The group of a parameter: the first whose pattern matches its name, if it is a matrix. -1: no
// group, so the parameter is dense.
int group_of(const std::vector<SparsityGroup>& groups, const TensorSpec& tensor);

// The whole number of elements in a share of `count` (N80). The double of a decimal fraction may be
// a little less than the fraction; 0.29 of 100 are 29 all the same.
size_t whole_share(double share, size_t count);

class Sparsity {
 public:
  // BadInput, one line, if: a density or share is outside 0..1; the density of a gradual group does
  // not change; no matrix matches a pattern (a misspelt name would silently stay dense); an
  // interval is 0; a matrix cannot be cut into the parts; the algorithm cannot start from its
  // `init`.
  static void check(const std::vector<SparsityGroup>& groups,
                    const std::vector<TensorSpec>& tensors);

  // BadInput as check(). A parameter of the store is masked if and only if it has a group. `store`
  // must outlive this object.
  Sparsity(const std::vector<SparsityGroup>& groups, uint64_t seed, Store& store);

  // Makes the masks of step 0 from the current weights and sets all other weights to 0.
  void begin();
  // changes(): whether the masks of a parameter change after this step. needs_dense(): whether they
  // then need its gradient at all positions, not only at those of the mask.
  bool changes(size_t tensor, uint64_t step) const;
  bool needs_dense(size_t tensor, uint64_t step) const;
  // Changes the masks that are due. Call it after the update of a step that was not skipped. It
  // uses gradient 0 of the store.
  void update(uint64_t step);

  // The number of weights kept.
  size_t kept(size_t tensor) const;
  // Counts the weights in the store again, after a checkpoint was read.
  void recount();
  // The random key of an element (N20).
  static uint32_t random_key(uint64_t seed, size_t tensor, uint64_t step, size_t element);

 private:
  const SparsityGroup* group(size_t tensor) const;
  template <typename Keys>
  void choose(size_t tensor, const std::vector<size_t>& count, const Keys& keys);
  void settle(size_t tensor);
  std::vector<size_t> shares(size_t tensor, size_t k) const;
  void keep_greatest(size_t tensor, const std::vector<size_t>& count);
  void regrow(size_t tensor, const SparsityGroup& group, uint64_t step,
              const std::vector<size_t>& count);
  void clear_outside(size_t tensor, size_t first, size_t count);

  std::vector<SparsityGroup> groups_;
  uint64_t seed_;
  Store& store_;
  std::vector<int> group_of_;
  std::vector<size_t> kept_;
};

}  // namespace ow::memoryx

#endif  // OW_MEMORYX_SPARSITY_H_
