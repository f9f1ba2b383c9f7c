// SPDX-License-Identifier: Apache-2.0
// Types and constants that every level of Openwafer shares: what users of the machine see
// (registers, encodings, words of the fabric: ow_isa_pkg, generated from sw/isa/*.yaml), and what
// passes between blocks. docs/fabric.md, docs/isa.md and docs/memory-map.md say what they mean.

// No module uses every constant.
/* verilator lint_off UNUSEDPARAM */
package ow_pkg;

  import ow_isa_pkg::*;
`include "ow_isa_export.svh"

  // Bits of a control wavelet that the consumers at the ramp act on, and the first bit of the
  // commands for the routers on the way (docs/fabric.md).
  localparam int unsigned CTRL_ROW_END = CONTROL_ROW_END_LSB;
  localparam int unsigned CTRL_STREAM_END = CONTROL_STREAM_END_LSB;
  localparam int unsigned CTRL_COMMANDS = CONTROL_COMMANDS_LSB;

  // The list of commands in a control wavelet: the operation of the first command; whether it keeps
  // the wavelet from the ramp; whether there is any command; and the data with the first command
  // moved to the end, as a router that takes it out sends it on.
  /* verilator lint_off UNUSEDSIGNAL */ // the rest of the word
  function automatic logic [1:0] command_op(input control_t data);
    return data.commands[0].op;
  endfunction
  function automatic logic command_noce(input control_t data);
    return data.commands[0].noce;
  endfunction
  function automatic logic has_commands(input control_t data);
    return data.commands != '0;
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */
  function automatic control_t next_command(input control_t data);
    next_command = data;
    next_command.commands = {data.commands[0], data.commands[NUM_COMMANDS-1:1]};
  endfunction

  // What the core hands to the engine.
  typedef struct packed {
    logic [6:0]  op;
    logic [2:0]  ty;
    tensor_ctl_t ctl;
    logic [31:0] scalar;
    logic [31:0] pc;      // of the instruction, for the error report
  } tensor_insn_t;

  // Where engine and reducer share an adder: what the engine asks of the adder in the reducer.
  // ow_fp_serial explains the fields. want: the engine uses the adder for as long as this is high.
  typedef struct packed {
    logic        want;
    logic        load;
    logic        keep;
    logic        last;
    logic        wide;
    logic        neg;
    logic        narrow;
    logic [15:0] factor;
    logic [31:0] term;
  } fp_ask_t;

  // What the scoreboard of a test sees of the core: at most one retired instruction per cycle. With
  // a core for area (ow_core_serial), fields that an instruction does not write may be anything.
  typedef struct packed {
    logic        valid;
    logic        trap;      // the instruction trapped (pc and insn are its own)
    logic [31:0] pc;
    logic [31:0] insn;
    logic        rd_we;
    logic [4:0]  rd;
    logic [31:0] rd_data;
    logic        mem_we;    // a store was done
    logic [31:0] mem_addr;
    logic [31:0] mem_wdata; // as stored, in the low bits
  } retire_t;

endpackage
/* verilator lint_on UNUSEDPARAM */
