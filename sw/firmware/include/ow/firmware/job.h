// SPDX-License-Identifier: Apache-2.0
// What the host and the program of jobs (sw/firmware/job) share: the list of phases. Plain C that
// C++ can read, little-endian; parameters of kernels are 32-bit words.
//
// A job's tiles run a list of phases, one after the other. The compiler writes the list, a grid
// row's tiles get the same one. A phase is a kernel with its parameters. Kernels are functions of
// the program, one or more for each kind of layer (sw/layers/<kind>/tile.c); a program has those of
// the kinds that it was built for, under the names ow_phase_<kernel>.
//
// Addresses are bytes of the tile's SRAM, 16-byte aligned. Activations and deltas have a row of
// `samples` 16-bit values for each feature that the grid row owns, in ascending local index.
#ifndef OW_FIRMWARE_JOB_H_
#define OW_FIRMWARE_JOB_H_

#include <stdint.h>

// Exports of the program, besides `memory` (u32): what is free for the job.
//   samples     a tile: a multiple of the lanes
//   lanes       of the tile
//   ring        accumulator rows in use: at most 16 x lanes / samples
//   grid_rows   of the job
//   half        the code of the 16-bit type of activations (enum ow_type); not in a program that is
//               built for one type
//   relay       blocks of other tiles that pass this one on their way to the edge
// The launch run(phases, count, ends, scale) runs `count` phases of the list at address `phases`.
// `scale` is the factor of the loss's derivative (docs/numerics.md, N13). At address `ends` the
// tile leaves the low words of the cycle count at the launch and before each phase with
// OW_PHASE_ENDS but the first one, and after the last phase.

struct ow_phase {
  uint16_t kernel;  // byte address of its function: the program lies in the lowest 64 kB
  uint16_t bytes;   // of the parameters that follow, and OW_PHASE_ENDS; then comes the next phase
};
#define OW_PHASE_ENDS 1u  // the cycle in which the phases before it ended stays

// Phases that come several times, one turn after another, stand in the list once. After them comes
// this record, whose `kernel` is 0, with a change for each word that is another one in each turn.
struct ow_turns {
  uint32_t left;   // turns that are still to come; the tile counts them down
  uint32_t more;   // turns besides the first one
  uint32_t bytes;  // from the turn's first phase to this record
};
struct ow_change {
  uint16_t word;  // 32 bits each, from the turn's first phase on
  int16_t by;     // from turn to turn, in multiples of 4
};

// Features of a tensor, dealt over the grid rows: `share` to each, one more to the first `left`.
struct ow_dealt {
  uint32_t share;
  uint32_t left;
};

// pass: y = f(W x + b) for weights that arrive as wavelets, with a row end for each output and the
// stream end in the last one. Or the deltas of x, from those of y and the transposed weights.
struct ow_pass {
  uint32_t x;        // a row for each index of the stream
  uint32_t indices;  // rows of x
  uint32_t y;        // the tile's own outputs
  uint32_t bias;     // fp32, one for each own output (OW_PASS_BIAS)
  uint32_t outputs;  // of the stream; 0: no stream comes
  uint32_t phase;    // register RED_PHASE
  uint32_t start;    // register RED_START
  uint32_t flags;
};
#define OW_PASS_OWNS (1u << 0)   // the tile owns outputs
#define OW_PASS_ALONE (1u << 1)  // sums are whole in this tile; else they go round the column
#define OW_PASS_BIAS (1u << 2)
#define OW_PASS_RELU (1u << 3)
#define OW_PASS_GATHERED (1u << 4)  // x is what the phase before gathers

// gather: each tile of a column gets the features of all its tiles, sorted by owner. Not on one
// grid row. It still runs when the next phase begins: a pass or a gradient that waits for it.
struct ow_gather {
  uint32_t own;           // the tile's own features
  uint32_t to;            // where all are gathered; own may lie in its place there
  struct ow_dealt dealt;  // what is gathered
  // Sums over the samples of the deltas of a bias, sent to the west meanwhile. 0 rows: none.
  uint32_t bias_deltas;
  uint32_t bias_rows;
  uint32_t bias_work;  // room for bias_room fp32 sums
  uint32_t bias_room;
};
// biases: the same sums without a gather.
struct ow_biases {
  uint32_t deltas, rows, work, room;
};

// gradient: for each position of the stream the dot product of an input's activations and an
// output's deltas, added along the grid row and sent to the west. The first wavelet holds the
// number of positions; a row end moves to the next output.
struct ow_gradient {
  uint32_t x;        // activations of the grid row's inputs
  uint32_t inputs;   // rows of x
  uint32_t deltas;   // of the stream's outputs, one after another
  uint32_t outputs;  // of the stream
  uint32_t flags;
};
#define OW_GRADIENT_FIRST (1u << 0)     // sets the reducer for this phase and those that follow
#define OW_GRADIENT_GATHERED (1u << 1)  // the deltas are what the phase before gathers

// gate: a delta is kept where the activation is above zero.
struct ow_gate {
  uint32_t activations, deltas;
  uint32_t elements;
  uint32_t waits;  // 1: until it is done; else the next pass may begin
};

// sum: out = a + b.
struct ow_sum {
  uint32_t a, b, out;
  uint32_t elements;
};

// copy: to = from.
struct ow_copy {
  uint32_t from, to;
  uint32_t elements;
};

// settle: until the numbers that go to the west have left the tile.
struct ow_settle {
  uint32_t unused;
};

// softmax_cross_entropy, vocabulary_cross_entropy, mean_squared_error: the deltas of a loss. `work`
// has OW_LOSS_ROWS rows of `samples` fp32 numbers. Softmax needs one more for each output that the
// tile owns; vocabulary needs OW_LOSS_PANEL numbers of 10 bytes.
struct ow_loss {
  uint32_t outputs;  // 16-bit values, the tile's own
  uint32_t deltas;
  uint32_t owned;    // outputs
  uint32_t targets;  // the class of each sample, 32 bits; squares: values as outputs
  uint32_t work;
  // Vocabulary: of a target, what each output has, and what the class has besides (fp32).
  uint32_t share, own;
};
#define OW_LOSS_ROWS 8
#define OW_LOSS_PANEL 256

// layer_norm, rms_norm, and their deltas; norm_gains: the products over the samples of deltas (y)
// and normalised values (x), sent to the west. `work` has OW_NORM_WORK bytes.
struct ow_norm {
  uint32_t x;       // forward: the input; backward: the normalised values
  uint32_t normal;  // forward: where the normalised values go; backward: the deltas of the input
  uint32_t y;       // forward: the value; backward: its deltas
  uint32_t gain, bias;  // fp32, of the tile's own features; rms_norm has no bias
  uint32_t scale;       // a row of fp32 numbers: it stays for the deltas
  uint32_t work;        // 16-byte aligned
  uint32_t owned;       // features
  uint32_t share;       // 1 / features, fp32
  uint32_t epsilon;     // fp32
};
// Work area: rows of `samples` fp32 numbers; fp32 numbers of some features at a time; parameters of
// these, in 16 bits.
#define OW_NORM_ROWS 4u
#define OW_NORM_NUMBERS 512u
#define OW_NORM_PARAMETER_BYTES 128u  // of one of two, with at least 8 samples
#define OW_NORM_WORK(samples) \
  (4u * (OW_NORM_ROWS * (samples) + OW_NORM_NUMBERS) + 2u * OW_NORM_PARAMETER_BYTES)

// send: a block of words to the edge, then those of the tiles that are farther from it.
struct ow_send {
  uint32_t addr;
  uint32_t words;
};

#endif  // OW_FIRMWARE_JOB_H_
