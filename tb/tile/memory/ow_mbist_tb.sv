// SPDX-License-Identifier: Apache-2.0
// ow_mbist on its banks, one of which has a faulty cell or pair of cells.
//
// A fault primitive <S / F / R> (van de Goor and Al-Ars): when S happens, the victim becomes F. If
// S is a read of the victim, the read returns R. S is a state or an operation of the victim (with a
// state of the aggressor) or an operation of the aggressor (with a state of the victim):
//   fault_kind_i 0 none; 1 state; 2 operation of the victim; 3 operation of the aggressor
//   op_i         0 read, 1 write 0, 2 write 1
//   v_i, a_i     states that S requires; use_a_i: the aggressor's counts
//   f_i, r_i     the new state of the victim; the result of a read of it
module ow_mbist_tb #(
  parameter int unsigned Rows = 16,
  parameter int unsigned Banks = 8,
  localparam int unsigned RowBits = $clog2(Rows)
) (
  input  logic               clk_i,
  input  logic               rst_i,
  input  logic               start_i,
  output logic               busy_o,
  output logic               done_o,
  output logic [Banks-1:0]   fail_o,
  output logic [RowBits-1:0] fail_row_o,
  output logic [63:0]        fail_bits_o,
  input  logic [1:0]         fault_kind_i,
  input  logic [2:0]         fault_bank_i,
  input  logic [RowBits-1:0] v_row_i,
  input  logic [5:0]         v_bit_i,
  input  logic [RowBits-1:0] a_row_i,
  input  logic [5:0]         a_bit_i,
  input  logic               use_a_i,
  input  logic [1:0]         op_i,
  input  logic               v_i,
  input  logic               a_i,
  input  logic               f_i,
  input  logic               r_i
);

  logic               req, we;
  logic [RowBits-1:0] row;
  logic [63:0]        wdata;
  logic [Banks-1:0][63:0] rdata;

  ow_mbist #(.Rows(Rows), .Banks(Banks)) u_mbist (
    .clk_i, .rst_i, .start_i, .busy_o, .done_o, .fail_o, .fail_row_o, .fail_bits_o,
    .mem_req_o(req), .mem_we_o(we), .mem_row_o(row), .mem_wdata_o(wdata), .mem_rdata_i(rdata)
  );

  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    logic [63:0] mem [Rows];
    logic        faulty;
    assign faulty = fault_bank_i == 3'(b) && fault_kind_i != 2'd0;

    // A fault acts on what the access has just written, so the memory is updated in place.
    /* verilator lint_off BLKSEQ */
    always_ff @(posedge clk_i) begin
      logic victim, aggressor, hit, v_touched, a_touched, op_fits_v, op_fits_a;
      logic [63:0] word;
      if (req) begin
        victim = mem[v_row_i][v_bit_i];
        aggressor = mem[a_row_i][a_bit_i];
        v_touched = row == v_row_i;
        a_touched = row == a_row_i;
        op_fits_v = we ? op_i == (wdata[v_bit_i] ? 2'd2 : 2'd1) : op_i == 2'd0;
        op_fits_a = we ? op_i == (wdata[a_bit_i] ? 2'd2 : 2'd1) : op_i == 2'd0;
        unique case (fault_kind_i)
          2'd2: hit = v_touched && op_fits_v && victim == v_i && (!use_a_i || aggressor == a_i);
          2'd3: hit = a_touched && op_fits_a && aggressor == a_i && victim == v_i;
          default: hit = 1'b0;
        endcase
        word = mem[row];
        if (we) begin
          word = wdata;
          mem[row] = word;
        end else begin
          if (faulty && hit && fault_kind_i == 2'd2) word[v_bit_i] = r_i;
          rdata[b] <= word;
        end
        if (faulty && hit) mem[v_row_i][v_bit_i] = f_i;
        if (faulty && fault_kind_i == 2'd1 && mem[v_row_i][v_bit_i] == v_i &&
            (!use_a_i || mem[a_row_i][a_bit_i] == a_i)) begin
          mem[v_row_i][v_bit_i] = f_i;
        end
      end
    end
    /* verilator lint_on BLKSEQ */
  end

endmodule
