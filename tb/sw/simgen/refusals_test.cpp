// SPDX-License-Identifier: Apache-2.0
// Netlists that are refused: one line each, which says what is wrong and where.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/base/temporary_directory.h"
#include "ow/simgen/design.h"
#include "ow/simgen/emit.h"
#include "ow/simgen/netlist.h"
#include "ow/simgen/plan.h"
#include "random_netlist.h"

namespace ow::simgen {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

void refuse(const Netlist& netlist, const std::string& words, const BlastOptions& options = {}) {
  EXPECT_THAT([&] { blast(netlist, options); },
              ThrowsMessage<BadInput>(AllOf(HasSubstr(words), Not(HasSubstr("\n")))));
}

// One cell that `make` makes and then spoils.
void refuse(const std::function<void(Builder*)>& make, const std::string& words) {
  Builder builder(1);
  builder.input("a_i", 12);
  make(&builder);
  refuse(builder.finish(), words);
}

TEST(Blast, RefusesWhatASynchronousDesignOfOneClockDoesNotHave) {
  refuse([](Builder* b) { b->cell_of("$add", 4).type = "$div"; },
         "logic0 ($div): is of a type that is not known");
  {
    Builder builder(1);
    const std::vector<Net> other = builder.input("other_clk_i", 1);
    builder.registers("$dff", 2, false);
    Netlist netlist = builder.finish();
    netlist.cells.back().ports["CLK"] = other;
    refuse(netlist, "is neither clk_i nor that behind a clock gate");
  }
  refuse(
      [](Builder* b) {
        Cell& cell = b->cell_of("$not", 4);
        cell.ports["A"] = cell.ports["Y"];
        b->output("y_o", cell.ports["Y"]);
      },
      "is part of a loop of logic");
  refuse([](Builder* b) { b->output("y_o", b->fresh(1)); }, "has no driver");
}

TEST(Blast, RefusesANetWithTwoDriversOfAnyKind) {
  const auto kinds = std::vector<std::function<std::vector<Net>*(Builder*)>>{
      [](Builder* b) { return &b->cell_of("$not", 4).ports["Y"]; },
      [](Builder* b) { return &b->registers("$dff", 4, false).ports["Q"]; },
      [](Builder* b) { return &b->memory(4, 4, false).ports["RD_DATA"]; },
      [](Builder* b) { return &b->memory(4096, 4, false).ports["RD_DATA"]; },
  };
  for (const auto& first : kinds) {
    for (const auto& second : kinds) {
      Builder builder(1);
      builder.input("a_i", 12);
      const Net net = first(&builder)->front();
      second(&builder)->front() = net;
      refuse(builder.finish(), "has two drivers");
    }
  }
  refuse([](Builder* b) { b->cell_of("$not", 4).ports["Y"] = b->input("b_i", 4); },
         "has two drivers");
  refuse([](Builder* b) { b->cell_of("$not", 4).ports["Y"] = {kNetZero}; },
         "logic0 ($not): drives a constant");
}

TEST(Blast, RefusesPortsWithOtherWidthsThanTheCellsOthers) {
  const auto shorter = [](const char* port) {
    return [port](Cell* cell) { cell->ports[port].pop_back(); };
  };
  const auto of_register = [](const std::function<void(Cell*)>& spoil, const std::string& words) {
    Builder builder(1);
    builder.input("a_i", 12);
    builder.registers("$sdffe", 4, false);
    Netlist netlist = builder.finish();
    spoil(&netlist.cells.back());
    refuse(netlist, words);
  };
  of_register(shorter("D"), "state0 ($sdffe): D has 3 bits and not 4");
  of_register(shorter("EN"), "state0 ($sdffe): EN has 0 bits and not 1");
  of_register(shorter("SRST"), "state0 ($sdffe): SRST has 0 bits and not 1");
  of_register([](Cell* cell) { cell->parameters["SRST_VALUE"] = "101"; },
              "state0 ($sdffe): SRST_VALUE has 3 bits and not 4");
  of_register([](Cell* cell) { cell->parameters.erase("SRST_VALUE"); },
              "state0 ($sdffe): has no parameter SRST_VALUE");
  for (const char* port : {"RD_ADDR", "RD_DATA", "WR_CLK", "WR_ADDR", "WR_EN", "WR_DATA"}) {
    Builder builder(1);
    builder.input("a_i", 12);
    builder.memory(8, 4, false);
    Netlist netlist = builder.finish();
    netlist.cells.back().ports[port].pop_back();
    refuse(netlist, fmt::format("memory0 ($mem_v2): {} has ", port));
  }
  const std::pair<const char*, const char*> choices[] = {
      {"$mux", "B"}, {"$mux", "S"}, {"$bwmux", "S"}, {"$bmux", "A"}, {"$demux", "Y"}};
  for (const auto& [type, port] : choices) {
    refuse([&, t = type, p = port](Builder* b) { b->cell_of(t, 6).ports[p].pop_back(); },
           fmt::format("logic0 ({}): {} has ", type, port));
  }
  refuse([](Builder* b) { b->cell_of("$add", 6).ports.erase("B"); },
         "logic0 ($add): has no port B");
}

TEST(Blast, RefusesPortsWithOtherWidthsThanTheParametersSay) {
  const std::pair<const char*, const char*> widths[] = {{"$add", "A_WIDTH"}, {"$add", "B_WIDTH"},
                                                        {"$add", "Y_WIDTH"}, {"$bmux", "S_WIDTH"},
                                                        {"$mux", "WIDTH"},   {"$demux", "WIDTH"}};
  for (const auto& [type, parameter] : widths) {
    refuse([&, t = type, p = parameter](Builder* b) { b->cell_of(t, 6).parameters[p] = "1111"; },
           " bits and not 15");
  }
  refuse([](Builder* b) { b->registers("$dff", 4, false).parameters["WIDTH"] = "101"; },
         "state0 ($dff): Q has 4 bits and not 5");
}

TEST(Blast, RefusesSignsThatYosysIgnores) {
  const auto spoil = [](const char* type, const char* a, const char* b) {
    return [=](Builder* builder) {
      Cell& cell = builder->cell_of(type, 6);
      cell.parameters["A_SIGNED"] = a;
      cell.parameters["B_SIGNED"] = b;
    };
  };
  for (const char* type : {"$add", "$sub", "$mul", "$and", "$eq", "$lt"}) {
    refuse(spoil(type, "1", "0"), "one operand has a sign, the other one has none");
    refuse(spoil(type, "0", "1"), "one operand has a sign, the other one has none");
  }
  for (const char* type : {"$shl", "$sshl", "$shr", "$sshr"}) {
    refuse(spoil(type, "1", "1"), "shifts by a number with a sign");
  }
  for (const char* type : {"$shift", "$shiftx", "$logic_and"}) {
    Builder builder(1);
    builder.input("a_i", 12);
    spoil(type, "0", "1")(&builder);
    EXPECT_NO_THROW(blast(builder.finish())) << type;
  }
}

TEST(Blast, RefusesAMemoryWithMoreWordsThanAnIntCounts) {
  for (const char* parameter : {"SIZE", "OFFSET"}) {
    refuse(
        [parameter](Builder* b) {
          b->memory(8, 4, false).parameters[parameter] = "1" + std::string(31, '0');
        },
        fmt::format("memory0 ($mem_v2): {} is 2147483648, the limit is 2147483647", parameter));
  }
}

TEST(Blast, RefusesStateWithoutAClock) {
  const auto kinds = std::vector<std::function<void(Builder*)>>{
      [](Builder* b) { b->registers("$dff", 4, false).ports["CLK"] = {kNetZero}; },
      [](Builder* b) { b->memory(8, 4, false).ports["WR_CLK"] = {kNetZero}; },
      [](Builder* b) { b->memory(4096, 4, false).ports["WR_CLK"] = {kNetZero}; },
  };
  for (const auto& make : kinds) {
    Builder builder(1);
    builder.input("a_i", 12);
    make(&builder);
    Netlist netlist = builder.finish();
    refuse(netlist, "is neither clk_i nor that behind a clock gate");
    netlist.ports.front().name = "other_clk_i";
    refuse(netlist, "random: has no input clk_i, the clock of its registers and memories");
  }
}

TEST(Emit, RefusesADesignWithoutStateThatChanges) {
  const auto kinds = std::vector<std::function<void(Builder*)>>{
      [](Builder* b) { b->output("y_o", b->cell_of("$and", 4).ports["Y"]); },
      [](Builder* b) {
        Cell& state = b->registers("$dffe", 4, false);
        state.parameters["EN_POLARITY"] = "1";
        state.ports["EN"] = {kNetZero};
      },
  };
  for (const auto& make : kinds) {
    Builder builder(1);
    builder.input("a_i", 12);
    make(&builder);
    Design design = blast(builder.finish());
    const Plan order = plan(&design);
    const TemporaryDirectory directory;
    EXPECT_THAT(
        [&] {
          emit(design, order, {"model", directory.path(), 1, 50});
        },
        ThrowsMessage<BadInput>("model: has no state that an edge of the clock changes"));
    EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
  }
}

TEST(Blast, RefusesStateThatBeginsAsAnotherValueThan0) {
  for (const size_t words : {size_t{8}, size_t{4096}}) {  // registers, and a bank
    refuse(
        [words](Builder* b) {
          b->memory(words, 4, false).parameters["INIT"] = std::string(words * 4 - 2, 'x') + "10";
        },
        "memory0 ($mem_v2): is written, and begins with other values than 0 (INIT)");
    Builder builder(1);
    builder.input("a_i", 12);
    builder.memory(words, 4, false).parameters["INIT"] = std::string(words * 4 - 1, 'x') + "0";
    EXPECT_NO_THROW(blast(builder.finish()));
  }
  Builder builder(1);
  const Net q = builder.registers("$dff", 2, false).ports["Q"][1];
  Netlist netlist = builder.finish();
  netlist.ones.insert(q);
  refuse(netlist, "state0 ($dff): begins as another value than 0 (init)");
}

TEST(Blast, RefusesNamesOfStateThatAreNoExpression) {
  BlastOptions options;
  options.state = "(";
  refuse(Builder(1).finish(), "--state: '(' is no regular expression", options);
}

TEST(Plan, RefusesALoopThroughTheAddressesOfBanks) {
  Builder builder(1);
  builder.input("a_i", 12);
  Cell& first = builder.memory(32, 8, false);
  const std::vector<Net> data = first.ports["RD_DATA"];
  Cell& second = builder.memory(32, 8, false);
  second.ports["RD_ADDR"] = {data.begin(), data.begin() + 5};
  const std::vector<Net> back = second.ports["RD_DATA"];
  builder.registers("$dff", 8, false).ports["D"] = back;
  Netlist netlist = builder.finish();
  netlist.cells[0].ports["RD_ADDR"] = {back.begin(), back.begin() + 5};
  BlastOptions options;
  options.bank_bits = 60;
  Design design = blast(netlist, options);
  EXPECT_THAT([&] { plan(&design); },
              ThrowsMessage<BadInput>(HasSubstr("leads to its address, a loop of logic")));
}

// ---------------------------------------------------------------------------------------- files --
// A module with one cell and what else is given.
std::string module_of(const std::string& parameters, const std::string& q,
                      const std::string& netnames = "") {
  return fmt::format(
      R"({{"modules": {{"top": {{"ports": {{"clk_i": {{"direction": "input", "bits": [2]}}}},
      "cells": {{"r": {{"type": "$sdff", "parameters": {{{}}}, "connections": {{"Q": [{}]}}}}}},
      "netnames": {{{}}}}}}}}})",
      parameters, q, netnames);
}

