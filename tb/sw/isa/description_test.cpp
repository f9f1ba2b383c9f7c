// SPDX-License-Identifier: Apache-2.0
// The generator refuses a description that contradicts itself, in one line with file and line; and
// the accessors that it writes put fields where they take them from.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

#include "emit.h"
#include "model.h"
#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/isa/isa.h"
#include "ow/isa/tables.h"

namespace ow::isa_gen {
namespace {

constexpr const char* kSpace = R"(
spaces:
  s: {base: 0, size: 64, step: 4, prefix: REG, about: a space}
registers:
  s:
    A: {offset: 0, count: 4, index: k, unit: u, access: rw, about: an array}
)";

class DescriptionTest : public testing::Test {
 protected:
  DescriptionTest() : path_(testing::TempDir() + std::to_string(getpid()) + "_description.yaml") {}
  ~DescriptionTest() override { std::filesystem::remove(path_); }

  Description read(const std::string& text) {
    std::ofstream(path_) << text;
    Description description = read_description({path_});
    check_description(description);
    return description;
  }
  // What is said of a wrong description.
  std::string refused(const std::string& text) {
    try {
      read(text);
    } catch (const BadInput& e) {
      const std::string what = e.what();
      EXPECT_EQ(what.find('\n'), std::string::npos) << what;
      EXPECT_NE(what.find("description.yaml:"), std::string::npos) << what;
      return what;
    }
    return "nothing";
  }
  static std::string word(const std::string& fields) {
    return "words:\n  w:\n    width: 8\n    about: a word\n    fields:\n" + fields;
  }

