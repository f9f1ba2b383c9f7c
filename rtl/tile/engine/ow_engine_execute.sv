// SPDX-License-Identifier: Apache-2.0
// From stage M to the result: datapath, non-linear functions, accumulator cache, and the record of
// the beats in them (ow_engine_flight, which explains the ports that have the names of its ports).
//
//   Lanes        as of ow_engine
//   Has          operations that the datapath has; Nonlinear: there are non-linear functions
//   m_i, m_a_i, m_b_i, d_line_i   the beat in stage M, its elements, the line of its addend; res_i
//                where its result goes
//   fire_i       it enters the datapath; early_i: it leaves from stage M and has no result here
//   r_valid_o, r_o, r_data_o   a result
//   acc_row_o    accumulator row of a source of m_i; acc_raddr_i, acc_rdata_o: the reducer's port
//   prng_*       state of the random generator (ow_datapath)
module ow_engine_execute
  import ow_datapath_pkg::*;
  import ow_engine_pkg::*;
#(
  parameter int unsigned Lanes = ow_pkg::FULL_LANES,
  parameter dp_has_t Has = DP_HAS_ALL,
  parameter bit Nonlinear = 1'b1,
  localparam int unsigned LineW = 16 * Lanes
) (
  input  logic                   clk_i,
  input  logic                   rst_i,
  // Stage M.
  input  logic                   m_valid_i,
  input  beat_t                  m_i,
  input  res_t                   res_i,
  input  logic [Lanes-1:0][31:0] m_a_i,
  input  logic [Lanes-1:0][31:0] m_b_i,
  input  logic [LineW-1:0]       d_line_i,
  output logic                   wait_o,
  input  logic                   fire_i,
  input  logic                   early_i,
  output logic [32*Lanes-1:0]    acc_row_o,
  // Results.
  output logic                   r_valid_o,
  output res_t                   r_o,
  output logic [Lanes-1:0][31:0] r_data_o,
  output logic                   late_valid_o,
  // Ends of instructions.
  output logic                   ended_o,
  output logic [3:0]             ended_thread_o,
  input  logic [1:0]             tell_i,
  output logic                   told_o,
  output wslot_t                 told_slot_o,
  output logic                   late_ended_o,
  output logic [3:0]             late_ended_thread_o,
  // Plan.
  input  logic [3:0]             src_row_i,
  input  logic [7:0]             src_words_i,
  output logic                   src_under_way_o,
  output logic                   sends_o,
  output logic                   writes_o,
  output logic                   late_o,
  output logic [3:0]             late_soon_o,
  // Reducer, random generator.
  input  logic [3:0]             acc_raddr_i,
  output logic [32*Lanes-1:0]    acc_rdata_o,
  input  logic                   prng_we_i,
  input  logic [1:0]             prng_sel_i,
  input  logic [31:0]            prng_wdata_i,
  output logic [31:0]            prng_rdata_o,
  output logic                   idle_o
);

  logic [Lanes-1:0][31:0] addend, dp_result;
  logic                   late_valid;
  logic [31:0]            late;
  logic                   p_acc;    // the addend of this cycle is in the accumulator cache
  logic [3:0]             p_row;
  logic [1:0]             m_back;
  logic [32*Lanes-1:0]    acc_row;
  /* verilator lint_off UNUSEDSIGNAL */ // both are valid together
  logic [1:0]             nlf_valid;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [1:0][15:0]       nlf_y;

  ow_engine_flight #(.Lanes(Lanes)) u_flight (
    .clk_i, .rst_i,
    .m_valid_i, .m_i, .wait_o, .back_o(m_back), .fire_i, .early_i, .res_i, .d_line_i,
    .p_acc_o(p_acc), .p_row_o(p_row), .acc_row_i(acc_row), .addend_o(addend),
    .late_valid_i(late_valid), .nlf_valid_i(nlf_valid[0]), .r_valid_o, .r_o,
    .ended_o, .ended_thread_o, .tell_i, .told_o, .told_slot_o, .late_ended_o, .late_ended_thread_o,
    .src_row_i, .src_words_i, .src_under_way_o,
    .sends_o, .writes_o, .late_o, .late_soon_o, .idle_o
  );

  ow_datapath #(.Lanes(Lanes), .Has(Has)) u_datapath (
    .clk_i, .rst_i,
    .valid_i(fire_i && m_i.data && m_i.unit != UNIT_NLF && !early_i),
    .op_i(m_i.op), .src_i(m_i.src), .dst_i(m_i.dst), .stoch_i(m_i.stoch),
    .mask_i(m_i.mask[Lanes-1:0]), .i8_hi_i(m_i.mask_hi[Lanes-1:0]), .a_i(m_a_i), .b_i(m_b_i),
    .red_first_i(m_i.red_first), .red_last_i(m_i.red_last), .red_base_i(m_i.red_base),
    .back_i(m_back), .c_i(addend), .result_o(dp_result), .late_valid_o(late_valid), .late_o(late),
    .prng_we_i, .prng_sel_i, .prng_wdata_i, .prng_rdata_o
  );

  // Non-linear functions: two elements per beat, in lanes 2k and 2k + 1, from registers.
  if (Nonlinear) begin : gen_nonlinear
    logic                nlf_q, bf16_q;
    ow_nlf_pkg::nlf_fn_e fn_q;
    logic [1:0][15:0]    x, x_q;

    always_comb begin
      x = '0;
      if (m_i.unit == UNIT_NLF) begin
        for (int unsigned l = 0; l < Lanes; l++) x[l%2] |= m_a_i[l][15:0];
      end
    end

    always_ff @(posedge clk_i) begin
      if (rst_i) nlf_q <= 1'b0;
      else if (nlf_q || m_i.unit == UNIT_NLF) nlf_q <= fire_i && m_i.unit == UNIT_NLF;
      if (fire_i && m_i.unit == UNIT_NLF) begin
        fn_q <= ow_nlf_pkg::nlf_fn_e'(m_i.nlf);
        bf16_q <= m_i.src == DF_BF16;
        x_q <= x;
      end
    end

    for (genvar k = 0; k < 2; k++) begin : gen_nlf
      ow_nlf u_nlf (
        .clk_i, .rst_i, .valid_i(nlf_q), .fn_i(fn_q), .bf16_i(bf16_q), .x_i(x_q[k]),
        .valid_o(nlf_valid[k]), .y_o(nlf_y[k])
      );
    end
  end else begin : gen_no_nonlinear
    assign nlf_valid = '0;
    assign nlf_y = '0;
  end

  assign late_valid_o = late_valid;
  always_comb begin
    r_data_o = dp_result;
    if (late_valid) r_data_o = {Lanes{late}};
    else if (nlf_valid[0]) r_data_o = {Lanes / 2{16'd0, nlf_y[1], 16'd0, nlf_y[0]}};
  end

  ow_acc #(.Lanes(Lanes)) u_acc (
    .clk_i,
    .we_i    (r_valid_o && r_o.acc_we),
    .wmask_i (r_o.mask[Lanes-1:0]),
    .waddr_i (r_o.acc_row),
    .wdata_i (r_data_o),
    .raddr_i (p_acc ? p_row : m_i.src_row),
    .rdata_o (acc_row),
    .raddr2_i(acc_raddr_i),
    .rdata2_o(acc_rdata_o)
  );
  assign acc_row_o = acc_row;

endmodule
