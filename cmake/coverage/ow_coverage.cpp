// SPDX-License-Identifier: Apache-2.0
#include "ow_coverage.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>

namespace {

struct Point {
  std::string file, page, comment, lines;
  int line;
  int column;
};

// Never destroyed: models may be made and used until the very end.
std::map<const std::atomic<uint32_t>*, Point>& points() {
  static auto* const all = new std::map<const std::atomic<uint32_t>*, Point>;
  return *all;
}

std::mutex& mutex() {
  static auto* const m = new std::mutex;
  return *m;
}

void write_points() {
  const char* dir = std::getenv("OW_COVERAGE_DIR");
  if (dir == nullptr) return;
  const std::string path = std::string(dir) + "/" + std::to_string(getpid()) + ".cov";
  std::FILE* file = std::fopen((path + ".tmp").c_str(), "w");
  if (file == nullptr) return;
  for (const auto& [count, p] : points()) {
    std::fprintf(file, "%s\t%d\t%d\t%s\t%s\t%s\t%u\n", p.file.c_str(), p.line, p.column,
                 p.page.c_str(), p.comment.c_str(), p.lines.c_str(),
                 static_cast<unsigned>(count->load(std::memory_order_relaxed)));
  }
  std::fclose(file);
  std::rename((path + ".tmp").c_str(), path.c_str());
}

}  // namespace

void ow_cover_insert(const std::atomic<uint32_t>* count, const char* file, int line, int column,
                     const char* page, const char* comment, const char* lines) {
  const std::lock_guard<std::mutex> lock(mutex());
  if (points().empty()) std::atexit(write_points);
  points().emplace(count, Point{file, page, comment, lines, line, column});
}
