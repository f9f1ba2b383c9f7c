// SPDX-License-Identifier: Apache-2.0
// What firmware calls by name: arrays with type and shape, functions that the host launches, flows,
// tasks and descriptors. The linker numbers tasks and descriptors. The host copies and launches by
// name, and refuses a copy or an argument of another type or size.
//
//   OW_EXPORT(f16, x, 8, 32);               // uint16_t x[8][32], binary16 for the host
//   OW_EXPORT(u32, rounds);                 // uint32_t rounds
//   OW_EXPORT_HEAP(u32, memory);            // uint32_t memory[]: all that is left
//   OW_LAUNCH(scale, u32 n, f32 a) { ... }  // run.launch("scale", 8, 1.5f)
//   OW_TASK(received) { ... }               // a local task; its number is OW_TASK_ID(received)
//   OW_FLOW(sum);                           // a flow of the layout: its queues are sum.in, sum.out
//   OW_DSR(X);                              // a descriptor: ow_dsr_mem1(X, ...)
//
// Exports, launches, flows, descriptors and claims become notes in the ELF file and take no SRAM.
// The notes are in section .note.openwafer, owner "openwafer". A note holds 32-bit words and then
// the name, ended by a zero and padded to a multiple of 4:
//   type 1  element code, dimensions n (0 to 4), n lengths (the last runs fastest), address; one
//           length of 0 stands for all memory from ow_heap to ow_heap_end
//   type 2  number of the task, number of arguments n (0 to 8), n element codes; after the name and
//           its zero comes the text of the parameters, ended by a zero
//   type 3  what is claimed: first descriptor, the one after the last, first thread, the one after
//           the last
//   type 4  number of the descriptor
//   type 5  address of the flow's struct ow_flow
//   type 6  a constant number of a task that the program registers; no name
//   type 7  a constant number of a descriptor that the program writes; no name
//   type 8  a constant number of a FIFO that the program uses; no name
#ifndef OPENWAFER_TILE_EXPORT_H_
#define OPENWAFER_TILE_EXPORT_H_

#include <stdint.h>

#include "openwafer/tile/tile.h"

// ---------------------------------------------------------------------------------- exports ------
// Element codes: those of enum ow_type, plus 8 for unsigned integers.
#define OW_ELEMENT_f16 0
#define OW_ELEMENT_bf16 1
#define OW_ELEMENT_f32 2
#define OW_ELEMENT_i16 4
#define OW_ELEMENT_i32 5
#define OW_ELEMENT_i8 6
#define OW_ELEMENT_u16 12
#define OW_ELEMENT_u32 13
#define OW_ELEMENT_u8 14

// C types of the elements. To the core, 16-bit floats are bits (openwafer/tile/scalar.h makes
// them).
#define OW_C_TYPE_f16 uint16_t
#define OW_C_TYPE_bf16 uint16_t
#define OW_C_TYPE_f32 float
#define OW_C_TYPE_i16 int16_t
#define OW_C_TYPE_i32 int32_t
#define OW_C_TYPE_i8 int8_t
#define OW_C_TYPE_u16 uint16_t
#define OW_C_TYPE_u32 uint32_t
#define OW_C_TYPE_u8 uint8_t

