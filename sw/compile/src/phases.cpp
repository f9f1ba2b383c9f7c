// SPDX-License-Identifier: Apache-2.0
// The phases of a plan (ow/firmware/job.h).
#include <algorithm>
#include <string>

#include "ow/compile/draft.h"
#include "ow/compile/executable.h"
#include "ow/compile/graph_lowering.h"
#include "ow/compile/lowering.h"
#include "ow/compile/passes.h"
#include "ow/firmware/job.h"
#include "ow/isa/isa.h"

namespace ow::jobs {
namespace {

uint32_t u32(int n) { return static_cast<uint32_t>(n); }

}  // namespace

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

std::vector<Phase> phases_of(const StreamPlan& plan) {
  Draft list(plan.grid.rows);
  for (size_t k = 0; k < plan.layers.size(); ++k) {
    const LayerPlan& layer = plan.layers[k];
    list.begin(Phase::Part::Forward, k);
    Pass pass;
    pass.x = layer.x_addr;
    pass.indices = u32(layer.local_inputs);
    pass.y = layer.y_addr;
    pass.outputs = u32(layer.shape.outputs);
    pass.bias = layer.bias_addr;
    pass.flags = pass_flags(layer.shape);
    list.add("pass", {}, PassCost{},
             [&plan, pass](int row) { return pass_of_row(pass, plan.grid.rows, row); });
  }
  list.begin(Phase::Part::Send, plan.layers.size());
  const LayerPlan& last = plan.layers.back();
  const Dealt outputs(u32(last.shape.outputs), plan.grid.rows);
  list.add("send", {}, SendCost{}, [&plan, &last, outputs](int row) {
    return ow_send{last.y_addr, outputs.of(row) * u32(plan.samples) / 2};
  });
  return list.list();
}

bool has_kernel(const ElfImage& program, const std::string& kernel) {
  return program.find("ow_phase_" + kernel).has_value();
}

void check_kernels(const ElfImage& program, const std::vector<Phase>& phases) {
  for (const Phase& phase : phases) program.symbol(std::string("ow_phase_") + phase.kernel);
}

uint32_t list_bytes(const std::vector<Phase>& phases) {
  size_t bytes = 0;
  for (const Phase& phase : phases) {
    bytes += sizeof(ow_phase) + 4 * phase.parameters.front().size();
  }
  return static_cast<uint32_t>(bytes);
}

uint32_t ends_bytes(const std::vector<Phase>& phases) {
  return static_cast<uint32_t>(4 * (phases.size() + 1));
}

Executable executable_of(const StreamPlan& plan) {
  Executable e;
  e.grid = plan.grid;
  e.type = plan.type;
  e.lanes = plan.tile.lanes;
  e.samples = plan.samples;
  e.ring = plan.ring();
  e.exit = Exit::BothSides;
  e.phases = phases_of(plan);
  e.forward = e.phases.size();
  e.list_addr = plan.list_addr;
  e.ends_addr = plan.list_addr + list_bytes(e.phases);
  return e;
}

}  // namespace ow::jobs
