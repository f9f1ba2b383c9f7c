// SPDX-License-Identifier: Apache-2.0
// The catalogues of statements (tb/catalog) against the documents, the tests that there are,
// the proofs of scripts/flows/formal/formal and the rows of the benches.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "ow/base/file.h"
#include "ow/base/json.h"
#include "ow/base/yaml.h"

namespace ow {
namespace {

const std::string kSource = OW_SOURCE_DIR;
const std::array<const char*, 4> kDocuments = {"isa", "numerics", "fabric", "links"};

struct Entry {
  std::vector<std::string> tests, proofs, rows;
};

std::vector<std::string> names(YamlMap* keys, const std::string& key) {
  std::vector<std::string> out;
  if (const auto list = keys->find(key)) {
    for (const Yaml& name : list->list(1, 100, "names")) out.push_back(name.text());
  }
  return out;
}

std::map<std::string, Entry> catalog(const std::string& document) {
  std::map<std::string, Entry> entries;
  const Yaml file = Yaml::read(kSource + "/tb/catalog/" + document + ".yaml");
  for (const auto& [id, value] : file.map().items()) {
    YamlMap keys(value);
    entries[id] = {names(&keys, "tests"), names(&keys, "proofs"), names(&keys, "rows")};
    keys.close();
  }
  return entries;
}

// The reference; that of numerics with those of the kinds of layers.
std::string document(const std::string& name) {
  std::string text = read_text(kSource + "/docs/" + name + ".md");
  if (name != "numerics") return text;
  std::set<std::string> kinds;
  for (const auto& entry : std::filesystem::directory_iterator(kSource + "/sw/layers")) {
    if (std::filesystem::exists(entry.path() / "numerics.md")) kinds.insert(entry.path().string());
  }
  for (const std::string& kind : kinds) text += read_text(kind + "/numerics.md");
  return text;
}

// The ids of a text's anchors, in order.
std::vector<std::string> anchors(const std::string& text) {
  static const std::regex kAnchor("<a id=\"([A-Z][0-9]+)\"></a>");
  std::vector<std::string> out;
  for (std::sregex_iterator it(text.begin(), text.end(), kAnchor), end; it != end; ++it) {
    out.push_back((*it)[1]);
  }
  return out;
}

std::string output_of(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  EXPECT_NE(pipe, nullptr) << command;
  std::string output;
  std::array<char, 65536> buffer;
  size_t n;
  while ((n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0)
    output.append(buffer.data(), n);
  EXPECT_EQ(pclose(pipe), 0) << command;
  return output;
}

TEST(Catalog, EveryStatementHasATestAndEveryTestAStatement) {
  std::set<std::string> everywhere;
  for (const std::string name : kDocuments) {
    const auto entries = catalog(name);
    std::set<std::string> found;
    for (const std::string& id : anchors(document(name))) {
      EXPECT_TRUE(everywhere.insert(id).second)
          << "docs/" << name << ".md: " << id << " stands twice";
      found.insert(id);
      ASSERT_EQ(entries.count(id), 1u) << "docs/" << name << ".md: " << id << " has no entry";
    }
    for (const auto& [id, entry] : entries) {
      EXPECT_EQ(found.count(id), 1u) << id << " is not in docs/" << name << ".md";
      EXPECT_FALSE(entry.tests.empty()) << id << " has no test";
    }
  }
}

// What a document is made of: paragraphs, with the tables and formulas that follow, and items of
// lists with what is indented below them, each under its heading. Three things are left out:
// pictures (between lines of ```), what stands before the first section (whom the page is for, its
// contents, its terms), and what a generator writes from sw/isa, which
// Isa.CommittedFilesAreWhatTheGeneratorWrites checks.
struct Block {
  std::string section, text;
};

std::vector<Block> blocks(const std::string& text) {
  static const std::regex kGenerated("<!-- isa:begin[^>]*-->[^]*?<!-- isa:end -->");
  static const std::regex kPicture("```[^`]*```");
  static const std::regex kItem("(- |[0-9]+\\. ).*");
  std::vector<Block> out;
  std::istringstream lines(
      std::regex_replace(std::regex_replace(text, kGenerated, ""), kPicture, ""));
  std::string section;
  bool goes_on = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') {
      if (line.rfind("##", 0) == 0) section = line.substr(line.find(' ') + 1);
      goes_on = false;
      continue;
    }
    if (section.empty()) continue;
    const bool belongs = !out.empty() && out.back().section == section &&
                         (line[0] == '|' || line.compare(0, 4, "    ") == 0);
    if (!belongs && (!goes_on || std::regex_match(line, kItem))) out.push_back({section, ""});
    out.back().text += line + "\n";
    goes_on = true;
  }
  return out;
}

// A rule is an item of a list, or a row of a table, with its id in front for all to see. Paragraphs
// explain. Sections whose items are no rules are named here.
TEST(Catalog, EveryItemIsARuleThatShowsItsId) {
  // How things are tested and measured, and not how they are.
  std::set<std::string> sections = {"What is proven, what is measured"};
  std::set<std::string> used;
  for (const char* name : kDocuments) {
    for (const Block& block : blocks(document(name))) {
      if (sections.count(block.section) != 0) {
        used.insert(block.section);
        continue;
      }
      const std::vector<std::string> ids = anchors(block.text);
      for (const std::string& id : ids) {
        EXPECT_NE(block.text.find("<a id=\"" + id + "\"></a>**" + id + "**"), std::string::npos)
            << "docs/" << name << ".md: " << id << " is not shown after its anchor";
      }
      if (block.text.rfind("- ", 0) != 0) continue;
      EXPECT_TRUE(!ids.empty() && block.text.rfind("- <a id=\"" + ids[0] + "\">", 0) == 0)
          << "docs/" << name << ".md, " << block.section << ": " << block.text.substr(0, 80);
    }
  }
  EXPECT_EQ(used.size(), sections.size()) << "one of them is in no document";
}

// Cases of a GoogleTest program by what it lists; of an instance or a type, the name ends where
// they begin.
void add_listed(const std::string& prefix, const std::string& list, std::set<std::string>* names) {
  std::istringstream lines(list);
  std::string suite;
  for (std::string line; std::getline(lines, line);) {
    const std::string name = line.substr(0, line.find("  #"));
    if (name.empty()) continue;
    if (name[0] != ' ') {
      static const std::regex kType("/[0-9]+\\.$");
      suite = std::regex_replace(name, kType, ".");
    } else if (!suite.empty()) {
      names->insert(prefix + suite + name.substr(2));
    }
  }
}

// Cases by a program's sources, for one that is not built.
void add_written(const std::string& prefix, const std::string& path, std::set<std::string>* names) {
  static const std::regex kTest("\n(TYPED_)?TEST(_F|_P)?\\(\\s*(\\w+),\\s*(\\w+)\\)");
  static const std::regex kInstance("INSTANTIATE_TEST_SUITE_P\\(\\s*(\\w+),\\s*(\\w+)");
  const std::string text = "\n" + read_text(path);
  for (std::sregex_iterator it(text.begin(), text.end(), kTest), end; it != end; ++it) {
    const std::string suite = (*it)[3], name = suite + "." + (*it)[4].str();
    if ((*it)[2] != "_P") names->insert(prefix + name);
    for (std::sregex_iterator of(text.begin(), text.end(), kInstance); of != end; ++of) {
      if ((*of)[2] == suite) names->insert(prefix + (*of)[1].str() + "/" + name + "/0");
    }
  }
}

// The names of all tests: those of CTest that are no GoogleTest program, and the cases of each
// program (tests.txt, which cmake/OwTest.cmake writes). Programs of the night that are not built
// tell theirs by their sources.
std::set<std::string> test_names() {
  const nlohmann::json tests =
      parse_json(output_of("ctest --test-dir '" OW_BUILD_DIR "' --show-only=json-v1"), "ctest");
  std::set<std::string> names;
  for (const auto& test : tests.at("tests")) names.insert(test.at("name").get<std::string>());
  std::istringstream lines(read_text(OW_BUILD_DIR "/tests.txt"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string set, prefix, program;
    words >> set >> prefix >> program;
    if (prefix == "-") prefix.clear();
    if (std::filesystem::exists(program)) {
      add_listed(prefix, output_of("'" + program + "' --gtest_list_tests"), &names);
    } else if (set == "nightly") {
      for (std::string source; words >> source;) add_written(prefix, source, &names);
    } else {
      ADD_FAILURE() << program << " is not built: cmake --build " OW_BUILD_DIR " --target everyday";
    }
  }
  return names;
}

TEST(Catalog, NamesTestsProofsAndRowsThatThereAre) {
  const std::set<std::string> known = test_names();
  const auto there = [&known](std::string name) {
    if (name.back() != '*') return known.count(name) != 0;
    name.pop_back();
    const auto first = known.lower_bound(name);
    return first != known.end() && first->compare(0, name.size(), name) == 0;
  };
  const std::string formal = read_text(kSource + "/scripts/flows/formal/formal");
  std::set<std::string> rows;
  for (const auto& [area, value] : Yaml::read(kSource + "/configs/targets.yaml").map().items()) {
    for (const auto& [row, target] : value.map().items()) rows.insert(area + "." + row);
  }
  for (const char* name : kDocuments) {
    for (const auto& [id, entry] : catalog(name)) {
      for (const std::string& test : entry.tests) EXPECT_TRUE(there(test)) << id << ": " << test;
      for (const std::string& proof : entry.proofs) {
        EXPECT_NE(formal.find("\"" + proof + "\""), std::string::npos) << id << ": " << proof;
      }
      for (const std::string& row : entry.rows) EXPECT_EQ(rows.count(row), 1u) << id << ": " << row;
    }
  }
}

}  // namespace
}  // namespace ow
