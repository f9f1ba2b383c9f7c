// SPDX-License-Identifier: Apache-2.0
// A tile without a core, for the fabric's tests: router, ramp and control-plane endpoint, a memory
// of SramBytes with one cycle of latency, and the registers of router and ramp. The test pushes
// into and pops from the ramp's queues. Tests build grids of it by connecting the links in C++.
//
//   ask_*         a request of one word of the tile
//   got_o         the endpoint takes a word of a request in this cycle, got_data_o
//   mem_stall_i   the memory grants nothing in this cycle
//   Spaced        the ramp is the small one as well: it injects in every second cycle at most
//   push_*        push into output queue push_q_i (only when outq_ready_o and push_turn_o say so)
//   push2_*       a second writer, like the core
//   clear_i       empties the ramp's queues
//   inq_owned_i   input queues that an instruction would read
//   err_*         what the ramp reports
//   dbg_*         the memory word that dbg_addr_i (a word index) names

module ow_fabric_node
  import ow_pkg::*;
#(
  parameter int unsigned NumColours = FULL_NUM_COLOURS,
  parameter int unsigned NumFilters = NUM_FILTERS,
  parameter int unsigned NumPositions = NUM_POSITIONS,
  parameter bit Small = 1'b0,
  parameter bit Spaced = 1'b0,
  parameter int unsigned Queues = NUM_QUEUES,
  parameter int unsigned SramBytes = 32768
) (
  input  logic                   clk_i,
  input  logic                   rst_i,
  input  link_t                  link_n_i,
  input  link_t                  link_e_i,
  input  link_t                  link_s_i,
  input  link_t                  link_w_i,
  output link_t                  link_n_o,
  output link_t                  link_e_o,
  output link_t                  link_s_o,
  output link_t                  link_w_o,
  input  logic [31:0]            ask_i,
  input  logic                   ask_valid_i,
  output logic                   ask_ready_o,
  output logic                   got_o,
  output logic [31:0]            got_data_o,
  input  logic                   mem_stall_i,
  output logic                   push_turn_o,
  input  logic                   push_i,
  input  logic [2:0]             push_q_i,
  input  ramp_t                  push_data_i,
  input  logic                   push2_i,
  input  logic [2:0]             push2_q_i,
  input  ramp_t                  push2_data_i,
  input  logic                   clear_i,
  input  logic [NUM_QUEUES-1:0]  inq_owned_i,
  output logic                   err_valid_o,
  output logic [4:0]             err_cause_o,
  output logic [4:0]             err_unit_o,
  output logic [NUM_QUEUES-1:0]  outq_ready_o,
  output logic [NUM_QUEUES-1:0]  inq_valid_o,
  output ramp_t [NUM_QUEUES-1:0] inq_head_o,
  input  logic [NUM_QUEUES-1:0]  inq_pop_i,
  output logic                   idle_o,
  input  logic [12:0]            dbg_addr_i,
  output logic [31:0]            dbg_data_o
);

  wavelet_t inj, ej;
  logic [NumColours-1:0] inj_space, ej_ready, ej_owed;
  ramp_t req, rsp;
  logic req_valid, req_brief, req_ready, rsp_valid, rsp_ready;
  logic [NUM_QUEUES-1:0][5:0] inq_bind, outq_bind;
  logic [NUM_QUEUES-1:0][3:0] inq_level, outq_level;
  logic mem_req, mem_we, mem_rvalid_q, reg_req, reg_we, reg_rvalid_q;
  logic [23:0] mem_addr;
  logic [15:0] reg_addr;
  logic [31:0] mem_wdata, reg_wdata, mem_rdata_q, reg_rdata_q, stat;
  logic to_inq, to_outq;
  inq_reg_t binding;  // OUTQ has the same fields
  logic [5:0] bound;
  assign to_inq = is_reg_inq(reg_addr);
  assign to_outq = is_reg_outq(reg_addr);
  assign binding = reg_wdata;
  assign bound = to_outq ? outq_bind[reg_outq_index(reg_addr)] : inq_bind[reg_inq_index(reg_addr)];
  logic red_turn, core_turn;  // of writers that this node has not, but for the second one
  logic [1:0] cycle_q;
  always_ff @(posedge clk_i) cycle_q <= rst_i ? '0 : cycle_q + 2'd1;
  logic router_idle, ramp_idle, ep_idle, ctr_in, ctr_out, torn, hears;

  ow_router #(
    .NumColours(NumColours), .NumFilters(NumFilters), .NumPositions(NumPositions), .Small(Small),
    .Spaced(Spaced)
  ) u_router (
    .clk_i, .link_clk_i(clk_i), .rst_i,
    .link_n_i, .link_e_i, .link_s_i, .link_w_i,
    .link_n_o, .link_e_o, .link_s_o, .link_w_o,
    .inj_i(inj), .inj_space_o(inj_space), .ej_ready_i(ej_ready), .ej_o(ej), .ej_owed_o(ej_owed),
    .req_o(req), .req_brief_o(req_brief), .req_valid_o(req_valid), .req_ready_i(req_ready),
    .rsp_i(rsp), .rsp_valid_i(rsp_valid), .rsp_ready_o(rsp_ready),
    .ask_i, .ask_valid_i, .ask_ready_o,
    .cfg_we_i(reg_req && reg_we && is_router_reg(reg_addr)),
    .cfg_addr_i(reg_addr), .cfg_wdata_i(reg_wdata),
    .stat_o(stat),
    .torn_o(torn), .hears_o(hears),
    .idle_o(router_idle)
  );

  ow_ramp #(
    .NumColours(NumColours), .Queues(Queues), .QueueDepth(8), .Small(Spaced)
  ) u_ramp (
    .clk_i, .rst_i, .cycle_i(cycle_q),
    .eng_turn_o(push_turn_o), .red_turn_o(red_turn), .core_turn_o(core_turn),
    .ej_i(ej), .ej_ready_o(ej_ready), .ej_owed_i(ej_owed), .inj_o(inj), .inj_space_i(inj_space),
    .cfg_we_i(reg_req && reg_we && (to_inq || to_outq)),
    .cfg_addr_i({to_outq, to_outq ? reg_outq_index(reg_addr) : reg_inq_index(reg_addr)}),
    .cfg_data_i({binding.enable, binding.colour}), .clear_i, .inq_owned_i,
    .inq_bind_o(inq_bind), .outq_bind_o(outq_bind),
    .inq_valid_o, .inq_head_o, .inq_pop_i,
    .outq_ready_o,
    .eng_push_i(push_i), .eng_q_i(push_q_i), .eng_data_i(push_data_i),
    .red_push_i(1'b0), .red_q_i(3'd0), .red_data_i('0),
    .core_push_i(push2_i), .core_q_i(push2_q_i), .core_data_i(push2_data_i),
    .inq_level_o(inq_level), .outq_level_o(outq_level),
    .err_valid_o, .err_cause_o, .err_unit_o,
    .ctr_in_o(ctr_in), .ctr_out_o(ctr_out),
    .idle_o(ramp_idle)
  );

  ow_ctrl_ep #(.SramBytes(SramBytes), .Small(Small)) u_ep (
    .clk_i, .rst_i,
    .req_valid_i(req_valid), .req_i(req), .req_brief_i(req_brief), .req_ready_o(req_ready),
    .rsp_valid_o(rsp_valid), .rsp_o(rsp), .rsp_ready_i(rsp_ready),
    .mem_req_o(mem_req), .mem_we_o(mem_we), .mem_addr_o(mem_addr), .mem_wdata_o(mem_wdata),
    .mem_gnt_i(mem_req && !mem_stall_i), .mem_rvalid_i(mem_rvalid_q), .mem_rdata_i(mem_rdata_q),
    .reg_req_o(reg_req), .reg_we_o(reg_we), .reg_addr_o(reg_addr), .reg_wdata_o(reg_wdata),
    .reg_gnt_i(reg_req), .reg_rvalid_i(reg_rvalid_q), .reg_rdata_i(reg_rdata_q),
    .idle_o(ep_idle)
  );

  assign got_o = req_valid && req_ready;
  assign got_data_o = req.data;

  logic [31:0] mem_q [SramBytes/4];
  localparam int unsigned AddrW = $clog2(SramBytes);
  assign dbg_data_o = mem_q[dbg_addr_i[AddrW-3:0]];
  assign idle_o = router_idle && ramp_idle && inq_pop_i == '0 && ep_idle && !mem_rvalid_q &&
                  !reg_rvalid_q;

  always_ff @(posedge clk_i) begin
    mem_rvalid_q <= mem_req && !mem_we && !mem_stall_i && !rst_i;
    reg_rvalid_q <= reg_req && !reg_we && !rst_i;
    if (mem_req && !mem_stall_i) begin
      if (mem_we) mem_q[mem_addr[AddrW-1:2]] <= mem_wdata;
      else mem_rdata_q <= mem_q[mem_addr[AddrW-1:2]];
    end
    if (reg_req && !reg_we) begin
      if (reg_addr == REG_INQ_LEVEL) reg_rdata_q <= inq_level;
      else if (reg_addr == REG_OUTQ_LEVEL) reg_rdata_q <= outq_level;
      else if (to_outq || to_inq) begin
        reg_rdata_q <= inq_reg_t'{enable: bound[5], colour: bound[4:0], default: '0};
      end else reg_rdata_q <= stat;
    end
  end

  logic unused;
  assign unused = &{1'b0, red_turn, core_turn, binding, ctr_in, ctr_out, torn, hears, mem_addr,
                    reg_addr};

endmodule
