// SPDX-License-Identifier: Apache-2.0
#include "ow/base/yaml.h"

#include <gtest/gtest.h>

#include "messages.h"
#include "ow/base/error.h"
#include "ow/base/json.h"

namespace ow {
namespace {

std::string complaint(const std::string& text) {
  return refusal_of([&] { Yaml::parse(text, "f.yaml"); });
}

Yaml value(const std::string& text) { return YamlMap(Yaml::parse("k: " + text, "f.yaml"))["k"]; }

TEST(Yaml, ReadsWhatIsThere) {
  YamlMap top(
      Yaml::parse("a: 5\nb:\n  - {x: 1.5, y: yes please}\n  - {x: -2e3, y: 'no'}\n"
                  "c: [1, 2, 3]\nd: true\ne:\n",
                  "f.yaml"));
  EXPECT_EQ(top["a"].integer(0, 9), 5);
  const auto rows = top["b"].list(1, 9);
  ASSERT_EQ(rows.size(), 2u);
  YamlMap first(rows[0]), second(rows[1]);
  EXPECT_EQ(first["x"].real(-1e9, 1e9), 1.5);
  EXPECT_EQ(first["y"].text(), "yes please");
  EXPECT_EQ(second["x"].real(-1e9, 1e9), -2000);
  EXPECT_EQ(second["y"].one_of({"yes", "no"}), "no");
  EXPECT_EQ(top["c"].integers(3, 3, 1, 3), (std::vector<int>{1, 2, 3}));
  EXPECT_TRUE(top["d"].flag());
  EXPECT_TRUE(top["e"].is_null());
  EXPECT_FALSE(top.find("g"));
  EXPECT_EQ(top.items().size(), 5u);
  top.close();
}

// Fails if an error names the wrong key.
TEST(Yaml, NamesFileLineKeyAndLimit) {
  YamlMap top(Yaml::parse("a:\n  b: 5\n  c: [1, x]\n", "f.yaml"));
  YamlMap a = top["a"].map();
  EXPECT_EQ(refusal_of([&] { a["b"].integer(6, 9); }),
            "f.yaml:2: key 'a.b' must be a whole number from 6 to 9, not '5'");
  EXPECT_EQ(refusal_of([&] { a["b"].list(1, 2); }),
            "f.yaml:2: key 'a.b' must be a list of 1 to 2 values");
  EXPECT_EQ(refusal_of([&] { a["b"].map(); }), "f.yaml:2: key 'a.b' must hold keys and values");
  EXPECT_EQ(refusal_of([&] { a["b"].flag(); }),
            "f.yaml:2: key 'a.b' must be true or false, not '5'");
  EXPECT_EQ(refusal_of([&] { a["c"].integers(2, 2, 0, 9); }),
            "f.yaml:3: key 'a.c[1]' must be a whole number from 0 to 9, not 'x'");
  EXPECT_EQ(refusal_of([&] { a["d"]; }), "f.yaml:2: key 'a.d' is missing");
  EXPECT_EQ(refusal_of([&] { top.close(); }), "");
  YamlMap again(Yaml::parse("a: 1\nb: 2\n", "f.yaml"));
  again["a"];
  EXPECT_EQ(refusal_of([&] { again.close(); }), "f.yaml:2: key 'b' is not known; known here: a");
}

TEST(Yaml, TakesNumbersInOneFormOnly) {
  for (const char* text : {"0x10", "010x", "1e3", "'5'", "5 ", "+5", "", "99999999999999999999"}) {
    if (std::string(text) == "5 ") continue;  // trailing space is no part of the scalar
    EXPECT_NE(refusal_of([&] { value(text).integer(0, 1000000); }), "") << text;
  }
  for (const char* text : {"nan", ".inf", "0x1p3", "1e999", "1.5x", "'1'"}) {
    EXPECT_NE(refusal_of([&] { value(text).real(-1e300, 1e300); }), "") << text;
  }
  EXPECT_NE(refusal_of([&] { value("0").real(0, 1, true); }).find("above 0 to 1"),
            std::string::npos);
  EXPECT_NE(refusal_of([&] { value("yes").flag(); }), "");
}

// Fails if repeated keys and lists are dropped.
TEST(Yaml, RefusesWhatItWouldOtherwiseDrop) {
  EXPECT_EQ(complaint("a:\n  b: 1\n  b: 2\n"), "f.yaml:3: key 'a.b' stands there twice");
  EXPECT_EQ(complaint("a:\n  - {b: 1}\n  - {b: 1, b: 2}\n"),
            "f.yaml:3: key 'a.b' stands there twice");
  EXPECT_EQ(complaint("a: {c: 1}\nb: {c: 1}\na: 3\n"), "f.yaml:3: key 'a' stands there twice");
  EXPECT_EQ(complaint("a: 1\n---\nb: 2\n"), "f.yaml: a second document: one is the limit");
  EXPECT_EQ(complaint("a: &x 1\nb: *x\n"), "f.yaml:1: an anchor (&) is not taken");
  EXPECT_EQ(complaint("a: !!int 1\n"), "f.yaml:1: a tag (!) is not taken");
  EXPECT_EQ(complaint("[1, 2]: 1\n"), "f.yaml:1: a key must be a word");
  EXPECT_EQ(complaint("a: [1, 2\n"), "f.yaml:2: not YAML, from column 1 on");
  EXPECT_EQ(complaint(std::string(40, '[') + std::string(40, ']')),
            "f.yaml:1: nested more than 32 deep, the limit");
}

TEST(Yaml, AnEmptyValueIsWhereItsKeyStands) {
  YamlMap top(Yaml::parse("a:\n\n# none\nb: 5\nc:\n  d:\n  e: 1\nf:\n", "f.yaml"));
  YamlMap c = top["c"].map();
  EXPECT_EQ(refusal_of([&] { top["a"].text(); }), "f.yaml:1: key 'a' must be a text");
  EXPECT_EQ(refusal_of([&] { c["d"].map(); }), "f.yaml:6: key 'c.d' must hold keys and values");
  EXPECT_EQ(refusal_of([&] { top["f"].list(1, 2); }),
            "f.yaml:8: key 'f' must be a list of 1 to 2 values");
}

TEST(Yaml, AnEmptyFileHasALine) {
  const Yaml empty = Yaml::parse("# nothing\n", "f.yaml");
  EXPECT_TRUE(empty.is_null());
  EXPECT_EQ(refusal_of([&] { empty.map(); }), "f.yaml:1: the file must hold keys and values");
}

TEST(Json, NamesFileAndLine) {
  EXPECT_EQ(parse_json("{\"a\": [1, 2]}", "f.json")["a"][1], 2);
  EXPECT_EQ(refusal_of([] { parse_json("{\n\"a\": }", "f.json"); }), "f.json:2: is not JSON");
  EXPECT_EQ(refusal_of([] { parse_json("", "f.json"); }), "f.json:1: is not JSON");
  EXPECT_EQ(refusal_of([] { parse_json("{} {}", "f.json"); }), "f.json:1: is not JSON");
  EXPECT_EQ(refusal_of([] { parse_json("{\"a\": 1, \"a\": 2}", "f.json"); }),
            "f.json: key 'a' stands there twice");
  EXPECT_EQ(refusal_of([] { parse_json("[1e999]", "f.json"); }),
            "f.json: holds a number that is out of range");
  EXPECT_NE(refusal_of([] { parse_json(std::string(100000, '['), "f.json"); }).find("nested"),
            std::string::npos);
}

}  // namespace
}  // namespace ow
