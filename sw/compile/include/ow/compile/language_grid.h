// SPDX-License-Identifier: Apache-2.0
// A language model on a machine: tokens go in, and come out with what follows them. The regions
// work as a pipeline, each on one token; what a user gets does not depend on the others. Several
// wafers are a ring, too: the regions are cut into as many parts, with links between them.
#ifndef OW_COMPILE_LANGUAGE_GRID_H_
#define OW_COMPILE_LANGUAGE_GRID_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "openwafer/runtime.h"
#include "ow/compile/language_plan.h"
#include "ow/firmware/region.h"

namespace ow::jobs {

class WaferRing;

class LanguageGrid {
 public:
  // Loads the programs of regions from `firmware`, a directory, and the model. Several machines are
  // wafers with links of the preset `wse` (docs/training.md), and must be simulated. BadInput as
  // plan_language, or if the machine's tiles do not have what the programs need.
  LanguageGrid(const std::vector<Runtime>& machines, const LanguageModel& model,
               const LanguageOptions& options, const std::string& firmware);
  ~LanguageGrid();

  const LanguagePlan& plan() const { return plan_; }
  // Tokens that may be under way. Each region holds one and keeps one more in its inbox. So many
  // keep all of them at work: one each and two more, and two on each link.
  int inside() const;

  // The pages of a slot, in the order of its places. They are the user's own. Waits until all tiles
  // know them; tokens under way go on meanwhile.
  void set_pages(int slot, const std::vector<uint16_t>& pages);

  // Sends a command to the head (struct ow_command).
  void send(const ow_command& command);

  // A token that has come round.
  struct Report {
    ow_command command;  // `token`: the greatest logit, or the token itself if it was quiet
    uint64_t cycle = 0;  // in which the report left the grid, counted from the first launch on
    std::vector<uint32_t> logits;  // fp32, by token, if the command asked for them
  };
  // Runs the machines until there is one. DeviceFault, with the hang report, after `limit` cycles.
  Report wait(uint64_t limit);

 private:
  void add_tiles(Program* program, size_t region, const std::string& elf) const;
  size_t logits_due() const;

  LanguagePlan plan_;
  std::vector<Run> runs_;  // by wafer
  std::unique_ptr<WaferRing> ring_;
  std::deque<Word> reports_;  // words that have come
  std::deque<uint32_t> logits_;
};

}  // namespace ow::jobs

#endif  // OW_COMPILE_LANGUAGE_GRID_H_
