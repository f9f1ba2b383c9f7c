// SPDX-License-Identifier: Apache-2.0
// What keeps wavelets from the ramp of a router: filters, each for one colour, and commands with
// NOCE (docs/fabric.md, filters).
//
// Whether a head is kept from the ramp is known before it takes part in the arbitration. A counter
// decides by its count. A range decides when the wavelet arrives, and the result is kept with the
// wavelet. A head that is kept from the ramp takes its turn there whether or not the ramp has room.
// Latency 0. Counts and writes take effect in the next cycle; a range that is written, for wavelets
// that arrive from then on.
// Errors: none. A filter from NumFilters on does not exist: it reads 0 and ignores writes.
//
//   NumColours        data colours, 2 to 24
//   NumFilters        filters, 0 to 6
//   filter_i, limits_i, count_i  FILTER, FILTER_LIMITS, FILTER_COUNT of filter index_i is written
//   index_i           the filter that is written, and shown if show_i
//   cfg_wdata_i       what is written
//   link_*_i, inj_i   what arrives
//   at_i              [p]: the colour of what arrives at port p, one-hot
//   obey_i            colours that obey commands
//   ctrl_i, noce_i, outside_i  held heads that are control wavelets; whose first command has NOCE;
//                     that were outside their filter's range when they arrived
//   turn_i            a head of colour number_i takes its turn at the ramp; turn_ctrl_i: it is a
//                     control wavelet
//   outside_o         [p]: what comes at port p is outside its filter's range
//   drop_held_o       held heads that are kept from the ramp; drop_fresh_o [p]: the same for what
//                     comes at port p, in case it is a head at once
//   filter_o, count_o  FILTER and FILTER_COUNT of filter index_i

