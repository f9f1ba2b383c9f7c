// SPDX-License-Identifier: Apache-2.0
// What the documents point at is there: files, headings, make targets, scripts, tests, proofs. And
// long pages have a table of contents.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "ow/base/file.h"

namespace ow {
namespace {

namespace fs = std::filesystem;
const fs::path kSource = OW_SOURCE_DIR;

std::vector<std::string> matches(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> out;
  for (std::sregex_iterator it(text.begin(), text.end(), regex), end; it != end; ++it) {
    out.push_back((*it)[1]);
  }
  return out;
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

// As `wc -w` counts them.
size_t words(const std::string& text) {
  std::istringstream in(text);
  size_t count = 0;
  for (std::string word; in >> word;) ++count;
  return count;
}

// What stands in a table below a heading: the cells of each row, without the table's own heading.
std::vector<std::vector<std::string>> table_below(const std::string& text,
                                                  const std::string& heading) {
  std::vector<std::vector<std::string>> rows;
  bool below = false, in_rows = false;
  for (const std::string& line : lines(text)) {
    if (line.rfind("## ", 0) == 0) below = line == "## " + heading;
    if (!below || line.rfind('|', 0) != 0) {
      in_rows = false;
    } else if (line.rfind("|---", 0) == 0) {
      in_rows = true;
    } else if (in_rows) {
      rows.push_back(matches(line, "\\|\\s*([^|]*[^|\\s])\\s*(?=\\|)"));
    }
  }
  return rows;
}

// Code in a document: what stands between backticks in a line, and lines of blocks.
std::vector<std::string> code(const std::string& text) {
  std::vector<std::string> out;
  bool fenced = false;
  for (const std::string& line : lines(text)) {
    if (line.rfind("```", 0) == 0) {
      fenced = !fenced;
    } else if (fenced || line.rfind("    ", 0) == 0) {
      out.push_back(line);
    } else {
      for (const std::string& span : matches(line, "`([^`]+)`")) out.push_back(span);
    }
  }
  return out;
}

// The anchor that a reader of Markdown gives a heading: lower case, blanks as hyphens, of all else
// only letters, digits, hyphens and underscores.
std::string slug(const std::string& heading) {
  std::string out;
  for (const unsigned char c : heading) {
    if (c == ' ') {
      out += '-';
    } else if (std::isalnum(c) != 0 || c == '-' || c == '_' || c >= 0x80) {
      out += static_cast<char>(std::tolower(c));
    }
  }
  return out;
}

// A heading without links and tags.
std::string plain(const std::string& heading) {
  static const std::regex kMarks("\\[([^\\]]*)\\]\\([^)]*\\)|<[^>]*>");
  return std::regex_replace(heading, kMarks, "$1");
}

std::set<std::string> anchors(const std::string& text) {
  std::set<std::string> out;
  for (const std::string& id : matches(text, "<a id=\"([^\"]+)\"")) out.insert(id);
  size_t from = 0;
  while (from < text.size()) {
    const size_t end = std::min(text.find('\n', from), text.size());
    const std::string line = text.substr(from, end - from);
    const size_t hashes = line.find_first_not_of('#');
    if (hashes != 0 && hashes != std::string::npos && line[hashes] == ' ') {
      out.insert(slug(plain(line.substr(hashes + 1))));
    }
    from = end + 1;
  }
  return out;
}

std::map<fs::path, std::string> documents() {
  std::map<fs::path, std::string> out;
  for (const char* name : {"README.md", "CONTRIBUTING.md"}) {
    out[name] = read_text((kSource / name).string());
  }
  for (const auto& entry : fs::recursive_directory_iterator(kSource / "docs")) {
    if (entry.path().extension() == ".md") {
      out[entry.path().lexically_relative(kSource)] = read_text(entry.path().string());
    }
  }
  return out;
}

// What a reader must go through: the README, and all documents but the references.
TEST(Documents, AreShortEnoughToBeRead) {
  size_t all = 0;
  for (const auto& [name, text] : documents()) {
    const std::string page = name.string();
    const bool reference =
        matches(page,
                "^docs/((?:conformance|isa|fabric|language-models|links|memory-map|"
                "models|numerics|riscv|serving|simulation)\\.md)$")
            .size() == 1;
    if (!reference && page != "CONTRIBUTING.md") all += words(text);
    if (page == "README.md") {
      EXPECT_LE(words(text), 1500u);
    }
  }
  EXPECT_LE(all, 30000u);
}

TEST(Documents, PointAtFilesAndHeadingsThatThereAre) {
  const std::map<fs::path, std::string> all = documents();
  for (const auto& [name, text] : all) {
    for (const std::string& link : matches(text, "\\]\\(([^)\\s]+)\\)")) {
      if (link.find("://") != std::string::npos) continue;
      const size_t hash = link.find('#');
      const std::string file = link.substr(0, hash);
      const fs::path target = file.empty() ? name : (name.parent_path() / file).lexically_normal();
      EXPECT_TRUE(fs::exists(kSource / target)) << name << ": " << link;
      if (hash != std::string::npos && all.count(target) != 0) {
        EXPECT_EQ(anchors(all.at(target)).count(link.substr(hash + 1)), 1u) << name << ": " << link;
      }
    }
  }
}

TEST(Documents, NameTargetsAndFilesThatThereAre) {
  const std::string makefile = read_text((kSource / "Makefile").string());
  std::set<std::string> targets;
  for (const std::string& target : matches(makefile, "\n([a-z-]+):")) targets.insert(target);
  // Paths from the top of the tree, up to a wildcard. NAME or BOARD in one stands for a name.
  const std::string path =
      "(?:^|[\\s(=:,])((?:rtl|tb|sw|fpga|configs|constraints|scripts|cmake|data|docs)/[\\w./-]*\\w)"
      "(?![\\w./*<{$-])";
  const std::regex placeholder("[A-Z]{3}");
  for (const auto& [name, text] : documents()) {
    for (const std::string& piece : code(text)) {
      for (const std::string& target : matches(piece, "^ *make ([a-z-]+)")) {
        EXPECT_EQ(targets.count(target), 1u) << name << ": make " << target;
      }
      if (piece.find('/') == std::string::npos) continue;
      for (const std::string& file : matches(piece, path)) {
        if (std::regex_search(file, placeholder)) continue;
        EXPECT_TRUE(fs::exists(kSource / file)) << name << ": " << file;
      }
    }
  }
}

TEST(Documents, WithManyWordsHaveATableOfContents) {
  constexpr size_t kMany = 1500;
  for (const auto& [name, text] : documents()) {
    if (name == "README.md") {
      EXPECT_LE(words(text), kMany) << name;
      continue;
    }
    if (words(text) <= kMany) continue;
    const size_t first = text.find("\n## ");
    const std::string top = text.substr(0, first);
    std::string missing;
    bool fenced = false;
    for (const std::string& line : lines(text)) {
      if (line.rfind("```", 0) == 0) fenced = !fenced;
      if (fenced || line.rfind("## ", 0) != 0) continue;
      const std::string anchor = slug(plain(line.substr(3)));
      if (top.find("(#" + anchor + ")") == std::string::npos) missing += " #" + anchor;
    }
    EXPECT_EQ(missing, "") << name << ": not in its table of contents, above the first heading";
  }
}

TEST(Documents, IndexLeadsFromEachTaskToACommandAndAHeading) {
  const std::string index = read_text((kSource / "docs/index.md").string());
  const auto rows = table_below(index, "I want to");
  EXPECT_GE(rows.size(), 30u);
  for (const std::vector<std::string>& row : rows) {
    ASSERT_EQ(row.size(), 4u) << row[0];
    EXPECT_NE(row[1].find('`'), std::string::npos) << row[0] << ": no command";
    EXPECT_TRUE(
        std::regex_search(row[2], std::regex("[0-9] (s|min|h)|minutes|hours|day|as the run")))
        << row[0] << ": no time";
    EXPECT_NE(row[3].find(".md#"), std::string::npos) << row[0] << ": no link to a heading";
  }
}

TEST(Documents, IndexSaysWhatChecksEachFolderOfTheRtl) {
  std::set<std::string> folders, modules, tests, proofs;
  for (const auto& entry : fs::recursive_directory_iterator(kSource / "rtl")) {
    if (entry.path().extension() != ".sv") continue;
    modules.insert(entry.path().stem().string());
    folders.insert(entry.path().parent_path().lexically_relative(kSource).string());
  }
  for (const auto& entry : fs::recursive_directory_iterator(kSource / "tb")) {
    if (entry.path().filename() == "CMakeLists.txt") {
      for (const std::string& name :
           matches(read_text(entry.path().string()), "(?:add_executable|ow_test_sizes)\\((\\w+)")) {
        tests.insert(name);
      }
    }
    const std::string file = entry.path().filename().string();
    for (const std::string& name : matches(file, "^(\\w+)_props\\.sv$")) proofs.insert(name);
  }
  const auto known = [](const std::string& cell, const std::set<std::string>& names) {
    for (const std::string& name : matches(cell, "`(\\w+)`")) {
      EXPECT_EQ(names.count(name), 1u) << name;
    }
  };
  const std::string index = read_text((kSource / "docs/index.md").string());
  for (const std::vector<std::string>& row : table_below(index, "I changed X: what checks it")) {
    ASSERT_EQ(row.size(), 4u) << row[0];
    for (const std::string& folder : matches(row[0], "`([^`]+)`")) {
      EXPECT_EQ(folders.erase(folder), 1u)
          << folder << ": is no folder of modules, or has two rows";
    }
    known(row[1], tests);
    known(row[2], proofs);
    known(row[3], modules);
  }
  for (const std::string& folder : folders) ADD_FAILURE() << folder << ": has no row";
}

}  // namespace
}  // namespace ow
