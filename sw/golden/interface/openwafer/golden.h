/* SPDX-License-Identifier: Apache-2.0 */
/* The golden model as a C library: what an Openwafer machine must compute, bit for bit. It knows
 * the number formats, the tile's operations, the kinds of layers and a training. It knows no
 * hardware. docs/numerics.md of the project defines every result; the ids in comments (N6) name its
 * rules.
 *
 * Numbers are encodings in the low bits of a uint32_t (or in a uint16_t where a tensor has 16
 * bits): binary16, bfloat16, binary32, or an integer in two's complement.
 *
 * Functions that can fail return 0, or -1 after an error; ow_golden_error() then has one line that
 * says what was wrong. Nothing has been written in that case. All functions may run on several
 * threads, but a network belongs to one thread at a time. */
#ifndef OPENWAFER_GOLDEN_H_
#define OPENWAFER_GOLDEN_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(OW_GOLDEN_BUILD)
#define OW_GOLDEN_API __attribute__((visibility("default")))
#else
#define OW_GOLDEN_API
#endif

/* Changes when a function or a struct below changes its meaning. */
#define OW_GOLDEN_INTERFACE 1
OW_GOLDEN_API int ow_golden_interface(void);
/* The version of the project, such as "0.1.0". */
OW_GOLDEN_API const char* ow_golden_version(void);
/* The last error of this thread, or an empty string. Valid until the thread's next call that fails.
 */
OW_GOLDEN_API const char* ow_golden_error(void);

/* ---- Operations of the tile. */

/* The numbers of operations and types are those of instructions (docs/isa.md). By name: "fma",
 * "dot", "rsqrt"; "f16", "bf16", "f32", "mixed", "i16", "i32", "i8", "mixedb". -1 for another name.
 */
OW_GOLDEN_API int ow_golden_op(const char* name);
OW_GOLDEN_API int ow_golden_type(const char* name);

/* out[i] = op(a[i], b[i], c[i]) for i < n. b and c may be NULL if the operation does not have them;
 * c is the addend of fma. For all operations that work element by element, the non-linear functions
 * too; not for cvt. */
OW_GOLDEN_API int ow_golden_apply(int op, int type, size_t n, const uint32_t* a, const uint32_t* b,
                                  const uint32_t* c, uint32_t* out);

/* cvt (N3, N36 to N38). */
OW_GOLDEN_API int ow_golden_convert(int from, int to, size_t n, const uint32_t* a, uint32_t* out);
/* Stochastic rounding from f32 to f16 or bf16 (N4). `state` is the tile's generator and goes on by
 * n steps. */
OW_GOLDEN_API int ow_golden_convert_stochastic(int to, size_t n, const uint32_t* a,
                                               uint32_t state[4], uint32_t* out);

/* dot, sum, rmax, rmin of n elements, in the type `result` (N6). b is for dot alone. */
OW_GOLDEN_API int ow_golden_reduce(int op, int type, int result, size_t n, const uint32_t* a,
                                   const uint32_t* b, uint32_t* out);

/* The fp32 forms (N94 to N98): "rcp" and "rsqrt" with `steps` of Newton's method (1 or 2), "exp"
 * and "exp_by_f16" (steps is not looked at). */
OW_GOLDEN_API int ow_golden_form(const char* name, int steps, size_t n, const uint32_t* a,
                                 uint32_t* out);

/* Elementary functions in double by N125: "log", "exp", "sin", "cos". */
OW_GOLDEN_API int ow_golden_elementary(const char* name, size_t n, const double* x, double* out);

/* ---- Random numbers. */

/* n numbers of 32 bits of a tile's generator (N42); `state` goes on. */
OW_GOLDEN_API int ow_golden_tile_random(uint32_t state[4], size_t n, uint32_t* out);
/* The first n numbers of 64 bits of the host's generator, started from a seed (N21). */
OW_GOLDEN_API int ow_golden_host_random(uint64_t seed, size_t n, uint64_t* out);

/* The next token by N119. `temperature` 0: the greedy one. Logits are fp32 encodings. -1: an error.
 */
OW_GOLDEN_API int ow_golden_token(const uint32_t* logits, size_t vocabulary, double temperature,
                                  int top_k, double top_p, uint64_t seed, uint64_t answer,
                                  int position);

/* ---- Networks. */

/* What decides the order of sums. A micro-batch has samples * columns samples. Zeros mean the
 * defaults that stand in brackets. */
typedef struct ow_golden_numerics {
  int type;          /* "f16" or "bf16" by ow_golden_type */
  int rows, columns; /* of the grid [1] */
  int samples;       /* of a tile [1] */
  int whole; /* 1: sums of a layer are whole in the owner's tile (N12); 0: round the column */
  int micro_batches; /* of a step [1] */
  uint64_t seed;     /* of weights and masks */
  float loss_scale;  /* [1] */
  int adamw;         /* 1: AdamW; 0: SGD */
  double rate, weight_decay, momentum;
  double beta1, beta2, epsilon; /* of AdamW [0.9, 0.999, 1e-8] */
  double max_norm;              /* 0: gradients are not clipped */
} ow_golden_numerics;

typedef struct ow_golden_network ow_golden_network;

