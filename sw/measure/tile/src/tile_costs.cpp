// SPDX-License-Identifier: Apache-2.0
#include "ow/measure/tile_costs.h"

#include "tile_measure.h"

namespace ow::bench {

const std::vector<std::pair<std::string, TileRows::Measure>>& TileRows::table() {
  static const std::vector<std::pair<std::string, Measure>> kTable = {
      {"T1", &TileRows::axpy},
      {"T2", &TileRows::dot},
      {"T3", &TileRows::gemv},
      {"T4", &TileRows::gemm},
      {"T5", &TileRows::wide_and_bytes},
      {"T6", &TileRows::streams},
      {"T7", &TileRows::short_streams},
      {"T8", &TileRows::sparse_activations},
      {"T9", &TileRows::sparse_matrices},
      {"T10", &TileRows::sparse_send},
      {"T11", &TileRows::instruction_latency},
      {"T12", &TileRows::task_latency},
      {"T13", &TileRows::neighbour_latency},
      {"T14", &TileRows::thread_costs},
      {"T16", &TileRows::functions},
  };
  return kTable;
}

std::vector<std::string> TileBench::rows() {
  std::vector<std::string> names;
  for (const auto& [name, measure] : TileRows::table()) names.push_back(name);
  return names;
}

std::vector<TileFigure> TileBench::measure(const std::string& row) {
  for (const auto& [name, measure] : TileRows::table()) {
    if (name != row) continue;
    std::vector<TileFigure> out;
    TileRows rows(*this, out);
    (rows.*measure)();
    return out;
  }
  throw BadInput("no row " + row + " of ow bench tile");
}

std::vector<std::string> TileBench::operations() {
  std::vector<TileFigure> out;
  return TileRows(*this, out).operations();
}

}  // namespace ow::bench
