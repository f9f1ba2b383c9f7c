// SPDX-License-Identifier: Apache-2.0
// The RED registers (docs/memory-map.md), and whether a drain can start with what they hold. A
// write during a drain has no effect; ow_reduce reports it as an error. Reads are combinational.
// bad_o is a register: it is computed as the registers are written or, with Late, in the cycle
// after, in which no drain can start.
module ow_reduce_regs
  import ow_pkg::*;
  import ow_reduce_pkg::*;
#(
  parameter int unsigned Lanes = FULL_LANES,
  parameter int unsigned AccWords = ACC_LINES,
  parameter int unsigned Queues = NUM_QUEUES,  // that there are: an action may name no other
  parameter bit Bf16 = 1'b1,                   // queues of the tile: an action may name no other
  parameter bit Late = 1'b0
) (
  input  logic          clk_i,
  input  logic          rst_i,

  input  logic          we_i,
  input  logic [15:0]   addr_i,
  input  logic [31:0]   wdata_i,
  output logic [31:0]   rdata_o,

  // For RED_STATUS.
  input  logic          busy_i,
  input  reducer_wait_e cause_i,
  input  logic          error_i,
  input  logic [15:0]   row_i,  // rows whose elements have all been issued

  output config_t       config_o,
  output logic [4:0]    words_o,  // accumulator words of a row
  output logic          bad_o     // no drain can start with them; from registers
);
  localparam int unsigned LaneBits = $clog2(Lanes);

  config_t config_q;

  // A byte address as written. Beyond 24 bits it becomes one outside memory with the same low bits.
  function automatic logic [23:0] address(input logic [31:0] written);
    return written[31:24] == '0 ? written[23:0] : {3'b011, written[20:0]};
  endfunction

  // What is written, by register.
  /* verilator lint_off UNUSEDSIGNAL */ // reserved bits
  red_acc_reg_t new_acc;
  red_count_reg_t new_count;
  red_phase_reg_t new_phase;
  red_action_t new_action;
  red_pitch_reg_t new_pitch;
  red_start_reg_t new_start;
  /* verilator lint_on UNUSEDSIGNAL */
  assign new_acc = wdata_i;
  assign new_count = wdata_i;
  assign new_phase = wdata_i;
  assign new_action = wdata_i;
  assign new_pitch = wdata_i;
  assign new_start = wdata_i;

  // An action as it is kept. bfloat16 implies rounding to 16 bits.
  /* verilator lint_off UNUSEDSIGNAL */ // reserved bits
  function automatic act_t kept(input red_action_t a);
    return '{bf16: a.bf16, relu: a.relu, f16: a.f16 || a.bf16, bias: a.bias, out_q: a.out_q,
             memory: a.memory, in1_q: a.in1_q, in1: a.in1, in0_q: a.in0_q, in0: a.in0,
             enable: a.enable};
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */
  function automatic red_action_t shown(input act_t a);
    return '{bf16: a.bf16, relu: a.relu, f16: a.f16, bias: a.bias, out_q: a.out_q,
             memory: a.memory, in1_q: a.in1_q, in1: a.in1, in0_q: a.in0_q, in0: a.in0,
             enable: a.enable, default: '0};
  endfunction

  logic    write;
  config_t config_d;
  assign write = we_i && !busy_i;

  always_comb begin
    config_d = config_q;
    if (write) begin
      case (addr_i)
        REG_RED_ACC: {config_d.ring, config_d.samples} = {new_acc.ring, new_acc.samples};
        REG_RED_COUNT: config_d.count = new_count.rows;
        REG_RED_PHASE: begin  // RED_START is written after it, or is 0
          {config_d.pivot, config_d.period} = {new_phase.pivot, new_phase.period};
          {config_d.more, config_d.first} = '0;
        end
        REG_RED_ACT_LT: config_d.act[0] = kept(new_action);
        REG_RED_ACT_EQ: config_d.act[1] = kept(new_action);
        REG_RED_ACT_GT: config_d.act[2] = kept(new_action);
        REG_RED_BIAS: config_d.bias_base = address(wdata_i);
        REG_RED_DST: config_d.dst_base = address(wdata_i);
        REG_RED_PITCH: config_d.pitch = new_pitch.pitch;
        REG_RED_START: {config_d.more, config_d.first} = {new_start.more, new_start.phase};
        default: ;
      endcase
    end
  end
  assign config_o = config_q;

  always_comb begin
    case (addr_i)
      REG_RED_ACC:
        rdata_o = red_acc_reg_t'{ring: config_q.ring, samples: config_q.samples, default: '0};
      REG_RED_COUNT: rdata_o = red_count_reg_t'{rows: config_q.count, default: '0};
      REG_RED_PHASE: rdata_o = red_phase_reg_t'{pivot: config_q.pivot, period: config_q.period};
      REG_RED_ACT_LT: rdata_o = shown(config_q.act[0]);
      REG_RED_ACT_EQ: rdata_o = shown(config_q.act[1]);
      REG_RED_ACT_GT: rdata_o = shown(config_q.act[2]);
      REG_RED_BIAS: rdata_o = {8'd0, config_q.bias_base};
      REG_RED_DST: rdata_o = {8'd0, config_q.dst_base};
      REG_RED_PITCH: rdata_o = red_pitch_reg_t'{pitch: config_q.pitch, default: '0};
      REG_RED_STATUS:
        rdata_o = red_status_reg_t'{running: busy_i, waits: cause_i, error: error_i, rows: row_i,
                                    default: '0};
      REG_RED_START: rdata_o = red_start_reg_t'{more: config_q.more, phase: config_q.first};
      default: rdata_o = 32'd0;
    endcase
  end

  function automatic logic beyond(input logic [2:0] queue);
    return {1'b0, queue} > 4'(Queues - 1);
  endfunction

  // An action is wrong if it needs what the tile does not have, takes two inputs from one queue, or
  // has addresses that are not aligned to its elements.
  /* verilator lint_off UNUSEDSIGNAL */ // all but what may be wrong
  function automatic logic bad_action(input act_t a, input config_t c);
    return a.enable &&
           ((a.in0 && a.in1 && a.in0_q == a.in1_q) || (a.in0 && beyond(a.in0_q)) ||
            (a.in1 && beyond(a.in1_q)) || (!a.memory && beyond(a.out_q)) || (!Bf16 && a.bf16) ||
            (a.memory && (c.dst_base[0] || c.pitch[0])) ||
            (a.memory && !a.f16 && (c.dst_base[1] || c.pitch[1])) ||
            (a.bias && c.bias_base[1:0] != 2'd0));
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  config_t checked;
  logic    check, check_q;  // they have changed
  logic    bad_d, bad_q;
  assign checked = Late ? config_q : config_d;
  assign check = Late ? check_q : write;
  assign words_o = config_q.samples[LaneBits +: 5];
  assign bad_o = bad_q || (Late && check_q);
  always_comb begin
    bad_d = bad_q;
    if (check) begin
      bad_d = checked.samples == 16'd0 || checked.samples[LaneBits-1:0] != '0 ||
              checked.samples > 16'(AccWords * Lanes) || checked.ring == 8'd0 ||
              checked.ring > 8'(AccWords) || checked.period == 16'd0 ||
              checked.first >= checked.period ||
              10'(checked.ring[4:0]) * 10'(checked.samples[LaneBits +: 5]) > 10'(AccWords);
      for (int unsigned i = 0; i < 3; i++) bad_d |= bad_action(checked.act[i], checked);
    end
  end

  always_ff @(posedge clk_i) begin
    check_q <= write && !rst_i;
    if (rst_i) begin
      config_q <= '0;
      bad_q <= 1'b1;
    end else begin
      if (write) config_q <= config_d;
      bad_q <= bad_d;
    end
  end
endmodule
