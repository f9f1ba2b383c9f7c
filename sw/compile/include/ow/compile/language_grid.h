// SPDX-License-Identifier: Apache-2.0
// A language model on a machine: tokens go in, and come out with what follows them. The regions
// work as a pipeline, each on one token; what a user gets does not depend on the others.
#ifndef OW_COMPILE_LANGUAGE_GRID_H_
#define OW_COMPILE_LANGUAGE_GRID_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "openwafer/runtime.h"
#include "ow/compile/language_plan.h"
#include "ow/firmware/region.h"

namespace ow::jobs {

class LanguageGrid {
 public:
  // Loads the programs of regions from `firmware`, a directory, and the model. BadInput as
  // plan_language, or if the machine's tiles do not have what the programs need.
  LanguageGrid(const Runtime& machine, const LanguageModel& model, const LanguageOptions& options,
               const std::string& firmware);

  const LanguagePlan& plan() const { return plan_; }
  uint64_t cycle() const { return machine_.cycle(); }
  // Tokens that may be under way: each region holds one and keeps one more in its inbox.
  int capacity() const { return 2 * static_cast<int>(plan_.regions.size()) - 1; }

  // The pages of a slot, in the order of its places. They are the user's own. Waits until all tiles
  // know them; tokens under way go on meanwhile.
  void set_pages(int slot, const std::vector<uint16_t>& pages);

  // Sends a command to the head (struct ow_command).
  void send(const ow_command& command);

  // A token that has come round.
  struct Report {
    ow_command command;  // `token`: the greatest logit, or the token itself if it was quiet
    uint64_t cycle = 0;  // in which the report left the grid
    std::vector<uint32_t> logits;  // fp32, by token, if the command asked for them
  };
  // Runs the machine until there is one. DeviceFault, with the hang report, after `limit` cycles.
  Report wait(uint64_t limit);

 private:
  Runtime machine_;
  LanguagePlan plan_;
  std::unique_ptr<Run> run_;
};

}  // namespace ow::jobs

#endif  // OW_COMPILE_LANGUAGE_GRID_H_
