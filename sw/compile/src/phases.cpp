// SPDX-License-Identifier: Apache-2.0
// The phases of a plan (ow/firmware/job.h).
#include <string>
#include <utility>

#include "ow/compile/draft.h"
#include "ow/compile/executable.h"
#include "ow/compile/graph_lowering.h"
#include "ow/compile/lowering.h"
#include "ow/compile/passes.h"
#include "ow/firmware/job.h"
#include "ow/isa/isa.h"

namespace ow::jobs {
ow_pass pass_of_row(const Pass& pass, int rows, int row) {
  const Dealt dealt(pass.outputs, rows);
  const bool alone = rows == 1 || pass.whole;
  const uint32_t owned = dealt.of(row);
  const uint32_t outputs = pass.whole ? owned : pass.outputs;
  const uint32_t begins = alone ? 0 : dealt.of(row > 0 ? row - 1 : rows - 1);
  const uint32_t first = alone ? 0 : dealt.before(row);
  const uint32_t phase = first > begins ? outputs - (first - begins) : begins - first;
  using isa::reg::RedPhase, isa::reg::RedStart;
  ow_pass p{};
  p.x = pass.x;
  p.indices = pass.indices;
  p.y = pass.y;
  p.bias = pass.bias;
  p.outputs = outputs;
  p.phase = RedPhase::Period::put(outputs) | RedPhase::Pivot::put(begins);
  p.start = RedStart::Phase::put(phase == outputs ? 0 : phase) |
            RedStart::More::put(owned > 1 ? owned - 1 : 0);
  p.flags = pass.flags | (owned > 0 ? OW_PASS_OWNS : 0u) | (alone ? OW_PASS_ALONE : 0u);
  return p;
}

bool has_kernel(const ElfImage& program, const std::string& kernel) {
  return program.find("ow_phase_" + kernel).has_value();
}

void check_kernels(const ElfImage& program, const std::vector<Phase>& phases) {
  for (const Phase& phase : phases) program.symbol(std::string("ow_phase_") + phase.kernel);
}

Executable executable_of(const GraphLowering& lowering, uint32_t list_addr,
                         std::vector<PhaseTurns> turns) {
  const TrainingJob& job = lowering.job();
  Executable e;
  e.grid = {job.grid_rows, job.grid_cols};
  e.type = job.type;
  e.lanes = lowering.lanes();
  e.samples = job.samples;
  e.ring = ring_of(job.samples, e.lanes);
  e.exit = lowering.graph().has_loss() ? Exit::West : Exit::BothSides;
  e.chains = lowering.chains();
  e.phases = lowering.draft().list();
  e.forward = lowering.forward_phases();
  e.list_addr = list_addr;
  e.turns = std::move(turns);
  e.ends_addr = list_addr + list_bytes(e.phases, e.turns);
  return e;
}

}  // namespace ow::jobs
