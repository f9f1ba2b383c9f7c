// SPDX-License-Identifier: Apache-2.0
// The reducer at the ramp. It takes finished accumulator rows, adds partial sums of neighbours and
// a bias, and sends or stores the results, without taking beats from the engine. It executes
// `drain` (docs/isa.md) with the parameters in the RED registers (docs/memory-map.md).
//
// Start: start_i while busy_o is low, with the completion action. The RED registers must not be
// written while busy_o is high. Rows are taken in the order in which they were closed, from row 0
// of the ring on; rows may be closed before the start. While no drain runs the reducer is at its
// first row and first bias, and whether the registers allow a drain is computed as they are
// written. So a start only has to set busy. With one adder, a drain cannot start in the cycle after
// a write.
//
// Rows: each row takes the action of its phase. The phase counts from the first phase on, modulo
// the period. The action "equal" holds from the pivot on, for as many further phases as RED_START
// says. A dropped row costs a cycle. Every other element becomes ((row + in0) + in1) + bias, in
// binary32 with each addition rounded. It is then rounded to 16 bits and rectified if the action
// says so. An addition that the action lacks is left out; it does not add 0.
//
// Adders = 3 (ow_reduce_chain): an element goes to the adders with all of its operands, so wavelets
// of in0 and in1 are taken in one cycle, when both are there. Throughput is one element per cycle,
// whatever the additions. It is two if the action adds nothing and rounds to 16 bits (to memory: if
// RED_DST and RED_PITCH are multiples of 4). With n additions the latency from a wavelet at the
// head of in0 to the push is 2n + 2 cycles, both included. A row with fewer additions than the row
// before waits until it cannot overtake the last element of that row: at most 2 cycles for each
// addition less. No element leaves later because of it.
//
// Adders = 1 (ow_reduce_serial), for area: an element begins when the one before has left. It takes
// 11 cycles, 15 for each addition and one for each place that its terms are shifted by, 25 for a
// rounding to binary16, and up to 3 until a push has its turn. A row takes a cycle more, also a
// dropped one. There is no bfloat16.
//
// Output: an fp32 element is a wavelet; two 16-bit elements are one, the lower half first. For
// memory, elements are packed into 64-bit words; RED_DST must be aligned to the element size. A
// control wavelet at the head of in0 or in1 is discarded. A row is given back (row_free_o) when its
// last element has been read. The bias of the next row is read ahead. done_valid_o is high for one
// cycle when the last element has left.
//
// Errors: a store beyond SramBytes is dropped; a bias beyond it reads as NaN. A drain ends at once,
// without taking a row, if
//   - the row length is 0 or no multiple of Lanes, or the ring does not fit the 16 accumulator
//     words;
//   - the period is 0, or the first phase is not below it;
//   - an action takes in0 and in1 from the same queue, or needs what the tile does not have;
//   - an address is not aligned to its elements.
// A write of a register while busy_o is high has no effect. Each of these sets RED_STATUS.error
// until the next start; fault_o shows the first, with its cause and address. halt_i: no further
// element is taken; those in the adders leave.
module ow_reduce
  import ow_pkg::*;
  import ow_reduce_pkg::*;
