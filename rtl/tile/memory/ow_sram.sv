// SPDX-License-Identifier: Apache-2.0
// The tile's memory: single-ported banks of 64 bits, interleaved by 8 bytes, and the arbiter
// between seven requestors and the gather port.
//
// Protocol of the seven: x_req_i with address (and write data) holds until x_gnt_o, which comes in
// the same cycle, combinational from all requests. An access is done with its grant. Read data is
// on x_rdata_o, marked by x_rvalid_o, in the cycle after the grant and only then. Writes give no
// x_rvalid_o. Throughput: one access per cycle and bank.
//
// Addresses are bytes. An access takes whole aligned units (ctl, lsu: 4 bytes; fetch, red: 8; rd0,
// rd1, wr: VecBytes = 2 * Lanes); lower address bits must be 0. Addresses from SramBytes on must
// not be requested: the requestors check, because only they can report whose fault it is.
//
// A unit of 16 bytes (Lanes = 8) is an aligned pair of banks. So rd0, rd1 and wr are all granted in
// one cycle if they touch three different pairs: 48 bytes per cycle. With fewer banks requests meet
// more often; protocol, order and the bound on waiting stay the same. With fewer than 8 lanes, for
// area, red, lsu and ctl share one port: one of them is granted per cycle, whatever banks they
// want. Small: the seven share one access per cycle.
//
// Gather port (gth_*, ow_gather): one request per bank. Bank b reads or writes the word in row
// gth_row_i[b] (the address bits above the bank's number: 22:6 with 8 banks) if gth_gnt_o[b]. The
// grant says that no other has the bank; it does not wait for the request, which arrives late. A
// word that was read is on gth_rdata_o[b] in the next cycle and only then.
//
// Arbitration: a request is granted if no request before it wants one of its banks. The order is
//   wr, rd0, rd1, red, lsu, fetch, ctl, gather (each bank by itself).
// While wr_gives_i is high, wr comes after rd1; a write that gives its banks to a read does not
// count as refused. Requests from red on see no difference, since the read wants the same banks.
// The gather port may take a bank that a request before it wants but does not get. Age: a requestor
// that was refused for AgeLimit = 7 cycles goes before all that were not, and gives way to none.
// Each bank of the gather port has an age of its own. Nobody starves: an aged requestor waits only
// for aged ones before it, each of which gets one grant and then is young for 7 cycles. So none of
// the seven is refused more than 7 + 6 times in a row, and a bank's gather request not more than 7
// + 7. With Small a requestor also waits for the gather port's banks, each at most twice.
module ow_sram
#(
  parameter int unsigned SramBytes = ow_isa_pkg::FULL_SRAM_BYTES,  // size, a multiple of 64, 128 to 2^23
  parameter int unsigned SramBanks = ow_isa_pkg::FULL_SRAM_BANKS,  // 2, 4 or 8; 8 lanes take 4 at least
  parameter int unsigned Lanes = ow_isa_pkg::FULL_LANES,           // lanes of the engine: 2, 4 or 8
  parameter bit Small = 1'b0,  // for area: the seven share one access per cycle
  localparam int unsigned BankW = $clog2(SramBanks),
  localparam int unsigned RowW = 20 - BankW,  // of a row's number on the gather port
  localparam int unsigned VecBytes = 2 * Lanes
) (
  input  logic                  clk_i,
  input  logic                  rst_i,  // clears pending read data; memory keeps its contents

  // Engine: write of a vector with byte enables, and two vector reads.
  input  logic                  wr_req_i,
  input  logic                  wr_gives_i,
  input  logic [23:0]           wr_addr_i,
  input  logic [VecBytes-1:0]   wr_be_i,
  input  logic [8*VecBytes-1:0] wr_wdata_i,
  output logic                  wr_gnt_o,
  input  logic                  rd0_req_i,
  input  logic [23:0]           rd0_addr_i,
  output logic                  rd0_gnt_o,
  output logic                  rd0_rvalid_o,
  output logic [8*VecBytes-1:0] rd0_rdata_o,
  input  logic                  rd1_req_i,
  input  logic [23:0]           rd1_addr_i,
  output logic                  rd1_gnt_o,
  output logic                  rd1_rvalid_o,
  output logic [8*VecBytes-1:0] rd1_rdata_o,

  // Reducer: 64-bit read or write.
  input  logic                  red_req_i,
  input  logic                  red_we_i,
  input  logic [7:0]            red_be_i,
  input  logic [23:0]           red_addr_i,
  input  logic [63:0]           red_wdata_i,
  output logic                  red_gnt_o,
  output logic                  red_rvalid_o,
  output logic [63:0]           red_rdata_o,

  // Core, loads and stores: 32-bit.
  input  logic                  lsu_req_i,
  input  logic                  lsu_we_i,
  input  logic [3:0]            lsu_be_i,
  input  logic [23:0]           lsu_addr_i,
  input  logic [31:0]           lsu_wdata_i,
  output logic                  lsu_gnt_o,
  output logic                  lsu_rvalid_o,
  output logic [31:0]           lsu_rdata_o,

  // Core, instruction fetch: 64-bit read.
  input  logic                  fetch_req_i,
  input  logic [23:0]           fetch_addr_i,
  output logic                  fetch_gnt_o,
  output logic                  fetch_rvalid_o,
  output logic [63:0]           fetch_rdata_o,

  // Control plane: 32-bit.
  input  logic                  ctl_req_i,
  input  logic                  ctl_we_i,
  input  logic [23:0]           ctl_addr_i,
  input  logic [31:0]           ctl_wdata_i,
  output logic                  ctl_gnt_o,
  output logic                  ctl_rvalid_o,
  output logic [31:0]           ctl_rdata_o,

  // Gather port: a 64-bit word per bank.
  input  logic [SramBanks-1:0]           gth_req_i,
  input  logic [SramBanks-1:0]           gth_we_i,
  input  logic [SramBanks-1:0][RowW-1:0] gth_row_i,
  input  logic [SramBanks-1:0][7:0]      gth_be_i,
  input  logic [SramBanks-1:0][63:0]     gth_wdata_i,
  output logic [SramBanks-1:0]           gth_gnt_o,
  output logic [SramBanks-1:0][63:0]     gth_rdata_o,

  output logic                  idle_o  // this clock edge changes no state
);
`include "ow_assert.svh"

  localparam int unsigned Rows = SramBytes / (8 * SramBanks);
  localparam int unsigned RowLow = 3 + BankW;  // lowest address bit of a row's number
  localparam int unsigned RowBits = $clog2(Rows);
  localparam int unsigned NumReq = 7;
  localparam int unsigned AgeLimit = 7;
  localparam bit Shared = Lanes < 8;  // red, lsu and ctl are one port

  // Requestors in their fixed order.
  localparam int unsigned Wr = 0;
  localparam int unsigned Rd0 = 1;
  localparam int unsigned Rd1 = 2;
  localparam int unsigned Red = 3;
  localparam int unsigned Lsu = 4;
  localparam int unsigned Fetch = 5;
  localparam int unsigned Ctl = 6;

  `OW_ASSERT_INIT(sram_bytes, SramBytes % 64 == 0 && SramBytes >= 128 && SramBytes <= 8388608)
  `OW_ASSERT_INIT(lanes, Lanes == 2 || Lanes == 4 || Lanes == 8)
  `OW_ASSERT_INIT(banks_2_4_8, SramBanks == 2 || SramBanks == 4 || SramBanks == 8)
  `OW_ASSERT_INIT(two_vectors, 8 * SramBanks >= 2 * VecBytes)  // two vectors fit side by side

  typedef logic [SramBanks-1:0] banks_t;
  typedef logic [SramBanks:0]   wants_t;  // [SramBanks]: the shared port

  logic [NumReq-1:0]       req;
  logic [NumReq-1:0][23:0] addr;
  assign req = {ctl_req_i, fetch_req_i, lsu_req_i, red_req_i, rd1_req_i, rd0_req_i, wr_req_i};
  assign addr = {ctl_addr_i, fetch_addr_i, lsu_addr_i, red_addr_i, rd1_addr_i, rd0_addr_i,
                 wr_addr_i};

  // ------------------------------------------------------------------------------ arbitration ----
  // Banks that an aged request keeps from others. For requestors after the engine's this comes from
  // a register, so the engine's grants wait for no request after them. A requestor that asks for
  // another bank than at the last edge is aged one cycle later.
  logic [NumReq-1:0][2:0] age_q;
  logic [NumReq-1:0]      gnt;
  wants_t [NumReq-1:0]    banks;   // banks that a request wants
  wants_t [NumReq-1:0]    aged_q;  // the same, if its age is at its limit, else 0
  wants_t [NumReq-1:0]    keeps;
  logic [SramBanks-1:0][2:0] gth_age_q;
  banks_t                 gth_aged_q;
  banks_t                 taken;   // banks that go to one of the seven
  logic                   gives, given;  // the write gives way to reads; it does in this cycle
  logic [NumReq-1:0]      asks;    // without a write that gives way

  assign gives = wr_gives_i && age_q[Wr] != 3'(AgeLimit);

  always_comb begin
    wants_t            aged_all;    // wanted by any aged request
    wants_t            aged_above;  // wanted by an aged request further up
    wants_t            above;       // wanted by a request further up
    wants_t            before_read; // wanted by a request that a read waits for
    logic [NumReq-1:0] aged;
    gnt = '0;
    banks = '0;
    aged_all = {1'b0, gth_aged_q};
    aged_above = '0;
    above = '0;
    before_read = '0;
    aged = '0;
    given = 1'b0;
    taken = '0;
    keeps = '0;
    if (req != '0) begin
      keeps = aged_q;
      for (int unsigned i = 0; i < NumReq; i++) begin
        if (req[i]) begin
          banks[i] = i <= Rd1 && Lanes == 8 ? wants_t'(3) << addr[i][3 +: BankW]
                                            : wants_t'(1) << addr[i][3 +: BankW];
          if (Shared && (i == Red || i == Lsu || i == Ctl)) banks[i][SramBanks] = 1'b1;
          if (Small) banks[i] = '1;
          aged[i] = Small ? aged_q[i][0]
                  : i <= Rd1 ? age_q[i] == 3'(AgeLimit) : aged_q[i] == banks[i];
        end
        if (i <= Rd1 && !Small) keeps[i] = aged[i] ? banks[i] : '0;
        aged_all |= keeps[i];
      end
      given = gives && (banks[Wr] & (banks[Rd0] | banks[Rd1])) != '0;
      for (int unsigned i = 0; i < NumReq; i++) begin
        if (req[i]) begin
          if (aged[i]) gnt[i] = (banks[i] & aged_above) == '0;
          else gnt[i] = (banks[i] & (aged_all | (i <= Rd1 ? before_read : above))) == '0;
          if (i == Wr && given) gnt[i] = 1'b0;
          above |= banks[i];
          if (i != Wr || !gives) before_read |= banks[i];
          if (gnt[i]) taken |= banks[i][SramBanks-1:0];
        end
        aged_above |= keeps[i];
      end
    end
  end
  assign gth_gnt_o = ~taken;
  assign asks = given ? req & ~(NumReq'(1) << Wr) : req;

  // An age is 0 unless its requestor waits, so nothing moves when there is no request.
  logic [NumReq-1:0] waited_q;
  banks_t            gth_waited_q;
  logic [NumReq-1:0] rvalid_q;  // read data is at the output
  always_ff @(posedge clk_i) begin
    waited_q <= rst_i ? '0 : asks & ~gnt;
    if (rst_i) begin
      age_q <= '0;
      aged_q <= '0;
    end else if ((asks & ~gnt) != '0 || waited_q != '0) begin
      for (int unsigned i = 0; i < NumReq; i++) begin
        if (!asks[i] || gnt[i]) age_q[i] <= 3'd0;
        else if (age_q[i] != 3'(AgeLimit)) age_q[i] <= age_q[i] + 3'd1;
        aged_q[i] <= (i > Rd1 || Small) && asks[i] && !gnt[i] && age_q[i] >= 3'(AgeLimit - 1) ? banks[i]
                                                                                              : '0;
      end
    end
    gth_waited_q <= rst_i ? '0 : gth_req_i & ~gth_gnt_o;
    if (rst_i) begin
      gth_age_q <= '0;
      gth_aged_q <= '0;
    end else if ((gth_req_i & ~gth_gnt_o) != '0 || gth_waited_q != '0) begin
      for (int unsigned b = 0; b < SramBanks; b++) begin
        if (!gth_req_i[b] || gth_gnt_o[b]) gth_age_q[b] <= 3'd0;
        else if (gth_age_q[b] != 3'(AgeLimit)) gth_age_q[b] <= gth_age_q[b] + 3'd1;
        gth_aged_q[b] <= gth_req_i[b] && !gth_gnt_o[b] && gth_age_q[b] >= 3'(AgeLimit - 1);
      end
    end
  end

  assign idle_o = req == '0 && waited_q == '0 && rvalid_q == '0 && gth_req_i == '0 &&
                  gth_waited_q == '0 && !rst_i;
  assign wr_gnt_o = gnt[Wr];
  assign rd0_gnt_o = gnt[Rd0];
  assign rd1_gnt_o = gnt[Rd1];
  assign red_gnt_o = gnt[Red];
  assign lsu_gnt_o = gnt[Lsu];
  assign fetch_gnt_o = gnt[Fetch];
  assign ctl_gnt_o = gnt[Ctl];

  // ------------------------------------------------------------------------------------ banks ----
  // A vector as the 128-bit line that it lies in.
  logic [127:0] wr_line;
  logic [15:0]  wr_line_be;
  if (Lanes == 8) begin : gen_line8
    assign wr_line = wr_wdata_i;
    assign wr_line_be = wr_be_i;
  end else if (Lanes == 4) begin : gen_line4
    assign wr_line = {2{wr_wdata_i}};
    assign wr_line_be = {2{wr_be_i}};
  end else begin : gen_line2
    assign wr_line = {4{wr_wdata_i}};
    assign wr_line_be = {2{wr_addr_i[2] ? {wr_be_i, 4'd0} : {4'd0, wr_be_i}}};
  end

  // What red, lsu and ctl want: each its own or, with a shared port, that of the granted one.
  logic [2:0]         n_we;
  logic [2:0][7:0]    n_be;
  logic [2:0][63:0]   n_wdata;
  logic [RowBits-1:0] n_row;  // of the shared port
  always_comb begin
    n_we = '0;
    n_be = '0;
    n_wdata = '0;
    n_row = '0;
    if (Shared || gnt[Red] || gnt[Lsu] || gnt[Ctl]) begin
      n_we = {ctl_we_i, lsu_we_i, red_we_i};
      n_be = {ctl_addr_i[2] ? 8'hF0 : 8'h0F,
              lsu_addr_i[2] ? {lsu_be_i, 4'd0} : {4'd0, lsu_be_i}, red_be_i};
      n_wdata = {{2{ctl_wdata_i}}, {2{lsu_wdata_i}}, red_wdata_i};
      if (Shared && !Small) begin
        n_row = gnt[Red] ? addr[Red][RowLow +: RowBits]
              : gnt[Lsu] ? addr[Lsu][RowLow +: RowBits] : addr[Ctl][RowLow +: RowBits];
        n_we = {3{gnt[Red] ? n_we[0] : gnt[Lsu] ? n_we[1] : n_we[2]}};
        n_be = {3{gnt[Red] ? n_be[0] : gnt[Lsu] ? n_be[1] : n_be[2]}};
        n_wdata = {3{gnt[Red] ? n_wdata[0] : gnt[Lsu] ? n_wdata[1] : n_wdata[2]}};
      end
    end
  end

  // The owner of each bank: one-hot or nothing.
  logic [SramBanks-1:0][NumReq-1:0] owner;
  always_comb begin
    owner = '0;
    if (gnt != '0) begin
      for (int unsigned i = 0; i < NumReq; i++) begin
        if (gnt[i]) begin
          for (int unsigned b = 0; b < SramBanks; b++) begin
            owner[b][i] = Small ? addr[i][3 +: BankW] == BankW'(b) : banks[i][b];
          end
        end
      end
    end
  end

  logic [SramBanks-1:0][63:0] rdata;
  for (genvar b = 0; b < SramBanks; b++) begin : gen_bank
    logic [NumReq-1:0]  sel;
    logic               we;
    logic [7:0]         be;
    logic [RowBits-1:0] row;
    logic [63:0]        wdata;

    always_comb begin
      we = 1'b0;
      be = 8'd0;
      row = '0;
      wdata = 64'd0;
      sel = owner[b];
      if (Small) begin
        // All banks get the same row and data; at most one requestor is granted.
        for (int unsigned i = 0; i < NumReq; i++) row |= addr[i][RowLow +: RowBits] & {RowBits{gnt[i]}};
        we = gnt[Wr] || (gnt[Red] && red_we_i) || (gnt[Lsu] && lsu_we_i) || (gnt[Ctl] && ctl_we_i);
        be = (wr_line_be[8*(b%2) +: 8] & {8{gnt[Wr]}}) | (n_be[0] & {8{gnt[Red]}}) |
             (n_be[1] & {8{gnt[Lsu]}}) | (n_be[2] & {8{gnt[Ctl]}});
        wdata = (wr_line[64*(b%2) +: 64] & {64{gnt[Wr]}}) | (n_wdata[0] & {64{gnt[Red]}}) |
                (n_wdata[1] & {64{gnt[Lsu]}}) | (n_wdata[2] & {64{gnt[Ctl]}});
        if (gth_req_i[b] && gnt == '0) begin
          row = gth_row_i[b][RowBits-1:0];
          we = gth_we_i[b];
          be = gth_be_i[b];
          wdata = gth_wdata_i[b];
        end
      end else if (sel != '0) begin
        for (int unsigned i = 0; i < NumReq; i++) begin
          if (sel[i] && !(Shared && (i == Red || i == Lsu || i == Ctl))) begin
            row |= addr[i][RowLow +: RowBits];
          end
        end
        if (Shared && (sel[Red] || sel[Lsu] || sel[Ctl])) row = n_row;
        if (sel[Wr]) begin
          we = 1'b1;
          be = wr_line_be[8*(b%2) +: 8];
          wdata = wr_line[64*(b%2) +: 64];
        end
        if (Shared ? sel[Red] || sel[Lsu] || sel[Ctl] : sel[Red]) begin
          we = n_we[0];
          be = n_be[0];
          wdata = n_wdata[0];
        end
        if (!Shared && sel[Lsu]) begin
          we = n_we[1];
          be = n_be[1];
          wdata = n_wdata[1];
        end
        if (!Shared && sel[Ctl]) begin
          we = n_we[2];
          be = n_be[2];
          wdata = n_wdata[2];
        end
      end else if (gth_req_i[b]) begin
        row = gth_row_i[b][RowBits-1:0];
        if (gth_we_i[b]) begin
          we = 1'b1;
          be = gth_be_i[b];
          wdata = gth_wdata_i[b];
        end
      end
    end

    ow_sram_bank #(.Rows(Rows)) u_bank (
      .clk_i,
      .req_i(owner[b] != '0 || (gth_req_i[b] && (!Small || gnt == '0))),
      .we_i(we),
      .be_i(be),
      .addr_i(row),
      .wdata_i(wdata),
      .rdata_o(rdata[b])
    );
  end

  // -------------------------------------------------------------------------------- read data ----
  // The place of the word that was read: its bank, and which half of the bank's word.
  typedef struct packed {
    logic [BankW-1:0] bank;
    logic             half;
  } unit_t;
  unit_t [NumReq-1:0] unit_q;
  unit_t [NumReq-1:0] unit;
  logic [NumReq-1:0]  shows;   // its data, and not 0
  unit_t              one, one_q;  // Small: of the one access

  always_ff @(posedge clk_i) begin
    if (rst_i) rvalid_q <= '0;
    else rvalid_q <= gnt & ~{ctl_we_i, 1'b0, lsu_we_i, red_we_i, 2'b00, 1'b1};
    if (gnt != '0) begin
      for (int unsigned i = 0; i < NumReq; i++) if (gnt[i]) unit_q[i] <= addr[i][2 +: BankW + 1];
      one_q <= one;
    end
  end

  always_comb begin
    one = '0;
    for (int unsigned i = 0; i < NumReq; i++) if (gnt[i]) one |= addr[i][2 +: BankW + 1];
    unit = Small ? {NumReq{one_q}} : unit_q;
    shows = Small ? '1 : rvalid_q;
  end

  assign rd0_rvalid_o = rvalid_q[Rd0];
  assign rd1_rvalid_o = rvalid_q[Rd1];
  assign red_rvalid_o = rvalid_q[Red];
  assign lsu_rvalid_o = rvalid_q[Lsu];
  assign fetch_rvalid_o = rvalid_q[Fetch];
  assign ctl_rvalid_o = rvalid_q[Ctl];

  assign gth_rdata_o = rdata;
  if (Lanes == 8) begin : gen_read8
    assign rd0_rdata_o = !shows[Rd0] ? '0 : {rdata[{unit[Rd0].bank[BankW-1:1], 1'b1}],
                                                rdata[{unit[Rd0].bank[BankW-1:1], 1'b0}]};
    assign rd1_rdata_o = !shows[Rd1] ? '0 : {rdata[{unit[Rd1].bank[BankW-1:1], 1'b1}],
                                                rdata[{unit[Rd1].bank[BankW-1:1], 1'b0}]};
  end else if (Lanes == 4) begin : gen_read4
    assign rd0_rdata_o = !shows[Rd0] ? '0 : rdata[unit[Rd0].bank];
    assign rd1_rdata_o = !shows[Rd1] ? '0 : rdata[unit[Rd1].bank];
  end else begin : gen_read2
    assign rd0_rdata_o = !shows[Rd0] ? '0 : rdata[unit[Rd0].bank][32*unit[Rd0].half +: 32];
    assign rd1_rdata_o = !shows[Rd1] ? '0 : rdata[unit[Rd1].bank][32*unit[Rd1].half +: 32];
  end
  assign fetch_rdata_o = !shows[Fetch] ? '0 : rdata[unit[Fetch].bank];
  if (Shared) begin : gen_shared_read
    unit_t       read;
    logic [63:0] word;
    logic [31:0] half;
    assign read = rvalid_q[Red] ? unit[Red] : rvalid_q[Lsu] ? unit[Lsu] : unit[Ctl];
    assign word = rdata[read.bank];
    assign half = word[32*read.half +: 32];
    assign red_rdata_o = word;
    assign lsu_rdata_o = half;
    assign ctl_rdata_o = half;
  end else begin : gen_read
    assign red_rdata_o = !shows[Red] ? '0 : rdata[unit[Red].bank];
    assign lsu_rdata_o = !shows[Lsu] ? '0 : rdata[unit[Lsu].bank][32*unit[Lsu].half +: 32];
    assign ctl_rdata_o = !shows[Ctl] ? '0 : rdata[unit[Ctl].bank][32*unit[Ctl].half +: 32];
  end

  // ------------------------------------------------------------------------------- assertions ----
  logic in_range;
  logic aligned;
  always_comb begin
    in_range = 1'b1;
    aligned = 1'b1;
    if (req != '0) begin
      for (int unsigned i = 0; i < NumReq; i++) begin
        if (req[i]) begin
          in_range &= 32'(addr[i]) < SramBytes;
          aligned &= (32'(addr[i]) &
                      ((i <= Rd1 ? VecBytes : i == Red || i == Fetch ? 8 : 4) - 1)) == 0;
        end
      end
    end
  end
  `OW_ASSERT(range_a, in_range, "a requestor must check its address against SramBytes")
  logic gth_in_range;
  always_comb begin
    gth_in_range = 1'b1;
    if (gth_req_i != '0) begin
      for (int unsigned b = 0; b < SramBanks; b++) begin
        gth_in_range &= !gth_req_i[b] || 32'(gth_row_i[b]) < Rows;
      end
    end
  end
  `OW_ASSERT(gth_range_a, gth_in_range, "the gather port must check its rows")
  `OW_ASSERT(aligned_a, aligned, "accesses are aligned to their unit")

endmodule
