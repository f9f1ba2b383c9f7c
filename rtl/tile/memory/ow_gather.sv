// SPDX-License-Identifier: Apache-2.0
// Gather and scatter: reads or writes up to Lanes elements of memory that a vector of indices
// names, through the gather port of ow_sram (one request per bank and cycle).
//
// Protocol. A request (valid/ready) brings indices, base address and element size. Its response
// (valid/ready, in the order of the requests) brings the elements, or says that a scatter is in
// memory. Up to Depth requests are under way: in each cycle every bank serves the oldest request
// that wants it, so bank conflicts of one request overlap with the next. All lanes of a request
// that want the same 64-bit word are served at once. With fewer than 8 lanes, for area, only the
// oldest request that is not served yet asks; the next follows without a gap.
//
// Order. Accesses to one bank keep the order of the requests, so a gather sees the scatters before
// it. If lanes of a scatter have equal indices, the highest lane wins. There is no order against
// other ports of the memory: the engine lets its earlier writes finish first.
//
// Latency: a request accepted in cycle t asks for banks from t + 1 on. Its response comes in the
// cycle of the last data, t + 2 at best, combinational from mem_rdata_i. Indices may arrive late in
// their cycle. So that cycle computes addresses only up to the bank's number. Rows follow in the
// next one, in parallel with the choice of requests. Throughput with 8 lanes: neighbours in memory
// (8 16-bit elements in up to 3 words) take 1 cycle per request. Random indices take 1.6 cycles
// with Depth = 3 and 2.0 with Depth = 2, or 2.1 and 2.6 beside two streams of lines.
//
// Errors: if an element is outside memory (base + index * size at or above SramBytes), the response
// is a fault with the address of the lowest such lane, and the request accesses nothing.
//
//   SramBytes, SramBanks  as of ow_sram
//   Lanes        elements per request: 2, 4 or 8
//   TagW         width of the tag that a response brings back
//   Depth        requests under way, 1 to 4
//   req_we_i     scatter
//   req_w32_i    32-bit elements, else 16-bit
//   req_base_i   byte address of element 0, a multiple of the element size
//   req_idx_i    unsigned indices
//   req_wdata_i  elements to scatter, in the low bits of their lanes
//   rsp_data_o   gathered elements in the low bits of their lanes; undefined outside the mask
//   mem_*        bank port of ow_sram; data comes one cycle after the grant. A grant may come
//                without a request. mem_ask_o: the banks of mem_req_o, early; it includes those of
//                a request that is taken back because an element is outside memory
//   idle_o       nothing changes at this edge, given these inputs
module ow_gather #(
  parameter int unsigned SramBytes = ow_isa_pkg::FULL_SRAM_BYTES,
  parameter int unsigned SramBanks = ow_isa_pkg::FULL_SRAM_BANKS,
  parameter int unsigned Lanes = ow_isa_pkg::FULL_LANES,
  parameter int unsigned TagW = 8,
  parameter int unsigned Depth = (Lanes == 8) ? 3 : 2,
  localparam int unsigned BankW = $clog2(SramBanks),
  localparam int unsigned RowW = 20 - BankW
) (
  input  logic                   clk_i,
  input  logic                   rst_i,

  input  logic                   req_valid_i,
  output logic                   req_ready_o,
  input  logic                   req_we_i,
  input  logic                   req_w32_i,
  input  logic [23:0]            req_base_i,
  input  logic [Lanes-1:0]       req_mask_i,
  input  logic [Lanes-1:0][15:0] req_idx_i,
  input  logic [Lanes-1:0][31:0] req_wdata_i,
  input  logic [TagW-1:0]        req_tag_i,

  output logic                   rsp_valid_o,
  input  logic                   rsp_ready_i,
  output logic                   rsp_we_o,
  output logic                   rsp_fault_o,
  output logic [23:0]            rsp_addr_o,
  output logic [TagW-1:0]        rsp_tag_o,
  output logic [Lanes-1:0][31:0] rsp_data_o,

  output logic [SramBanks-1:0]           mem_ask_o,
  output logic [SramBanks-1:0]           mem_req_o,
  output logic [SramBanks-1:0]           mem_we_o,
  output logic [SramBanks-1:0][RowW-1:0] mem_row_o,
  output logic [SramBanks-1:0][7:0]      mem_be_o,
  output logic [SramBanks-1:0][63:0]     mem_wdata_o,
  input  logic [SramBanks-1:0]           mem_gnt_i,
  input  logic [SramBanks-1:0][63:0]     mem_rdata_i,

  output logic                   idle_o
);
`include "ow_assert.svh"

  `OW_ASSERT_INIT(lanes_2_4_8, Lanes == 2 || Lanes == 4 || Lanes == 8)
  `OW_ASSERT_INIT(depth_1_to_4, Depth >= 1 && Depth <= 4)
  `OW_ASSERT_INIT(sram_bytes, SramBytes <= 8388608)
  `OW_ASSERT_INIT(banks_2_4_8, SramBanks == 2 || SramBanks == 4 || SramBanks == 8)

  localparam bit Overlap = Lanes == 8;  // several requests ask in one cycle
  localparam int unsigned AddrW = $clog2(SramBytes);
  localparam int unsigned RowLow = 3 + BankW;  // lowest address bit of a row's number
  localparam int unsigned Rows = SramBytes >> RowLow;
  localparam int unsigned PtrW = Depth > 1 ? $clog2(Depth) : 1;

  typedef logic [PtrW-1:0]  ptr_t;
  typedef logic [Lanes-1:0] mask_t;
  typedef logic [Lanes-1:0][AddrW-1:0] addrs_t;
  typedef logic [Lanes-1:0][31:0] elems_t;

  logic [Depth-1:0]       valid_q;
  logic [Depth-1:0]       we_q;
  logic [Depth-1:0]       w32_q;
  logic [Depth-1:0]       fault_q;
  logic [Depth-1:0]       new_q;           // accepted in the last cycle
  logic [TagW-1:0]        tag_q  [Depth];
  logic [Depth-1:0][23:0] bad_q;           // address of a fault
  mask_t                  pend_q [Depth];  // lanes to be served
  mask_t                  fly_q  [Depth];  // lanes whose data is on mem_rdata_i
  addrs_t [Depth-1:0]     addr_q;          // addresses; those of a new request without rows
  elems_t                 data_q [Depth];  // to be written, or read
  ptr_t                   head_q;          // oldest request
  ptr_t                   tail_q;          // next free place
  ptr_t                   last_q;          // the request that asked last

  function automatic ptr_t after(input ptr_t p, input int unsigned n);
    automatic int unsigned x;
    x = 32'(p) + n;
    return ptr_t'(x >= Depth ? x - Depth : x);
  endfunction

  // Whether an element covers a 16-bit quarter of its word, and what it writes there.
  function automatic logic covers(input logic w32, input logic [1:0] at,
                                  input int unsigned quarter);
    return w32 ? at[1] == 1'(quarter >> 1) : at == 2'(quarter);
  endfunction

  function automatic logic [15:0] half(input logic w32, input logic [31:0] data,
                                       input int unsigned quarter);
    return w32 && (quarter % 2) == 1 ? data[31:16] : data[15:0];
  endfunction

  // ------------------------------------------------------------------------------------ rows --
  // For the new request: the row of the base, the rows from there to each element, and the carry of
  // the bytes below the rows.
  typedef logic [24-RowLow:0] row_t;
  row_t                          base_q;
  logic [Lanes-1:0][17-RowLow:0] ahead_q;
  mask_t                         carry_q;
  row_t [Lanes-1:0]              row;
  addrs_t [Depth-1:0]            addr;     // all addresses
  logic                          outside;  // an element is outside memory
  logic [23:0]                   bad;      // the address of the lowest such one

  always_comb begin : rows
    mask_t  asked;
    addrs_t low;
    row = '0;
    outside = 1'b0;
    bad = '0;
    asked = '0;
    low = '0;
    if (new_q != '0) begin
      for (int unsigned s = 0; s < Depth; s++) begin
        if (new_q[s]) begin
          asked = asked | pend_q[s];
          low = low | addr_q[s];
        end
      end
      for (int unsigned l = Lanes; l > 0; l--) begin
        row[l-1] = row_t'(({base_q, 1'b1} + {row_t'(ahead_q[l-1]), carry_q[l-1]}) >> 1);
        if (asked[l-1] && row[l-1] >= row_t'(Rows)) begin
          outside = 1'b1;
          bad = {row[l-1][23-RowLow:0], low[l-1][RowLow-1:0]};
        end
      end
    end
  end

  always_comb begin
    for (int unsigned s = 0; s < Depth; s++) begin
      addr[s] = addr_q[s];
      if (new_q[s]) begin
        for (int unsigned l = 0; l < Lanes; l++) begin
          addr[s][l][AddrW-1:RowLow] = row[l][AddrW-1-RowLow:0];
        end
      end
    end
  end

  // -------------------------------------------------------------------------------- requests --
  // The oldest request with a lane to be served.
  ptr_t oldest;
  always_comb begin
    oldest = head_q;
    if (valid_q != '0) begin
      for (int unsigned i = Depth; i > 0; i--) begin
        if (pend_q[after(head_q, i - 1)] != '0) oldest = after(head_q, i - 1);
      end
    end
  end

  // Per bank: the oldest request with a lane that wants it, its lowest such lane, and all lanes
  // that want the same word. Whether an element of the new request is outside memory arrives last.
  // Then the request is taken back.
  mask_t [SramBanks-1:0] bank_lanes;  // lanes that a bank would serve,
  ptr_t [SramBanks-1:0]  bank_slot;   // of this request

  if (Overlap) begin : gen_overlap
    always_comb begin : select
      mask_t [Depth-1:0] hits;   // lanes of a request that want a bank
      logic [Depth-1:0]  wants;  // whether it has any
      mask_t             want;
      mask_t             same;
      mask_t             hit;    // lanes that write a quarter; the highest one wins
      mask_t             seen;   // this lane does, or one above it
      ptr_t              s;
      logic [AddrW-1-RowLow:0] word_row;
      mem_ask_o = '0;
      mem_req_o = '0;
      mem_we_o = '0;
      mem_row_o = '0;
      mem_be_o = '0;
      mem_wdata_o = '0;
      bank_lanes = '0;
      bank_slot = '0;
      hits = '0;
      wants = '0;
      want = '0;
      same = '0;
      hit = '0;
      seen = '0;
      s = '0;
      word_row = '0;
      if (valid_q != '0) begin
        for (int unsigned b = 0; b < SramBanks; b++) begin
          for (int unsigned t = 0; t < Depth; t++) begin
            for (int unsigned l = 0; l < Lanes; l++) begin
              hits[t][l] = pend_q[t][l] && addr[t][l][3 +: BankW] == BankW'(b);
            end
            wants[t] = hits[t] != '0;
          end
          if (wants != '0) begin
            for (int unsigned i = Depth; i > 0; i--) begin
              if (wants[after(head_q, i - 1)]) s = after(head_q, i - 1);
            end
            want = hits[s];
            word_row = '0;
            same = want & (~want + mask_t'(1));
            for (int unsigned l = 0; l < Lanes; l++) begin
              if (same[l]) word_row = word_row | addr[s][l][AddrW-1:RowLow];
            end
            for (int unsigned l = 0; l < Lanes; l++) begin
              same[l] = want[l] && addr[s][l][AddrW-1:RowLow] == word_row;
            end
            mem_ask_o[b] = 1'b1;
            mem_req_o[b] = !(outside && new_q[s]);
            mem_row_o[b] = RowW'(word_row);
            bank_lanes[b] = same;
            bank_slot[b] = s;
            if (we_q[s]) begin
              mem_we_o[b] = 1'b1;
              for (int unsigned h = 0; h < 4; h++) begin
                for (int unsigned l = 0; l < Lanes; l++) begin
                  hit[l] = same[l] && covers(w32_q[s], addr[s][l][2:1], h);
                end
                seen = hit;
                for (int unsigned i = 1; i < Lanes; i *= 2) seen = seen | (seen >> i);
                mem_be_o[b][2*h +: 2] = {2{seen[0]}};
                for (int unsigned l = 0; l < Lanes; l++) begin
                  mem_wdata_o[b][16*h +: 16] = mem_wdata_o[b][16*h +: 16] |
                      (half(w32_q[s], data_q[s][l], h) &
                       {16{hit[l] && !(l + 1 < Lanes && seen[(l+1)%Lanes])}});
                end
              end
            end
          end
        end
      end
    end
  end else begin : gen_single
    assign mem_ask_o = mem_req_o;
    // A lane asks unless a lower one wants another row of the same bank.
    always_comb begin : select
      addrs_t at;
      elems_t data;
      mask_t  go;
      logic   we, w32;
      mem_req_o = '0;
      mem_we_o = '0;
      mem_row_o = '0;
      mem_be_o = '0;
      mem_wdata_o = '0;
      bank_lanes = '0;
      bank_slot = {SramBanks{oldest}};
      at = addr[oldest];
      data = data_q[oldest];
      we = we_q[oldest];
      w32 = w32_q[oldest];
      go = outside && new_q[oldest] ? '0 : pend_q[oldest];
      for (int unsigned l = 1; l < Lanes; l++) begin
        for (int unsigned k = 0; k < l; k++) begin
          if (go[k] && at[k][3 +: BankW] == at[l][3 +: BankW] &&
              at[k][AddrW-1:RowLow] != at[l][AddrW-1:RowLow]) begin
            go[l] = 1'b0;
          end
        end
      end
      if (go != '0) begin
        for (int unsigned b = 0; b < SramBanks; b++) begin
          for (int unsigned l = 0; l < Lanes; l++) begin
            if (go[l] && at[l][3 +: BankW] == BankW'(b)) begin
              mem_req_o[b] = 1'b1;
              mem_we_o[b] = we;
              mem_row_o[b] = mem_row_o[b] | RowW'(at[l][AddrW-1:RowLow]);
              bank_lanes[b][l] = 1'b1;
              for (int unsigned h = 0; h < 4; h++) begin
                if (covers(w32, at[l][2:1], h)) begin
                  mem_be_o[b][2*h +: 2] = 2'b11;
                  mem_wdata_o[b][16*h +: 16] = half(w32, data[l], h);
                end
              end
            end
          end
        end
      end
    end
  end

  mask_t served [Depth];
  always_comb begin
    for (int unsigned s = 0; s < Depth; s++) begin
      served[s] = '0;
      if (mem_gnt_i != '0) begin
        for (int unsigned b = 0; b < SramBanks; b++) begin
          if (mem_gnt_i[b] && bank_slot[b] == ptr_t'(s)) served[s] = served[s] | bank_lanes[b];
        end
      end
    end
  end

  // ------------------------------------------------------------------------------- responses --
  logic                   done;
  logic [Lanes-1:0][31:0] fresh [Depth];  // data that arrives in this cycle
  elems_t                 merged [Depth]; // with what came before

  always_comb begin : arrivals
    logic [63:0] word;
    addrs_t      at;
    logic        w32;
    ptr_t        from;
    at = '0;
    w32 = 1'b0;
    from = '0;
    word = '0;
    for (int unsigned s = 0; s < Depth; s++) begin
      fresh[s] = '0;
      // Without overlap, data arrives for one request at a time.
      if (Overlap ? fly_q[s] != '0 : s == 0) begin
        from = Overlap ? ptr_t'(s) : last_q;
        at = addr_q[from];
        w32 = w32_q[from];
        for (int unsigned l = 0; l < Lanes; l++) begin
          word = mem_rdata_i[at[l][3 +: BankW]];
          fresh[s][l] = w32 ? word[32*at[l][2] +: 32] : {16'd0, word[16*at[l][2:1] +: 16]};
        end
      end else if (!Overlap) begin
        fresh[s] = fresh[0];
      end
      merged[s] = '0;
      if (fly_q[s] != '0) begin
        for (int unsigned l = 0; l < Lanes; l++) begin
          merged[s][l] = fly_q[s][l] ? fresh[s][l] : data_q[s][l];
        end
      end
    end
  end

  always_comb begin
    rsp_valid_o = valid_q[head_q] && pend_q[head_q] == '0;
    rsp_we_o = we_q[head_q];
    rsp_fault_o = fault_q[head_q];
    rsp_addr_o = bad_q[head_q];
    rsp_tag_o = tag_q[head_q];
    rsp_data_o = '0;
    if (rsp_valid_o) begin
      for (int unsigned l = 0; l < Lanes; l++) begin
        rsp_data_o[l] = fly_q[head_q] != '0 ? merged[head_q][l] : data_q[head_q][l];
      end
    end
  end
  assign done = rsp_valid_o && rsp_ready_i;

  // ------------------------------------------------------------------------------ acceptance --
  logic                       accept;
  logic [Lanes-1:0][17:0]     in_at;   // bytes from the base to the element
  logic [Lanes-1:0][RowLow:0] in_low;  // its address below the row, with the carry

  assign req_ready_o = !(&valid_q) || done;
  assign accept = req_valid_i && req_ready_o;

  always_comb begin
    in_at = '0;
    in_low = '0;
    if (req_valid_i) begin
      for (int unsigned l = 0; l < Lanes; l++) begin
        in_at[l] = req_w32_i ? {req_idx_i[l], 2'd0} : {1'b0, req_idx_i[l], 1'b0};
        in_low[l] = {1'b0, req_base_i[RowLow-1:0]} + {1'b0, in_at[l][RowLow-1:0]};
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      valid_q <= '0;
      head_q <= '0;
      tail_q <= '0;
      last_q <= '0;
      new_q <= '0;
      for (int unsigned s = 0; s < Depth; s++) begin
        pend_q[s] <= '0;
        fly_q[s] <= '0;
      end
    end else if (valid_q != '0 || req_valid_i) begin
      for (int unsigned s = 0; s < Depth; s++) begin
        fly_q[s] <= we_q[s] ? '0 : served[s];
        pend_q[s] <= pend_q[s] & ~served[s];
        if (fly_q[s] != '0) data_q[s] <= merged[s];
        new_q[s] <= accept && tail_q == ptr_t'(s);
        if (new_q[s]) begin
          for (int unsigned l = 0; l < Lanes; l++) begin
            addr_q[s][l][AddrW-1:RowLow] <= row[l][AddrW-1-RowLow:0];
          end
          fault_q[s] <= outside;
          bad_q[s] <= bad;
          if (outside) begin
            pend_q[s] <= '0;
            fly_q[s] <= '0;
          end
        end
      end
      last_q <= oldest;
      if (done) begin
        valid_q[head_q] <= 1'b0;
        head_q <= after(head_q, 1);
      end
      if (accept) begin
        valid_q[tail_q] <= 1'b1;
        we_q[tail_q] <= req_we_i;
        w32_q[tail_q] <= req_w32_i;
        tag_q[tail_q] <= req_tag_i;
        fault_q[tail_q] <= 1'b0;
        pend_q[tail_q] <= req_mask_i;
        base_q <= row_t'(req_base_i[23:RowLow]);
        for (int unsigned l = 0; l < Lanes; l++) begin
          addr_q[tail_q][l][RowLow-1:0] <= in_low[l][RowLow-1:0];
          carry_q[l] <= in_low[l][RowLow];
          ahead_q[l] <= in_at[l][17:RowLow];
        end
        if (req_we_i) data_q[tail_q] <= req_wdata_i;
        tail_q <= after(tail_q, 1);
      end
    end
  end

  // A request whose data is all in registers, and which waits for the engine, changes nothing.
  logic moving;
  always_comb begin
    moving = accept || done || new_q != '0;
    if (valid_q != '0) begin
      for (int unsigned s = 0; s < Depth; s++) begin
        if (pend_q[s] != '0 || fly_q[s] != '0) moving = 1'b1;
      end
    end
  end
  assign idle_o = !moving && !rst_i;

  // ------------------------------------------------------------------------------ assertions --
  `OW_ASSERT(aligned, !req_valid_i || (req_w32_i ? req_base_i[1:0] == '0 : !req_base_i[0]),
             "the engine checks the alignment of the base")

endmodule
