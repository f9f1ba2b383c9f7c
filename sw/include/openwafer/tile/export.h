// SPDX-License-Identifier: Apache-2.0
// What firmware shows to the host by name: arrays with type and shape, tasks, and functions that
// the host launches. Each becomes a note in the ELF file and takes no SRAM. The host copies and
// launches by name, and refuses a copy of another type or size.
//
//   OW_EXPORT(f16, x, 8, 32);             // uint16_t x[8][32], binary16 for the host
//   OW_EXPORT(u32, rounds);               // uint32_t rounds
//   OW_LAUNCH(scale, n, a) { ... }        // run("scale", n, a); n and a are uint32_t
//   OW_TASK(received) { ... }             // a local task; its number is OW_TASK_ID(received)
//
// Notes are in section .note.openwafer, owner "openwafer". A note holds 32-bit words and then the
// name, ended by a zero and padded to a multiple of 4:
//   type 1  element code, dimensions n (0 to 4), n lengths (the last runs fastest), address
//   type 2  number of the task, number of arguments (0 to 8)
//   type 3  what is claimed: first descriptor, the one after the last, first thread, the one after
//           the last
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
  OW_NOTE_(export, name, 1,                                                                  \
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

// The byte address of an object in SRAM, for descriptors and the kernel library.
#define OW_ADDR(object) ((uint32_t)(uintptr_t)(object))

// The queue number that a layout writes in tiles where a flow x has no such end (x_in, x_out).
#define OW_NO_QUEUE 255u

// ------------------------------------------------------------------------------------ tasks ------
// Local tasks numbered by the linker, from 28 down (29 is told of teardowns). The start-up code
// registers them before ow_main. A program that also numbers tasks by itself starts at
// OW_TASK_LOCAL(0). The linker refuses more than 13 named tasks.
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
// A function that the host launches by name. The macro names its arguments: up to 8, all uint32_t.
// The host writes them into ow_args before it activates the task.
#define OW_LAUNCH(name, ...)                                                                  \
  _Static_assert(OW_COUNT_(__VA_ARGS__) <= 8, "OW_LAUNCH(" #name "): at most 8 arguments");   \
  OW_TASK_NUMBER_(name)                                                                       \
  OW_NOTE_(launch, name, 2, {                                                                 \
    const volatile void* task;                                                                \
    uint32_t arguments;                                                                       \
  }) = {OW_NOTE_HEAD_(launch, name, 2), {&ow_task_id_##name, OW_COUNT_(__VA_ARGS__)}, #name}; \
  static void ow_launch_##name(OW_PARAMETERS_(__VA_ARGS__));                                  \
  static void ow_task_entry_##name(uint32_t ow_data) {                                        \
    (void)ow_data;                                                                            \
    ow_launch_##name(OW_ARGUMENTS_(__VA_ARGS__));                                             \
  }                                                                                           \
  OW_TASK_TABLE_(name, ow_task_entry_##name)                                                  \
  static void ow_launch_##name(OW_PARAMETERS_(__VA_ARGS__))

// The arguments of the running launch: an export of 8 words. In the program only if a launch uses
// it.
extern uint32_t ow_args[8];

// ---------------------------------------------------------------------------------- claims -------
// Declares that code uses descriptors and microthreads by number, as the kernel library does:
// descriptors `dsr` to `dsr_end` - 1 and threads `thread` to `thread_end` - 1, all constants. Two
// equal numbers claim none. The host does not load the code into a tile with fewer, and a layout
// gives none of these descriptors to another name.
#define OW_CLAIM(name, dsr, dsr_end, thread, thread_end) \
  OW_NOTE_(claim, name, 3, { uint32_t claimed[4]; }) = { \
      OW_NOTE_HEAD_(claim, name, 3), {{dsr, dsr_end, thread, thread_end}}, #name}

// --------------------------------------------------------------------- how the above is made
// ------
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

#define OW_PARAMETERS_(...) OW_GLUE(OW_PARAMETERS_, OW_COUNT_(__VA_ARGS__))(__VA_ARGS__)
#define OW_PARAMETERS_0() void
#define OW_PARAMETERS_1(a) uint32_t a
#define OW_PARAMETERS_2(a, ...) uint32_t a, OW_PARAMETERS_1(__VA_ARGS__)
#define OW_PARAMETERS_3(a, ...) uint32_t a, OW_PARAMETERS_2(__VA_ARGS__)
#define OW_PARAMETERS_4(a, ...) uint32_t a, OW_PARAMETERS_3(__VA_ARGS__)
#define OW_PARAMETERS_5(a, ...) uint32_t a, OW_PARAMETERS_4(__VA_ARGS__)
#define OW_PARAMETERS_6(a, ...) uint32_t a, OW_PARAMETERS_5(__VA_ARGS__)
#define OW_PARAMETERS_7(a, ...) uint32_t a, OW_PARAMETERS_6(__VA_ARGS__)
#define OW_PARAMETERS_8(a, ...) uint32_t a, OW_PARAMETERS_7(__VA_ARGS__)
#define OW_PARAMETERS_9(a, ...) uint32_t a, OW_PARAMETERS_8(__VA_ARGS__)

#define OW_ARGUMENTS_(...) OW_GLUE(OW_ARGUMENTS_, OW_COUNT_(__VA_ARGS__))
#define OW_ARGUMENTS_0
#define OW_ARGUMENTS_1 ow_args[0]
#define OW_ARGUMENTS_2 OW_ARGUMENTS_1, ow_args[1]
#define OW_ARGUMENTS_3 OW_ARGUMENTS_2, ow_args[2]
#define OW_ARGUMENTS_4 OW_ARGUMENTS_3, ow_args[3]
#define OW_ARGUMENTS_5 OW_ARGUMENTS_4, ow_args[4]
#define OW_ARGUMENTS_6 OW_ARGUMENTS_5, ow_args[5]
#define OW_ARGUMENTS_7 OW_ARGUMENTS_6, ow_args[6]
#define OW_ARGUMENTS_8 OW_ARGUMENTS_7, ow_args[7]
#define OW_ARGUMENTS_9 OW_ARGUMENTS_8, 0

// A note: head, descriptor words, name.
#define OW_NOTE_(kind, object, number, ...)                                  \
  struct ow_note_##kind##_##object {                                         \
    struct {                                                                 \
      uint32_t owner_bytes;                                                  \
      uint32_t descriptor_bytes;                                             \
      uint32_t type;                                                         \
      char owner[12];                                                        \
    } head;                                                                  \
    struct __VA_ARGS__ words;                                                \
    char name[(sizeof(#object) + 3) & ~3u];                                  \
  };                                                                         \
  static const struct ow_note_##kind##_##object ow_note_##kind##_of_##object \
      __attribute__((used, section(".note.openwafer"), aligned(4)))
#define OW_NOTE_HEAD_(kind, object, number) \
  { sizeof("openwafer"), sizeof(struct ow_note_##kind##_##object) - 24, number, "openwafer" }

// One byte for each named task. The linker script places the section so that a byte's address is
// the task's number.
#define OW_TASK_NUMBER_(name)          \
  extern const char ow_task_id_##name; \
  __attribute__((section(".ow_tasks"), used, aligned(1))) const char ow_task_id_##name = 0;

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
