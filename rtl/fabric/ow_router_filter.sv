// SPDX-License-Identifier: Apache-2.0
// What keeps wavelets from the ramp of a router: six filters, each of one colour, and commands that
// say so (NOCE). docs/fabric.md, filters.
//
// A head for the ramp that a filter or a command may keep from it is looked at once, in a slot of
// the ramp's output, whether the ramp has room or not; what passes and finds no room waits for it
// without being looked at again.
// Latency 0; what is counted and written is in effect from the next cycle on.
// Errors: none. There is no filter from NUM_FILTERS on: writes there are ignored.
//
//   NumColours   data colours, 2 to 24
//   filter_i, limits_i, count_i   FILTER, FILTER_LIMITS, FILTER_COUNT of filter index_i is written
//   index_i      the filter that is written, and shown if show_i
//   cfg_wdata_i  what is written
//   clear_i      colours whose head is to be looked at again: their route was written
//   obey_i       colours that obey commands
//   ctrl_i       heads that are control wavelets
//   done_i       colours whose head leaves
//   one_i        the colour whose turn it is at the ramp, one-hot; number_i: its number
//   word_i       its head (control bit, data)
//   look_o       colours whose head must be looked at first
//   filtered_o   colours that have a filter
//   looked_o     colours whose head has been looked at
//   drop_o       the head is kept from the ramp
//   filter_o, count_o   FILTER and FILTER_COUNT of filter index_i

module ow_router_filter
  import ow_pkg::*;
  import ow_onehot_pkg::*;
