// SPDX-License-Identifier: Apache-2.0
// What README.md and docs/ point at is there: files, headings, make targets and scripts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
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

std::set<std::string> anchors(const std::string& text) {
  std::set<std::string> out;
  for (const std::string& id : matches(text, "<a id=\"([^\"]+)\"")) out.insert(id);
  size_t from = 0;
  while (from < text.size()) {
    const size_t end = std::min(text.find('\n', from), text.size());
    const std::string line = text.substr(from, end - from);
    const size_t hashes = line.find_first_not_of('#');
    if (hashes != 0 && hashes != std::string::npos && line[hashes] == ' ') {
      out.insert(slug(std::regex_replace(line.substr(hashes + 1),
                                         std::regex("\\[([^\\]]*)\\]\\([^)]*\\)|<[^>]*>"), "$1")));
    }
    from = end + 1;
  }
  return out;
}

std::map<fs::path, std::string> documents() {
  std::map<fs::path, std::string> out;
  out["README.md"] = read_text((kSource / "README.md").string());
  for (const auto& entry : fs::recursive_directory_iterator(kSource / "docs")) {
    if (entry.path().extension() == ".md") {
      out[entry.path().lexically_relative(kSource)] = read_text(entry.path().string());
    }
  }
  return out;
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

TEST(Documents, NameTargetsAndScriptsThatThereAre) {
  const std::string makefile = read_text((kSource / "Makefile").string());
  std::set<std::string> targets;
  for (const std::string& target : matches(makefile, "\n([a-z-]+):")) targets.insert(target);
  for (const auto& [name, text] : documents()) {
    for (const std::string& target : matches(text, "`make ([a-z-]+)")) {
      EXPECT_EQ(targets.count(target), 1u) << name << ": make " << target;
    }
    for (const std::string& script : matches(text, "`scripts/([A-Za-z0-9_.-]+)")) {
      EXPECT_TRUE(fs::exists(kSource / "scripts" / script)) << name << ": scripts/" << script;
    }
  }
}

}  // namespace
}  // namespace ow
