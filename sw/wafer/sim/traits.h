// SPDX-License-Identifier: Apache-2.0
// Traits of SimulatedWafer for the tile model that OW_WAFER_TILE names (a source file of sim/
// defines it, and MODEL_STATE and MODEL_CLOCK, the lists that sw/host/list_state.cmake has made).
#ifndef OW_WAFER_SIM_TRAITS_H_
#define OW_WAFER_SIM_TRAITS_H_

#include "Vow_link_wafer.h"
#include "Vow_link_wafer___024root.h"
#include "Vow_station.h"
#include "Vow_station___024root.h"
#include "wafer_device.h"
#include "wafer_small/link_wafer_clock.h"
#include "wafer_small/station_clock.h"

#define OW_JOIN_(a, b) a##b
#define OW_JOIN(a, b) OW_JOIN_(a, b)

// Computes all logic from the registers: Verilator's own function for the start of a simulation.
void OW_JOIN(OW_WAFER_TILE, ___024root___eval_settle)(OW_JOIN(OW_WAFER_TILE, ___024root) * root);

namespace ow::wafer {
namespace {

struct TileTraits {
  using Tile = OW_WAFER_TILE;
  using Station = Vow_station;
  using Link = Vow_link_wafer;

  // The falling edge does nothing in the design; where the model's previous clock is known by name
  // it is put back to 0 and the falling edge is not evaluated.
  static void clock(Tile* model) {
    model->clk_i = 1;
    model->eval();
#ifdef OW_CLOCK_PREVIOUS
    model->rootp->OW_CLOCK_PREVIOUS = 0;
#else
    model->clk_i = 0;
    model->eval();
#endif
  }
  static void clock(Station* model) {
    model->clk_i = 1;
    model->eval();
#ifdef OW_CLOCK_PREVIOUS_STATION
    model->rootp->OW_CLOCK_PREVIOUS_STATION = 0;
#else
    model->clk_i = 0;
    model->eval();
#endif
  }
  static void clock(Link* model) {
    model->clk_i = 1;
    model->eval();
#ifdef OW_CLOCK_PREVIOUS_LINK_WAFER
    model->rootp->OW_CLOCK_PREVIOUS_LINK_WAFER = 0;
#else
    model->clk_i = 0;
    model->eval();
#endif
  }
  static void settle(Tile* model) {
    OW_JOIN(OW_WAFER_TILE, ___024root___eval_settle)(model->rootp);
  }
  // All that the model holds, and nothing else: from its first member that belongs to the design to
  // the first one that does not.
  static uint8_t* state_begin(Tile* model) {
    return reinterpret_cast<uint8_t*>(&model->rootp->clk_i);
  }
  static uint8_t* state_end(Tile* model) {
    auto* root = model->rootp;
    return const_cast<uint8_t*>(reinterpret_cast<const uint8_t*>(&root->vlSymsp));
  }
  static std::vector<Cell> cells(Tile* model) {
    auto* root = model->rootp;
    return {
#define OW_STATE(member) {#member, reinterpret_cast<uint8_t*>(&root->member), sizeof(root->member)},
#include OW_MODEL_STATE
#undef OW_STATE
    };
  }
};

}  // namespace
}  // namespace ow::wafer

#endif  // OW_WAFER_SIM_TRAITS_H_
