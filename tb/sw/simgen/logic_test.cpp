// SPDX-License-Identifier: Apache-2.0
// Logic in bits and its cover by tables, against words and against each other.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ow/simgen/cover.h"
#include "ow/simgen/design.h"
#include "random_netlist.h"
#include "seed.h"

namespace ow::simgen {
namespace {

// The values of all bits, from those of the sources.
std::vector<uint8_t> evaluate(const std::vector<Node>& nodes, std::vector<uint8_t> values) {
  for (size_t n = 0; n < nodes.size(); ++n) {
    const Node& node = nodes[n];
    if (node.inputs == 0) {
      values[n] |= node.table & 1;  // a constant, else a source
      continue;
    }
    unsigned at = 0;
    for (size_t k = 0; k < 3; ++k) at = at << 1 | (k < node.inputs ? values[node.in[k]] : 0u);
    values[n] = node.table >> at & 1;
  }
  return values;
}

std::vector<uint8_t> sources_of(const Logic& logic, Builder* random) {
  std::vector<uint8_t> values(logic.nodes().size(), 0);
  values[kTrue] = 1;
  for (Bit bit = kTrue + 1; bit < values.size(); ++bit) {
    if (logic.is_source(bit)) values[bit] = static_cast<uint8_t>(random->below(2));
  }
  return values;
}

TEST(Logic, DoesWhatYosysManualSaysOfEachCell) {
  Builder random(test_seed(1));
  for (const std::string& type : logic_types()) {
    for (int round = 0; round < 60; ++round) {
      Builder builder(test_seed(1) + static_cast<uint64_t>(round));
      builder.input("a_i", 40);
      const Cell cell = builder.cell_of(type, 9);
      builder.output("y_o", cell.ports.at("Y"));
      const Netlist netlist = builder.finish();
      const Design design = blast(netlist);
      const std::vector<uint8_t> values =
          evaluate(design.logic.nodes(), sources_of(design.logic, &random));
      const DesignPort& input = design.ports[0];
      Words words;
      for (const auto& [port, nets] : cell.ports) {
        for (size_t k = 0; k < nets.size() && port != "Y"; ++k) {
          const auto at =
              std::find(netlist.ports[1].bits.begin(), netlist.ports[1].bits.end(), nets[k]);
          const bool one =
              nets[k] == kNetOne ||
              (nets[k] != kNetZero &&
               values[input.bits[static_cast<size_t>(at - netlist.ports[1].bits.begin())]]);
          words[port] |= uint64_t{one} << k;
        }
      }
      uint64_t got = 0;
      for (size_t k = 0; k < cell.ports.at("Y").size(); ++k) {
        got |= uint64_t{values[design.ports[1].bits[k]]} << k;
      }
      EXPECT_EQ(got, reference_cell(cell, words)) << type << ", round " << round;
    }
  }
}

TEST(Logic, MakesEqualNodesOnceAndNoneForConstantsAndInverters) {
  Logic logic;
  const Bit a = logic.source(), b = logic.source(), c = logic.source();
  EXPECT_EQ(logic.all(a, b), logic.all(b, a));
  EXPECT_EQ(logic.all(a, kTrue), a);
  EXPECT_EQ(logic.differ(a, a), kFalse);
  EXPECT_EQ(logic.inverse(logic.inverse(c)), c);
  EXPECT_EQ(logic.choose(c, a, a), a);
  EXPECT_EQ(logic.inverse(logic.any(logic.inverse(a), logic.inverse(b))), logic.all(a, b));
}

TEST(Cover, HasTheSameValuesWithFewerTables) {
  for (int round = 0; round < 20; ++round) {
    Builder builder(test_seed(1) + static_cast<uint64_t>(round));
    builder.input("a_i", 24);
    for (int k = 0; k < 60; ++k) builder.logic();
    const Netlist netlist = builder.finish();
    const Design design = blast(netlist);
    std::vector<Bit> outputs;
    for (const DesignPort& port : design.ports) {
      if (!port.input) outputs.insert(outputs.end(), port.bits.begin(), port.bits.end());
    }
    const Cover covered = cover(design.logic, outputs);
    size_t gates = 0;
    for (const Node& node : design.logic.nodes()) gates += node.inputs > 0 ? 1 : 0;
    EXPECT_LE(covered.order.size(), gates);
    for (const Bit bit : covered.order) {
      const Node& table = covered.tables[bit];
      for (int k = 0; k < table.inputs; ++k) EXPECT_TRUE(depends(table.table, k));
    }
    for (int k = 0; k < 20; ++k) {
      const std::vector<uint8_t> sources = sources_of(design.logic, &builder);
      const std::vector<uint8_t> expected = evaluate(design.logic.nodes(), sources);
      const std::vector<uint8_t> got = evaluate(covered.tables, sources);
      for (const Bit bit : outputs) EXPECT_EQ(got[bit], expected[bit]) << "round " << round;
    }
  }
}

}  // namespace
}  // namespace ow::simgen