`include "ow_assert.svh"

module ow_router_filter
  import ow_pkg::*;
  import ow_onehot_pkg::*;
#(
  parameter int unsigned NumColours = FULL_NUM_COLOURS,
  parameter int unsigned NumFilters = NUM_FILTERS
) (
  input  logic                  clk_i,
  input  logic                  rst_i,
  input  logic                  filter_i,
  input  logic                  limits_i,
  input  logic                  count_i,
  input  logic [2:0]            index_i,
  input  logic                  show_i,
  input  logic [31:0]           cfg_wdata_i,
  /* verilator lint_off UNUSEDSIGNAL */ // of the data, the index and NOCE
  input  link_t                 link_n_i,
  input  link_t                 link_e_i,
  input  link_t                 link_s_i,
  input  link_t                 link_w_i,
  input  wavelet_t              inj_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [NumColours-1:0] at_i [NUM_PORTS],
  input  logic [NumColours-1:0] obey_i,
  input  logic [NumColours-1:0] ctrl_i,
  input  logic [NumColours-1:0] noce_i,
  input  logic [NumColours-1:0] outside_i,
  input  logic                  turn_i,
  input  logic [4:0]            number_i,
  input  logic                  turn_ctrl_i,
  output logic [NUM_PORTS-1:0]  outside_o,
  output logic [NumColours-1:0] drop_held_o,
  output logic [NUM_PORTS-1:0]  drop_fresh_o,
  output filter_reg_t           filter_o,
  output filter_count_reg_t     count_o
);

  `OW_ASSERT_INIT(filters_in_range, NumFilters <= NUM_FILTERS)

  typedef logic [NumColours-1:0] colours_t;
  typedef logic [NUM_PORTS-1:0] ports_t;

  wavelet_t arrive [NUM_PORTS];
  assign arrive[PORT_N] = link_n_i.wavelet;
  assign arrive[PORT_E] = link_e_i.wavelet;
  assign arrive[PORT_S] = link_s_i.wavelet;
  assign arrive[PORT_W] = link_w_i.wavelet;
  assign arrive[PORT_R] = inj_i;

  // What the filters drop: data and control wavelets of these colours (held heads), or at these
  // ports (arriving).
  colours_t held_data, held_ctrl;
  ports_t come_data, come_ctrl;

  // ----------------------------------------------------------------------------------- verdicts --
  always_comb begin : held
    automatic colours_t data, ctrl;
    data = outside_i | held_data;
    ctrl = (obey_i & noce_i) | held_ctrl;
    drop_held_o = (data & ~ctrl_i) | (ctrl & ctrl_i);
  end

  always_comb begin : fresh
    drop_fresh_o = '0;
    for (int unsigned p = 0; p < NUM_PORTS; p++) begin
      if (arrive[p].valid) begin
        drop_fresh_o[p] = arrive[p].ctrl ? come_ctrl[p] ||
                                           (command_noce(arrive[p].data) && (at_i[p] & obey_i) != '0)
                                         : come_data[p] || outside_o[p];
      end
    end
  end

  // ------------------------------------------------------------------------------------ filters --
  if (NumFilters == 0) begin : gen_none
    assign {held_data, held_ctrl, come_data, come_ctrl, outside_o} = '0;
    assign filter_o = '0;
    assign count_o = '0;
    logic unused;
    assign unused = &{1'b0, clk_i, rst_i, filter_i, limits_i, count_i, index_i, show_i, cfg_wdata_i,
                      turn_i, number_i, turn_ctrl_i};
  end else begin : gen_filters
    typedef logic [NumFilters-1:0] filters_t;
    typedef struct packed {
      logic       filter_ctrl;  // control wavelets may be dropped
      logic       count_ctrl;
      logic       count_data;
      logic [1:0] kind;         // filter_kind_e
      logic       enable;
      logic [4:0] colour;
    } filter_t;
    filter_t filters [NumFilters];
    logic [15:0] lows [NumFilters];     // limit1, or the least index
    logic [15:0] highs [NumFilters];    // max_counter, limit2, or the greatest index
    logic [15:0] counts [NumFilters];
    filters_t on;  // the filter is enabled
    logic any;

    /* verilator lint_off UNUSEDSIGNAL */ // reserved bits
    filter_reg_t new_filter;
    filter_limits_reg_t new_limits;
    filter_count_reg_t new_count;
    /* verilator lint_on UNUSEDSIGNAL */
    assign new_filter = cfg_wdata_i;
    assign new_limits = cfg_wdata_i;
    assign new_count = cfg_wdata_i;

    always_comb begin : enabled
      for (int unsigned f = 0; f < NumFilters; f++) on[f] = filters[f].enable;
      any = on != '0;
    end

    // Counters decide from registers whether they drop the next data or control wavelet.
    filters_t hit, drop_data, drop_ctrl;
    always_comb begin : counters
      automatic logic drop;
      drop = 1'b0;
      {hit, drop_data, drop_ctrl} = '0;
      if (any) begin
        for (int unsigned f = 0; f < NumFilters; f++) begin
          hit[f] = counts[f] == lows[f];
          drop = filters[f].kind == FILTER_SPARSE ? !hit[f]
               : filters[f].kind != FILTER_RANGE && counts[f] > highs[f];
          drop_data[f] = on[f] && drop;
          drop_ctrl[f] = drop_data[f] && filters[f].filter_ctrl;
        end
      end
    end

    // An arriving wavelet: its colour selects the limits, and it is compared with them at its port.
    filters_t is [NUM_PORTS];  // it is of this filter's colour
    always_comb begin : ranges
      automatic filters_t range;
      automatic logic [15:0] low, high;
      {range, low, high} = '0;
      outside_o = '0;
      for (int unsigned p = 0; p < NUM_PORTS; p++) is[p] = '0;
      if (any) begin
        for (int unsigned f = 0; f < NumFilters; f++) range[f] = filters[f].kind == FILTER_RANGE;
        for (int unsigned p = 0; p < NUM_PORTS; p++) begin
          if (arrive[p].valid) begin
            low = '0;
            high = '0;
            for (int unsigned f = 0; f < NumFilters; f++) begin
              is[p][f] = on[f] && filters[f].colour == arrive[p].colour;
              low |= lows[f] & {16{is[p][f]}};
              high |= highs[f] & {16{is[p][f]}};
            end
            outside_o[p] = !arrive[p].ctrl && (is[p] & range) != '0 &&
                           (arrive[p].data[31:16] < low || arrive[p].data[31:16] > high);
          end
        end
      end
    end

    always_comb begin : dropped
      held_data = '0;
      held_ctrl = '0;
      if (any) begin
        for (int unsigned f = 0; f < NumFilters; f++) begin
          held_data |= colours_t'(decode(drop_data[f], filters[f].colour));
          held_ctrl |= colours_t'(decode(drop_ctrl[f], filters[f].colour));
        end
      end
      for (int unsigned p = 0; p < NUM_PORTS; p++) begin
        come_data[p] = (is[p] & drop_data) != '0;
        come_ctrl[p] = (is[p] & drop_ctrl) != '0;
      end
    end

    filters_t steps;  // filters that count
    always_comb begin : counting
      steps = '0;
      if (any && turn_i) begin
        for (int unsigned f = 0; f < NumFilters; f++) begin
          steps[f] = on[f] && filters[f].colour == number_i && filters[f].kind != FILTER_RANGE &&
                     (turn_ctrl_i ? filters[f].count_ctrl : filters[f].count_data);
        end
      end
    end

    // Each filter has registers of its own with one enable each. A reset writes 0 through the same
    // path, so a bit needs no choice between reset and write.
    filter_t kept;
    logic [15:0] new_low, new_high, new_passed;
    assign kept = rst_i ? '0 : '{filter_ctrl: new_filter.filter_ctrl, count_ctrl: new_filter.count_ctrl,
                                 count_data: new_filter.count_data, kind: new_filter.kind,
                                 enable: new_filter.enable, colour: new_filter.colour};
    assign new_low = rst_i ? '0 : new_limits.low;
    assign new_high = rst_i ? '0 : new_limits.high;
    assign new_passed = rst_i ? '0 : new_count.count;
    for (genvar f = 0; f < NumFilters; f++) begin : gen_filter
      filter_t filter_q;
      logic [15:0] low_q, high_q, count_q;
      logic here;
      assign here = rst_i || index_i == 3'(f);
      always_ff @(posedge clk_i) begin
        if (rst_i || filter_i || limits_i || count_i || steps[f]) begin
          if ((rst_i || filter_i) && here) filter_q <= kept;
          if ((rst_i || limits_i) && here) high_q <= new_high;
          if ((rst_i || limits_i) && here) low_q <= new_low;
          else if (steps[f] && filter_q.kind == FILTER_SPARSE && hit[f]) low_q <= high_q;
          if ((rst_i || count_i) && here) count_q <= new_passed;
          else if (steps[f]) count_q <= hit[f] ? '0 : count_q + 16'd1;
        end
      end
      assign filters[f] = filter_q;
      assign lows[f] = low_q;
      assign highs[f] = high_q;
      assign counts[f] = count_q;
    end

    always_comb begin : show
      automatic filter_t f;
      automatic logic [15:0] count;
      f = '0;
      count = '0;
      if (show_i) begin
        for (int unsigned k = 0; k < NumFilters; k++) begin
          f |= filters[k] & {11{index_i == 3'(k)}};
          count |= counts[k] & {16{index_i == 3'(k)}};
        end
      end
      filter_o = '{filter_ctrl: f.filter_ctrl, count_ctrl: f.count_ctrl, count_data: f.count_data,
                   kind: f.kind, enable: f.enable, colour: f.colour, default: '0};
      count_o = '{count: count, default: '0};
    end
  end

endmodule
