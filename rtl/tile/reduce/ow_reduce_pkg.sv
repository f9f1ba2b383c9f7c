// SPDX-License-Identifier: Apache-2.0
// Types that the parts of the reducer hand to each other.
package ow_reduce_pkg;
  import ow_pkg::*;

  // What is done with a row, from the registers RED_ACT_*.
  typedef struct packed {
    logic       bf16;     // the 16-bit format is bfloat16
    logic       relu;
    logic       f16;      // round to 16 bits
    logic       bias;
    logic [2:0] out_q;
    logic       memory;
    logic [2:0] in1_q;
    logic       in1;
    logic [2:0] in0_q;
    logic       in0;
    logic       enable;
  } act_t;

  // The parameters of a drain.
  typedef struct packed {
    logic [15:0] samples;    // a row
    logic [7:0]  ring;       // rows in the accumulators
    logic [15:0] count;      // rows to take
    logic [15:0] period;
    logic [15:0] pivot;
    logic [15:0] first;      // phase of the first row
    logic [15:0] more;       // phases after the pivot that count as equal to it
    act_t [2:0]  act;        // lower, equal, greater
    logic [23:0] bias_base;
    logic [23:0] dst_base;
    logic [15:0] pitch;
  } config_t;

  // What the output needs to know of an element.
  typedef struct packed {
    logic       bf16;
    logic       relu;
    logic       f16;
    logic       memory;
    logic [2:0] out_q;
    logic       odd;      // second of a pair
    logic       pair;     // two elements in one
    logic       row_end;  // last of its row
  } out_t;

  // A sum at the output, and the one after it if there are two.
  typedef struct packed {
    logic [31:0] sum;
    logic [31:0] hi;
    out_t        out;
  } sum_t;
endpackage
