// SPDX-License-Identifier: Apache-2.0
// A block RAM cell with its pins in words, connected as Yosys connects it: a word's address above; at
// widths of two and four bytes, below, the bytes to be written; with four bytes a port has the data
// pins of both.
//
//   WidthA, WidthB   9, 18 or 36; Mode: of both ports when they write
//   a_*, b_*         ce: the port works in this cycle; we, be: it writes these bytes
//   refused_i        what the model refuses: a reset; a second clock
module ow_cells_ram #(
  parameter int WidthA = 36,
  parameter int WidthB = 36,
  parameter string Mode = "NORMAL"
) (
  input  logic        clk_i,
  input  logic        a_ce_i, a_we_i,
  input  logic [3:0]  a_be_i,
  input  logic [10:0] a_addr_i,
  input  logic [35:0] a_data_i,
  output logic [17:0] a_data_o,
  input  logic        b_ce_i, b_we_i,
  input  logic [10:0] b_addr_i,
  input  logic [17:0] b_data_i,
  output logic [35:0] b_data_o,
  input  logic [1:0]  refused_i
);

  function automatic logic [13:0] pins(
    input int width, input logic [10:0] addr, input logic [3:0] be
  );
    case (width)
      9: return {addr, 3'd0};
      18: return {addr[9:0], 2'd0, be[1:0]};
      default: return {addr[8:0], 1'b0, be};
    endcase
  endfunction
  logic [13:0] ada, adb;
  logic [17:0] dia, dib, doa, dob;
  assign ada = pins(WidthA, a_addr_i, a_be_i);
  assign adb = pins(WidthB, b_addr_i, {4{b_we_i}});
  assign dia = a_data_i[17:0];
  assign dib = WidthA == 36 ? a_data_i[35:18] : b_data_i;
  assign a_data_o = doa;
  assign b_data_o = WidthB == 36 ? {dob, doa} : {18'd0, dob};

  DP16KD #(
    .DATA_WIDTH_A(WidthA), .DATA_WIDTH_B(WidthB), .WRITEMODE_A(Mode), .WRITEMODE_B(Mode),
    .RESETMODE("ASYNC"), .ASYNC_RESET_RELEASE("ASYNC"), .GSR("DISABLED")
  ) u_cell (
    .CLKA(clk_i), .CEA(a_ce_i), .OCEA(1'b1), .WEA(a_we_i), .RSTA(refused_i[0]),
    .CSA0(1'b0), .CSA1(1'b0), .CSA2(1'b0),
    .CLKB(clk_i ^ refused_i[1]), .CEB(b_ce_i), .OCEB(1'b1), .WEB(b_we_i), .RSTB(1'b0),
    .CSB0(1'b0), .CSB1(1'b0), .CSB2(1'b0),
    .ADA0(ada[0]), .ADA1(ada[1]), .ADA2(ada[2]), .ADA3(ada[3]), .ADA4(ada[4]), .ADA5(ada[5]),
    .ADA6(ada[6]), .ADA7(ada[7]), .ADA8(ada[8]), .ADA9(ada[9]), .ADA10(ada[10]), .ADA11(ada[11]),
    .ADA12(ada[12]), .ADA13(ada[13]), .ADB0(adb[0]), .ADB1(adb[1]), .ADB2(adb[2]), .ADB3(adb[3]),
    .ADB4(adb[4]), .ADB5(adb[5]), .ADB6(adb[6]), .ADB7(adb[7]), .ADB8(adb[8]), .ADB9(adb[9]),
    .ADB10(adb[10]), .ADB11(adb[11]), .ADB12(adb[12]), .ADB13(adb[13]), .DIA0(dia[0]),
    .DIA1(dia[1]), .DIA2(dia[2]), .DIA3(dia[3]), .DIA4(dia[4]), .DIA5(dia[5]), .DIA6(dia[6]),
    .DIA7(dia[7]), .DIA8(dia[8]), .DIA9(dia[9]), .DIA10(dia[10]), .DIA11(dia[11]), .DIA12(dia[12]),
    .DIA13(dia[13]), .DIA14(dia[14]), .DIA15(dia[15]), .DIA16(dia[16]), .DIA17(dia[17]),
    .DIB0(dib[0]), .DIB1(dib[1]), .DIB2(dib[2]), .DIB3(dib[3]), .DIB4(dib[4]), .DIB5(dib[5]),
    .DIB6(dib[6]), .DIB7(dib[7]), .DIB8(dib[8]), .DIB9(dib[9]), .DIB10(dib[10]), .DIB11(dib[11]),
    .DIB12(dib[12]), .DIB13(dib[13]), .DIB14(dib[14]), .DIB15(dib[15]), .DIB16(dib[16]),
    .DIB17(dib[17]), .DOA0(doa[0]), .DOA1(doa[1]), .DOA2(doa[2]), .DOA3(doa[3]), .DOA4(doa[4]),
    .DOA5(doa[5]), .DOA6(doa[6]), .DOA7(doa[7]), .DOA8(doa[8]), .DOA9(doa[9]), .DOA10(doa[10]),
    .DOA11(doa[11]), .DOA12(doa[12]), .DOA13(doa[13]), .DOA14(doa[14]), .DOA15(doa[15]),
    .DOA16(doa[16]), .DOA17(doa[17]), .DOB0(dob[0]), .DOB1(dob[1]), .DOB2(dob[2]), .DOB3(dob[3]),
    .DOB4(dob[4]), .DOB5(dob[5]), .DOB6(dob[6]), .DOB7(dob[7]), .DOB8(dob[8]), .DOB9(dob[9]),
    .DOB10(dob[10]), .DOB11(dob[11]), .DOB12(dob[12]), .DOB13(dob[13]), .DOB14(dob[14]),
    .DOB15(dob[15]), .DOB16(dob[16]), .DOB17(dob[17])
  );

endmodule
