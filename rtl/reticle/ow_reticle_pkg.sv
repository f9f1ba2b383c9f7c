// SPDX-License-Identifier: Apache-2.0
// Fuses of a reticle: what selects the wires between its physical tiles (docs/wafer.md). All zero,
// as after reset, isolates everything.
package ow_reticle_pkg;

  // Of one physical tile. "Skip" counts the physical rows or columns that lie between it and its
  // neighbour; "shift" is the neighbour's physical column less its own.
  typedef struct packed {
    logic              enable;   // [14] it is a logical tile
    logic [1:0]        w_skip;   // [13:12]
    logic [1:0]        e_skip;   // [11:10]
    logic [1:0]        n_skip;   // [9:8]
    logic signed [2:0] n_shift;  // [7:5]
    logic [1:0]        s_skip;   // [4:3]
    logic signed [2:0] s_shift;  // [2:0]
  } tile_fuse_t;  // 15 bits

  // Of one physical row: the link slots of its ends, less its own number.
  typedef struct packed {
    logic signed [2:0] w_slot;  // [5:3]
    logic signed [2:0] e_slot;  // [2:0]
  } row_fuse_t;  // 6 bits

endpackage
