// SPDX-License-Identifier: Apache-2.0
// Properties of ow_sram's arbitration, with any requests of the seven requestors, whose addresses
// stay until they are granted, and any requests of the gather port. One of the seven and one bank
// of the gather port are watched; inputs of the first cycle choose them.
//
// A requestor is refused at most 7 times in a row, and once more for each requestor before it in
// the order. A write that gives its banks to a read does not count as refused. The gather port's
// request for a bank is refused at most 7 + 7 times. A bank has one owner.
//
// With Relations set, bad_* are also high if one of the relations between ages below is broken. The
// proof by induction needs them: a requestor that has gone before an aged one is younger than the
// time for which that one has been aged, so each goes before it once. Seeded bugs are searched
// without them.
//
// `make formal` proves that no bad_* output is ever high and that every seen_* output can be.
module sram_props #(
  parameter int unsigned SramBanks = 2,
  parameter int unsigned Lanes = 2,
  parameter bit Small = 1'b0,
  parameter bit Relations = 1'b1,
  localparam int unsigned BankW = $clog2(SramBanks),
  localparam int unsigned RowW = 20 - BankW
) (
  input  logic                  clk_i,
  input  logic [2:0]            who_i,
  input  logic [BankW-1:0]      bank_i,
  input  logic [6:0]            req_i,
  input  logic [6:0][BankW-1:0] at_i,   // the bank
  input  logic                  gives_i,
  input  logic [SramBanks-1:0]  gather_i,
  output logic                  bad_late_o,         // the watched one is refused too often
  output logic                  bad_gather_late_o,
  output logic                  bad_owners_o,       // two are granted one bank
  output logic                  seen_late_o,        // a grant by age after another one by age
  output logic                  seen_gather_late_o,
  output logic                  seen_idle_o
);

  localparam int unsigned Limit = 7;
  localparam int unsigned Wr = 0;

  logic up_q;  // 0 in the first cycle, which is the reset
  initial up_q = 1'b0;
  always_ff @(posedge clk_i) up_q <= 1'b1;

  logic [6:0] req, gnt, stays_q;
  logic [6:0][BankW-1:0] at, at_q;
  logic [6:0][23:0] addr;
  logic [SramBanks-1:0] gather, gather_gnt;
  always_comb begin
    for (int unsigned i = 0; i < 7; i++) begin
      at[i] = stays_q[i] ? at_q[i] : at_i[i];
      if (i < 3 && Lanes == 8) at[i][0] = 1'b0;
      addr[i] = 24'({at[i], 3'd0});
    end
  end
  assign req = (req_i | stays_q) & {7{up_q}};
  assign gather = gather_i & {SramBanks{up_q}};
  always_ff @(posedge clk_i) begin
    at_q <= at;
    stays_q <= up_q ? req & ~gnt : '0;
  end

  ow_sram #(.SramBytes(128), .SramBanks(SramBanks), .Lanes(Lanes), .Small(Small)) u_sram (
    .clk_i, .rst_i(!up_q),
    .wr_req_i(req[0]), .wr_gives_i(gives_i), .wr_addr_i(addr[0]), .wr_be_i('0), .wr_wdata_i('0),
    .wr_gnt_o(gnt[0]),
    .rd0_req_i(req[1]), .rd0_addr_i(addr[1]), .rd0_gnt_o(gnt[1]), .rd0_rvalid_o(), .rd0_rdata_o(),
    .rd1_req_i(req[2]), .rd1_addr_i(addr[2]), .rd1_gnt_o(gnt[2]), .rd1_rvalid_o(), .rd1_rdata_o(),
    .red_req_i(req[3]), .red_we_i(1'b0), .red_be_i('0), .red_addr_i(addr[3]), .red_wdata_i('0),
    .red_gnt_o(gnt[3]), .red_rvalid_o(), .red_rdata_o(),
    .lsu_req_i(req[4]), .lsu_we_i(1'b0), .lsu_be_i('0), .lsu_addr_i(addr[4]), .lsu_wdata_i('0),
    .lsu_gnt_o(gnt[4]), .lsu_rvalid_o(), .lsu_rdata_o(),
    .fetch_req_i(req[5]), .fetch_addr_i(addr[5]), .fetch_gnt_o(gnt[5]), .fetch_rvalid_o(),
    .fetch_rdata_o(),
    .ctl_req_i(req[6]), .ctl_we_i(1'b0), .ctl_addr_i(addr[6]), .ctl_wdata_i('0), .ctl_gnt_o(gnt[6]),
    .ctl_rvalid_o(), .ctl_rdata_o(),
    .gth_req_i(gather), .gth_we_i('0), .gth_row_i({SramBanks{RowW'(0)}}),
    .gth_be_i({SramBanks{8'd0}}), .gth_wdata_i({SramBanks{64'd0}}), .gth_gnt_o(gather_gnt),
    .gth_rdata_o(), .idle_o(seen_idle_o)
  );

  logic [2:0] who_q;
  logic [BankW-1:0] bank_q;
  logic [3:0] late_q, gather_late_q;  // refusals in a row
  logic gives;  // the write gives its banks to a read
  logic refused, gather_refused;
  assign gives = u_sram.given;
  assign refused = up_q && req[who_q] && !gnt[who_q] && !(who_q == 3'(Wr) && gives);
  assign gather_refused = up_q && gather[bank_q] && !gather_gnt[bank_q];
  always_ff @(posedge clk_i) begin
    if (!up_q) begin
      who_q <= who_i == 3'd7 ? '0 : who_i;
      bank_q <= bank_i;
    end
    late_q <= refused ? late_q + 4'(late_q != 4'd15) : '0;
    gather_late_q <= gather_refused ? gather_late_q + 4'(gather_late_q != 4'd15) : '0;
  end

  // The banks of a request, as the arbiter has them.
  function automatic logic [SramBanks:0] banks(input int unsigned i, input logic [BankW-1:0] b);
    banks = (SramBanks+1)'(i < 3 && Lanes == 8 ? 3 : 1) << b;
    if (Lanes < 8 && (i == 3 || i == 4 || i == 6)) banks[SramBanks] = 1'b1;
    if (Small) banks = '1;
  endfunction

  logic broken, twice;
  always_comb begin : relations
    automatic logic [2:0] gone, gather_gone;
    automatic logic aged;
    {gone, gather_gone} = '0;
    broken = 1'b0;
    for (int unsigned i = 0; i < 7; i++) begin
      aged = u_sram.age_q[i] == 3'(Limit);
      broken |= u_sram.age_q[i] != '0 && !(stays_q[i] && u_sram.waited_q[i]);
      broken |= u_sram.waited_q[i] && !stays_q[i];
      if (i > 2 || Small) broken |= u_sram.aged_q[i] != (aged ? banks(i, at_q[i]) : '0);
      else broken |= u_sram.aged_q[i] != '0;
      if (i < 32'(who_q) && 4'(u_sram.age_q[i]) + 4'd7 < late_q) gone += 3'd1;
      if (4'(u_sram.age_q[i]) + 4'd7 < gather_late_q) gather_gone += 3'd1;
    end
    for (int unsigned b = 0; b < SramBanks; b++) begin
      broken |= u_sram.gth_age_q[b] != '0 && !u_sram.gth_waited_q[b];
      broken |= u_sram.gth_aged_q[b] != (u_sram.gth_age_q[b] == 3'(Limit));
    end
    broken |= who_q == 3'd7;
    broken |= u_sram.age_q[who_q] != (late_q > 4'd7 ? 3'd7 : late_q[2:0]);
    broken |= u_sram.gth_age_q[bank_q] != (gather_late_q > 4'd7 ? 3'd7 : gather_late_q[2:0]);
    // Once for each cycle.
    broken |= late_q > 4'd7 && 4'(gone) < late_q - 4'd7;
    broken |= gather_late_q > 4'd7 && 4'(gather_gone) < gather_late_q - 4'd7;
    broken &= Relations && up_q;

    twice = 1'b0;
    for (int unsigned i = 0; i < 7; i++) begin
      for (int unsigned j = 0; j < i; j++) begin
        twice |= gnt[i] && gnt[j] && (banks(i, at[i]) & banks(j, at[j])) != '0;
      end
      twice |= gnt[i] && (gather_gnt & SramBanks'(banks(i, at[i]))) != '0;
    end
  end

  assign bad_late_o = broken || (refused && 32'(late_q) >= Limit + 32'(who_q));
  assign bad_gather_late_o = broken || (gather_refused && 32'(gather_late_q) >= Limit + 7);
  assign bad_owners_o = up_q && twice;
  assign seen_late_o = up_q && gnt[who_q] && 32'(late_q) > Limit;
  assign seen_gather_late_o = up_q && gather[bank_q] && gather_gnt[bank_q] && 32'(gather_late_q) > Limit;

endmodule
