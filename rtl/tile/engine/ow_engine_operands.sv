// SPDX-License-Identifier: Apache-2.0
// The operands of the tensor engine's beats: three streams of SRAM lines (a, b, and the addend in
// the destination) on two read ports, and the selection of each lane's elements in stage M.
//
// Ports. a has read port 0, the addend has read port 1. b takes port 0 if a does not ask, else port
// 1 if the addend does not. If all three ask, or two ask for the same bank, a stream with lines
// ahead waits for one without; otherwise they take turns. Each stream asks for one line per cycle.
// So two streams run at one cycle per beat, three at 1.5.
//
// Stage M. The oldest planned beat (m_i) is ready (ready_o) when its lines are there; they may
// arrive in the same cycle. Its elements are on a_o and b_o, the addend's line on d_line_o. With
// fire_i the beat takes them.
//
//   Lanes      lanes of the engine; a line has 2 * Lanes bytes
//   SramBytes, SramBanks   of the memory, as ow_sram's: what is planned (commit_i) lies in it
//   LineSlots  lines that a stream reads ahead: 4 or 8
//   Gather     there are beats that gather or scatter
//   Int8       there are elements of a byte
//   plan_i ... the planned beat's operands, index 0 a, 1 b, 2 addend (ow_engine_stream)
//   m_own_i, m_lends_i   the streams a, b that m_i takes from in stage M, and those that are g_i's
//   acc_row_i  accumulator row of a source of m_i
`include "ow_assert.svh"

module ow_engine_operands
  import ow_engine_pkg::*;
#(
  parameter int unsigned Lanes = ow_pkg::FULL_LANES,
  parameter int unsigned SramBytes = ow_pkg::FULL_SRAM_BYTES,
  parameter int unsigned SramBanks = ow_pkg::FULL_SRAM_BANKS,
  parameter bit Gather = 1'b1,
  parameter bit Int8 = 1'b1,
  parameter int unsigned LineSlots = ow_pkg::FULL_LINE_SLOTS,
  localparam int unsigned VecBytes = 2 * Lanes,
  localparam int unsigned LineW = 8 * VecBytes,
  localparam int unsigned OffW = $clog2(VecBytes),
  localparam int unsigned TagW = $clog2(SramBytes) - OffW
) (
  input  logic                       clk_i,
  input  logic                       rst_i,
  // Plan.
  input  logic [2:0]                 plan_i,
  input  logic [2:0][TagW-1:0]       line_i,
  input  logic [2:0][VecBytes-1:0]   need_i,
  input  logic [2:0]                 two_i,
  input  logic [2:0][VecBytes-1:0]   pend_i,
  output logic [2:0]                 hit_o,
  output logic [2:0][1:0]            fresh_o,
  output logic                       room_o,
  input  logic                       commit_i,
  input  logic                       wr_i,
  input  logic [TagW-1:0]            wr_line_i,
  input  logic [VecBytes-1:0]        wr_be_i,
  input  logic                       forget_i,
  // Memory.
  output logic                       rd0_req_o,
  output logic [23:0]                rd0_addr_o,
  input  logic                       rd0_gnt_i,
  input  logic                       rd0_rvalid_i,
  input  logic [LineW-1:0]           rd0_rdata_i,
  output logic                       rd1_req_o,
  output logic [23:0]                rd1_addr_o,
  input  logic                       rd1_gnt_i,
  input  logic                       rd1_rvalid_i,
  input  logic [LineW-1:0]           rd1_rdata_i,
  // Stage M.
  input  logic                       m_valid_i,
  /* verilator lint_off UNUSEDSIGNAL */ // operands only
  input  beat_t                      m_i,
  input  logic [1:0]                 m_own_i,
  input  logic [1:0]                 m_lends_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic                       ready_o,
  input  logic                       fire_i,
  input  logic [32*Lanes-1:0]        acc_row_i,
  // The oldest beat that gathers or scatters and has not asked for it: m_i or one after it. It
  // takes its indices, and what it scatters, before it is in stage M. No beat before it may need
  // these operands.
  input  logic                       g_valid_i,
  /* verilator lint_off UNUSEDSIGNAL */ // operands only
  input  beat_t                      g_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic                       g_ready_o,
  input  logic                       g_fire_i,
  output logic [Lanes-1:0][15:0]     g_idx_o,
  output logic [Lanes-1:0][31:0]     g_data_o,
  input  logic [Lanes-1:0][31:0]     gathered_i,  // for m_i
  output logic [Lanes-1:0][31:0]     a_o,
  output logic [Lanes-1:0][31:0]     b_o,
  output logic [LineW-1:0]           d_line_o,
  output logic                       idle_o
);

  localparam int unsigned LaneW = $clog2(Lanes);
  typedef logic [LaneW-1:0] lane_t;

  // --------------------------------------------------------------------------------- streams --
  logic [2:0]            room, req, gnt, rvalid, idle, take, m_hit;
  logic [2:0][TagW-1:0]  req_line;
  logic [2:0][1:0]       have;
  logic [2:0][3:0]       ahead;
  logic [2:0][1:0]       m_fresh;
  /* verilator lint_off UNUSEDSIGNAL */ // the addend has one line
  logic [2:0][LineW-1:0] line0, line1;
  /* verilator lint_on UNUSEDSIGNAL */
  logic                  b_on_1_q, b_on_0_q;  // whose data the ports bring

  assign room_o = room == 3'b111;

  // A beat does not take again what it took before stage M.
  logic m_early_a, m_early_b;
  assign m_early_a = Gather && m_i.unit == UNIT_SCATTER;
  assign m_early_b = Gather && m_i.unit inside {UNIT_GATHER, UNIT_SCATTER, UNIT_FMAG};
  assign m_hit = {m_i.d_hit, m_i.b.hit && !m_early_b, m_i.a.hit && !m_early_a};
  assign m_fresh = {1'b0, m_i.d_from == ADD_MEM && !m_i.d_hit,
                    m_early_b ? 2'd0 : m_i.b.fresh, m_early_a ? 2'd0 : m_i.a.fresh};

  // A stream that m_i does not use is g_i's. If g_i may take from it (g_valid_i), no beat before
  // g_i needs it, including m_i. So the selection depends on m_i alone, and not on which of them
  // fires.
  function automatic logic is_there(input logic [1:0] lines, input logic [1:0] wanted);
    return wanted == 2'd0 || (wanted[1] ? lines[1] : lines[0]);
  endfunction

  logic            g_valid;
  logic [2:0]      for_g, g_uses, g_hit;
  logic [1:0]      to_g;      // the same for a and b: these select elements
  logic [2:0][1:0] g_fresh;
  // m_i took nothing early from a stream that is not g_i's, so this selection can ignore that case.
  logic [2:0]      own_hit;
  logic [2:0][1:0] own_fresh;
  assign own_hit = {m_i.d_hit, m_i.b.hit, m_i.a.hit};
  assign own_fresh = {m_fresh[2], m_i.b.fresh, m_i.a.fresh};
  assign g_valid = Gather && g_valid_i;
  assign for_g = Gather ? {1'b0, m_lends_i} : 3'b000;
  assign to_g = Gather ? ~m_own_i : 2'b00;
  assign g_uses = {1'b0, g_valid, g_valid && g_i.unit == UNIT_SCATTER};
  assign g_hit = {1'b0, g_i.b.hit, g_i.a.hit};
  assign g_fresh = {2'd0, g_i.b.fresh, g_i.a.fresh};
  assign g_ready_o = g_valid && is_there(have[1], g_fresh[1]) &&
                     (!g_uses[0] || is_there(have[0], g_fresh[0]));

  logic [2:0][LineW-1:0] rdata;
  assign rdata[0] = rd0_rdata_i;
  assign rdata[1] = b_on_1_q ? rd1_rdata_i : rd0_rdata_i;
  assign rdata[2] = rd1_rdata_i;
  assign rvalid = {rd1_rvalid_i && !b_on_1_q, b_on_1_q ? rd1_rvalid_i : rd0_rvalid_i && b_on_0_q,
                   rd0_rvalid_i && !b_on_0_q};

  for (genvar k = 0; k < 3; k++) begin : gen_stream
    assign take[k] = for_g[k] ? g_fire_i && g_uses[k] && (g_fresh[k] != 2'd0 || g_hit[k])
                              : fire_i && (m_fresh[k] != 2'd0 || m_hit[k]);

    ow_engine_stream #(.Lanes(Lanes), .Slots(LineSlots), .TagW(TagW)) u_stream (
      .clk_i, .rst_i,
      .plan_i(plan_i[k]), .line_i(line_i[k]), .need_i(need_i[k]), .two_i(two_i[k]),
      .pend_i(pend_i[k]),
      .hit_o(hit_o[k]), .fresh_o(fresh_o[k]), .room_o(room[k]),
      .commit_i(commit_i && plan_i[k]),
      .wr_i, .wr_line_i, .wr_be_i, .forget_i,
      .req_o(req[k]), .req_line_o(req_line[k]), .gnt_i(gnt[k]),
      .rvalid_i(rvalid[k]), .rdata_i(rdata[k]),
      .have_o(have[k]), .ahead_o(ahead[k]), .use_i(m_valid_i),
      .take_i(take[k]), .hit_m_i(for_g[k] ? g_hit[k] : own_hit[k]),
      .fresh_m_i(for_g[k] ? g_fresh[k] : own_fresh[k]),
      .line0_o(line0[k]), .line1_o(line1[k]), .idle_o(idle[k])
    );
  end

  // A stream that has lines ahead gives way to one that has none, on a port and in a bank. Indices
  // are taken as soon as they arrive, so their stream always looks as if it had none. It counts as
  // empty only if no other stream is. Otherwise, if all three ask, they take turns.
  localparam int unsigned BankLow = (Lanes == 8 ? 4 : 3) - OffW;  // bits of a line's number
  localparam int unsigned BankHigh = 2 + $clog2(SramBanks) - OffW;
  logic [2:0] leave_q, leave, ask, none, some;
  logic       b_on_0, b_on_1;
  logic [2:0][BankHigh:BankLow] bank;
  logic [2:0] same;  // streams for one bank: b and the addend, a and the addend, a and b

  always_comb begin
    for (int unsigned k = 0; k < 3; k++) begin
      none[k] = ahead[k] == '0;
      some[k] = ahead[k] >= 4'd2;
    end
    if (m_early_b && (none[0] || none[2] || !g_valid_i)) none[1] = 1'b0;
    for (int unsigned k = 0; k < 3; k++) bank[k] = req_line[k][BankHigh:BankLow];
    same = {bank[1] == bank[2], bank[0] == bank[2], bank[0] == bank[1]};
    leave = '0;
    if (req == 3'b111) begin
      leave = leave_q;
      if ((none & leave_q) != '0 && some != '0) leave = some & (~some + 3'd1);
      // If two want one bank, the memory serves one of them, and the third goes beside it. Indices
      // keep their place, since the gather port takes their elements from other banks.
      else if (!m_early_b && ((leave_q[0] && same[2]) || (leave_q[1] && same[1]) || (leave_q[2] && same[0]))) begin
        leave = {leave_q[1:0], leave_q[2]};
      end
    end
    ask = req & ~leave;
    for (int unsigned k = 0; k < 3; k++) begin
      for (int unsigned j = 0; j < 3; j++) begin
        if (some[k] && none[j] && ask[j] &&
            req_line[k][BankHigh:BankLow] == req_line[j][BankHigh:BankLow]) begin
          ask[k] = 1'b0;
        end
      end
    end
  end

  assign b_on_0 = ask[1] && !ask[0];
  assign b_on_1 = ask[1] && ask[0] && !ask[2];
  assign rd0_req_o = ask[0] || ask[1];
  assign rd1_req_o = ask[2] || b_on_1;
  assign rd0_addr_o = 24'({ask[0] ? req_line[0] : req_line[1], OffW'(0)});
  assign rd1_addr_o = 24'({ask[2] ? req_line[2] : req_line[1], OffW'(0)});
  assign gnt = {ask[2] && rd1_gnt_i, b_on_0 ? rd0_gnt_i : b_on_1 && rd1_gnt_i,
                ask[0] && rd0_gnt_i};

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      b_on_0_q <= 1'b0;
      b_on_1_q <= 1'b0;
      leave_q <= 3'b010;
    end else if (rd0_req_o || rd1_req_o) begin
      b_on_0_q <= b_on_0;
      b_on_1_q <= b_on_1;
      if (req == 3'b111) leave_q <= {leave_q[1:0], leave_q[2]};
    end else if (b_on_0_q || b_on_1_q) begin
      b_on_0_q <= 1'b0;
      b_on_1_q <= 1'b0;
    end
  end

  assign idle_o = idle == 3'b111 && !b_on_0_q && !b_on_1_q;

  // --------------------------------------------------------------------------------- stage M --
  always_comb begin
    ready_o = 1'b0;
    if (m_valid_i) begin
      ready_o = is_there(have[0], m_fresh[0]) && is_there(have[1], m_fresh[1]) &&
                is_there(have[2], m_fresh[2]);
    end
  end

  /* verilator lint_off UNUSEDSIGNAL */ // each function looks at some fields
  // The operand's line, with lane 0's element in its place: two lines moved down by so many bytes.
  // A line that moves up is the upper one of the two.
  function automatic logic [LineW-1:0] turn(input opnd_t o, input logic [31:0] imm,
                                            input logic [LineW-1:0] l0,
                                            input logic [LineW-1:0] l1);
    logic [LineW-1:0] first;
    logic [OffW-1:0]  bytes;
    logic             up;
    first = l0;
    bytes = o.shift[OffW-1:0];
    if (!Int8) bytes[0] = 1'b0;
    if (o.from == FROM_IMM) begin
      first = '0;
      first[31:0] = imm;
    end
    up = o.neg && bytes != '0;
    if (o.neg) bytes = -bytes;
    return LineW'({up ? first : l1, up ? '0 : first} >> {bytes, 3'd0});
  endfunction

  function automatic logic [31:0] elem(input opnd_t o, input logic [LineW-1:0] line,
                                       input logic [32*Lanes-1:0] row, input lane_t lane,
                                       input lane_t lane0);
    lane_t i;
    if (o.from == FROM_ACC) begin
      i = o.bc ? lane_t'(o.shift) : lane_t'(o.shift) + lane - lane0;
      return row[32*i +: 32];
    end
    if (Int8 && o.bc8) return {16'd0, line[7:0], line[7:0]};
    i = o.bc ? '0 : lane;
    if (o.sz == 2'd2) begin
      i = i & lane_t'(Lanes / 2 - 1);
      return line[32*i +: 32];
    end
    if (!Int8 || o.sz == 2'd1) return {16'd0, line[16*i +: 16]};
    return {24'd0, line[8*i +: 8]};
  endfunction

  /* verilator lint_on UNUSEDSIGNAL */

  always_comb begin : elements
    opnd_t            oa, ob;
    logic [LineW-1:0] la, lb;
    logic [31:0]      xa, xb;
    a_o = '0;
    b_o = '0;
    g_idx_o = '0;
    g_data_o = '0;
    d_line_o = '0;
    {oa, ob} = '0;
    {la, lb} = '0;
    {xa, xb} = '0;
    if (m_valid_i) begin
      oa = to_g[0] ? g_i.a : m_i.a;
      ob = to_g[1] ? g_i.b : m_i.b;
      la = turn(oa, to_g[0] ? g_i.a_imm : m_i.a_imm, line0[0], line1[0]);
      lb = turn(ob, to_g[1] ? g_i.b_imm : m_i.b_imm, line0[1], line1[1]);
      d_line_o = line0[2];
      for (int unsigned l = 0; l < Lanes; l++) begin
        xa = elem(oa, la, acc_row_i, lane_t'(l), lane_t'(to_g[0] ? g_i.lane0 : m_i.lane0));
        xb = elem(ob, lb, acc_row_i, lane_t'(l), lane_t'(to_g[1] ? g_i.lane0 : m_i.lane0));
        if (g_valid && g_i.mask[l]) begin
          g_idx_o[l] = xb[15:0];
          g_data_o[l] = xa;
        end
        if (m_i.data && m_i.mask[l]) begin
          a_o[l] = Gather && m_i.unit == UNIT_GATHER ? gathered_i[l] : xa;
          b_o[l] = Gather && m_i.unit == UNIT_FMAG ? gathered_i[l] : xb;
        end
      end
    end
  end

endmodule
