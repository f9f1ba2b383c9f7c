// SPDX-License-Identifier: Apache-2.0
// Test top: ow_core and ow_tasks around a plain memory that refuses requests when told to. Memory
// answers as the tile's does: granted in the cycle of the request, data in the next. Registers:
// 0x200.. are ow_tasks, 0x700..0x7ff 64 words of storage, the others read 0.
//
// tensor_ready_i: the engine can launch. Like the real one, it says in the next cycle that it has
// (tensor_taken_o). tensor_quick_i: it launches what is offered and says so in the same cycle.
// stall_i: refuse fetch [0], load/store [1], register access [2], a descriptor (the question whether
// it is free, and its address) [3] in this cycle. host_*: the test's own port to the memory, 64-bit
// words, for use while the core is halted.

`include "ow_assert.svh"

module ow_core_tb
  import ow_pkg::*;
#(
  parameter int unsigned SramBytes = FULL_SRAM_BYTES,
  parameter bit Small = 1'b0,
  parameter int unsigned Dsrs = NUM_DSRS
) (
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic        run_i,
  input  logic        step_i,
  input  logic        core_rst_i,
  input  logic [31:0] boot_pc_i,
  input  logic [23:0] stack_limit_i,
  input  logic [23:0] text_limit_i,
  input  logic [47:0] cycle_i,
  input  logic [3:0]  stall_i,
  output logic        issue_o,

  input  logic        host_we_i,
  input  logic [23:0] host_addr_i,
  input  logic [63:0] host_wdata_i,
  output logic [63:0] host_rdata_o,

  output logic [31:0] pc_o,
  output logic        stopped_o,
  output logic        stop_ebreak_o,
  output logic [4:0]  cause_o,
  output logic [31:0] tval_o,
  output logic        asleep_o,
  output logic        wait_tensor_o,
  output logic        core_idle_o,
  output logic        tasks_idle_o,

  input  logic [7:0]  inq_valid_i,
  input  logic [7:0]  inq_ctrl_i,
  input  logic [31:0] inq_data_i [8],
  input  logic [7:0]  inq_owned_i,
  output logic [7:0]  inq_pop_o,
  input  logic        eng_done_valid_i,
  input  logic [1:0]  eng_done_kind_i,
  input  logic [4:0]  eng_done_task_i,
  input  logic        red_done_valid_i,
  input  logic [1:0]  red_done_kind_i,
  input  logic [4:0]  red_done_task_i,

  output logic        tensor_valid_o,
  output logic [6:0]  tensor_op_o,
  output logic [2:0]  tensor_ty_o,
  output logic [31:0] tensor_ctl_o,
  output logic [31:0] tensor_scalar_o,
  output logic [31:0] tensor_pc_o,
  input  logic        tensor_ready_i,
  input  logic        tensor_quick_i,
  output logic        tensor_taken_o,
  input  logic        tensor_sync_done_i,
  output logic        dsr_we_o,
  output logic [4:0]  dsr_idx_o,
  output logic [2:0]  dsr_word_o,
  output logic [31:0] dsr_wdata_o,
  input  logic        dsr_ready_i,

  output logic        fetch_gnt_o,
  output logic        ret_valid_o,
  output logic        ret_trap_o,
  output logic [31:0] ret_pc_o,
  output logic [31:0] ret_insn_o,
  output logic        ret_rd_we_o,
  output logic [4:0]  ret_rd_o,
  output logic [31:0] ret_rd_data_o,
  output logic        ret_mem_we_o,
  output logic [31:0] ret_mem_addr_o,
  output logic [31:0] ret_mem_wdata_o
);

  localparam int unsigned Words = SramBytes / 8;
  localparam int unsigned Aw = $clog2(Words);

  logic [63:0] mem_q [Words];
  logic [31:0] regs_q [1024];  // all registers except those of the tasks

  logic         ifetch_req, ifetch_rvalid_q, dmem_req, dmem_we, dmem_rvalid_q;
  logic [23:0]  ifetch_addr, dmem_addr;
  logic [63:0]  ifetch_rdata_q;
  logic [3:0]   dmem_be;
  logic [31:0]  dmem_wdata, dmem_rdata_q;
  logic         mmio_req, mmio_we, mmio_gnt, mmio_rvalid_q;
  logic [15:0]  mmio_addr;
  logic [31:0]  mmio_wdata, mmio_rdata_q;
  logic         next_ready, next_pop, next_wait;
  logic [31:0]  next_entry, next_arg;
  tensor_insn_t tensor;
  retire_t      retire;
  logic         ifetch_gnt, dmem_gnt;
  logic         to_tasks;
  logic [31:0]  tasks_rdata, tasks_late;

  // Descriptors as the engine has them. No FIFO ever holds an element.
  logic [31:0] dsr_q [32 * 8];
  logic [31:0] dsr_rdata;
  dsr0_t       dsr_kind;
  logic        dsr_re, dsr_rvalid, dsr_read_q;  // a small engine answers a read a cycle later
  logic        dsr_ready;

  assign dsr_rvalid = dsr_re && (!Small || dsr_read_q);
  assign dsr_ready = dsr_ready_i && !(stall_i[3] && dsr_word_o inside {DSR_ADDRESS, 3'd7});
  assign dsr_kind = dsr_q[{dsr_idx_o, DSR_KIND}];
  assign dsr_rdata = dsr_kind.kind == DK_FIFO && dsr_word_o == DSR_DIM1 ? '0
                                                                        : dsr_q[{dsr_idx_o, dsr_word_o}];

  logic tensor_here, tensor_taken_q;
  always_ff @(posedge clk_i) begin
    tensor_taken_q <= tensor_valid_o && tensor_ready_i && !tensor_quick_i && !tensor_taken_q &&
                      !rst_i && !core_rst_i;
  end
  assign tensor_taken_o = tensor_taken_q || (tensor_valid_o && tensor_quick_i);

  `OW_ASSERT(OfferIsHere_A, !tensor_valid_o || tensor_here, "what is offered is not there")

  assign ifetch_gnt = ifetch_req & ~stall_i[0];
  assign dmem_gnt = dmem_req & ~stall_i[1];
  assign mmio_gnt = mmio_req & ~stall_i[2];
  // A small core fetches through the load port.
  assign fetch_gnt_o = ifetch_gnt || (Small && dmem_gnt);
  assign to_tasks = is_tasks_reg(mmio_addr);

  ow_core #(
    .SramBytes(SramBytes),
    .Dsrs(Dsrs),
    .Small(Small)
  ) u_core (
    .clk_i,
    .rst_i,
    .run_i,
    .step_i,
    .core_rst_i,
    .boot_pc_i,
    .stack_limit_i,
    .text_limit_i,
    .issue_o,
    .pc_o,
    .stopped_o,
    .stop_ebreak_o,
    .cause_o,
    .tval_o,
    .asleep_o,
    .wait_tensor_o,
    .ifetch_req_o(ifetch_req),
    .ifetch_addr_o(ifetch_addr),
    .ifetch_gnt_i(ifetch_gnt),
    .ifetch_rvalid_i(ifetch_rvalid_q),
    .ifetch_rdata_i(ifetch_rdata_q),
    .dmem_req_o(dmem_req),
    .dmem_we_o(dmem_we),
    .dmem_be_o(dmem_be),
    .dmem_addr_o(dmem_addr),
    .dmem_wdata_o(dmem_wdata),
    .dmem_gnt_i(dmem_gnt),
    .dmem_rvalid_i(dmem_rvalid_q),
    .dmem_rdata_i(dmem_rdata_q),
    .mmio_req_o(mmio_req),
    .mmio_we_o(mmio_we),
    .mmio_addr_o(mmio_addr),
    .mmio_wdata_o(mmio_wdata),
    .mmio_gnt_i(mmio_gnt),
    .mmio_rvalid_i(mmio_rvalid_q),
    .mmio_rdata_i(mmio_rdata_q | tasks_late),
    .next_ready_i(next_ready),
    .next_entry_i(next_entry),
    .next_arg_i(next_arg),
    .next_pop_o(next_pop),
    .next_wait_o(next_wait),
    .tensor_here_o(tensor_here),
    .tensor_valid_o,
    .tensor_o(tensor),
    .tensor_ready_i(tensor_taken_q),
    .tensor_quick_i(tensor_quick_i && !tensor_taken_q),
    .tensor_sync_done_i, .tensor_hold_i(1'b0),
    .dsr_we_o,
    .dsr_re_o(dsr_re),
    .dsr_rvalid_i(dsr_rvalid),
    .dsr_idx_o,
    .dsr_word_o,
    .dsr_wdata_o,
    .dsr_ready_i(dsr_ready),
    .dsr_rdata_i(dsr_rdata),
    .cycle_i,
    .retire_o(retire),
    .idle_o(core_idle_o)
  );

  ramp_t [7:0] inq_head;
  always_comb begin
    for (int unsigned q = 0; q < 8; q++) inq_head[q] = {inq_ctrl_i[q], inq_data_i[q]};
  end

  ow_tasks #(.Small(Small)) u_tasks (
    .clk_i,
    .rst_i,
    .core_rst_i,
    .cfg_we_i(mmio_gnt & mmio_we & to_tasks),
    .cfg_re_i(mmio_gnt & ~mmio_we & to_tasks),
    .cfg_addr_i(mmio_addr),
    .cfg_wdata_i(mmio_wdata),
    .cfg_rdata_o(tasks_rdata),
    .cfg_late_o(tasks_late),
    .inq_valid_i,
    .inq_head_i(inq_head),
    .inq_owned_i,
    .inq_pop_o,
    .eng_done_valid_i,
    .eng_done_kind_i,
    .eng_done_task_i,
    .torn_i(1'b0),
    .red_done_valid_i,
    .red_done_kind_i,
    .red_done_task_i,
    .next_ready_o(next_ready),
    .next_entry_o(next_entry),
    .next_arg_o(next_arg),
    .next_pop_i(next_pop),
    .next_wait_i(next_wait),
    .idle_o(tasks_idle_o)
  );

  logic [7:0] dmem_be8;
  assign dmem_be8 = dmem_addr[2] ? {dmem_be, 4'd0} : {4'd0, dmem_be};

  always_ff @(posedge clk_i) begin
    ifetch_rvalid_q <= ifetch_gnt & ~rst_i;
    dmem_rvalid_q <= dmem_gnt & ~dmem_we & ~rst_i;
    mmio_rvalid_q <= mmio_gnt & ~mmio_we & ~rst_i;
    if (ifetch_gnt) ifetch_rdata_q <= mem_q[ifetch_addr[Aw+2:3]];
    if (dmem_gnt && !dmem_we) begin
      dmem_rdata_q <= dmem_addr[2] ? mem_q[dmem_addr[Aw+2:3]][63:32]
                                   : mem_q[dmem_addr[Aw+2:3]][31:0];
    end
    if (dmem_gnt && dmem_we) begin
      for (int unsigned i = 0; i < 8; i++) begin
        if (dmem_be8[i]) mem_q[dmem_addr[Aw+2:3]][8*i +: 8] <= dmem_wdata[8*(i%4) +: 8];
      end
    end
    if (host_we_i) mem_q[host_addr_i[Aw+2:3]] <= host_wdata_i;
    if (mmio_gnt && mmio_we && !to_tasks) regs_q[mmio_addr[11:2]] <= mmio_wdata;
    if (mmio_gnt) begin
      mmio_rdata_q <= to_tasks ? tasks_rdata
                               : regs_q[mmio_addr[11:2]];
    end
    if (dsr_we_o && dsr_ready) begin
      dsr_q[{dsr_idx_o, dsr_word_o}] <= dsr_wdata_o;
      if (dsr_word_o == DSR_ADDRESS) begin
        dsr_q[{dsr_idx_o, dsr_word_o}][31:24] <= '0;
        if (dsr_wdata_o[31:24] != '0) dsr_q[{dsr_idx_o, dsr_word_o}][23:21] <= 3'b011;
      end
    end
    dsr_read_q <= dsr_re && !dsr_rvalid;
  end

  assign host_rdata_o = mem_q[host_addr_i[Aw+2:3]];

  assign tensor_op_o = tensor.op;
  assign tensor_ty_o = tensor.ty;
  assign tensor_ctl_o = tensor.ctl;
  assign tensor_scalar_o = tensor.scalar;
  assign tensor_pc_o = tensor.pc;
  assign ret_valid_o = retire.valid;
  assign ret_trap_o = retire.trap;
  assign ret_pc_o = retire.pc;
  assign ret_insn_o = retire.insn;
  assign ret_rd_we_o = retire.rd_we;
  assign ret_rd_o = retire.rd_we ? retire.rd : '0;
  assign ret_rd_data_o = retire.rd_we ? retire.rd_data : '0;
  assign ret_mem_we_o = retire.mem_we;
  assign ret_mem_addr_o = retire.mem_we ? retire.mem_addr : '0;
  always_comb begin
    ret_mem_wdata_o = retire.mem_we ? retire.mem_wdata : '0;
    unique case (retire.insn[13:12])
      2'd0: ret_mem_wdata_o[31:8] = '0;
      2'd1: ret_mem_wdata_o[31:16] = '0;
      default: ;
    endcase
  end

  // Addresses wrap at the memory's size, which the core never exceeds. The enables select bytes
  // within a word.
  logic unused;
  assign unused = ^{ifetch_addr, dmem_addr, host_addr_i, mmio_addr, dsr_kind};

endmodule
