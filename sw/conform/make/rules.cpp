// SPDX-License-Identifier: Apache-2.0
// Rules as the documents have them: a line, or a row of a table, with an anchor and a bold id.
#include <algorithm>
#include <filesystem>
#include <regex>
#include <sstream>

#include "maker.h"
#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/conform/make.h"

namespace ow::conform {
namespace {

constexpr size_t kShown = 400;

// Text without links, tags and marks.
std::string plain(std::string text) {
  text = std::regex_replace(text, std::regex("<[^>]*>"), "");
  text = std::regex_replace(text, std::regex("\\[([^\\]]*)\\]\\([^)]*\\)"), "$1");
  text = std::regex_replace(text, std::regex("\\*\\*|`"), "");
  const size_t from = text.find_first_not_of(" |-0123456789.");
  text = from == std::string::npos ? "" : text.substr(from);
  while (!text.empty() && (text.back() == '|' || text.back() == ' ')) text.pop_back();
  return text.size() > kShown ? text.substr(0, kShown) + " ..." : text;
}

void read_page(const std::string& path, const std::string& name,
               std::map<std::string, Rule>* rules) {
  static const std::regex kAnchor("<a id=\"([A-Z][0-9]+)\"></a>\\*\\*\\1\\*\\*");
  std::istringstream in(read_text(path));
  std::string section;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("## ", 0) == 0) section = plain(line.substr(3));
    // A kind of layer has a page without sections.
    if (line.rfind("# ", 0) == 0) section = plain(line.substr(2));
    for (std::sregex_iterator it(line.begin(), line.end(), kAnchor), end; it != end; ++it) {
      const std::string rest = it->suffix();
      (*rules)[(*it)[1]] = {name, section, plain(rest)};
    }
  }
}

}  // namespace

std::vector<std::string> kind_folders(const std::string& documents) {
  namespace fs = std::filesystem;
  std::vector<std::string> folders;
  for (const char* place : {"../sw/layers", "../layers"}) {
    const fs::path layers = fs::path(documents) / place;
    if (!fs::is_directory(layers)) continue;
    for (const auto& kind : fs::directory_iterator(layers)) folders.push_back(kind.path().string());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

std::map<std::string, Rule> read_rules(const std::string& documents) {
  namespace fs = std::filesystem;
  std::map<std::string, Rule> rules;
  for (const char* page : {"isa", "fabric", "links", "numerics"}) {
    read_page(documents + "/" + page + ".md", std::string(page) + ".md", &rules);
  }
  for (const std::string& folder : kind_folders(documents)) {
    const fs::path page = fs::path(folder) / "numerics.md";
    if (!fs::exists(page)) continue;
    const std::string kind = fs::path(folder).filename().string();
    read_page(page.string(), "sw/layers/" + kind + "/numerics.md", &rules);
  }
  return rules;
}

}  // namespace ow::conform
