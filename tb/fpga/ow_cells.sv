// SPDX-License-Identifier: Apache-2.0
// Each cell of fpga/models/ecp5.sv, connected as Yosys connects it, beside the memory of rtl/common or
// the register that it stands for. The test itself computes the values of cells without registers.
// Parameters are those of the design's netlist, and others that the models know.
//
//   got_o, want_o   of the memories: `Names` in cells_test.cpp
//   ff_o, ff_want_o of the flip-flop in each of its modes
//   refused_i       uses of pins that the models refuse: Refused in cells_test.cpp
/* verilator lint_off PINCONNECTEMPTY */ // outputs of the cells that no test looks at
module ow_cells #(
  parameter int unsigned Memories = 12,
  parameter int unsigned Modes = 48
) (
  input  logic                      clk_i,
  input  logic                      rst_i,
  input  logic                      we_i,
  input  logic                      re_i,
  input  logic [3:0]                be_i,
  input  logic [10:0]               waddr_i,
  input  logic [10:0]               raddr_i,
  input  logic [35:0]               data_i,
  output logic [Memories-1:0][35:0] got_o,
  output logic [Memories-1:0][35:0] want_o,

  input  logic [17:0]               factor_a_i,
  input  logic [17:0]               factor_b_i,
  input  logic                      signed_a_i,
  input  logic                      signed_b_i,
  output logic [35:0]               product_o,

  input  logic [23:0]               add_a_i,
  input  logic [23:0]               add_b_i,
  input  logic                      subtract_i,
  input  logic                      carry_i,
  output logic [24:0]               sum_o,

  input  logic [3:0]                lut_i,
  output logic [7:0]                lut_o,

  input  logic                      d_i,
  input  logic                      ce_i,
  input  logic                      lsr_i,
  output logic [Modes-1:0]          ff_o,
  output logic [Modes-1:0]          ff_want_o,

  input  logic [4:0]                refused_i
);

  // No word is read while it is written, at any of the widths.
  logic re;
  assign re = re_i && !(we_i && waddr_i[8:0] == raddr_i[8:0]);

  // ----------------------------------------------------- block RAM, a write and a read port ------
  for (genvar m = 0; m < 3; m++) begin : gen_widths
    localparam int Width = 9 << m;
    // Four bytes are always "written", by their enables.
    logic [35:0] cell_data;
    logic [Width-1:0] rdata;
    ow_cells_ram #(
      .WidthA(Width), .WidthB(Width), .Mode(m == 2 ? "NORMAL" : "READBEFOREWRITE")
    ) u_cell (
      .clk_i, .a_ce_i(1'b1), .a_we_i(m == 2 || we_i), .a_be_i({4{we_i}}), .a_addr_i(waddr_i),
      .a_data_i(data_i), .a_data_o(), .b_ce_i(re), .b_we_i(m == 2 && refused_i[4]),
      .b_addr_i(raddr_i), .b_data_i('0), .b_data_o(cell_data),
      .refused_i(m == 2 ? refused_i[1:0] : 2'd0)
    );
    ow_ram_block #(.Width(Width), .Depth(2048 >> m)) u_ram (
      .clk_i, .rst_i, .we_i, .waddr_i(waddr_i[10-m:0]), .wdata_i(data_i[Width-1:0]),
      .re_i(re), .raddr_i(raddr_i[10-m:0]), .rdata_o(rdata)
    );
    assign got_o[m] = cell_data;
    assign want_o[m] = 36'(rdata);
  end

  // Bytes by themselves, of two and of four.
  for (genvar m = 0; m < 2; m++) begin : gen_bytes
    localparam int Bytes = 2 << m;
    logic [Bytes-1:0][8:0] rdata;
    ow_cells_ram #(.WidthA(9 * Bytes), .WidthB(9 * Bytes)) u_cell (
      .clk_i, .a_ce_i(1'b1), .a_we_i(we_i), .a_be_i(be_i), .a_addr_i(waddr_i), .a_data_i(data_i),
      .a_data_o(), .b_ce_i(re), .b_we_i(1'b0), .b_addr_i(raddr_i), .b_data_i('0),
      .b_data_o(got_o[3+m]), .refused_i('0)
    );
    for (genvar k = 0; k < Bytes; k++) begin : gen_byte
      ow_ram_block #(.Width(9), .Depth(1024 >> m)) u_ram (
        .clk_i, .rst_i, .we_i(we_i && be_i[k]), .waddr_i(waddr_i[9-m:0]), .wdata_i(data_i[9*k+:9]),
        .re_i(re), .raddr_i(raddr_i[9-m:0]), .rdata_o(rdata[k])
      );
    end
    assign want_o[3+m] = 36'(rdata);
  end

  // ----------------------------------------------------------------- block RAM, other ports ------
  // The second port writes, the first one reads.
  logic [8:0] swapped;
  logic [17:0] swapped_cell;
  ow_cells_ram #(.WidthA(9), .WidthB(9), .Mode("READBEFOREWRITE")) u_swapped_cell (
    .clk_i, .a_ce_i(re), .a_we_i(1'b0), .a_be_i('0), .a_addr_i(raddr_i), .a_data_i('0),
    .a_data_o(swapped_cell), .b_ce_i(1'b1), .b_we_i(we_i), .b_addr_i(waddr_i),
    .b_data_i(data_i[17:0]), .b_data_o(), .refused_i('0)
  );
  ow_ram_block #(.Width(9), .Depth(2048)) u_swapped (
    .clk_i, .rst_i, .we_i, .waddr_i, .wdata_i(data_i[8:0]), .re_i(re), .raddr_i, .rdata_o(swapped)
  );
  assign got_o[5] = 36'(swapped_cell);
  assign want_o[5] = 36'(swapped);

  // One port for both: a write leaves what was read. NORMAL, one and two bytes.
  for (genvar m = 0; m < 2; m++) begin : gen_single
    localparam int Width = 9 << m;
    logic [17:0] cell_data;
    logic [Width-1:0] rdata;
    ow_cells_ram #(.WidthA(Width), .WidthB(Width)) u_cell (
      .clk_i, .a_ce_i(re_i), .a_we_i(we_i), .a_be_i('1), .a_addr_i(raddr_i), .a_data_i(data_i),
      .a_data_o(cell_data), .b_ce_i(1'b0), .b_we_i(1'b0), .b_addr_i('0), .b_data_i('0),
      .b_data_o(), .refused_i('0)
    );
    ow_ram_1rw #(.Width(Width), .Depth(2048 >> m)) u_ram (
      .clk_i, .rst_i, .req_i(re_i), .we_i, .addr_i(raddr_i[10-m:0]), .wdata_i(data_i[Width-1:0]),
      .rdata_o(rdata)
    );
    assign got_o[6+m] = 36'(cell_data);
    assign want_o[6+m] = 36'(rdata);
  end

  // The first port reads in each cycle, what it writes, too: the old word.
  logic [17:0] old_q, old_mem_q [1024];
  logic [17:0] old_cell;
  ow_cells_ram #(.WidthA(18), .WidthB(18), .Mode("READBEFOREWRITE")) u_old_cell (
    .clk_i, .a_ce_i(1'b1), .a_we_i(we_i), .a_be_i({4{we_i}}), .a_addr_i(waddr_i), .a_data_i(data_i),
    .a_data_o(old_cell), .b_ce_i(1'b0), .b_we_i(1'b0), .b_addr_i('0), .b_data_i('0), .b_data_o(),
    .refused_i('0)
  );
  always_ff @(posedge clk_i) begin
    old_q <= old_mem_q[waddr_i[9:0]];
    if (we_i) old_mem_q[waddr_i[9:0]] <= data_i[17:0];
  end
  assign got_o[8] = 36'(old_cell);
  assign want_o[8] = 36'(old_q);

  // While one port writes a word, the other one reads the old one. A netlist of ours does not ask.
  logic [35:0] both_q, both_mem_q [512];
  ow_cells_ram u_both_cell (
    .clk_i, .a_ce_i(1'b1), .a_we_i(1'b1), .a_be_i({4{we_i}}), .a_addr_i(waddr_i), .a_data_i(data_i),
    .a_data_o(), .b_ce_i(re_i), .b_we_i(1'b0), .b_addr_i(raddr_i), .b_data_i('0),
    .b_data_o(got_o[9]), .refused_i('0)
  );
  always_ff @(posedge clk_i) begin
    if (re_i) both_q <= both_mem_q[raddr_i[8:0]];
    if (we_i) both_mem_q[waddr_i[8:0]] <= data_i;
  end
  assign want_o[9] = both_q;

  // --------------------------------------------------------------- memory of look-up tables ------
  logic [3:0] lut_word;
  logic [1:0][3:0] lut_rdata;
  logic [3:0] lut_word_q;
  TRELLIS_DPR16X4 u_dpr (
    .DI(data_i[3:0]), .WAD(waddr_i[3:0]), .RAD(raddr_i[3:0]), .WRE(we_i), .WCK(clk_i), .DO(lut_word)
  );
  for (genvar k = 0; k < 4; k++) begin : gen_word
    TRELLIS_FF #(.CEMUX("CE"), .GSR("DISABLED")) u_ff (
      .CLK(clk_i), .CE(re_i), .LSR(1'b0), .DI(lut_word[k]), .Q(lut_word_q[k])
    );
  end
  for (genvar m = 0; m < 2; m++) begin : gen_latency
    ow_ram_1r1w #(.Width(4), .Depth(16), .ReadLatency(m)) u_ram (
      .clk_i, .rst_i, .we_i, .waddr_i(waddr_i[3:0]), .wdata_i(data_i[3:0]), .re_i,
      .raddr_i(raddr_i[3:0]), .rdata_o(lut_rdata[m])
    );
    assign want_o[10+m] = 36'(lut_rdata[m]);
  end
  assign got_o[10] = 36'(lut_word);
  assign got_o[11] = 36'(lut_word_q);

  // ----------------------------------------------------------------------------- arithmetic ------
  MULT18X18D u_times (
    .A0(factor_a_i[0]), .A1(factor_a_i[1]), .A2(factor_a_i[2]), .A3(factor_a_i[3]),
    .A4(factor_a_i[4]), .A5(factor_a_i[5]), .A6(factor_a_i[6]), .A7(factor_a_i[7]),
    .A8(factor_a_i[8]), .A9(factor_a_i[9]), .A10(factor_a_i[10]), .A11(factor_a_i[11]),
    .A12(factor_a_i[12]), .A13(factor_a_i[13]), .A14(factor_a_i[14]), .A15(factor_a_i[15]),
    .A16(factor_a_i[16]), .A17(factor_a_i[17]), .B0(factor_b_i[0]), .B1(factor_b_i[1]),
    .B2(factor_b_i[2]), .B3(factor_b_i[3]), .B4(factor_b_i[4]), .B5(factor_b_i[5]),
    .B6(factor_b_i[6]), .B7(factor_b_i[7]), .B8(factor_b_i[8]), .B9(factor_b_i[9]),
    .B10(factor_b_i[10]), .B11(factor_b_i[11]), .B12(factor_b_i[12]), .B13(factor_b_i[13]),
    .B14(factor_b_i[14]), .B15(factor_b_i[15]), .B16(factor_b_i[16]), .B17(factor_b_i[17]),
    .C0(1'b0), .C1(1'b0), .C2(1'b0), .C3(1'b0), .C4(1'b0), .C5(1'b0), .C6(1'b0), .C7(1'b0),
    .C8(1'b0), .C9(1'b0), .C10(1'b0), .C11(1'b0), .C12(1'b0), .C13(1'b0), .C14(1'b0), .C15(1'b0),
    .C16(1'b0), .C17(refused_i[3]), .SIGNEDA(signed_a_i), .SIGNEDB(signed_b_i),
    .SOURCEA(refused_i[2]), .SOURCEB(1'b0), .P0(product_o[0]), .P1(product_o[1]),
    .P2(product_o[2]), .P3(product_o[3]), .P4(product_o[4]), .P5(product_o[5]), .P6(product_o[6]),
    .P7(product_o[7]), .P8(product_o[8]), .P9(product_o[9]), .P10(product_o[10]),
    .P11(product_o[11]), .P12(product_o[12]), .P13(product_o[13]), .P14(product_o[14]),
    .P15(product_o[15]), .P16(product_o[16]), .P17(product_o[17]), .P18(product_o[18]),
    .P19(product_o[19]), .P20(product_o[20]), .P21(product_o[21]), .P22(product_o[22]),
    .P23(product_o[23]), .P24(product_o[24]), .P25(product_o[25]), .P26(product_o[26]),
    .P27(product_o[27]), .P28(product_o[28]), .P29(product_o[29]), .P30(product_o[30]),
    .P31(product_o[31]), .P32(product_o[32]), .P33(product_o[33]), .P34(product_o[34]),
    .P35(product_o[35])
  );

  logic [12:0] carry;
  assign carry[0] = carry_i;
  for (genvar k = 0; k < 12; k++) begin : gen_carry
    CCU2C #(.INIT0(16'h96AA), .INIT1(16'h96AA), .INJECT1_0("NO"), .INJECT1_1("NO")) u_cell (
      .CIN(carry[k]), .A0(add_a_i[2*k]), .B0(add_b_i[2*k]), .C0(subtract_i), .D0(1'b1),
      .A1(add_a_i[2*k+1]), .B1(add_b_i[2*k+1]), .C1(subtract_i), .D1(1'b1),
      .S0(sum_o[2*k]), .S1(sum_o[2*k+1]), .COUT(carry[k+1])
    );
  end
  assign sum_o[24] = carry[12];

  // Each input, and, or, parity, a multiplexer.
  localparam logic [7:0][15:0] Inits = {
    16'hCACA, 16'h6996, 16'hFFFE, 16'h8000, 16'hFF00, 16'hF0F0, 16'hCCCC, 16'hAAAA
  };
  for (genvar k = 0; k < 8; k++) begin : gen_lut
    LUT4 #(.INIT(Inits[k])) u_lut (
      .A(lut_i[0]), .B(lut_i[1]), .C(lut_i[2]), .D(lut_i[3]), .Z(lut_o[k])
    );
  end

  // ----------------------------------------------------------------------------- flip-flops ------
  for (genvar m = 0; m < Modes; m++) begin : gen_ff
    localparam bit Falling = m % 2 == 1;
    localparam bit Low = m / 2 % 2 == 1;  // of the reset
    localparam bit Set = m / 4 % 2 == 1;
    localparam bit Over = m / 8 % 2 == 1;  // the enable over the reset
    localparam int Enable = m / 16;       // none, high, low
    TRELLIS_FF #(
      .GSR("DISABLED"), .CLKMUX(Falling ? "INV" : "CLK"), .LSRMUX(Low ? "INV" : "LSR"),
      .REGSET(Set ? "SET" : "RESET"), .SRMODE(Over ? "CE_OVER_LSR" : "LSR_OVER_CE"),
      .CEMUX(Enable == 0 ? "1" : Enable == 1 ? "CE" : "INV")
    ) u_ff (
      .CLK(clk_i), .LSR(lsr_i), .CE(ce_i), .DI(d_i), .Q(ff_o[m])
    );
    logic q, on, reset;
    assign on = Enable == 0 || ce_i == (Enable == 1);
    assign reset = lsr_i != Low;
    if (Falling) begin : gen_falling
      always_ff @(negedge clk_i) begin
        if (reset && (!Over || on)) q <= Set;
        else if (on) q <= d_i;
      end
    end else begin : gen_rising
      always_ff @(posedge clk_i) begin
        if (reset && (!Over || on)) q <= Set;
        else if (on) q <= d_i;
      end
    end
    assign ff_want_o[m] = q;
  end

endmodule
