// SPDX-License-Identifier: Apache-2.0
// For each table of a cover: the condition under which someone needs it.
#ifndef OW_SIMGEN_SRC_LABELS_H_
#define OW_SIMGEN_SRC_LABELS_H_

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "ow/simgen/plan.h"

namespace ow::simgen {

// A condition is a set of keys: groups (their enables), and units as a whole (-1 - unit), in order.
// The empty set is "always".
using Keys = std::vector<int>;
constexpr size_t kAlways = 0;

class Labels {
 public:
  // `plan` has a cover, units and groups.
  Labels(const Design& design, const Plan& plan, const PlanOptions& options);

  // By bit, for tables; by bank and port. Only of those that someone needs.
  size_t of_table(Bit bit) const { return tables_[bit]; }
  size_t of_read(size_t bank, size_t port) const { return reads_[bank][port]; }
  size_t of_group(size_t group) const { return groups_[group]; }
  size_t of_unit(size_t unit) const { return units_[unit]; }
  // The only group of a condition; -1 if it is another one.
  int only_group(size_t label) const {
    return sets_[label].size() == 1 && sets_[label][0] >= 0 ? sets_[label][0] : -1;
  }
  size_t count() const { return sets_.size(); }
  Condition condition(size_t label) const;

 private:
  size_t known(Keys keys);
  size_t whole_units(size_t label);
  size_t both(size_t a, size_t b);
  size_t group_label(size_t group);
  void need(Bit bit, size_t label);
  void need_all();
  bool spread();
  void raise_small();

  const Design& design_;
  const Cover& cover_;
  const Plan& plan_;
  const PlanOptions& options_;
  std::vector<Keys> sets_;
  std::map<Keys, size_t> numbers_;
  std::map<std::pair<size_t, size_t>, size_t> unions_;
  std::vector<size_t> groups_, units_;
  std::vector<size_t> tables_;  // kNobody: not needed yet
  std::vector<std::vector<size_t>> reads_;
};

}  // namespace ow::simgen

#endif  // OW_SIMGEN_SRC_LABELS_H_
