// SPDX-License-Identifier: Apache-2.0
// Behaviour of the ECP5 cells that Yosys maps a design to, to simulate the netlist that it wrote.
// Written from Lattice's description of the family (FPGA-TN-02204 memory, FPGA-DS-02012). They
// model what our netlists use: one clock for both ports of a memory, rising edges, no initial
// values, and no resets of memories. Anything else stops the elaboration or the simulation. Names
// and ports are the vendor's. The PLL, which needs delays, is in ecp5_pll.sv.
/* verilator lint_off DECLFILENAME */
/* verilator lint_off UNUSEDSIGNAL */
/* verilator lint_off UNUSEDPARAM */

// A look-up table of four inputs.
module LUT4 #(
  parameter logic [15:0] INIT = 16'd0
) (
  input  logic A, B, C, D,
  output logic Z
);
  assign Z = INIT[{D, C, B, A}];
endmodule

// Two bits of a carry chain: a look-up table each. Its lower half, of A and B, makes the carry.
module CCU2C #(
  parameter logic [15:0] INIT0 = 16'd0,
  parameter logic [15:0] INIT1 = 16'd0,
  parameter string INJECT1_0 = "YES",
  parameter string INJECT1_1 = "YES"
) (
  input  logic CIN, A0, B0, C0, D0, A1, B1, C1, D1,
  output logic S0, S1, COUT
);
  logic all0, all1, part0, part1, middle;
  assign all0 = INIT0[{D0, C0, B0, A0}];
  assign all1 = INIT1[{D1, C1, B1, A1}];
  assign part0 = INJECT1_0 != "YES" && INIT0[{2'b00, B0, A0}];
  assign part1 = INJECT1_1 != "YES" && INIT1[{2'b00, B1, A1}];
  assign middle = all0 ? CIN : part0;
  assign COUT = all1 ? middle : part1;
  assign S0 = all0 ^ (INJECT1_0 != "YES" && CIN);
  assign S1 = all1 ^ (INJECT1_1 != "YES" && middle);
endmodule

// A flip-flop with enable and synchronous set or reset, which acts before or after the enable.
module TRELLIS_FF #(
  parameter string GSR = "ENABLED",
  parameter string CEMUX = "1",
  parameter string CLKMUX = "CLK",
  parameter string LSRMUX = "LSR",
  parameter string REGSET = "RESET",
  parameter string SRMODE = "LSR_OVER_CE"
) (
  input  logic CLK, LSR, CE, DI,
  output logic Q
);
  if ((CLKMUX != "CLK" && CLKMUX != "INV") || (LSRMUX != "LSR" && LSRMUX != "INV")) begin : gen_other
    $error("a clock or reset of another kind");
  end
  if (CEMUX != "1" && CEMUX != "CE" && CEMUX != "INV") $error("an enable of another kind");
  if (REGSET != "SET" && REGSET != "RESET") $error("a reset to another value");
  if (SRMODE != "LSR_OVER_CE" && SRMODE != "CE_OVER_LSR") $error("an asynchronous reset");
  logic enable, set, q, d;
  assign enable = CEMUX == "1" || (CEMUX == "CE" && CE) || (CEMUX == "INV" && !CE);
  assign set = LSRMUX == "INV" ? !LSR : LSR;
  always_comb begin
    d = enable ? DI : q;
    if (set && (enable || SRMODE == "LSR_OVER_CE")) d = REGSET == "SET";
  end
  // An inverted clock on a net of its own would be a step later than the others.
  if (CLKMUX == "INV") begin : gen_falling
    always_ff @(negedge CLK) q <= d;
  end else begin : gen_rising
    always_ff @(posedge CLK) q <= d;
  end
  assign Q = q;
endmodule

// Sixteen words of four bits in look-up tables.
module TRELLIS_DPR16X4 #(
  parameter string WCKMUX = "WCK",
  parameter string WREMUX = "WRE",
  parameter logic [63:0] INITVAL = 64'd0
) (
  input  logic [3:0] DI, WAD, RAD,
  input  logic       WRE, WCK,
  output logic [3:0] DO
);
  if (WCKMUX != "WCK" || WREMUX != "WRE") $error("a clock or enable of another kind");
  if (INITVAL !== 'x && INITVAL !== '0) $error("initial values");
  logic [3:0] mem[16];
  always_ff @(posedge WCK) if (WRE) mem[WAD] <= DI;
  assign DO = mem[RAD];
endmodule

// A multiplier of 18 x 18 bits, signed or not, without registers. The rest of its block is not
// connected.
module MULT18X18D #(
  parameter string REG_INPUTA_CLK = "NONE",
  parameter string REG_INPUTB_CLK = "NONE",
  parameter string REG_INPUTC_CLK = "NONE",
  parameter string REG_PIPELINE_CLK = "NONE",
  parameter string REG_OUTPUT_CLK = "NONE",
  parameter string SOURCEB_MODE = "B_SHIFT"
) (
  input  logic A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14, A15, A16,
               A17,
  input  logic B0, B1, B2, B3, B4, B5, B6, B7, B8, B9, B10, B11, B12, B13, B14, B15, B16,
               B17,
  input  logic C0, C1, C2, C3, C4, C5, C6, C7, C8, C9, C10, C11, C12, C13, C14, C15, C16,
               C17,
  input  logic SIGNEDA, SIGNEDB, SOURCEA, SOURCEB,
  output logic P0, P1, P2, P3, P4, P5, P6, P7, P8, P9, P10, P11, P12, P13, P14, P15, P16,
               P17, P18, P19, P20, P21, P22, P23, P24, P25, P26, P27, P28, P29, P30, P31,
               P32, P33, P34, P35
);
  if (REG_INPUTA_CLK != "NONE" || REG_INPUTB_CLK != "NONE" || REG_PIPELINE_CLK != "NONE" ||
      REG_OUTPUT_CLK != "NONE") begin : gen_registers
    $error("registers in a multiplier");
  end
  logic [17:0] a, b;
  assign a = {A17, A16, A15, A14, A13, A12, A11, A10, A9, A8, A7, A6, A5, A4, A3, A2, A1,
            A0};
  assign b = {B17, B16, B15, B14, B13, B12, B11, B10, B9, B8, B7, B6, B5, B4, B3, B2, B1,
            B0};
  assign {P35, P34, P33, P32, P31, P30, P29, P28, P27, P26, P25, P24, P23, P22, P21, P20,
            P19, P18, P17, P16, P15, P14, P13, P12, P11, P10, P9, P8, P7, P6, P5, P4, P3,
            P2, P1, P0} =
      36'($signed({SIGNEDA && a[17], a}) * $signed({SIGNEDB && b[17], b}));
  always_comb begin
    if (SOURCEA || SOURCEB) $error("operands from another multiplier");
    if ({C0, C1, C2, C3, C4, C5, C6, C7, C8, C9, C10, C11, C12, C13, C14, C15, C16, C17} != 0) begin
      $error("an operand that the product does not have");
    end
  end
endmodule

// A block RAM of 2,048 bytes of nine bits with two ports. A port of 9, 18 or 36 bits has its byte
// address in the upper bits of AD; of 18 and 36, the lowest bits of AD say which bytes are written.
// A port of 36 bits writes (A) or reads (B) with the data pins of both.
module DP16KD #(
  parameter int DATA_WIDTH_A = 18,
  parameter int DATA_WIDTH_B = 18,
  parameter string REGMODE_A = "NOREG",
  parameter string REGMODE_B = "NOREG",
  parameter string RESETMODE = "SYNC",
  parameter string ASYNC_RESET_RELEASE = "SYNC",
  parameter string CSDECODE_A = "0b000",
  parameter string CSDECODE_B = "0b000",
  parameter string WRITEMODE_A = "NORMAL",
  parameter string WRITEMODE_B = "NORMAL",
  parameter string CLKAMUX = "CLKA",
  parameter string CLKBMUX = "CLKB",
  parameter string GSR = "ENABLED",
  parameter logic [319:0] INITVAL_00 = '0,
  parameter logic [319:0] INITVAL_01 = '0,
  parameter logic [319:0] INITVAL_02 = '0,
  parameter logic [319:0] INITVAL_03 = '0,
  parameter logic [319:0] INITVAL_04 = '0,
  parameter logic [319:0] INITVAL_05 = '0,
  parameter logic [319:0] INITVAL_06 = '0,
  parameter logic [319:0] INITVAL_07 = '0,
  parameter logic [319:0] INITVAL_08 = '0,
  parameter logic [319:0] INITVAL_09 = '0,
  parameter logic [319:0] INITVAL_0A = '0,
  parameter logic [319:0] INITVAL_0B = '0,
  parameter logic [319:0] INITVAL_0C = '0,
  parameter logic [319:0] INITVAL_0D = '0,
  parameter logic [319:0] INITVAL_0E = '0,
  parameter logic [319:0] INITVAL_0F = '0,
  parameter logic [319:0] INITVAL_10 = '0,
  parameter logic [319:0] INITVAL_11 = '0,
  parameter logic [319:0] INITVAL_12 = '0,
  parameter logic [319:0] INITVAL_13 = '0,
  parameter logic [319:0] INITVAL_14 = '0,
  parameter logic [319:0] INITVAL_15 = '0,
  parameter logic [319:0] INITVAL_16 = '0,
  parameter logic [319:0] INITVAL_17 = '0,
  parameter logic [319:0] INITVAL_18 = '0,
  parameter logic [319:0] INITVAL_19 = '0,
  parameter logic [319:0] INITVAL_1A = '0,
  parameter logic [319:0] INITVAL_1B = '0,
  parameter logic [319:0] INITVAL_1C = '0,
  parameter logic [319:0] INITVAL_1D = '0,
  parameter logic [319:0] INITVAL_1E = '0,
  parameter logic [319:0] INITVAL_1F = '0,
  parameter logic [319:0] INITVAL_20 = '0,
  parameter logic [319:0] INITVAL_21 = '0,
  parameter logic [319:0] INITVAL_22 = '0,
  parameter logic [319:0] INITVAL_23 = '0,
  parameter logic [319:0] INITVAL_24 = '0,
  parameter logic [319:0] INITVAL_25 = '0,
  parameter logic [319:0] INITVAL_26 = '0,
  parameter logic [319:0] INITVAL_27 = '0,
  parameter logic [319:0] INITVAL_28 = '0,
  parameter logic [319:0] INITVAL_29 = '0,
  parameter logic [319:0] INITVAL_2A = '0,
  parameter logic [319:0] INITVAL_2B = '0,
  parameter logic [319:0] INITVAL_2C = '0,
  parameter logic [319:0] INITVAL_2D = '0,
  parameter logic [319:0] INITVAL_2E = '0,
  parameter logic [319:0] INITVAL_2F = '0,
  parameter logic [319:0] INITVAL_30 = '0,
  parameter logic [319:0] INITVAL_31 = '0,
  parameter logic [319:0] INITVAL_32 = '0,
  parameter logic [319:0] INITVAL_33 = '0,
  parameter logic [319:0] INITVAL_34 = '0,
  parameter logic [319:0] INITVAL_35 = '0,
  parameter logic [319:0] INITVAL_36 = '0,
  parameter logic [319:0] INITVAL_37 = '0,
  parameter logic [319:0] INITVAL_38 = '0,
  parameter logic [319:0] INITVAL_39 = '0,
  parameter logic [319:0] INITVAL_3A = '0,
  parameter logic [319:0] INITVAL_3B = '0,
  parameter logic [319:0] INITVAL_3C = '0,
  parameter logic [319:0] INITVAL_3D = '0,
  parameter logic [319:0] INITVAL_3E = '0,
  parameter logic [319:0] INITVAL_3F = '0
) (
  input  logic CLKA, CEA, OCEA, WEA, RSTA, CSA0, CSA1, CSA2,
  input  logic ADA0, ADA1, ADA2, ADA3, ADA4, ADA5, ADA6, ADA7, ADA8,
               ADA9, ADA10, ADA11, ADA12, ADA13,
  input  logic DIA0, DIA1, DIA2, DIA3, DIA4, DIA5, DIA6, DIA7, DIA8,
               DIA9, DIA10, DIA11, DIA12, DIA13, DIA14, DIA15, DIA16, DIA17,
  input  logic CLKB, CEB, OCEB, WEB, RSTB, CSB0, CSB1, CSB2,
  input  logic ADB0, ADB1, ADB2, ADB3, ADB4, ADB5, ADB6, ADB7, ADB8,
               ADB9, ADB10, ADB11, ADB12, ADB13,
  input  logic DIB0, DIB1, DIB2, DIB3, DIB4, DIB5, DIB6, DIB7, DIB8,
               DIB9, DIB10, DIB11, DIB12, DIB13, DIB14, DIB15, DIB16, DIB17,
  output logic DOA0, DOA1, DOA2, DOA3, DOA4, DOA5, DOA6, DOA7, DOA8,
               DOA9, DOA10, DOA11, DOA12, DOA13, DOA14, DOA15, DOA16, DOA17,
  output logic DOB0, DOB1, DOB2, DOB3, DOB4, DOB5, DOB6, DOB7, DOB8,
               DOB9, DOB10, DOB11, DOB12, DOB13, DOB14, DOB15, DOB16, DOB17
);
  if (REGMODE_A != "NOREG" || REGMODE_B != "NOREG") $error("output registers");
  if (CLKAMUX != "CLKA" || CLKBMUX != "CLKB") $error("a clock of another kind");
  if (CSDECODE_A != "0b000" || CSDECODE_B != "0b000") $error("selects of another kind");
  if (!(DATA_WIDTH_A inside {9, 18, 36}) || !(DATA_WIDTH_B inside {9, 18, 36})) begin : gen_width
    $error("a width other than one, two or four bytes");
  end
  if ((WRITEMODE_A != "NORMAL" && WRITEMODE_A != "READBEFOREWRITE") ||
      (WRITEMODE_B != "NORMAL" && WRITEMODE_B != "READBEFOREWRITE")) begin : gen_mode
    $error("what is written is read");
  end
  localparam logic [64*320-1:0] Initial = {
      INITVAL_00, INITVAL_01, INITVAL_02, INITVAL_03, INITVAL_04, INITVAL_05, INITVAL_06,
      INITVAL_07, INITVAL_08, INITVAL_09, INITVAL_0A, INITVAL_0B, INITVAL_0C, INITVAL_0D,
      INITVAL_0E, INITVAL_0F, INITVAL_10, INITVAL_11, INITVAL_12, INITVAL_13, INITVAL_14,
      INITVAL_15, INITVAL_16, INITVAL_17, INITVAL_18, INITVAL_19, INITVAL_1A, INITVAL_1B,
      INITVAL_1C, INITVAL_1D, INITVAL_1E, INITVAL_1F, INITVAL_20, INITVAL_21, INITVAL_22,
      INITVAL_23, INITVAL_24, INITVAL_25, INITVAL_26, INITVAL_27, INITVAL_28, INITVAL_29,
      INITVAL_2A, INITVAL_2B, INITVAL_2C, INITVAL_2D, INITVAL_2E, INITVAL_2F, INITVAL_30,
      INITVAL_31, INITVAL_32, INITVAL_33, INITVAL_34, INITVAL_35, INITVAL_36, INITVAL_37,
      INITVAL_38, INITVAL_39, INITVAL_3A, INITVAL_3B, INITVAL_3C, INITVAL_3D, INITVAL_3E,
      INITVAL_3F
  };
  if (|Initial) $error("initial values");

  logic [13:0] ad_a, ad_b;
  logic [17:0] di_a, di_b, do_a, do_b;
  assign ad_a = {ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5,
            ADA4, ADA3, ADA2, ADA1, ADA0};
  assign di_a = {DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9,
            DIA8, DIA7, DIA6, DIA5, DIA4, DIA3, DIA2, DIA1, DIA0};
  assign {DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9,
            DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2, DOA1, DOA0} = do_a;
  assign ad_b = {ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5,
            ADB4, ADB3, ADB2, ADB1, ADB0};
  assign di_b = {DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9,
            DIB8, DIB7, DIB6, DIB5, DIB4, DIB3, DIB2, DIB1, DIB0};
  assign {DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9,
            DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2, DOB1, DOB0} = do_b;

  logic [8:0] mem[2048];
  logic on_a, on_b;
  assign on_a = CEA && {CSA2, CSA1, CSA0} == '0;
  assign on_b = CEB && {CSB2, CSB1, CSB0} == '0;

  // Writes of both ports, and what a port reads: the word as it was before.
  logic [35:0] out_a, out_b;
  assign do_a = DATA_WIDTH_B == 36 ? out_b[17:0] : out_a[17:0];
  assign do_b = DATA_WIDTH_B == 36 ? out_b[35:18] : out_b[17:0];
  function automatic logic [35:0] word(input logic [13:0] ad, input int width);
    word = '0;
    for (int k = 0; k < width / 9; k++) begin
      word[9*k+:9] = mem[(ad[13:3] & ~11'(width / 9 - 1)) + 11'(k)];
    end
  endfunction
  always_ff @(posedge CLKA) begin
    if (on_a && WEA) begin
      for (int k = 0; k < DATA_WIDTH_A / 9; k++) begin
        if (DATA_WIDTH_A == 9 || ad_a[k]) begin
          mem[(ad_a[13:3] & ~11'(DATA_WIDTH_A / 9 - 1)) + 11'(k)] <=
              k < 2 ? di_a[9*(k%2)+:9] : di_b[9*(k%2)+:9];
        end
      end
    end
    if (on_a && (!WEA || WRITEMODE_A == "READBEFOREWRITE")) out_a <= word(ad_a, DATA_WIDTH_A);
    if (on_b && WEB) begin
      for (int k = 0; k < DATA_WIDTH_B % 36 / 9; k++) begin
        if (DATA_WIDTH_B == 9 || ad_b[k]) begin
          mem[(ad_b[13:3] & ~11'(DATA_WIDTH_B / 9 - 1)) + 11'(k)] <= di_b[9*k+:9];
        end
      end
    end
    if (on_b && (!WEB || WRITEMODE_B == "READBEFOREWRITE")) out_b <= word(ad_b, DATA_WIDTH_B);
    if (RSTA || RSTB) $error("a reset of what was read");
    if (on_b && WEB && DATA_WIDTH_B == 36) $error("a write of four bytes by the second port");
    if (!CLKB) $error("a second clock");
  end
  always_ff @(posedge CLKB) if (!CLKA) $error("a second clock");
endmodule