  std::string path_;
};

#define EXPECT_SAYS(text, part) \
  EXPECT_NE(refused(text).find(part), std::string::npos) << refused(text)

// A configuration gives the fields of a word by name; the register says where they are.
TEST_F(DescriptionTest, AWordOfAConfigurationHasTheFieldsOfItsRegister) {
  const auto with = [](const std::string& fields) {
    return "parameters:\n  Has: {word: HAS, about: what there is}\n"
           "configurations:\n  c: {about: a build, values: {Has: {" +
           fields +
           "}}}\n"
           "spaces:\n  s: {base: 0, size: 64, step: 4, prefix: REG, about: a space}\n"
           "registers:\n  s:\n"
           "    HAS: {offset: 0, unit: u, access: ro, about: a word, fields: "
           "{one: {bits: 3, about: a bit}, many: {bits: \"7:4\", about: a number}}}\n";
  };
  EXPECT_EQ(read(with("one: 1, many: 5")).configurations.front().values.front(), 0x58u);
  EXPECT_SAYS(with("one: 1"), "many");
  EXPECT_SAYS(with("one: 2, many: 5"), "one");
  EXPECT_SAYS(with("one: 1, many: 5, more: 1"), "more");
  EXPECT_SAYS(
      "parameters:\n  Has: {word: NONE, about: what there is}\n"
      "configurations:\n  c: {about: a build, values: {Has: {}}}\n",
      "is a word of NONE, which is no register");
}

TEST_F(DescriptionTest, ConstantsHaveUniqueNamesAndFitTheirWidth) {
  EXPECT_NO_THROW(read("constants:\n  A: {value: 0x1F, width: 5, about: x}\n"));
  EXPECT_SAYS("constants:\n  A: {value: 32, width: 5, about: x}\n", "more than 5 bits");
  EXPECT_SAYS("constants:\n  A: {value: B, about: x}\n", "not 'B'");
  EXPECT_SAYS("constants:\n  a: {value: 1, about: x}\n", "LIKE_THIS");
  EXPECT_SAYS("constants:\n  A: {value: 1, about: x}\n  A: {value: 2, about: x}\n", "A");
  EXPECT_SAYS("constants:\n  A: {value: 1, about: x, unit: y}\n", "unit");
  EXPECT_SAYS("constants:\n  A: {value: 1}\n", "about");
}

TEST_F(DescriptionTest, ValuesOfAnEnumAreDifferent) {
  const std::string head =
      "enums:\n  e:\n    width: 2\n    sv: {type: e_e, prefix: E}\n    c: {type: ow_e, prefix: E}\n"
      "    about: x\n    values:\n";
  EXPECT_NO_THROW(read(head + "      A: {value: 3, about: x}\n"));
  EXPECT_SAYS(head + "      A: {value: 4, about: x}\n", "more than 2 bits");
  EXPECT_SAYS(head + "      A: {value: 1, about: x}\n      B: {value: 1, about: x}\n", "both 1");
}

TEST_F(DescriptionTest, FieldsNeitherOverlapNorLeaveTheirWord) {
  EXPECT_NO_THROW(read(word("      a: {bits: \"3:0\", about: x}\n      b: {bits: 4, about: x}\n")));
  EXPECT_SAYS(word("      a: {bits: \"3:0\", about: x}\n      b: {bits: 3, about: x}\n"), "share");
  EXPECT_SAYS(word("      a: {bits: 8, about: x}\n"), "bit 8 of a word of 8");
  EXPECT_SAYS(word("      a: {bits: \"1:0\", count: 5, about: x}\n"), "bit 9");
  EXPECT_SAYS(word("      a: {bits: \"0:3\", about: x}\n"), "HIGH:LOW");
  EXPECT_SAYS(word("      a: {bits: 0, type: none, about: x}\n"), "none");
  EXPECT_SAYS(word("      task: {bits: 0, about: x}\n"), "SystemVerilog");
}

TEST_F(DescriptionTest, AFieldCanLieWhereAnotherOneDoes) {
  const std::string first =
      "words:\n  a: {width: 8, about: x, fields: {f: {bits: \"5:2\", about: x}}}\n";
  const Description d =
      read(first + "  b: {width: 8, about: x, fields: {g: {bits: a.f, about: x}}}\n");
  EXPECT_EQ(d.layouts[1].fields[0].lsb, 2);
  EXPECT_EQ(d.layouts[1].fields[0].width, 4);
  EXPECT_SAYS(first + "  b: {width: 8, about: x, fields: {g: {bits: a.h, about: x}}}\n",
              "names no field that was described before: 'a.h'");
}

TEST_F(DescriptionTest, RegistersDoNotOverlapAndArraysBeginAtMultiplesOfTheirSize) {
  const std::string more = "about: x, unit: u, access: rw}\n";
  EXPECT_NO_THROW(read(kSpace + std::string("    B: {offset: 16, ") + more));
  EXPECT_SAYS(kSpace + std::string("    B: {offset: 12, ") + more, "both at 0xc");
  EXPECT_SAYS(kSpace + std::string("    B: {offset: 64, ") + more, "beyond 0x40");
  EXPECT_SAYS(kSpace + std::string("    B: {offset: 18, ") + more, "multiple of 4");
  EXPECT_SAYS(kSpace + std::string("    B: {offset: 24, count: 4, index: k, ") + more,
              "must begin at a multiple");
  EXPECT_SAYS(kSpace + std::string("    B: {follows: C, ") + more, "described before");
  EXPECT_SAYS(kSpace + std::string("    B: {offset: 16, unit: u, access: r, about: x}\n"), "rw");
}

TEST_F(DescriptionTest, TablesAreWrittenBetweenTheirMarksAlone) {
  std::ofstream(path_) << word("      a: {bits: \"3:0\", about: the first}\n");
  const Description d = read_description({path_});
  EXPECT_EQ(emit_document(d, "one\n", "doc"), "one\n");
  const std::string text = "one\n<!-- isa:begin word w -->\nold\n<!-- isa:end -->\ntwo\n";
  EXPECT_EQ(emit_document(d, text, "doc"),
            "one\n<!-- isa:begin word w -->\n| bits | field | meaning |\n|---|---|---|\n"
            "| 3:0 | a | the first |\n<!-- isa:end -->\ntwo\n");
  EXPECT_THROW(emit_document(d, "<!-- isa:begin word v -->\n<!-- isa:end -->\n", "doc"), BadInput);
  EXPECT_THROW(emit_document(d, "<!-- isa:begin word w -->\n", "doc"), BadInput);
  EXPECT_THROW(emit_document(d, "<!-- isa:end -->\n", "doc"), BadInput);
}

TEST_F(DescriptionTest, TablesOfRegistersCanBeSplitAndThenHaveEachRegisterOnce) {
  std::ofstream(path_) << kSpace << "    B: {offset: 32, unit: u, access: ro, about: b}\n";
  const Description d = read_description({path_});
  const auto marks = [](const std::string& first, const std::string& second) {
    return "<!-- isa:begin registers s " + first +
           " -->\n<!-- isa:end -->\n<!-- isa:begin registers s " + second +
           " -->\n<!-- isa:end -->\n";
  };
  const std::string text = emit_document(d, marks("0x0-0xF", "0x20-0x2F 0x3C-0x3F"), "doc");
  EXPECT_LT(text.find("| A[k] |"), text.find("| B |"));
  EXPECT_LT(text.find("isa:end"), text.find("| B |"));
  const auto refused = [&](const std::string& first, const std::string& second) {
    try {
      emit_document(d, marks(first, second), "doc");
    } catch (const BadInput& e) {
      return std::string(e.what());
    }
    return std::string("nothing");
  };
  EXPECT_EQ(refused("0x0-0xF", "0x24-0x2F"), "doc: register B of 's' is in 0 tables, not in one");
  EXPECT_EQ(refused("0x0-0xF", "0x0-0x3F"), "doc: register A of 's' is in 2 tables, not in one");
  EXPECT_EQ(refused("0x0-0xF", "32-47"), "doc:3: ranges of offsets are 0xFIRST-0xLAST");
}

// A module has a configuration's sizes by name (FULL_*, MINI_*) or none: a number there would be a
// second copy, which simulation and synthesis would go on using when the description changes.
TEST(Configurations, NoModuleHasItsSizesAsNumbers) {
  namespace fs = std::filesystem;
  const fs::path root(OW_SOURCE_DIR);
  std::string names;
  for (const Parameter& p : read_description({(root / "sw/isa/machine.yaml").string(),
                                              (root / "sw/isa/registers.yaml").string()})
                                .parameters) {
    names += (names.empty() ? "" : "|") + p.name;
  }
  ASSERT_NE(names.find("SramBytes"), std::string::npos);
  const std::regex number("parameter [a-z]+[^=,\n]* (" + names + ") *= *[0-9]");
  size_t files = 0;
  for (const char* dir : {"rtl", "fpga/rtl"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / dir)) {
      if (entry.path().extension() != ".sv") continue;
      ++files;
      const std::string text = read_text(entry.path().string());
      std::smatch found;
      EXPECT_FALSE(std::regex_search(text, found, number))
          << entry.path().string() << ": " << found.str();
    }
  }
  EXPECT_GT(files, 100u);
}