// Defines `name`: a scalar, or an array of up to four dimensions (constants of at least 1). The
// start-up code does not clear it, because the host fills it. Aligned to 8 bytes.
#define OW_EXPORT(type, name, ...)                                                           \
  _Static_assert(OW_COUNT_(__VA_ARGS__) <= 4, "OW_EXPORT(" #name "): at most 4 dimensions"); \
  extern OW_C_TYPE_##type name OW_DIMS_(__VA_ARGS__);                                        \
  OW_NOTE_(export, name, #name,                                                              \
           {                                                                                 \
             uint32_t element;                                                               \
             uint32_t dims;                                                                  \
             uint32_t length[OW_COUNT_(__VA_ARGS__)];                                        \
             const volatile void* address;                                                   \
           }) = {OW_NOTE_HEAD_(export, name, 1),                                             \
                 {OW_ELEMENT_##type, OW_COUNT_(__VA_ARGS__), {__VA_ARGS__}, &name},          \
                 #name};                                                                     \
  _Static_assert(sizeof(name) > 0, "OW_EXPORT(" #name "): a dimension is 0");                \
  OW_NOINIT __attribute__((aligned(8))) OW_C_TYPE_##type name OW_DIMS_(__VA_ARGS__)

// The memory that neither the program nor its stack takes, as an array of one dimension. Its length
// is what the build leaves (ow_kernel(SRAM)); the host reads it from the program.
#define OW_EXPORT_HEAP(type, name)                   \
  extern OW_C_TYPE_##type name[] __asm__("ow_heap"); \
  OW_NOTE_(export, name, #name, {                    \
    uint32_t element;                                \
    uint32_t dims;                                   \
    uint32_t length;                                 \
    const volatile void* address;                    \
  }) = {OW_NOTE_HEAD_(export, name, 1), {OW_ELEMENT_##type, 1, 0, name}, #name}

// The byte address of an object in SRAM, for descriptors and the kernel library.
#define OW_ADDR(object) ((uint32_t)(uintptr_t)(object))

// ------------------------------------------------------------------------------------ flows ------
// Up to 8 flows of the layout. The host writes what the tile has of them before the core starts. It
// refuses a layout with a flow that the tile has and its firmware has not.
#define OW_FLOW(...)                                                              \
  _Static_assert(OW_COUNT_(__VA_ARGS__) <= 8, "OW_FLOW: at most 8 flows a line"); \
  OW_EACH_(OW_SEMICOLON_, OW_FLOW_NAME_, __VA_ARGS__)
struct ow_flow {
  uint32_t in;   // the input queue, or OW_NO_QUEUE
  uint32_t out;  // the output queue, or OW_NO_QUEUE
  uint32_t end;  // the control word after the tile's last word, in a gather; else 0
};
#define OW_NO_QUEUE 255u

// ------------------------------------------------------------------------------------ tasks ------
// Local tasks numbered by the linker, from 28 down (29 is told of teardowns). The start-up code
// registers them before ow_main. A program that also numbers tasks by itself starts at
// OW_TASK_LOCAL(0). The linker refuses more than 13 named tasks, the host a program that registers
// a task with a name by its number too (ow_task_register), or two tasks of one queue.
#define OW_TASK(name)                                  \
  OW_TASK_NUMBER_(name)                                \
  static void ow_task_body_##name(void);               \
  static void ow_task_entry_##name(uint32_t ow_data) { \
    (void)ow_data;                                     \
    ow_task_body_##name();                             \
  }                                                    \
  OW_TASK_TABLE_(name, ow_task_entry_##name)           \
  static void ow_task_body_##name(void)

// The number of a task of OW_TASK or OW_LAUNCH, for ow_task_activate, OW_THEN_ACTIVATE and so on.
#define OW_TASK_ID(name) ((uint32_t)(uintptr_t)&ow_task_id_##name)
// Declares the number for a use before the definition or in another file.
#define OW_TASK_DECLARE(name) extern const char ow_task_id_##name

// Tasks for the data wavelets or the control wavelets of input queue `queue` (a constant). `data`
// is the parameter that gets the wavelet's data.
#define OW_DATA_TASK(queue, name, data) OW_QUEUE_TASK_(queue, OW_TASK_DATA(queue), name, data)
#define OW_CONTROL_TASK(queue, name, data) OW_QUEUE_TASK_(queue, OW_TASK_CONTROL(queue), name, data)

// --------------------------------------------------------------------------------- launches ------
// A function that the host launches by name, with up to 8 parameters. A parameter is an element
// type and a name, as in OW_LAUNCH(scale, u32 n, f32 a): n is uint32_t, a is float. The host writes
// the arguments into ow_args, a word each, before it activates the task.
#define OW_LAUNCH(name, ...)                                                                \
  _Static_assert(OW_COUNT_(__VA_ARGS__) <= 8, "OW_LAUNCH(" #name "): at most 8 arguments"); \
  static void ow_launch_##name(OW_PARAMETERS_(__VA_ARGS__));                                \
  OW_TASK_NUMBER_(name)                                                                     \
  OW_NOTE_(launch, name, #name "\0" #__VA_ARGS__,                                           \
           {                                                                                \
             const volatile void* task;                                                     \
             uint32_t arguments;                                                            \
             uint32_t element[OW_COUNT_(__VA_ARGS__)];                                      \
           }) = {OW_NOTE_HEAD_(launch, name, 2),                                            \
                 {&ow_task_id_##name,                                                       \
                  OW_COUNT_(__VA_ARGS__),                                                   \
                  {OW_EACH_(OW_COMMA_, OW_PARAMETER_ELEMENT_ __VA_OPT__(, ) __VA_ARGS__)}}, \
                 #name "\0" #__VA_ARGS__};                                                  \
  static void ow_task_entry_##name(uint32_t ow_data) {                                      \
    (void)ow_data;                                                                          \
    ow_launch_##name(OW_EACH_(OW_COMMA_, OW_PARAMETER_VALUE_ __VA_OPT__(, ) __VA_ARGS__));  \
  }                                                                                         \
  OW_TASK_TABLE_(name, ow_task_entry_##name)                                                \
  static void ow_launch_##name(OW_PARAMETERS_(__VA_ARGS__))

// The arguments of the running launch: an export of 8 words. In the program only if a launch uses
// it.
extern uint32_t ow_args[8];

// ------------------------------------------------------------------------------ descriptors ------
// Names for up to 8 descriptors, for all functions of tile.h that take one: ow_dsr_mem1(X, ...),
// OW_CTL(Y, X, OW_NONE, 0). The linker numbers the names of all files, from 0 up, and refuses more
// than 31. The host does not load the program into a tile with fewer, nor if one has a number that
// is claimed (OW_CLAIM) or that the program writes without a name. A name costs the core one cycle
// where it is used. An OW_CTL with names takes about 4 more than one with numbers, which is a
// constant.
#define OW_DSR(...)                                                              \
  _Static_assert(OW_COUNT_(__VA_ARGS__) <= 8, "OW_DSR: at most 8 names a line"); \
  OW_EACH_(OW_SEMICOLON_, OW_DSR_NAME_, __VA_ARGS__)
// Declares the descriptor for a use before the definition or in another file.
#define OW_DSR_DECLARE(name) extern const struct ow_dsr_name name[1] __asm__("ow_dsr_id_" #name)

// ---------------------------------------------------------------------------------- claims -------
// Declares that code uses descriptors and microthreads by number, as the kernel library does:
// descriptors `dsr` to `dsr_end` - 1 and threads `thread` to `thread_end` - 1, all constants. Two
// equal numbers claim none. The host does not load the code into a tile with fewer, nor if a name
// of OW_DSR has one of these numbers.
#define OW_CLAIM(name, dsr, dsr_end, thread, thread_end)     \
  OW_NOTE_(claim, name, #name, { uint32_t claimed[4]; }) = { \
      OW_NOTE_HEAD_(claim, name, 3), {{dsr, dsr_end, thread, thread_end}}, #name}

// -------------------------------------------------------------------- how the above is made ------
// The number of arguments; 9 stands for 9 to 32. No macro takes 9, and each says which number it
// takes: what it makes of more only keeps the compiler from other errors.
#define OW_NTH_(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, \
                a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, n, ...)    \
  n
#define OW_COUNT_(...)                                                                           \
  OW_NTH_(__VA_ARGS__ __VA_OPT__(, ) 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, \
          9, 9, 9, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define OW_GLUE_(a, b) a##b
#define OW_GLUE(a, b) OW_GLUE_(a, b)

#define OW_DIMS_(...) OW_GLUE(OW_DIMS_, OW_COUNT_(__VA_ARGS__))(__VA_ARGS__)
#define OW_DIMS_0()
#define OW_DIMS_1(a) [a]
#define OW_DIMS_2(a, b) [a][b]
#define OW_DIMS_3(a, b, c) [a][b][c]
#define OW_DIMS_4(a, b, c, d) [a][b][c][d]
#define OW_DIMS_5(...) [1]
#define OW_DIMS_6(...) [1]
#define OW_DIMS_7(...) [1]
#define OW_DIMS_8(...) [1]
#define OW_DIMS_9(...) [1]

// macro(index, argument) for each of up to 8 arguments, and between() between them.
#define OW_EACH_(between, macro, ...) \
  OW_GLUE(OW_EACH_, OW_COUNT_(__VA_ARGS__))(between, macro, 0, __VA_ARGS__)
#define OW_COMMA_() ,
#define OW_SEMICOLON_() ;
#define OW_EACH_0(b, m, i, ...)
#define OW_EACH_1(b, m, i, a) m(i, a)
#define OW_EACH_2(b, m, i, a, ...) m(i, a) b() OW_EACH_1(b, m, i + 1, __VA_ARGS__)
#define OW_EACH_3(b, m, i, a, ...) m(i, a) b() OW_EACH_2(b, m, i + 1, __VA_ARGS__)
#define OW_EACH_4(b, m, i, a, ...) m(i, a) b() OW_EACH_3(b, m, i + 1, __VA_ARGS__)
#define OW_EACH_5(b, m, i, a, ...) m(i, a) b() OW_EACH_4(b, m, i + 1, __VA_ARGS__)
#define OW_EACH_6(b, m, i, a, ...) m(i, a) b() OW_EACH_5(b, m, i + 1, __VA_ARGS__)
#define OW_EACH_7(b, m, i, a, ...) m(i, a) b() OW_EACH_6(b, m, i + 1, __VA_ARGS__)
#define OW_EACH_8(b, m, i, a, ...) m(i, a) b() OW_EACH_7(b, m, i + 1, __VA_ARGS__)
#define OW_EACH_9(b, m, i, a, ...) m(i, a)

// The parameters of a launch. A parameter is two words such as `f32 a`; ## joins the first one to
// the name of a macro, and what the macro makes of it stands before the second one.
#define OW_PARAMETERS_(...)                 \
  OW_GLUE(OW_VOID_, OW_COUNT_(__VA_ARGS__)) \
  OW_EACH_(OW_COMMA_, OW_PARAMETER_ __VA_OPT__(, ) __VA_ARGS__)
#define OW_PARAMETER_(i, parameter) OW_C_TYPE_##parameter
#define OW_VOID_0 void
#define OW_VOID_1
#define OW_VOID_2
#define OW_VOID_3
#define OW_VOID_4
#define OW_VOID_5
#define OW_VOID_6
#define OW_VOID_7
#define OW_VOID_8
#define OW_VOID_9
// The value of word i of the arguments. The type of a function with this parameter tells a float.
#define OW_PARAMETER_VALUE_(i, parameter)                      \
  _Generic((void (*)(OW_C_TYPE_##parameter))0, void (*)(float) \
           : ow_bits_float, default                            \
           : ow_word_)(ow_args[i])
OW_ALWAYS_INLINE uint32_t ow_word_(uint32_t word) { return word; }
// The element code. Its macro leaves a parameter list open, for the name.
#define OW_PARAMETER_ELEMENT_(i, parameter) (OW_TYPE_AND_NAME_##parameter)))
#define OW_OPEN_ sizeof(void (*)(int
#define OW_TYPE_AND_NAME_f16 OW_ELEMENT_f16 + 0 * OW_OPEN_
#define OW_TYPE_AND_NAME_bf16 OW_ELEMENT_bf16 + 0 * OW_OPEN_
#define OW_TYPE_AND_NAME_f32 OW_ELEMENT_f32 + 0 * OW_OPEN_
#define OW_TYPE_AND_NAME_i16 OW_ELEMENT_i16 + 0 * OW_OPEN_
#define OW_TYPE_AND_NAME_i32 OW_ELEMENT_i32 + 0 * OW_OPEN_
#define OW_TYPE_AND_NAME_i8 OW_ELEMENT_i8 + 0 * OW_OPEN_
#define OW_TYPE_AND_NAME_u16 OW_ELEMENT_u16 + 0 * OW_OPEN_
#define OW_TYPE_AND_NAME_u32 OW_ELEMENT_u32 + 0 * OW_OPEN_
#define OW_TYPE_AND_NAME_u8 OW_ELEMENT_u8 + 0 * OW_OPEN_

// A note: head, descriptor words, name and what follows it.
#define OW_NOTE_(kind, object, text, ...)                                    \
  struct ow_note_##kind##_##object {                                         \
    struct {                                                                 \
      uint32_t owner_bytes;                                                  \
      uint32_t descriptor_bytes;                                             \
      uint32_t type;                                                         \
      char owner[12];                                                        \
    } head;                                                                  \
    struct __VA_ARGS__ words;                                                \
    char name[(sizeof(text) + 3) & ~3u];                                     \
  };                                                                         \
  static const struct ow_note_##kind##_##object ow_note_##kind##_of_##object \
      __attribute__((used, section(".note.openwafer"), aligned(4)))
#define OW_NOTE_HEAD_(kind, object, number) \
  { sizeof("openwafer"), sizeof(struct ow_note_##kind##_##object) - 24, number, "openwafer" }

#define OW_FLOW_NAME_(i, name)                                       \
  extern struct ow_flow name;                                        \
  OW_NOTE_(flow, name, #name, { const volatile void* address; }) = { \
      OW_NOTE_HEAD_(flow, name, 5), {&name}, #name};                 \
  OW_NOINIT struct ow_flow name

// One byte for each named task. The linker script places the section so that a byte's address is
// the task's number.
#define OW_TASK_NUMBER_(name)          \
  extern const char ow_task_id_##name; \
  __attribute__((section(".ow_tasks"), used, aligned(1))) const char ow_task_id_##name = 0;

// The same for descriptors. The address of the array is the number.
#define OW_DSR_NAME_(i, name)                                      \
  OW_DSR_DECLARE(name);                                            \
  OW_NOTE_(dsr, name, #name, { const volatile void* number; }) = { \
      OW_NOTE_HEAD_(dsr, name, 4), {name}, #name};                 \
  __attribute__((section(".ow_dsrs"), used, aligned(1))) const struct ow_dsr_name name[1] = {{0}}

// An entry for the start-up code to register.
struct ow_task_table_entry {
  uint32_t task;
  ow_task_fn entry;
};
#define OW_TASK_TABLE_(name, function)                                                    \
  static const struct {                                                                   \
    const volatile void* task;                                                            \
    ow_task_fn entry;                                                                     \
  } ow_task_table_##name __attribute__((section(".ow_task_table"), used, aligned(4))) = { \
      &ow_task_id_##name, function};

#define OW_QUEUE_TASK_(queue, number, name, data)                                      \
  static void name(uint32_t data);                                                     \
  static const struct ow_task_table_entry ow_task_table_##name                         \
      __attribute__((section(".ow_task_table"), used, aligned(4))) = {(number), name}; \
  static void name(uint32_t data)

#endif  // OPENWAFER_TILE_EXPORT_H_
