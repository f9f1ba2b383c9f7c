// SPDX-License-Identifier: Apache-2.0
// The steps of the serial tensor engine: which step is next, and what this one does. Combinational.
//
//   step_i, step_o   the step, and the next one
//   *_i          the registers and signals of ow_serial with these names
//   wait_*_o     the thread in hand waits: for the queue that is looked at, its output queue, a row
//   pop_o        a wavelet is taken from the queue of the operand in hand; the next one is at the
//                head two cycles later
//   push_o       a wavelet is sent
//   skips_o      the wavelet that is taken is a control wavelet in front of an operand
//   leaves_o     the element has been pushed, is the lower half of a pair, or is a zero that is
//                left out
//   stuck_o      nothing goes on before an input changes
module ow_serial_next
  import ow_pkg::*;
  import ow_serial_pkg::*;
(
  input  step_e  step_i,
  output step_e  step_o,
  // What is asked for.
  input  logic   tensor_valid_i,
  input  logic   dsr_write_i,
  input  logic   dsr_re_i,
  input  logic   offer_i,
  input  logic   launch_ok_i,
  input  logic   drain_i,
  input  logic   thread_ok_i,
  input  logic   launch_i,
  input  logic   launch_waits_i,
  input  logic   bad_i,
  input  logic   any_i,
  input  logic   halt_i,
  // The thread in hand.
  /* verilator lint_off UNUSEDSIGNAL */ // queues; data
  input  flags_t flags_i,
  input  ramp_t  head_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic   head_valid_i,
  input  logic   row_ok_i,
  input  logic   dst_room_i,
  input  logic   turn_i,
  input  logic   ending_i,
  input  logic   half_i,
  // The element in hand, and its operand.
  input  opnd_e  k_i,
  input  at_e    at_i,
  input  logic   early_i,
  input  logic   wide_i,
  input  logic   half_in_i,
  input  logic   none_i,
  input  logic   reads_i,
  input  logic   faulty_i,
  input  logic   rd_gnt_i,
  input  logic   wr_gnt_i,
  input  logic   end_0_i,
  input  logic   end_1_i,
  input  logic   computed_i,
  input  logic   zero_i,
  input  logic   index_last_i,
  output logic   wait_in_o,
  output logic   wait_out_o,
  output logic   wait_row_o,
  output logic   pop_o,
  output logic   push_o,
  output logic   skips_o,
  output logic   leaves_o,
  output logic   stuck_o
);

  logic sends;  // the element leaves, and is not the lower one of a pair
  always_comb begin : next_state
    step_o = step_i;
    sends = 1'b0;
    {wait_in_o, wait_out_o, wait_row_o} = '0;
    {pop_o, push_o, skips_o, leaves_o, stuck_o} = '0;
    unique case (step_i)
      S_IDLE: begin
        if (dsr_write_i) step_o = S_IDLE;
        else if (dsr_re_i) step_o = S_READ_DSR;
        else if (offer_i) step_o = L_OFFER;
        else if (any_i && !halt_i) step_o = S_PICK;
      end
      S_READ_DSR: step_o = S_IDLE;
      // A launch.
      L_OFFER: if (launch_ok_i && !thread_ok_i) step_o = S_FAULT_PC;
               else step_o = launch_ok_i && !drain_i ? L_CTL : S_IDLE;
      L_CTL: step_o = L_PC;
      L_PC: step_o = L_SCALAR;
      L_SCALAR: step_o = L_LOOK;
      L_LOOK: step_o = L_FIRST;
      L_FIRST: step_o = L_SECOND;
      L_SECOND: step_o = k_i == OPND_D ? L_JUDGE : L_LOOK;
      L_JUDGE: step_o = launch_waits_i ? S_IDLE : bad_i ? S_FAULT_PC : L_FLAGS;
      L_FLAGS: step_o = L_N0;
      L_N0: step_o = L_N1;
      L_N1: step_o = L_INDEX;
      L_INDEX: step_o = S_IDLE;
      // A turn.
      S_PICK: step_o = S_LOAD;
      S_LOAD: step_o = S_CHECK;
      S_CHECK: begin
        if (ending_i) begin
          if (flags_i.d_at == AT_FAB && (half_i || flags_i.close)) begin
            if (!dst_room_i) begin
              wait_out_o = 1'b1;
            end else if (half_i) begin
              step_o = S_FLUSH;
            end else if (turn_i) begin
              push_o = 1'b1;
              step_o = S_SAVE;
            end
          end else begin
            step_o = S_SAVE;
          end
        end else if (flags_i.axpyw && !row_ok_i) begin
          wait_row_o = 1'b1;
        end else if (at_i == AT_FAB && !head_valid_i) begin
          wait_in_o = 1'b1;
        end else if (at_i == AT_FAB && head_i.ctrl) begin
          pop_o = 1'b1;
          skips_o = 1'b1;
          step_o = flags_i.axpyw && head_i.data[CTRL_ROW_END] ? R_LOOK : S_SKIP;
        end else if (k_i == OPND_A && flags_i.has_b) begin
          step_o = S_CHECK;
        end else if (flags_i.axpyw) begin
          step_o = W_LOOK;
        end else begin
          if (flags_i.d_at == AT_FAB && !dst_room_i) wait_out_o = 1'b1;
          else step_o = S_COUNT;
        end
        if (wait_in_o || wait_out_o || wait_row_o) step_o = S_IDLE;
      end
      S_SKIP: step_o = S_CHECK;
      S_FLUSH: begin
        push_o = dst_room_i && turn_i;
        if (push_o) step_o = S_CHECK;
        stuck_o = !dst_room_i;
      end
      S_SAVE: step_o = flags_i.save == '0 ? S_IDLE : S_SAVED;
      S_SAVED: step_o = S_SAVE;
      W_LOOK: step_o = W_TIMES;
      W_TIMES: step_o = W_PLACE;
      W_PLACE: begin
        pop_o = 1'b1;
        step_o = W_AIM;
      end
      W_AIM: step_o = S_COUNT;
      R_LOOK: step_o = R_NEXT;
      R_NEXT: step_o = S_IDLE;
      S_COUNT: step_o = flags_i.dim1 ? S_COUNT_1 : S_OPERAND;
      S_COUNT_1: step_o = S_OPERAND;
      S_OPERAND: step_o = none_i ? S_OPERAND : S_STEP;
      S_STEP: begin
        if (k_i == OPND_D && at_i == AT_FAB) begin
          sends = flags_i.tag || flags_i.d32 || half_i;
          push_o = computed_i && !zero_i && dst_room_i && turn_i && sends;
          leaves_o = computed_i && (zero_i || (dst_room_i && (turn_i || !sends)));
          if (leaves_o) step_o = flags_i.tag && index_last_i ? S_FAULT_PC : S_FINISH;
          if (flags_i.tag && index_last_i) {push_o, leaves_o} = '0;
          stuck_o = computed_i && !zero_i && !dst_room_i;
        end else if (at_i inside {AT_FAB, AT_IMM}) begin
          pop_o = at_i == AT_FAB && computed_i && (wide_i || half_in_i || end_1_i);
          if (computed_i) step_o = S_OPERAND;
        end else begin
          step_o = end_0_i && flags_i.dim1 && !early_i ? S_OUTER : S_AIM;
        end
      end
      S_OUTER: step_o = S_STEP_OUTER;
      S_STEP_OUTER: step_o = S_AIM;
      S_AIM: if (faulty_i) step_o = S_FAULT_PC; else if (computed_i) step_o = S_ACCESS;
      S_ACCESS: begin
        if (reads_i && (at_i == AT_ACC || rd_gnt_i)) step_o = S_TAKE;
        else if (!reads_i && (at_i == AT_ACC || wr_gnt_i)) step_o = S_FINISH;
      end
      S_TAKE: step_o = S_OPERAND;
      S_FINISH: begin
        stuck_o = flags_i.axpyw && halt_i;
        if (!stuck_o) step_o = flags_i.axpyw && !end_0_i ? S_COUNT : S_IDLE;
      end
      S_FAULT_PC: step_o = S_FAULT;
      default: step_o = S_IDLE;
    endcase
    // An instruction that the core takes back is not launched.
    if (launch_i && !tensor_valid_i) step_o = S_IDLE;
  end

endmodule
