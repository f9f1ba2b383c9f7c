// SPDX-License-Identifier: Apache-2.0
// Turns the states of all tiles into the list of what waits, and why.
#ifndef OW_DIAGNOSER_H_
#define OW_DIAGNOSER_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ow/device/neighbours.h"
#include "ow/diagnose/hang_report.h"
#include "wait_graph.h"

namespace ow {

// The tile's firmware, or null.
const ElfImage* image_at(const LoadedImages& images, int row, int col);

class Diagnoser {
 public:
  // `moving`: the grid still moves, so credits and wavelets under way are no defect.
  Diagnoser(Device& device, const std::vector<TileState>& tiles, const LoadedImages& images,
            bool moving)
      : device_(device), shape_(device.shape()), tiles_(tiles), images_(images), moving_(moving) {}

  // Root causes first.
  std::vector<Diagnosis> diagnose();
  // What the core does: "task 3 (row_task), pc 0x1a4 in row_task+0x8 (hist.c:12)".
  std::string core_place(const TileState& t) const;

 private:
  using Kind = WaitUnit::Kind;

  const TileState& tile(int row, int col) const {
    return tiles_[static_cast<size_t>(row * shape_.cols + col)];
  }
  // The neighbour at a port, or null at the edge.
  const TileState* neighbour(const TileState& t, int port) const {
    const int row = t.row + kRowStep[port], col = t.col + kColStep[port];
    return in_grid(shape_, row, col) ? &tile(row, col) : nullptr;
  }
  WaitUnit unit(const TileState& t, Kind kind, int n = 0) const {
    return {t.row * shape_.cols + t.col, kind, n};
  }
  const ElfImage* image_of(const TileState& t) const { return image_at(images_, t.row, t.col); }
  std::string task_name(const TileState& t, int task) const;

  Diagnosis& add_diagnosis(HangCause cause, const TileState* t, int colour, bool root,
                           std::string text);
  Diagnosis& add_diagnosis(HangCause cause, const TileState* t, bool root, std::string text) {
    return add_diagnosis(cause, t, -1, root, std::move(text));
  }

  // The fabric (diagnose_fabric.cpp).
  void route_cycles();
  bool on_cycle(int colour) const;
  void router(const TileState& t);
  void misroute(const TileState& t, int c, std::optional<int> strayer);
  void stray_output(const TileState& t, int c, int q);
  void to_ramp(const TileState& t, int c);
  void credits(const TileState& t, int c);
  void not_taken(const TileState& t, int c, int port);
  void host();
  void host_colour(const TileState& t, Side side, int index, int c);

  // What waits in a tile (diagnose_units.cpp).
  void stopped(const TileState& t);
  void core(const TileState& t);
  std::vector<int> pushed_queues(const TileState& t) const;
  void input_queues(const TileState& t);
  void output_queues(const TileState& t);
  void output_queue(const TileState& t, int q, const std::string& who, const WaitUnit& from);
  void input_wait(const TileState& t, int q, const std::string& who, const WaitUnit& from);
  Diagnosis& upstream(const TileState& t, int c, const std::string& who, const WaitUnit& from);
  Diagnosis& source(const TileState& t, int c, const std::string& who, const WaitUnit& from,
                    const TileState& at);
  bool holds_output(const TileState& t, int c) const;
  void reduction_wait(const TileState& t, const std::string& who, const WaitUnit& self);
  void threads(const TileState& t);
  void reducer(const TileState& t);
  void tasks(const TileState& t);
  void producers(const TileState& t);
  void cycles();

  Device& device_;
  GridShape shape_;
  const std::vector<TileState>& tiles_;
  const LoadedImages& images_;
  bool moving_;
  std::vector<Diagnosis> list_;
  WaitGraph graph_;
};

}  // namespace ow

#endif  // OW_DIAGNOSER_H_