void refuse_file(const std::string& text, const std::string& words) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/netlist.json";
  write_file(path, text);
  EXPECT_THAT([&] { read_netlist(path, "top"); },
              ThrowsMessage<BadInput>(AllOf(HasSubstr(path + ": "), HasSubstr(words))));
}

TEST(ReadNetlist, RefusesNumbersInPlaceOfDigits) {
  refuse_file(module_of(R"("WIDTH": 12)", "3"),
              "cell r ($sdff): WIDTH is 12 and no text of binary digits: write_json without "
              "-compat-int");
}

TEST(ReadNetlist, RefusesWhatIsNeitherANetNorAValue) {
  refuse_file(module_of("", R"("2")"), "'2' is neither a net nor a value");
  refuse_file(module_of("", "-1"), "a net has the number -1");
  refuse_file(module_of("", "4294967298"), "a net has the number 4294967298");
  refuse_file(R"({"modules": {}})", "has no module top");
  refuse_file("{", "is no netlist of Yosys' write_json");
}

TEST(ReadNetlist, RefusesAPortThatIsNeitherInputNorOutput) {
  refuse_file(R"({"modules": {"top": {"ports": {"bus_io": {"direction": "inout", "bits": [2]}},
                 "cells": {}, "netnames": {}}}})",
              "port bus_io: is inout and neither input nor output");
}

TEST(ReadNetlist, KnowsWhichNetsBeginAs1) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/netlist.json";
  write_file(path, module_of("", "3", R"("r_q": {"hide_name": 1, "bits": [3, 4],
                                                 "attributes": {"init": "1x"}})"));
  EXPECT_THAT(read_netlist(path, "top").ones, testing::ElementsAre(4));
}

TEST(Cell, RefusesAParameterThatIsNoNumber) {
  Cell cell;
  cell.name = "r";
  cell.type = "$dff";
  cell.parameters["WIDTH"] = "12";
  EXPECT_THAT([&] { cell.number("WIDTH"); },
              ThrowsMessage<BadInput>(HasSubstr("cell r ($dff): WIDTH is no number")));
}

}  // namespace
}  // namespace ow::simgen
