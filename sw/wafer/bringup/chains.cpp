// SPDX-License-Identifier: Apache-2.0
// Which stations answer, and from which end a row's chain is entered.
#include <algorithm>

#include "steps.h"

namespace ow::wafer {
namespace {

constexpr int kContacts = 24;  // tries until a station is given up (docs/bring-up.md)

// The stations that answer from one end.
std::vector<bool> stations_heard(Probe& probe, bool east) {
  std::vector<bool> seen(probe.found.size(), false);
  probe.from_east.assign(probe.from_east.size(), east);
  for (int contact = 0; contact < kContacts; ++contact) {
    probe.open_batch();
    std::vector<std::pair<size_t, Handle>> asked;
    probe.each([&](int d, int p, int c) {
      const int column = east ? probe.cols() - 1 - c : c;
      const size_t at = probe.index(d, p, column);
      if (!seen[at]) asked.emplace_back(at, probe.add_command(d, p, column, false, kStationId));
    });
    if (asked.empty()) break;
    probe.run_batch();
    for (const auto& [at, handle] : asked) seen[at] = probe.answer(handle) == kStationIdValue;
  }
  return seen;
}

// A row can be used if one end reaches all stations that answer, and no dead one is between them.
void judge_row(Probe& probe, int d, int p, const std::vector<bool>& heard_from_west,
               const std::vector<bool>& heard_from_east) {
  bool west = true, east = true, gap = false, any = false, before = true;
  for (int c = 0; c < probe.cols(); ++c) {
    const size_t at = probe.index(d, p, c);
    const bool from_west = heard_from_west[at], from_east = heard_from_east[at];
    const bool found = from_west || from_east;
    probe.found[at] = found;
    any |= found;
    west &= from_west || !from_east;
    east &= from_east || !from_west;
    gap |= !found && !before;
    before = found;
  }
  const size_t row = probe.row_index(d, p);
  // The row's link slots are set in its first station.
  const bool first = probe.found[probe.index(d, p, 0)];
  probe.usable[row] = any && !gap && (west || east) && first;
  probe.from_east[row] = !west;
  if (!probe.usable[row]) {
    probe.result.findings.push_back(
        {d,
         {p, 0},
         first ? "test-access chain broken" : "the first station of its chain does not answer"});
    return;
  }
  for (int c = 0; c < probe.cols(); ++c) {
    if (!probe.found[probe.index(d, p, c)]) probe.lose(d, p, c, "its station does not answer");
  }
}

}  // namespace

void discover(Probe& probe) {
  probe.begin("test-access chains");
  const std::vector<bool> west = stations_heard(probe, false);
  const std::vector<bool> east = stations_heard(probe, true);
  for (int d = 0; d < probe.shape.reticles(); ++d) {
    for (int p = 0; p < probe.rows(); ++p) judge_row(probe, d, p, west, east);
  }
  probe.discovered = true;
}

bool stations_scan(Probe& probe) {
  // A write is answered with what was there before.
  std::vector<Handle> written;
  probe.open_batch();
  probe.each_alive([&](int d, int p, int c) {
    probe.add_command(d, p, c, true, kStationScan, kScanEnable);
    written.push_back(probe.add_command(d, p, c, true, kStationScan, 0));
  });
  probe.run_batch();
  return std::any_of(written.begin(), written.end(), [&](const Handle& h) {
    return (probe.answer(h).value_or(0) & kScanEnable) != 0;
  });
}

void wake_stations(Probe& probe) {
  const std::vector<bool> from_east = probe.from_east;
  probe.discovered = false;
  for (const bool east : {false, true}) stations_heard(probe, east);
  probe.from_east = from_east;
  probe.discovered = true;
}

}  // namespace ow::wafer
