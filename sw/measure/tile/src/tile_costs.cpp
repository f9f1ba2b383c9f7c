// SPDX-License-Identifier: Apache-2.0
#include "ow/measure/tile_costs.h"

#include "tile_measure.h"

namespace ow::bench {

const std::vector<TileRows::Measurement>& TileRows::table() {
  static const std::vector<Measurement> kTable = {
      {{"tile.axpy_f16"}, &TileRows::axpy},
      {{"tile.dot_f16"}, &TileRows::dot},
      {{"tile.gemv_f16"}, &TileRows::gemv},
      {{"tile.gemm_f16"}, &TileRows::gemm},
      {{"tile.axpy_f32", "tile.dot_i8"}, &TileRows::wide_and_bytes},
      {{"tile.streamed_100", "tile.streamed_50", "tile.streamed_20", "tile.streamed_10",
        "tile.streamed_5", "tile.streamed_1"},
       &TileRows::streams},
      {{"tile.streamed_16_samples_100", "tile.streamed_16_samples_20", "tile.streamed_16_samples_5",
        "tile.streamed_8_samples_100", "tile.streamed_8_samples_20", "tile.streamed_8_samples_5"},
       &TileRows::short_streams},
      {{"tile.sparse_gemv_50", "tile.sparse_gemv_30", "tile.sparse_gemv_10"},
       &TileRows::sparse_activations},
      {{"tile.spmv_f16", "tile.spmv_f32"}, &TileRows::sparse_matrices},
      {{"tile.send_nonzeros"}, &TileRows::sparse_send},
      {{"tile.instruction_latency", "tile.axpy_back_to_back"}, &TileRows::instruction_latency},
      {{"tile.task_latency", "tile.task_rate"}, &TileRows::task_latency},
      {{"tile.neighbour_latency"}, &TileRows::neighbour_latency},
      {{"tile.waiting_thread_loss", "tile.microthreads_loss"}, &TileRows::thread_costs},
      {{"tile.functions"}, &TileRows::functions},
  };
  return kTable;
}

std::vector<std::vector<std::string>> TileBench::measurements() {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [names, measure] : TileRows::table()) rows.push_back(names);
  return rows;
}

std::vector<TileFigure> TileBench::measure(size_t measurement) {
  std::vector<TileFigure> out;
  TileRows rows(*this, out);
  (rows.*TileRows::table().at(measurement).measure)();
  return out;
}

std::vector<std::string> TileBench::operations() {
  std::vector<TileFigure> out;
  return TileRows(*this, out).operations();
}

}  // namespace ow::bench