/* A graph whose samples have so many features; 0: whose samples are tokens. NULL after an error. */
OW_GOLDEN_API ow_golden_network* ow_golden_network_new(const ow_golden_numerics* numerics,
                                                       int features);
OW_GOLDEN_API void ow_golden_network_free(ow_golden_network* network);

/* Adds an operation. `kind` is a kind of layer (linear, gelu, softmax_cross_entropy, ...).
 * `inputs` are names of earlier operations separated by commas, "input" for the samples and
 * "targets" for what a loss compares with. The options of the kind are `count` keys and values;
 * missing ones have their defaults. The last operation must be a loss. */
OW_GOLDEN_API int ow_golden_network_add(ow_golden_network* network, const char* name,
                                        const char* kind, const char* inputs, size_t count,
                                        const char* const* keys, const double* values);

/* Masks of the matrices whose name matches `pattern` (N20): `algorithm` is "static", "gradual",
 * "set" or "rigl", `init` "random", "magnitude", "even", "zeros" or "dense". The density goes from
 * `from` to `to` in `steps` steps, cubically; masks change every `every` steps. */
OW_GOLDEN_API int ow_golden_network_masks(ow_golden_network* network, const char* pattern,
                                          const char* algorithm, const char* init, double from,
                                          double to, uint64_t steps, uint64_t every);

/* Ends the description: draws first weights and masks (N21, N81). The functions below need it. */
OW_GOLDEN_API int ow_golden_network_begin(ow_golden_network* network);

/* Parameters, by their number. A name is "<operation>.weight", for example. The column runs
 * fastest. */
OW_GOLDEN_API int ow_golden_parameters(const ow_golden_network* network);
OW_GOLDEN_API const char* ow_golden_parameter_name(const ow_golden_network* network, int parameter);
OW_GOLDEN_API int ow_golden_parameter_shape(const ow_golden_network* network, int parameter,
                                            size_t* rows, size_t* columns);
/* [rows, columns]. `what` is "value", "first" or "second" (of the optimizer) or "gradient" (of the
 * last micro-batch that was run). */
OW_GOLDEN_API int ow_golden_parameter_get(const ow_golden_network* network, int parameter,
                                          const char* what, float* out);
OW_GOLDEN_API int ow_golden_parameter_set(ow_golden_network* network, int parameter,
                                          const float* values);
/* 1 for a position of the mask; all 1 without a mask. */
OW_GOLDEN_API int ow_golden_parameter_mask(const ow_golden_network* network, int parameter,
                                           uint8_t* out);

/* Runs a micro-batch forward and backward; nothing of the parameters changes. Exactly one of `x`
 * and `tokens` is given, and one of `classes` and `values`: x       [features, samples], 16-bit
 * encodings, the sample runs fastest tokens  one per sample, -1 in an empty slot; `starts` has one
 * first slot per eight slots classes one per sample, -1: ignored values  [outputs, samples], 16-bit
 * encodings */
OW_GOLDEN_API int ow_golden_run(ow_golden_network* network, const uint16_t* x,
                                const int32_t* tokens, const int32_t* starts,
                                const int32_t* classes, const uint16_t* values);
/* The loss of the last micro-batch. */
OW_GOLDEN_API double ow_golden_loss(const ow_golden_network* network);
/* Features of an operation's value; -1: there is no such operation, or it is the loss. */
OW_GOLDEN_API int ow_golden_features(const ow_golden_network* network, const char* operation);
/* Of the last micro-batch: the value of an operation, and the deltas that came back to it.
 * [features, samples]. Deltas are all +0 where none came. */
OW_GOLDEN_API int ow_golden_output(const ow_golden_network* network, const char* operation,
                                   uint16_t* out);
OW_GOLDEN_API int ow_golden_delta(const ow_golden_network* network, const char* operation,
                                  uint16_t* out);
/* The partial sums p_r of a layer with a matrix, before they are added up (N52): fp32, [grid rows
 * that a sum goes round, outputs, samples]. */
OW_GOLDEN_API int ow_golden_partial_sums(const ow_golden_network* network, const char* operation,
                                         uint32_t* out);
/* The wavelets of a layer with a matrix that enter grid row `row`, for sums round the column: for
 * each output, owner by owner and then in ascending order (N7), its non-zero weights in this row as
 * local index (high half) and value, then a control wavelet with the row-end bit, in the last one
 * the stream-end bit too. Returns the number of wavelets, or -1. data and control may be NULL to
 * ask for the number. */
OW_GOLDEN_API long ow_golden_stream(const ow_golden_network* network, const char* operation,
                                    int row, uint32_t* data, uint8_t* control);

/* Takes the gradients of the last micro-batch as the next of the step (N16). After the last one of
 * the step it updates parameters and masks. Returns 1 if it updated, 2 if the step was skipped
 * (N17), 0 if more micro-batches are needed, -1 after an error. */
OW_GOLDEN_API int ow_golden_update(ow_golden_network* network);
OW_GOLDEN_API uint64_t ow_golden_step(const ow_golden_network* network);

#ifdef __cplusplus
}
#endif

#endif /* OPENWAFER_GOLDEN_H_ */