#(
  parameter int unsigned Lanes = FULL_LANES,           // fp32 numbers of a word: 2, 4 or 8
  parameter int unsigned SramBytes = FULL_SRAM_BYTES,  // size of the tile's memory
  parameter int unsigned Queues = NUM_QUEUES,          // of the ramp, each way
  parameter int unsigned Adders = FULL_REDUCE_ADDERS,  // 1 or 3
  parameter bit Bf16 = 1'b1                            // it rounds to bfloat16, too
) (
  input  logic                   clk_i,
  input  logic                   rst_i,

  // RED registers: word index 0 is RED_ACC. Reads are combinational.
  input  logic                   reg_we_i,
  input  logic [15:0]            reg_addr_i,
  input  logic [31:0]            reg_wdata_i,
  output logic [31:0]            reg_rdata_o,

  // Launch by the engine, with the action when done.
  input  logic                   start_i,
  input  logic [1:0]             start_kind_i,
  input  logic [4:0]             start_task_i,
  output logic                   busy_o,
  input  logic                   halt_i,

  // The first error since the start: cause (RED_BAD_* in ow_pkg) and byte address.
  output logic                   fault_o,
  output logic [4:0]             fault_cause_o,
  output logic [23:0]            fault_addr_o,

  // Accumulator rows. row_closed_i comes when all sums of the row can be read; a row that got no
  // product (row_closed_written_i low) reads as +0. acc_rdata_i is acc_raddr_o's word, same cycle.
  input  logic                   row_closed_i,
  input  logic                   row_closed_written_i,
  output logic                   row_free_o,
  output logic [3:0]             acc_raddr_o,
  input  logic [32*Lanes-1:0]    acc_rdata_i,

  // Ramp queues. inq_owned_o: input queues that no task may take from while the drain runs.
  input  logic [NUM_QUEUES-1:0]  inq_valid_i,
  input  ramp_t [NUM_QUEUES-1:0] inq_head_i,
  output logic [NUM_QUEUES-1:0]  inq_pop_o,
  output logic [NUM_QUEUES-1:0]  inq_owned_o,
  input  logic [NUM_QUEUES-1:0]  outq_ready_i,
  /* verilator lint_off UNUSEDSIGNAL */ // with three adders there are no turns
  input  logic                   red_turn_i,  // Adders = 1: a push may go in this cycle
  /* verilator lint_on UNUSEDSIGNAL */
  output logic                   red_push_o,
  output logic [2:0]             red_q_o,
  output ramp_t                  red_data_o,

  // Memory, port "red" of ow_sram.
  output logic                   mem_req_o,
  output logic                   mem_we_o,
  output logic [7:0]             mem_be_o,
  output logic [23:0]            mem_addr_o,
  output logic [63:0]            mem_wdata_o,
  input  logic                   mem_gnt_i,
  input  logic                   mem_rvalid_i,
  input  logic [63:0]            mem_rdata_i,

  // Completion event.
  output logic                   done_valid_o,
  output logic [1:0]             done_kind_o,
  output logic [4:0]             done_task_o,

  // Adders = 1: the engine uses the adder, too.
  /* verilator lint_off UNUSEDSIGNAL */
  input  fp_ask_t                eng_fp_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic                   eng_ready_o,
  output logic [31:0]            eng_result_o,

  output logic [1:0]             ev_elem_o,  // elements that leave in this cycle (counter)
  output logic                   wait_o,     // waits for what RED_STATUS.waits names (counter)
  output logic                   idle_o      // this clock edge changes no state of the reducer
);
`include "ow_assert.svh"

  localparam int unsigned AccWords = ACC_LINES;

  `OW_ASSERT_INIT(lanes, Lanes == 2 || Lanes == 4 || Lanes == 8)
  `OW_ASSERT_INIT(adders_1_3, Adders == 3 || (Adders == 1 && !Bf16))

  logic          busy_q;
  logic          begins;  // a drain
  logic          begun_q; // a drain began in the cycle before; start_i itself arrives late
  logic          wrote_q; // a register may have been written in the cycle before
  assign begins = start_i && !busy_q;
  always_ff @(posedge clk_i) begin
    begun_q <= begins && !rst_i;
    wrote_q <= reg_we_i && !rst_i;
  end

  // -------------------------------------------------------------------------------- registers ----
  config_t       params;
  logic [4:0]    words;
  logic          config_bad;
  logic          error_q;
  reducer_wait_e cause;
  logic [15:0]   row;

  ow_reduce_regs #(.Lanes(Lanes), .AccWords(AccWords), .Queues(Queues), .Bf16(Bf16),
                   .Late(Adders == 1)) u_regs (
    .clk_i, .rst_i,
    .we_i(reg_we_i), .addr_i(reg_addr_i), .wdata_i(reg_wdata_i), .rdata_o(reg_rdata_o),
    .busy_i(busy_q), .cause_i(cause), .error_i(error_q), .row_i(row),
    .config_o(params), .words_o(words), .bad_o(config_bad)
  );

  logic          done;        // the last element has left
  logic          store_bad;
  logic [23:0]   store_addr;
  logic          bias_failed;  // a row took a bias that is outside memory
  logic [23:0]   bias_at;
  logic          settled;      // nothing changes here before an input does

  if (Adders == 1) begin : gen_serial
    logic ev_elem, serial_idle;
    ow_reduce_serial #(.Lanes(Lanes), .SramBytes(SramBytes)) u_serial (
      .clk_i, .rst_i, .start_i(begins), .busy_i(busy_q), .halt_i, .config_i(params), .words_i(words),
      .row_closed_i, .row_closed_written_i, .row_free_o, .acc_raddr_o, .acc_rdata_i,
      .inq_valid_i, .inq_head_i, .inq_pop_o, .inq_owned_o,
      .outq_ready_i, .red_turn_i, .red_push_o, .red_q_o, .red_data_o,
      .mem_req_o, .mem_we_o, .mem_be_o, .mem_addr_o(mem_addr_o[23:3]), .mem_wdata_o, .mem_gnt_i,
      .mem_rdata_i, .eng_fp_i, .eng_ready_o, .eng_result_o,
      .store_bad_o(store_bad), .store_addr_o(store_addr), .bias_bad_o(bias_failed),
      .bias_addr_o(bias_at), .row_o(row), .done_o(done), .cause_o(cause), .ev_elem_o(ev_elem),
      .idle_o(serial_idle)
    );
    assign mem_addr_o[2:0] = '0;
    assign ev_elem_o = {1'b0, ev_elem};
    assign settled = serial_idle && !done;
    logic unused;
    assign unused = mem_rvalid_i;
  end else begin : gen_chain
    // ------------------------------------------------------------ from the rows to the adders ----
    logic          en;  // the pipeline moves
    logic [3:0]    room;
    logic          adding;  // an element is at an adder
    logic          sum_valid;
    sum_t          sum;
    logic          word_valid;
    logic          issue;
    logic [1:0]    adds;
    logic [31:0]   elem;
    logic [31:0]   elem_hi;
    logic [31:0]   op_1;
    logic [31:0]   op_2;
    out_t          out;
    logic          all_issued;
    logic          step;
    logic          bias_valid;
    logic [31:0]   bias;
    logic          bias_used;

    ow_reduce_issue #(.Lanes(Lanes), .Bf16(Bf16)) u_issue (
      .clk_i, .rst_i, .start_i(begins), .busy_i(busy_q), .halt_i, .config_i(params), .words_i(words),
      .row_closed_i, .row_closed_written_i, .row_free_o, .acc_raddr_o, .acc_rdata_i,
      .inq_valid_i, .inq_head_i, .inq_pop_o, .inq_owned_o,
      .bias_valid_i(bias_valid), .bias_i(bias), .bias_used_o(bias_used),
      .en_i(en), .room_i(room), .to_memory_i(sum.out.memory), .word_waits_i(word_valid),
      .issue_o(issue), .adds_o(adds), .elem_o(elem), .elem_hi_o(elem_hi), .op_1_o(op_1),
      .op_2_o(op_2), .out_o(out),
      .row_o(row), .all_issued_o(all_issued), .cause_o(cause), .step_o(step)
    );

    ow_reduce_chain u_adders (
      .clk_i, .rst_i, .en_i(en),
      .issue_i(issue), .adds_i(adds), .elem_i(elem), .elem_hi_i(elem_hi), .op_1_i(op_1),
      .op_2_i(op_2), .op_3_i(bias), .out_i(out),
      .room_o(room), .busy_o(adding), .valid_o(sum_valid), .sum_o(sum)
    );

    // ------------------------------------------------------------------------- output, memory ----
    logic [20:0]   word_addr;
    logic          bias_req;
    logic [20:0]   bias_addr;
    logic          bias_bad;
    logic          bias_flight;
    logic          bias_step;

    ow_reduce_output #(.SramBytes(SramBytes)) u_output (
      .clk_i, .rst_i, .start_i(begun_q), .dst_base_i(params.dst_base), .pitch_i(params.pitch),
      .valid_i(sum_valid), .sum_i(sum), .en_o(en),
      .outq_ready_i, .red_push_o, .red_q_o, .red_data_o,
      .word_valid_o(word_valid), .word_addr_o(word_addr), .word_data_o(mem_wdata_o),
      .word_be_o(mem_be_o), .word_gnt_i(mem_gnt_i && mem_we_o),
      .bad_o(store_bad), .bad_addr_o(store_addr), .ev_elem_o
    );

    ow_reduce_bias #(.SramBytes(SramBytes)) u_bias (
      .clk_i, .rst_i, .busy_i(busy_q), .base_i(params.bias_base),
      .want_i(busy_q && !all_issued &&
              ((params.act[0].enable && params.act[0].bias) ||
               (params.act[1].enable && params.act[1].bias) ||
               (params.act[2].enable && params.act[2].bias))),
      .req_o(bias_req), .addr_o(bias_addr), .gnt_i(mem_gnt_i && !mem_we_o),
      .rvalid_i(mem_rvalid_i), .rdata_i(mem_rdata_i),
      .valid_o(bias_valid), .bias_o(bias), .bad_o(bias_bad), .at_o(bias_at), .used_i(bias_used),
      .flight_o(bias_flight), .step_o(bias_step)
    );

    assign {eng_ready_o, eng_result_o} = '0;

    // A store goes before the read of a bias.
    assign mem_req_o = word_valid || bias_req;
    assign mem_we_o = word_valid;
    assign mem_addr_o = {word_valid ? word_addr : bias_addr, 3'd0};
    assign bias_failed = bias_used && bias_bad;
    assign done = busy_q && all_issued && !adding && !sum_valid && !word_valid && !bias_flight;
    assign settled = !busy_q || !(step || done || mem_req_o || bias_flight || bias_step ||
                                  (en && (adding || sum_valid)));
  end

  // --------------------------------------------------------------------------- start and done ----
  logic          done_q;
  logic [1:0]    kind_q;
  logic [4:0]    task_q;
  logic [4:0]    fault_cause_q;
  logic [23:0]   fault_addr_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      busy_q <= 1'b0;
      done_q <= 1'b0;
      error_q <= 1'b0;
      fault_cause_q <= '0;
      fault_addr_q <= '0;
      kind_q <= 2'd0;
      task_q <= 5'd0;
    end else begin
      done_q <= 1'b0;
      if (begins) begin
        kind_q <= start_kind_i;
        task_q <= start_task_i;
        busy_q <= !config_bad;
        done_q <= config_bad;
        error_q <= config_bad;
        fault_cause_q <= RED_BAD_REGISTERS;
        fault_addr_q <= '0;
      end else if (done) begin
        busy_q <= 1'b0;
        done_q <= 1'b1;
      end
      if (reg_we_i && busy_q) begin
        error_q <= 1'b1;
        if (!error_q) fault_cause_q <= RED_BUSY;
      end
      if (bias_failed) begin
        error_q <= 1'b1;
        if (!error_q) begin
          fault_cause_q <= RED_BAD_BIAS;
          fault_addr_q <= bias_at;
        end
      end
      if (store_bad) begin
        error_q <= 1'b1;
        if (!error_q) begin
          fault_cause_q <= RED_BAD_STORE;
          fault_addr_q <= store_addr;
        end
      end
    end
  end
  assign busy_o = busy_q;
  assign fault_o = error_q;
  assign fault_cause_o = fault_cause_q;
  assign fault_addr_o = fault_addr_q;
  assign done_valid_o = done_q;
  assign done_kind_o = kind_q;
  assign done_task_o = task_q;
  assign wait_o = busy_q && cause != RED_WAIT_NOTHING;
  `OW_ASSERT(start_a, !start_i || !busy_q, "a drain may start only when the last one is done")

  assign idle_o = !reg_we_i && !wrote_q && !start_i && !begun_q && !row_closed_i && !row_free_o &&
                  !done_q && !rst_i && settled;

endmodule