#(
  parameter int unsigned NumColours = 24
) (
  input  logic                  clk_i,
  input  logic                  rst_i,
  input  logic                  filter_i,
  input  logic                  limits_i,
  input  logic                  count_i,
  input  logic [2:0]            index_i,
  input  logic                  show_i,
  input  logic [31:0]           cfg_wdata_i,
  input  logic [NumColours-1:0] clear_i,
  input  logic [NumColours-1:0] obey_i,
  input  logic [NumColours-1:0] ctrl_i,
  input  logic [NumColours-1:0] done_i,
  input  logic [NumColours-1:0] one_i,
  input  logic [4:0]            number_i,
  input  ramp_t                 word_i,
  output logic [NumColours-1:0] look_o,
  output logic [NumColours-1:0] filtered_o,
  output logic [NumColours-1:0] looked_o,
  output logic                  drop_o,
  output filter_reg_t           filter_o,
  output filter_count_reg_t     count_o
);

  typedef logic [NumColours-1:0] colours_t;
  typedef struct packed {
    logic       filter_ctrl;  // control wavelets may be dropped
    logic       count_ctrl;
    logic       count_data;
    logic [1:0] kind;         // filter_kind_e
    logic       enable;
    logic [4:0] colour;
  } filter_t;
  filter_t filter_q [NUM_FILTERS];
  logic [15:0] low_q [NUM_FILTERS];    // limit1, or the least index
  logic [15:0] high_q [NUM_FILTERS];   // max_counter, limit2, or the greatest index
  logic [15:0] count_q [NUM_FILTERS];
  colours_t looked_q, filtered;

  /* verilator lint_off UNUSEDSIGNAL */ // reserved bits
  filter_reg_t new_filter;
  filter_limits_reg_t new_limits;
  filter_count_reg_t new_count;
  /* verilator lint_on UNUSEDSIGNAL */
  assign new_filter = cfg_wdata_i;
  assign new_limits = cfg_wdata_i;
  assign new_count = cfg_wdata_i;

  always_comb begin : which
    filtered = '0;
    for (int unsigned f = 0; f < NUM_FILTERS; f++) begin
      filtered |= colours_t'(decode(filter_q[f].enable, filter_q[f].colour));
    end
  end
  assign filtered_o = filtered;
  assign looked_o = looked_q;
  assign look_o = (filtered | (obey_i & ctrl_i)) & ~looked_q;

  // ------------------------------------------------------------------------------------- a look --
  logic looks;
  assign looks = (one_i & look_o) != '0;
  logic [NUM_FILTERS-1:0] steps, swaps;  // filters that count; that take limit2
  logic [15:0] next_count, next_low;

  always_comb begin : inspect
    automatic filter_t how;
    automatic logic [NUM_FILTERS-1:0] match;
    automatic logic [15:0] low, count, value;
    automatic logic hit, beyond, counts, may, drop;
    {how, match, low, count, value} = '0;
    {hit, beyond, counts, may} = '0;
    steps = '0;
    swaps = '0;
    next_count = '0;
    next_low = '0;
    drop = 1'b0;
    if (looks) begin
      drop = word_i.ctrl && (one_i & obey_i) != '0 && command_noce(word_i.data);
      if ((one_i & filtered) != '0) begin
        for (int unsigned f = 0; f < NUM_FILTERS; f++) begin
          match[f] = filter_q[f].enable && filter_q[f].colour == number_i;
          how |= filter_q[f] & {11{match[f]}};
          low |= low_q[f] & {16{match[f]}};
          next_low |= high_q[f] & {16{match[f]}};
          count |= count_q[f] & {16{match[f]}};
        end
        value = (how.kind == FILTER_RANGE) ? word_i.data[31:16] : count;
        hit = value == low;
        beyond = next_low < value;
        may = !word_i.ctrl || how.filter_ctrl;
        case (how.kind)
          FILTER_RANGE: drop |= !word_i.ctrl && (value < low || beyond);
          FILTER_SPARSE: drop |= may && !hit;
          default: drop |= may && beyond;
        endcase
        counts = (word_i.ctrl ? how.count_ctrl : how.count_data) && how.kind != FILTER_RANGE;
        next_count = hit ? '0 : count + 16'd1;
        steps = match & {NUM_FILTERS{counts}};
        swaps = steps & {NUM_FILTERS{how.kind == FILTER_SPARSE && hit}};
      end
    end
    drop_o = drop;
  end

  always_ff @(posedge clk_i) begin : looked
    if (rst_i) looked_q <= '0;
    else if ((one_i | done_i | clear_i) != '0) begin
      looked_q <= (looked_q | (one_i & look_o)) & ~(done_i | clear_i);
    end
  end

  // ---------------------------------------------------------------------------------- registers --
  filter_t kept;
  assign kept = '{filter_ctrl: new_filter.filter_ctrl, count_ctrl: new_filter.count_ctrl,
                  count_data: new_filter.count_data, kind: new_filter.kind,
                  enable: new_filter.enable, colour: new_filter.colour};
  always_ff @(posedge clk_i) begin : configure
    automatic filter_t next [NUM_FILTERS];
    automatic logic [15:0] high [NUM_FILTERS];
    if (rst_i || filter_i || limits_i) begin
      for (int unsigned f = 0; f < NUM_FILTERS; f++) begin
        next[f] = filter_q[f];
        high[f] = high_q[f];
        if (rst_i || (filter_i && index_i == 3'(f))) begin
          next[f] = kept & {11{!rst_i}};
        end
        if (rst_i || (limits_i && index_i == 3'(f))) high[f] = new_limits.high & {16{!rst_i}};
      end
      filter_q <= next;
      high_q <= high;
    end
  end

  always_ff @(posedge clk_i) begin : step
    automatic logic [15:0] low [NUM_FILTERS], count [NUM_FILTERS];
    if (rst_i || limits_i || count_i || steps != '0) begin
      for (int unsigned f = 0; f < NUM_FILTERS; f++) begin
        low[f] = low_q[f];
        count[f] = count_q[f];
        if (rst_i) low[f] = '0;
        else if (limits_i && index_i == 3'(f)) low[f] = new_limits.low;
        else if (swaps[f]) low[f] = next_low;
        if (rst_i) count[f] = '0;
        else if (count_i && index_i == 3'(f)) count[f] = new_count.count;
        else if (steps[f]) count[f] = next_count;
      end
      low_q <= low;
      count_q <= count;
    end
  end

  always_comb begin : show
    automatic filter_t f;
    automatic logic [15:0] count;
    f = '0;
    count = '0;
    if (show_i) begin
      for (int unsigned k = 0; k < NUM_FILTERS; k++) begin
        f |= filter_q[k] & {11{index_i == 3'(k)}};
        count |= count_q[k] & {16{index_i == 3'(k)}};
      end
    end
    filter_o = '{filter_ctrl: f.filter_ctrl, count_ctrl: f.count_ctrl, count_data: f.count_data,
                 kind: f.kind, enable: f.enable, colour: f.colour, default: '0};
    count_o = '{count: count, default: '0};
  end

endmodule