TEST(Fields, AreTakenFromWhereTheyArePut) {
  using Flag = isa::Field<uint32_t, 31, 1>;
  static_assert(Flag::put(1) == 0x80000000u && Flag::get(0x80000000u) && !Flag::get(0x7FFFFFFFu));
  using Wide = isa::Field<uint64_t, 39, 6>;
  static_assert(Wide::put(0x7F) == uint64_t{0x3F} << 39 && Wide::get(Wide::put(45)) == 45);
  static_assert(Wide::set(~uint64_t{0}, 0) == ~Wide::kMask);
  using Signed = isa::SignedField<uint32_t, 5, 3>;
  for (int v = -4; v < 4; ++v) EXPECT_EQ(Signed::get(Signed::put(v) | ~Signed::kMask), v);
  using Array = isa::FieldArray<uint32_t, 2, 3, 8>;
  for (int i = 0; i < 8; ++i) EXPECT_EQ(Array::get(Array::put(i, i), i), static_cast<uint32_t>(i));
  EXPECT_EQ(Array::kMask, 0x03FFFFFCu);
}

// The tables and the accessors are written from the same description, by two functions.
TEST(Tables, HaveTheNumbersOfTheAccessors) {
  bool found = false;
  for (const isa::SpaceInfo& space : isa::spaces()) {
    for (const isa::RegisterInfo& r : space.registers) {
      if (std::string(space.name) != "tile" || std::string(r.name) != "CORE_STATUS") continue;
      found = true;
      EXPECT_EQ(space.base + r.offset, isa::reg::CoreStatus::kAddress);
      for (const isa::FieldInfo& f : r.fields) {
        if (std::string(f.name) != "cause") continue;
        EXPECT_EQ(f.lsb, isa::reg::CoreStatus::Cause::kLsb);
        EXPECT_EQ(f.width, isa::reg::CoreStatus::Cause::kWidth);
      }
    }
  }
  EXPECT_TRUE(found);
  EXPECT_STREQ(isa::name_of(isa::TensorOp::CmpLe), "cmple");
  EXPECT_EQ(isa::name_of(static_cast<isa::TensorOp>(127)), nullptr);
}

}  // namespace
}  // namespace ow::isa_gen
