// SPDX-License-Identifier: Apache-2.0
// Written by ow_isa_gen from sw/isa/*.yaml; `cmake --build build --target isa` writes it anew.
// Registers, encodings and layouts of words for programs of a tile, in C and in the assembler.
// clang-format off
#ifndef OW_TILE_ISA_H_
#define OW_TILE_ISA_H_

#ifdef __ASSEMBLER__
#define OW_U(x) x
#else
#include <stdint.h>
#define OW_U(x) x##u
#endif

#define OW_MAX_DATA_COLOURS OW_U(24)
#define OW_MAX_COLOURS OW_U(32)  // encodings of a colour
#define OW_COLOUR_REQ OW_U(24)  // colour of the control plane's requests, for every NumColours
#define OW_COLOUR_RSP OW_U(25)  // colour of the control plane's responses
#define OW_NUM_PORTS OW_U(5)  // ports of a router
#define OW_LINK_CREDITS OW_U(2)  // slots at the receiving end of a link for a data colour
#define OW_CTL_CREDITS OW_U(2)  // slots for a colour of the control plane
#define OW_NUM_COMMANDS OW_U(8)  // commands in a control wavelet
#define OW_NUM_POSITIONS OW_U(4)  // positions of a switch
#define OW_NUM_QUEUES OW_U(8)  // input queues of a ramp, and as many output queues
#define OW_NUM_FILTERS OW_U(6)  // filters of a tile
#define OW_NUM_DSRS OW_U(32)  // descriptors
#define OW_NUM_DIMENSIONS OW_U(4)  // dimensions of a descriptor
#define OW_NUM_FIFOS OW_U(4)  // FIFO registers
#define OW_NUM_TASKS OW_U(32)  // tasks
#define OW_MAX_THREADS OW_U(16)  // encodings of a thread
#define OW_FIRST_DATA_TASK OW_U(0)
#define OW_FIRST_CONTROL_TASK OW_U(8)
#define OW_FIRST_LOCAL_TASK OW_U(16)  // first task that runs only when it is activated
#define OW_TASK_TEARDOWN OW_U(29)  // task that a teardown of a colour activates
#define OW_ACC_ADDR_BIT OW_U(23)  // address bit of a descriptor that selects the accumulator cache
#define OW_ACC_LINES OW_U(16)  // lines of the accumulator cache; a line has one fp32 word per lane
#define OW_CONFIG_SRAM_UNIT OW_U(64)  // bytes of the unit in which CONFIG counts the SRAM
#define OW_BANK_WORD_BYTES OW_U(8)  // bytes of a word of a bank of the SRAM
#define OW_MBIST_WORD_CYCLES OW_U(154)
#define OW_CRC_POLYNOMIAL OW_U(0x3D65)  // CRC-16 of frames, on links and on chains
#define OW_STATION_ALL_COLUMNS OW_U(255)
#define OW_EDGE_PATTERN_LOW OW_U(0x9C66A5F0)
#define OW_EDGE_PATTERN_HIGH OW_U(0x15A3)  // the pattern's bits 44:32
#define OW_LANE_GROUPS OW_U(2)  // groups of lanes of one direction of a link
#define OW_GROUP_DATA OW_U(32)  // data lanes of a group
#define OW_GROUP_LANES OW_U(34)  // lanes of a group
#define OW_LANES_PER_LINK OW_U(68)  // lanes of one direction of a link
#define OW_MINI_LANE_GROUPS OW_U(1)  // groups of lanes of one direction of a link of `mini`
#define OW_MINI_GROUP_DATA OW_U(8)  // data lanes of such a group
#define OW_BEAT_BITS OW_U(64)
#define OW_FRAME_MARKER OW_U(31)  // `marker` of a first beat
#define OW_FRAME_NO_HEADER OW_U(31)  // `credit` of a frame whose first beat is idle
#define OW_FRAME_HINT_0 OW_U(7)  // `hint` in epoch 0
#define OW_FRAME_HINT_1 OW_U(56)  // `hint` in epoch 1
#define OW_FRAME_WINDOW OW_U(15)  // frames that may wait for an acknowledgement
#define OW_TRAIN_PERIOD OW_U(512)  // bits per lane of a period of training
#define OW_TRAIN_ONES OW_U(16)  // first one of the marker, zeros before
#define OW_TRAIN_MESSAGE OW_U(32)  // first bit of the message
#define OW_TRAIN_TEST OW_U(160)  // first bit of the test sequence
#define OW_MESSAGE_CHECK OW_U(1)  // `check` of a message
#define OW_NO_LANE OW_U(63)  // no faulty lane
#define OW_OPCODE_TENSOR OW_U(11)  // opcode of tensor instructions
#define OW_OPCODE_SYSTEM OW_U(43)  // opcode of system instructions
#define OW_NEXT_ARGUMENT OW_U(10)  // general register that ow.next sets to the wavelet's data
#define OW_NEXT_LINK OW_U(1)  // general register that ow.next sets to its own address
#define OW_HOST_PROTOCOL OW_U(1)  // version of the byte stream, in the answer to HOST_FRAME_OPEN
#define OW_HOST_FLAG OW_U(126)  // the byte between frames
#define OW_HOST_ESCAPE OW_U(125)  // the byte before one that would look like this or like HOST_FLAG
#define OW_HOST_ESCAPE_FLIP OW_U(32)  // that byte is sent XORed with this
#define OW_HOST_HEADER_BYTES OW_U(4)  // bytes of a frame's header
#define OW_HOST_CRC_BYTES OW_U(4)  // bytes of a frame's CRC
#define OW_HOST_PAYLOAD_MAX OW_U(128)  // bytes of a frame's payload, at most
#define OW_HOST_WINDOW OW_U(15)  // frames that are sent and not yet acknowledged, at most
#define OW_HOST_INFO_BYTES OW_U(9)  // bytes of the payload of HOST_FRAME_OPENED
#define OW_HOST_RESEND_TRIES OW_U(15)  // resends in a row without an answer, at most
#define OW_HOST_KIND_BITS OW_U(3)  // lowest bits of a frame's first byte: its kind
#define OW_HOST_TURN_BITS OW_U(4)  // bits above the kind: how often the sender has gone back
#define OW_HOST_NACK_BIT OW_U(7)  // bit of that byte: a request to go back
#define OW_HOST_QUIET_BIT OW_U(0)  // bit of a status record's flags: nothing moves
#define OW_HOST_CREDIT_BIT OW_U(1)
#define OW_HOST_ROOM_CREDITS_BIT OW_U(6)
#define OW_HOST_QUEUE_SLOTS OW_U(32)
#define OW_HOST_CHAIN_SKIP_BIT OW_U(7)
#define OW_HOST_CRC_POLYNOMIAL OW_U(0xEDB88320)  // CRC-32 of frames, least significant bit first
#define OW_HOST_CRC_GOOD OW_U(0xDEBB20E3)  // CRC-32 remainder of a whole frame
#define OW_FULL_LANES OW_U(8)
#define OW_FULL_SRAM_BYTES OW_U(49152)
#define OW_FULL_SRAM_BANKS OW_U(8)
#define OW_FULL_NUM_COLOURS OW_U(24)
#define OW_FULL_NUM_THREADS OW_U(13)
#define OW_FULL_QUEUE_DEPTH OW_U(8)
#define OW_FULL_LINE_SLOTS OW_U(8)
#define OW_FULL_WRITE_SLOTS OW_U(24)
#define OW_FULL_PACK_SLOTS OW_U(20)
#define OW_FULL_REDUCE_ADDERS OW_U(3)
#define OW_FULL_SMALL_ROUTER OW_U(0)
#define OW_FULL_SMALL_TILE OW_U(0)
#define OW_FULL_FEATURES OW_U(0xFFF134FF)
#define OW_FULL_OPERATIONS OW_U(0x3F)
#define OW_MINI_LANES OW_U(2)
#define OW_MINI_SRAM_BYTES OW_U(8192)
#define OW_MINI_SRAM_BANKS OW_U(2)
#define OW_MINI_NUM_COLOURS OW_U(4)
#define OW_MINI_NUM_THREADS OW_U(3)
#define OW_MINI_QUEUE_DEPTH OW_U(8)
#define OW_MINI_LINE_SLOTS OW_U(4)
#define OW_MINI_WRITE_SLOTS OW_U(4)
#define OW_MINI_PACK_SLOTS OW_U(9)
#define OW_MINI_REDUCE_ADDERS OW_U(1)
#define OW_MINI_SMALL_ROUTER OW_U(1)
#define OW_MINI_SMALL_TILE OW_U(1)
#define OW_MINI_FEATURES OW_U(0x7DE84040)
#define OW_MINI_OPERATIONS OW_U(0x0)

// Registers of the tile: offsets from OW_TILE_REGS.
#define OW_TILE_REGS OW_U(0xF0000000)
#define OW_TILE_REGS_BYTES OW_U(0x900)
#define OW_REG_ROUTE(c) (OW_U(0x000) + OW_U(4) * (c))
#define OW_REG_SWITCH(c) (OW_U(0x080) + OW_U(4) * (c))
#define OW_REG_FILTER(f) (OW_U(0x800) + OW_U(16) * (f))
#define OW_REG_FILTER_LIMITS(f) (OW_U(0x804) + OW_U(16) * (f))
#define OW_REG_FILTER_COUNT(f) (OW_U(0x808) + OW_U(16) * (f))
#define OW_REG_RT_OCCUPIED OW_U(0x700)
#define OW_REG_RT_MISROUTE OW_U(0x704)
#define OW_REG_RT_CONTROL OW_U(0x708)
#define OW_REG_RT_TORN OW_U(0x70C)
#define OW_REG_RT_CREDITS(k) (OW_U(0x740) + OW_U(4) * (k))
#define OW_REG_REQUEST OW_U(0x7A0)
#define OW_REG_INQ(q) (OW_U(0x100) + OW_U(4) * (q))
#define OW_REG_OUTQ(q) (OW_U(0x140) + OW_U(4) * (q))
#define OW_REG_INQ_LEVEL OW_U(0x180)
#define OW_REG_OUTQ_LEVEL OW_U(0x184)
#define OW_REG_PUSH(q) (OW_U(0x1C0) + OW_U(8) * (q))
#define OW_REG_PUSH_CTRL(q) (OW_U(0x1C4) + OW_U(8) * (q))
#define OW_REG_TASK_ENTRY(t) (OW_U(0x200) + OW_U(4) * (t))
#define OW_REG_TASK_ACTIVATE OW_U(0x280)
#define OW_REG_TASK_BLOCK OW_U(0x284)
#define OW_REG_TASK_UNBLOCK OW_U(0x288)
#define OW_REG_TASK_RUNNING OW_U(0x28C)
#define OW_REG_TASK_PRIORITY OW_U(0x290)
#define OW_REG_RED_ACC OW_U(0x300)
#define OW_REG_RED_COUNT OW_U(0x304)
#define OW_REG_RED_PHASE OW_U(0x308)
#define OW_REG_RED_ACT_LT OW_U(0x30C)
#define OW_REG_RED_ACT_EQ OW_U(0x310)
#define OW_REG_RED_ACT_GT OW_U(0x314)
#define OW_REG_RED_BIAS OW_U(0x318)
#define OW_REG_RED_DST OW_U(0x31C)
#define OW_REG_RED_PITCH OW_U(0x320)
#define OW_REG_RED_STATUS OW_U(0x324)
#define OW_REG_RED_START OW_U(0x328)
#define OW_REG_COUNTER(k) (OW_U(0x400) + OW_U(8) * (k))
#define OW_REG_COUNTER_HIGH(k) (OW_U(0x404) + OW_U(8) * (k))
#define OW_REG_CORE_CTRL OW_U(0x500)
#define OW_REG_CORE_PC OW_U(0x504)
#define OW_REG_CORE_STATUS OW_U(0x508)
#define OW_REG_CORE_TVAL OW_U(0x50C)
#define OW_REG_ENGINE_FAULT OW_U(0x510)
#define OW_REG_ERROR OW_U(0x514)
#define OW_REG_ERROR_ADDR OW_U(0x518)
#define OW_REG_ERROR_PC OW_U(0x51C)
#define OW_REG_STACK_LIMIT OW_U(0x520)
#define OW_REG_TEXT_LIMIT OW_U(0x524)
#define OW_REG_THREAD(t) (OW_U(0x600) + OW_U(4) * (t))
#define OW_REG_ROW OW_U(0x780)
#define OW_REG_COL OW_U(0x784)
#define OW_REG_CONFIG OW_U(0x788)
#define OW_REG_FEATURES OW_U(0x78C)
#define OW_REG_OPERATIONS OW_U(0x7A4)
#define OW_REG_PRNG(k) (OW_U(0x790) + OW_U(4) * (k))
#define OW_REG_MBIST OW_U(0x7C0)
#define OW_REG_MBIST_ROW OW_U(0x7C4)
#define OW_REG_MBIST_BITS OW_U(0x7C8)
#define OW_REG_MBIST_BITS_HIGH OW_U(0x7CC)

// Fields of words: _LSB and _MASK (in place), NAME(x) puts x into place, NAME_OF(w) takes it out.
#define OW_CREDIT_COLOUR_LSB 0  // colour
#define OW_CREDIT_COLOUR_MASK OW_U(0x1F)
#define OW_CREDIT_COLOUR(x) (((uint32_t)(x) & 0x1Fu) << 0)
#define OW_CREDIT_COLOUR_OF(w) (((uint32_t)(w) >> 0) & 0x1Fu)
#define OW_CREDIT_VALID_LSB 5  // there is one
#define OW_CREDIT_VALID_MASK OW_U(0x20)
#define OW_CREDIT_VALID(x) (((uint32_t)(x) & 0x1u) << 5)
#define OW_CREDIT_VALID_OF(w) (((uint32_t)(w) >> 5) & 0x1u)
#define OW_POSITION_OUT_MASK_LSB 0  // outputs, one bit per port (N E S W ramp, lowest first)
#define OW_POSITION_OUT_MASK_MASK OW_U(0x1F)
#define OW_POSITION_OUT_MASK(x) (((uint32_t)(x) & 0x1Fu) << 0)
#define OW_POSITION_OUT_MASK_OF(w) (((uint32_t)(w) >> 0) & 0x1Fu)
#define OW_POSITION_IN_PORT_LSB 5  // input port
#define OW_POSITION_IN_PORT_MASK OW_U(0xE0)
#define OW_POSITION_IN_PORT(x) (((uint32_t)(x) & 0x7u) << 5)
#define OW_POSITION_IN_PORT_OF(w) (((uint32_t)(w) >> 5) & 0x7u)
#define OW_COMMAND_OP_LSB 0  // what the switch does
#define OW_COMMAND_OP_MASK OW_U(0x3)
#define OW_COMMAND_OP(x) (((uint32_t)(x) & 0x3u) << 0)
#define OW_COMMAND_OP_OF(w) (((uint32_t)(w) >> 0) & 0x3u)
#define OW_COMMAND_NOCE_LSB 2
#define OW_COMMAND_NOCE_MASK OW_U(0x4)
#define OW_COMMAND_NOCE(x) (((uint32_t)(x) & 0x1u) << 2)
#define OW_COMMAND_NOCE_OF(w) (((uint32_t)(w) >> 2) & 0x1u)
#define OW_CONTROL_ROW_END_LSB 0  // at the ramp, closes an accumulator row
#define OW_CONTROL_ROW_END_MASK OW_U(0x1)
#define OW_CONTROL_ROW_END(x) (((uint32_t)(x) & 0x1u) << 0)
#define OW_CONTROL_ROW_END_OF(w) (((uint32_t)(w) >> 0) & 0x1u)
#define OW_CONTROL_STREAM_END_LSB 1  // at the ramp, ends the instruction that consumes the stream
#define OW_CONTROL_STREAM_END_MASK OW_U(0x2)
#define OW_CONTROL_STREAM_END(x) (((uint32_t)(x) & 0x1u) << 1)
#define OW_CONTROL_STREAM_END_OF(w) (((uint32_t)(w) >> 1) & 0x1u)
#define OW_CONTROL_COMMANDS_LSB 2  // the list of commands, slot 0 first, 3 bits each
#define OW_CONTROL_COMMANDS_MASK OW_U(0x1C)
#define OW_CONTROL_COMMANDS(i, x) (((uint32_t)(x) & 0x7u) << (2 + 3 * (i)))
#define OW_CONTROL_COMMANDS_OF(w, i) (((uint32_t)(w) >> (2 + 3 * (i))) & 0x7u)
#define OW_CONTROL_IDENTITY_LSB 26  // free: an identity for the control task
#define OW_CONTROL_IDENTITY_MASK OW_U(0xFC000000)
#define OW_CONTROL_IDENTITY(x) (((uint32_t)(x) & 0x3Fu) << 26)
#define OW_CONTROL_IDENTITY_OF(w) (((uint32_t)(w) >> 26) & 0x3Fu)
#define OW_PACKET_HEADER_NEAR_HOPS_LSB 0  // hops to the first column (row) of the rectangle
#define OW_PACKET_HEADER_NEAR_HOPS_MASK OW_U(0xFFF)
#define OW_PACKET_HEADER_NEAR_HOPS(x) (((uint32_t)(x) & 0xFFFu) << 0)
#define OW_PACKET_HEADER_NEAR_HOPS_OF(w) (((uint32_t)(w) >> 0) & 0xFFFu)
#define OW_PACKET_HEADER_FAR_HOPS_LSB 12  // hops to the last one
#define OW_PACKET_HEADER_FAR_HOPS_MASK OW_U(0xFFF000)
#define OW_PACKET_HEADER_FAR_HOPS(x) (((uint32_t)(x) & 0xFFFu) << 12)
#define OW_PACKET_HEADER_FAR_HOPS_OF(w) (((uint32_t)(w) >> 12) & 0xFFFu)
#define OW_PACKET_HEADER_TO_EDGE_LSB 30
#define OW_PACKET_HEADER_TO_EDGE_MASK OW_U(0x40000000)
#define OW_PACKET_HEADER_TO_EDGE(x) (((uint32_t)(x) & 0x1u) << 30)
#define OW_PACKET_HEADER_TO_EDGE_OF(w) (((uint32_t)(w) >> 30) & 0x1u)
#define OW_PACKET_HEADER_NEGATIVE_LSB 31  // direction: 0 east (south), 1 west (north)
#define OW_PACKET_HEADER_NEGATIVE_MASK OW_U(0x80000000)
#define OW_PACKET_HEADER_NEGATIVE(x) (((uint32_t)(x) & 0x1u) << 31)
#define OW_PACKET_HEADER_NEGATIVE_OF(w) (((uint32_t)(w) >> 31) & 0x1u)
#define OW_PACKET_COMMAND_COUNT_LSB 0  // number of 32-bit words (1 to 65535)
#define OW_PACKET_COMMAND_COUNT_MASK OW_U(0xFFFF)
#define OW_PACKET_COMMAND_COUNT(x) (((uint32_t)(x) & 0xFFFFu) << 0)
#define OW_PACKET_COMMAND_COUNT_OF(w) (((uint32_t)(w) >> 0) & 0xFFFFu)
#define OW_PACKET_COMMAND_TAG_LSB 16  // comes back with the response
#define OW_PACKET_COMMAND_TAG_MASK OW_U(0xFF0000)
#define OW_PACKET_COMMAND_TAG(x) (((uint32_t)(x) & 0xFFu) << 16)
#define OW_PACKET_COMMAND_TAG_OF(w) (((uint32_t)(w) >> 16) & 0xFFu)
#define OW_PACKET_COMMAND_OPERATION_LSB 28  // operation
#define OW_PACKET_COMMAND_OPERATION_MASK OW_U(0xF0000000)
#define OW_PACKET_COMMAND_OPERATION(x) (((uint32_t)(x) & 0xFu) << 28)
#define OW_PACKET_COMMAND_OPERATION_OF(w) (((uint32_t)(w) >> 28) & 0xFu)
#define OW_PACKET_RESPONSE_COUNT_LSB 0  // number of words that follow
#define OW_PACKET_RESPONSE_COUNT_MASK OW_U(0xFFFF)
#define OW_PACKET_RESPONSE_COUNT(x) (((uint32_t)(x) & 0xFFFFu) << 0)
#define OW_PACKET_RESPONSE_COUNT_OF(w) (((uint32_t)(w) >> 0) & 0xFFFFu)
#define OW_PACKET_RESPONSE_TAG_LSB 16  // the tag
#define OW_PACKET_RESPONSE_TAG_MASK OW_U(0xFF0000)
#define OW_PACKET_RESPONSE_TAG(x) (((uint32_t)(x) & 0xFFu) << 16)
#define OW_PACKET_RESPONSE_TAG_OF(w) (((uint32_t)(w) >> 16) & 0xFFu)
#define OW_PACKET_RESPONSE_STATUS_LSB 28  // status
#define OW_PACKET_RESPONSE_STATUS_MASK OW_U(0xF0000000)
#define OW_PACKET_RESPONSE_STATUS(x) (((uint32_t)(x) & 0xFu) << 28)
#define OW_PACKET_RESPONSE_STATUS_OF(w) (((uint32_t)(w) >> 28) & 0xFu)
#define OW_PACKET_BRIEF_HOPS_X_LSB 0
#define OW_PACKET_BRIEF_HOPS_X_MASK OW_U(0xFFF)
#define OW_PACKET_BRIEF_HOPS_X(x) (((uint32_t)(x) & 0xFFFu) << 0)
#define OW_PACKET_BRIEF_HOPS_X_OF(w) (((uint32_t)(w) >> 0) & 0xFFFu)
#define OW_PACKET_BRIEF_HOPS_Y_LSB 12  // hops along the column
#define OW_PACKET_BRIEF_HOPS_Y_MASK OW_U(0xFFF000)
#define OW_PACKET_BRIEF_HOPS_Y(x) (((uint32_t)(x) & 0xFFFu) << 12)
#define OW_PACKET_BRIEF_HOPS_Y_OF(w) (((uint32_t)(w) >> 12) & 0xFFFu)
#define OW_PACKET_BRIEF_TASK_ID_LSB 24  // the task
#define OW_PACKET_BRIEF_TASK_ID_MASK OW_U(0x1F000000)
#define OW_PACKET_BRIEF_TASK_ID(x) (((uint32_t)(x) & 0x1Fu) << 24)
#define OW_PACKET_BRIEF_TASK_ID_OF(w) (((uint32_t)(w) >> 24) & 0x1Fu)
#define OW_PACKET_BRIEF_ACTIVATE_LSB 29  // the tile activates the task
#define OW_PACKET_BRIEF_ACTIVATE_MASK OW_U(0x20000000)
#define OW_PACKET_BRIEF_ACTIVATE(x) (((uint32_t)(x) & 0x1u) << 29)
#define OW_PACKET_BRIEF_ACTIVATE_OF(w) (((uint32_t)(w) >> 29) & 0x1u)
#define OW_PACKET_BRIEF_NORTH_LSB 30  // along the column to the north (0: to the south)
#define OW_PACKET_BRIEF_NORTH_MASK OW_U(0x40000000)
#define OW_PACKET_BRIEF_NORTH(x) (((uint32_t)(x) & 0x1u) << 30)
#define OW_PACKET_BRIEF_NORTH_OF(w) (((uint32_t)(w) >> 30) & 0x1u)
#define OW_PACKET_BRIEF_WEST_LSB 31  // along the row to the west (0: to the east)
#define OW_PACKET_BRIEF_WEST_MASK OW_U(0x80000000)
#define OW_PACKET_BRIEF_WEST(x) (((uint32_t)(x) & 0x1u) << 31)
#define OW_PACKET_BRIEF_WEST_OF(w) (((uint32_t)(w) >> 31) & 0x1u)
#define OW_TILE_FUSE_S_SHIFT_LSB 0  // shift to the south
#define OW_TILE_FUSE_S_SHIFT_MASK OW_U(0x7)
#define OW_TILE_FUSE_S_SHIFT(x) (((uint32_t)(x) & 0x7u) << 0)
#define OW_TILE_FUSE_S_SHIFT_OF(w) (((uint32_t)(w) >> 0) & 0x7u)
#define OW_TILE_FUSE_S_SKIP_LSB 3  // skip to the south
#define OW_TILE_FUSE_S_SKIP_MASK OW_U(0x18)
#define OW_TILE_FUSE_S_SKIP(x) (((uint32_t)(x) & 0x3u) << 3)
#define OW_TILE_FUSE_S_SKIP_OF(w) (((uint32_t)(w) >> 3) & 0x3u)
#define OW_TILE_FUSE_N_SHIFT_LSB 5  // shift to the north
#define OW_TILE_FUSE_N_SHIFT_MASK OW_U(0xE0)
#define OW_TILE_FUSE_N_SHIFT(x) (((uint32_t)(x) & 0x7u) << 5)
#define OW_TILE_FUSE_N_SHIFT_OF(w) (((uint32_t)(w) >> 5) & 0x7u)
#define OW_TILE_FUSE_N_SKIP_LSB 8  // skip to the north
#define OW_TILE_FUSE_N_SKIP_MASK OW_U(0x300)
#define OW_TILE_FUSE_N_SKIP(x) (((uint32_t)(x) & 0x3u) << 8)
#define OW_TILE_FUSE_N_SKIP_OF(w) (((uint32_t)(w) >> 8) & 0x3u)
#define OW_TILE_FUSE_E_SKIP_LSB 10  // skip to the east
#define OW_TILE_FUSE_E_SKIP_MASK OW_U(0xC00)
#define OW_TILE_FUSE_E_SKIP(x) (((uint32_t)(x) & 0x3u) << 10)
#define OW_TILE_FUSE_E_SKIP_OF(w) (((uint32_t)(w) >> 10) & 0x3u)
#define OW_TILE_FUSE_W_SKIP_LSB 12  // skip to the west
#define OW_TILE_FUSE_W_SKIP_MASK OW_U(0x3000)
#define OW_TILE_FUSE_W_SKIP(x) (((uint32_t)(x) & 0x3u) << 12)
#define OW_TILE_FUSE_W_SKIP_OF(w) (((uint32_t)(w) >> 12) & 0x3u)
#define OW_TILE_FUSE_ENABLE_LSB 14  // it is a logical tile
#define OW_TILE_FUSE_ENABLE_MASK OW_U(0x4000)
#define OW_TILE_FUSE_ENABLE(x) (((uint32_t)(x) & 0x1u) << 14)
#define OW_TILE_FUSE_ENABLE_OF(w) (((uint32_t)(w) >> 14) & 0x1u)
#define OW_ROW_FUSE_E_SLOT_LSB 0  // of its east end
#define OW_ROW_FUSE_E_SLOT_MASK OW_U(0x7)
#define OW_ROW_FUSE_E_SLOT(x) (((uint32_t)(x) & 0x7u) << 0)
#define OW_ROW_FUSE_E_SLOT_OF(w) (((uint32_t)(w) >> 0) & 0x7u)
#define OW_ROW_FUSE_W_SLOT_LSB 3  // of its west end
#define OW_ROW_FUSE_W_SLOT_MASK OW_U(0x38)
#define OW_ROW_FUSE_W_SLOT(x) (((uint32_t)(x) & 0x7u) << 3)
#define OW_ROW_FUSE_W_SLOT_OF(w) (((uint32_t)(w) >> 3) & 0x7u)
#define OW_LINK_CREDITS_COLOUR_LSB 0  // their colour + 1; 0: none
#define OW_LINK_CREDITS_COLOUR_MASK OW_U(0x1F)
#define OW_LINK_CREDITS_COLOUR(x) (((uint32_t)(x) & 0x1Fu) << 0)
#define OW_LINK_CREDITS_COLOUR_OF(w) (((uint32_t)(w) >> 0) & 0x1Fu)
#define OW_LINK_CREDITS_COUNT_LSB 5  // number of credits less one
#define OW_LINK_CREDITS_COUNT_MASK OW_U(0xE0)
#define OW_LINK_CREDITS_COUNT(x) (((uint32_t)(x) & 0x7u) << 5)
#define OW_LINK_CREDITS_COUNT_OF(w) (((uint32_t)(w) >> 5) & 0x7u)
#define OW_LINK_CREDITS_GRANT_LSB 8  // credits of the neighbour's router that pass through the link
#define OW_LINK_CREDITS_GRANT_MASK OW_U(0x100)
#define OW_LINK_CREDITS_GRANT(x) (((uint32_t)(x) & 0x1u) << 8)
#define OW_LINK_CREDITS_GRANT_OF(w) (((uint32_t)(w) >> 8) & 0x1u)
#define OW_LINK_MESSAGE_DONE_LSB 0  // this end's receiver has its delays and knows the faulty lanes
#define OW_LINK_MESSAGE_DONE_MASK OW_U(0x1)
#define OW_LINK_MESSAGE_DONE(x) (((uint32_t)(x) & 0x1u) << 0)
#define OW_LINK_MESSAGE_DONE_OF(w) (((uint32_t)(w) >> 0) & 0x1u)
#define OW_LINK_MESSAGE_READY_LSB 1
#define OW_LINK_MESSAGE_READY_MASK OW_U(0x2)
#define OW_LINK_MESSAGE_READY(x) (((uint32_t)(x) & 0x1u) << 1)
#define OW_LINK_MESSAGE_READY_OF(w) (((uint32_t)(w) >> 1) & 0x1u)
#define OW_LINK_MESSAGE_GO_LSB 2  // frames follow this period
#define OW_LINK_MESSAGE_GO_MASK OW_U(0x4)
#define OW_LINK_MESSAGE_GO(x) (((uint32_t)(x) & 0x1u) << 2)
#define OW_LINK_MESSAGE_GO_OF(w) (((uint32_t)(w) >> 2) & 0x1u)
#define OW_LINK_MESSAGE_FAIL_LSB 3  // this end cannot come up
#define OW_LINK_MESSAGE_FAIL_MASK OW_U(0x8)
#define OW_LINK_MESSAGE_FAIL(x) (((uint32_t)(x) & 0x1u) << 3)
#define OW_LINK_MESSAGE_FAIL_OF(w) (((uint32_t)(w) >> 3) & 0x1u)
#define OW_LINK_MESSAGE_FRESH_LSB 4  // nothing was sent or taken since reset
#define OW_LINK_MESSAGE_FRESH_MASK OW_U(0x10)
#define OW_LINK_MESSAGE_FRESH(x) (((uint32_t)(x) & 0x1u) << 4)
#define OW_LINK_MESSAGE_FRESH_OF(w) (((uint32_t)(w) >> 4) & 0x1u)
#define OW_LINK_MESSAGE_CHECK_LSB 6  // 01
#define OW_LINK_MESSAGE_CHECK_MASK OW_U(0xC0)
#define OW_LINK_MESSAGE_CHECK(x) (((uint32_t)(x) & 0x3u) << 6)
#define OW_LINK_MESSAGE_CHECK_OF(w) (((uint32_t)(w) >> 6) & 0x3u)
#define OW_LINK_MESSAGE_G0_LO_LSB 8  // lower faulty lane of group 0, 63 if there is none
#define OW_LINK_MESSAGE_G0_LO_MASK OW_U(0x3F00)
#define OW_LINK_MESSAGE_G0_LO(x) (((uint32_t)(x) & 0x3Fu) << 8)
#define OW_LINK_MESSAGE_G0_LO_OF(w) (((uint32_t)(w) >> 8) & 0x3Fu)
#define OW_LINK_MESSAGE_G0_HI_LSB 14  // higher faulty lane of group 0
#define OW_LINK_MESSAGE_G0_HI_MASK OW_U(0xFC000)
#define OW_LINK_MESSAGE_G0_HI(x) (((uint32_t)(x) & 0x3Fu) << 14)
#define OW_LINK_MESSAGE_G0_HI_OF(w) (((uint32_t)(w) >> 14) & 0x3Fu)
#define OW_LINK_MESSAGE_G1_LO_LSB 20  // the same of group 1
#define OW_LINK_MESSAGE_G1_LO_MASK OW_U(0x3F00000)
#define OW_LINK_MESSAGE_G1_LO(x) (((uint32_t)(x) & 0x3Fu) << 20)
#define OW_LINK_MESSAGE_G1_LO_OF(w) (((uint32_t)(w) >> 20) & 0x3Fu)
#define OW_LINK_MESSAGE_G1_HI_LSB 26  // the same of group 1
#define OW_LINK_MESSAGE_G1_HI_MASK OW_U(0xFC000000)
#define OW_LINK_MESSAGE_G1_HI(x) (((uint32_t)(x) & 0x3Fu) << 26)
#define OW_LINK_MESSAGE_G1_HI_OF(w) (((uint32_t)(w) >> 26) & 0x3Fu)
#define OW_LINK_MAP_G0_LO_LSB 0  // lower faulty lane of group 0
#define OW_LINK_MAP_G0_LO_MASK OW_U(0x3F)
#define OW_LINK_MAP_G0_LO(x) (((uint32_t)(x) & 0x3Fu) << 0)
#define OW_LINK_MAP_G0_LO_OF(w) (((uint32_t)(w) >> 0) & 0x3Fu)
#define OW_LINK_MAP_G0_HI_LSB 6  // higher faulty lane of group 0
#define OW_LINK_MAP_G0_HI_MASK OW_U(0xFC0)
#define OW_LINK_MAP_G0_HI(x) (((uint32_t)(x) & 0x3Fu) << 6)
#define OW_LINK_MAP_G0_HI_OF(w) (((uint32_t)(w) >> 6) & 0x3Fu)
#define OW_LINK_MAP_G1_LO_LSB 12  // lower faulty lane of group 1
#define OW_LINK_MAP_G1_LO_MASK OW_U(0x3F000)
#define OW_LINK_MAP_G1_LO(x) (((uint32_t)(x) & 0x3Fu) << 12)
#define OW_LINK_MAP_G1_LO_OF(w) (((uint32_t)(w) >> 12) & 0x3Fu)
#define OW_LINK_MAP_G1_HI_LSB 18  // higher faulty lane of group 1
#define OW_LINK_MAP_G1_HI_MASK OW_U(0xFC0000)
#define OW_LINK_MAP_G1_HI(x) (((uint32_t)(x) & 0x3Fu) << 18)
#define OW_LINK_MAP_G1_HI_OF(w) (((uint32_t)(w) >> 18) & 0x3Fu)
#define OW_LINK_DELAYS_DELAY_LSB 0  // 6 bits each: [2:0] eighths of a bit, [4:3] whole bits
#define OW_LINK_DELAYS_DELAY_MASK OW_U(0x3F)
#define OW_LINK_DELAYS_DELAY(i, x) (((uint32_t)(x) & 0x3Fu) << (0 + 6 * (i)))
#define OW_LINK_DELAYS_DELAY_OF(w, i) (((uint32_t)(w) >> (0 + 6 * (i))) & 0x3Fu)
#define OW_CTL_DST_LSB 0  // DSR of dst
#define OW_CTL_DST_MASK OW_U(0x1F)
#define OW_CTL_DST(x) (((uint32_t)(x) & 0x1Fu) << 0)
#define OW_CTL_DST_OF(w) (((uint32_t)(w) >> 0) & 0x1Fu)
#define OW_CTL_A_LSB 5  // DSR of a
#define OW_CTL_A_MASK OW_U(0x3E0)
#define OW_CTL_A(x) (((uint32_t)(x) & 0x1Fu) << 5)
#define OW_CTL_A_OF(w) (((uint32_t)(w) >> 5) & 0x1Fu)
#define OW_CTL_B_LSB 10  // DSR of b
#define OW_CTL_B_MASK OW_U(0x7C00)
#define OW_CTL_B(x) (((uint32_t)(x) & 0x1Fu) << 10)
#define OW_CTL_B_OF(w) (((uint32_t)(w) >> 10) & 0x1Fu)
#define OW_CTL_SCALAR_LSB 15  // b is the scalar rs2 (for mov: a is the scalar)
#define OW_CTL_SCALAR_MASK OW_U(0x8000)
#define OW_CTL_SCALAR(x) (((uint32_t)(x) & 0x1u) << 15)
#define OW_CTL_SCALAR_OF(w) (((uint32_t)(w) >> 15) & 0x1u)
#define OW_CTL_THREAD_LSB 16
#define OW_CTL_THREAD_MASK OW_U(0xF0000)
#define OW_CTL_THREAD(x) (((uint32_t)(x) & 0xFu) << 16)
#define OW_CTL_THREAD_OF(w) (((uint32_t)(w) >> 16) & 0xFu)
#define OW_CTL_PRIO_LSB 20  // priority: the thread goes before others, but does not starve them
#define OW_CTL_PRIO_MASK OW_U(0x100000)
#define OW_CTL_PRIO(x) (((uint32_t)(x) & 0x1u) << 20)
#define OW_CTL_PRIO_OF(w) (((uint32_t)(w) >> 20) & 0x1u)
#define OW_CTL_STOCH_LSB 21  // stochastic rounding (cvt from f32 to f16 or bf16)
#define OW_CTL_STOCH_MASK OW_U(0x200000)
#define OW_CTL_STOCH(x) (((uint32_t)(x) & 0x1u) << 21)
#define OW_CTL_STOCH_OF(w) (((uint32_t)(w) >> 21) & 0x1u)
#define OW_CTL_FRESH_LSB 22
#define OW_CTL_FRESH_MASK OW_U(0x400000)
#define OW_CTL_FRESH(x) (((uint32_t)(x) & 0x1u) << 22)
#define OW_CTL_FRESH_OF(w) (((uint32_t)(w) >> 22) & 0x1u)
#define OW_CTL_DONE_LSB 24  // what a completion does to the task
#define OW_CTL_DONE_MASK OW_U(0x3000000)
#define OW_CTL_DONE(x) (((uint32_t)(x) & 0x3u) << 24)
#define OW_CTL_DONE_OF(w) (((uint32_t)(w) >> 24) & 0x3u)
#define OW_CTL_TASK_ID_LSB 26  // the task
#define OW_CTL_TASK_ID_MASK OW_U(0x7C000000)
#define OW_CTL_TASK_ID(x) (((uint32_t)(x) & 0x1Fu) << 26)
#define OW_CTL_TASK_ID_OF(w) (((uint32_t)(w) >> 26) & 0x1Fu)
#define OW_DSR0_KIND_LSB 0  // kind
#define OW_DSR0_KIND_MASK OW_U(0xF)
#define OW_DSR0_KIND(x) (((uint32_t)(x) & 0xFu) << 0)
#define OW_DSR0_KIND_OF(w) (((uint32_t)(w) >> 0) & 0xFu)
#define OW_DSR0_TY_LSB 4  // element type
#define OW_DSR0_TY_MASK OW_U(0x70)
#define OW_DSR0_TY(x) (((uint32_t)(x) & 0x7u) << 4)
#define OW_DSR0_TY_OF(w) (((uint32_t)(w) >> 4) & 0x7u)
#define OW_DSR0_QUEUE_NO_LSB 8  // queue (fabric kinds); FIFO register 0 to 3
#define OW_DSR0_QUEUE_NO_MASK OW_U(0x700)
#define OW_DSR0_QUEUE_NO(x) (((uint32_t)(x) & 0x7u) << 8)
#define OW_DSR0_QUEUE_NO_OF(w) (((uint32_t)(w) >> 8) & 0x7u)
#define OW_DSR0_SAVE_ADDRESS_LSB 11  // at completion the advanced address is written to word 1
#define OW_DSR0_SAVE_ADDRESS_MASK OW_U(0x800)
#define OW_DSR0_SAVE_ADDRESS(x) (((uint32_t)(x) & 0x1u) << 11)
#define OW_DSR0_SAVE_ADDRESS_OF(w) (((uint32_t)(w) >> 11) & 0x1u)
#define OW_DSR0_CLOSE_LSB 12  // fabric out: append a control wavelet at the end
#define OW_DSR0_CLOSE_MASK OW_U(0x1000)
#define OW_DSR0_CLOSE(x) (((uint32_t)(x) & 0x1u) << 12)
#define OW_DSR0_CLOSE_OF(w) (((uint32_t)(w) >> 12) & 0x1u)
#define OW_DSR0_CLOSE_ROW_END_LSB 13  // row-end bit of that control wavelet
#define OW_DSR0_CLOSE_ROW_END_MASK OW_U(0x2000)
#define OW_DSR0_CLOSE_ROW_END(x) (((uint32_t)(x) & 0x1u) << 13)
#define OW_DSR0_CLOSE_ROW_END_OF(w) (((uint32_t)(w) >> 13) & 0x1u)
#define OW_DSR0_CLOSE_STREAM_END_LSB 14  // stream-end bit of that control wavelet
#define OW_DSR0_CLOSE_STREAM_END_MASK OW_U(0x4000)
#define OW_DSR0_CLOSE_STREAM_END(x) (((uint32_t)(x) & 0x1u) << 14)
#define OW_DSR0_CLOSE_STREAM_END_OF(w) (((uint32_t)(w) >> 14) & 0x1u)
#define OW_DSR0_SKIP_LSB 15  // fabric out: zeros are not sent (-0 neither)
#define OW_DSR0_SKIP_MASK OW_U(0x8000)
#define OW_DSR0_SKIP(x) (((uint32_t)(x) & 0x1u) << 15)
#define OW_DSR0_SKIP_OF(w) (((uint32_t)(w) >> 15) & 0x1u)
#define OW_DSR0_TAG_LSB 16
#define OW_DSR0_TAG_MASK OW_U(0x10000)
#define OW_DSR0_TAG(x) (((uint32_t)(x) & 0x1u) << 16)
#define OW_DSR0_TAG_OF(w) (((uint32_t)(w) >> 16) & 0x1u)
#define OW_DSR_ADDRESS_ADDRESS_LSB 0  // byte address; bit 23 set: accumulator cache
#define OW_DSR_ADDRESS_ADDRESS_MASK OW_U(0xFFFFFF)
#define OW_DSR_ADDRESS_ADDRESS(x) (((uint32_t)(x) & 0xFFFFFFu) << 0)
#define OW_DSR_ADDRESS_ADDRESS_OF(w) (((uint32_t)(w) >> 0) & 0xFFFFFFu)
#define OW_DIM_LENGTH_LSB 0  // length in elements; 0: not used
#define OW_DIM_LENGTH_MASK OW_U(0xFFFF)
#define OW_DIM_LENGTH(x) (((uint32_t)(x) & 0xFFFFu) << 0)
#define OW_DIM_LENGTH_OF(w) (((uint32_t)(w) >> 0) & 0xFFFFu)
#define OW_DIM_STEP_LSB 16
#define OW_DIM_STEP_MASK OW_U(0xFFFF0000)
#define OW_DIM_STEP(x) (((uint32_t)(x) & 0xFFFFu) << 16)
#define OW_DIM_STEP_OF(w) (((uint32_t)(w) >> 16) & 0xFFFFu)
#define OW_RED_ACTION_ENABLE_LSB 0  // 0: the row is dropped
#define OW_RED_ACTION_ENABLE_MASK OW_U(0x1)
#define OW_RED_ACTION_ENABLE(x) (((uint32_t)(x) & 0x1u) << 0)
#define OW_RED_ACTION_ENABLE_OF(w) (((uint32_t)(w) >> 0) & 0x1u)
#define OW_RED_ACTION_IN0_LSB 1  // add in0
#define OW_RED_ACTION_IN0_MASK OW_U(0x2)
#define OW_RED_ACTION_IN0(x) (((uint32_t)(x) & 0x1u) << 1)
#define OW_RED_ACTION_IN0_OF(w) (((uint32_t)(w) >> 1) & 0x1u)
#define OW_RED_ACTION_IN0_Q_LSB 2  // in0 queue
#define OW_RED_ACTION_IN0_Q_MASK OW_U(0x1C)
#define OW_RED_ACTION_IN0_Q(x) (((uint32_t)(x) & 0x7u) << 2)
#define OW_RED_ACTION_IN0_Q_OF(w) (((uint32_t)(w) >> 2) & 0x7u)
#define OW_RED_ACTION_IN1_LSB 5  // add in1
#define OW_RED_ACTION_IN1_MASK OW_U(0x20)
#define OW_RED_ACTION_IN1(x) (((uint32_t)(x) & 0x1u) << 5)
#define OW_RED_ACTION_IN1_OF(w) (((uint32_t)(w) >> 5) & 0x1u)
#define OW_RED_ACTION_IN1_Q_LSB 6  // in1 queue
#define OW_RED_ACTION_IN1_Q_MASK OW_U(0x1C0)
#define OW_RED_ACTION_IN1_Q(x) (((uint32_t)(x) & 0x7u) << 6)
#define OW_RED_ACTION_IN1_Q_OF(w) (((uint32_t)(w) >> 6) & 0x7u)
#define OW_RED_ACTION_MEMORY_LSB 9  // to memory (0: to the fabric)
#define OW_RED_ACTION_MEMORY_MASK OW_U(0x200)
#define OW_RED_ACTION_MEMORY(x) (((uint32_t)(x) & 0x1u) << 9)
#define OW_RED_ACTION_MEMORY_OF(w) (((uint32_t)(w) >> 9) & 0x1u)
#define OW_RED_ACTION_OUT_Q_LSB 10  // output queue
#define OW_RED_ACTION_OUT_Q_MASK OW_U(0x1C00)
#define OW_RED_ACTION_OUT_Q(x) (((uint32_t)(x) & 0x7u) << 10)
#define OW_RED_ACTION_OUT_Q_OF(w) (((uint32_t)(w) >> 10) & 0x7u)
#define OW_RED_ACTION_BIAS_LSB 13  // add a bias
#define OW_RED_ACTION_BIAS_MASK OW_U(0x2000)
#define OW_RED_ACTION_BIAS(x) (((uint32_t)(x) & 0x1u) << 13)
#define OW_RED_ACTION_BIAS_OF(w) (((uint32_t)(w) >> 13) & 0x1u)
#define OW_RED_ACTION_F16_LSB 14  // round to binary16
#define OW_RED_ACTION_F16_MASK OW_U(0x4000)
#define OW_RED_ACTION_F16(x) (((uint32_t)(x) & 0x1u) << 14)
#define OW_RED_ACTION_F16_OF(w) (((uint32_t)(w) >> 14) & 0x1u)
#define OW_RED_ACTION_RELU_LSB 15  // ReLU
#define OW_RED_ACTION_RELU_MASK OW_U(0x8000)
#define OW_RED_ACTION_RELU(x) (((uint32_t)(x) & 0x1u) << 15)
#define OW_RED_ACTION_RELU_OF(w) (((uint32_t)(w) >> 15) & 0x1u)
#define OW_RED_ACTION_BF16_LSB 16  // round to bfloat16 instead (sets f16 too)
#define OW_RED_ACTION_BF16_MASK OW_U(0x10000)
#define OW_RED_ACTION_BF16(x) (((uint32_t)(x) & 0x1u) << 16)
#define OW_RED_ACTION_BF16_OF(w) (((uint32_t)(w) >> 16) & 0x1u)
#define OW_ROUTE_POSITION_LSB 0  // position 0; read: the position in effect
#define OW_ROUTE_POSITION_MASK OW_U(0xFF)
#define OW_ROUTE_POSITION(x) (((uint32_t)(x) & 0xFFu) << 0)
#define OW_ROUTE_POSITION_OF(w) (((uint32_t)(w) >> 0) & 0xFFu)
#define OW_ROUTE_ENABLE_LSB 8  // the colour is routed
#define OW_ROUTE_ENABLE_MASK OW_U(0x100)
#define OW_ROUTE_ENABLE(x) (((uint32_t)(x) & 0x1u) << 8)
#define OW_ROUTE_ENABLE_OF(w) (((uint32_t)(w) >> 8) & 0x1u)
#define OW_ROUTE_OBEY_LSB 9  // the router carries out commands
#define OW_ROUTE_OBEY_MASK OW_U(0x200)
#define OW_ROUTE_OBEY(x) (((uint32_t)(x) & 0x1u) << 9)
#define OW_ROUTE_OBEY_OF(w) (((uint32_t)(w) >> 9) & 0x1u)
#define OW_ROUTE_POP_MODE_LSB 10
#define OW_ROUTE_POP_MODE_MASK OW_U(0xC00)
#define OW_ROUTE_POP_MODE(x) (((uint32_t)(x) & 0x3u) << 10)
#define OW_ROUTE_POP_MODE_OF(w) (((uint32_t)(w) >> 10) & 0x3u)
#define OW_ROUTE_RING_LSB 12  // an advance goes from the last position to position 0
#define OW_ROUTE_RING_MASK OW_U(0x1000)
#define OW_ROUTE_RING(x) (((uint32_t)(x) & 0x1u) << 12)
#define OW_ROUTE_RING_OF(w) (((uint32_t)(w) >> 12) & 0x1u)
#define OW_ROUTE_WITHOUT_CREDITS_LSB 13
#define OW_ROUTE_WITHOUT_CREDITS_MASK OW_U(0x1E000)
#define OW_ROUTE_WITHOUT_CREDITS(x) (((uint32_t)(x) & 0xFu) << 13)
#define OW_ROUTE_WITHOUT_CREDITS_OF(w) (((uint32_t)(w) >> 13) & 0xFu)
#define OW_ROUTE_KEEP_CREDITS_LSB 17  // input links whose credits are kept here
#define OW_ROUTE_KEEP_CREDITS_MASK OW_U(0x1E0000)
#define OW_ROUTE_KEEP_CREDITS(x) (((uint32_t)(x) & 0xFu) << 17)
#define OW_ROUTE_KEEP_CREDITS_OF(w) (((uint32_t)(w) >> 17) & 0xFu)
#define OW_ROUTE_SET_CREDITS_LSB 21  // set up the credits of the colour's links
#define OW_ROUTE_SET_CREDITS_MASK OW_U(0x200000)
#define OW_ROUTE_SET_CREDITS(x) (((uint32_t)(x) & 0x1u) << 21)
#define OW_ROUTE_SET_CREDITS_OF(w) (((uint32_t)(w) >> 21) & 0x1u)
#define OW_SWITCH_POSITION1_LSB 0  // position 1
#define OW_SWITCH_POSITION1_MASK OW_U(0xFF)
#define OW_SWITCH_POSITION1(x) (((uint32_t)(x) & 0xFFu) << 0)
#define OW_SWITCH_POSITION1_OF(w) (((uint32_t)(w) >> 0) & 0xFFu)
#define OW_SWITCH_POSITION2_LSB 8  // position 2
#define OW_SWITCH_POSITION2_MASK OW_U(0xFF00)
#define OW_SWITCH_POSITION2(x) (((uint32_t)(x) & 0xFFu) << 8)
#define OW_SWITCH_POSITION2_OF(w) (((uint32_t)(w) >> 8) & 0xFFu)
#define OW_SWITCH_POSITION3_LSB 16  // position 3
#define OW_SWITCH_POSITION3_MASK OW_U(0xFF0000)
#define OW_SWITCH_POSITION3(x) (((uint32_t)(x) & 0xFFu) << 16)
#define OW_SWITCH_POSITION3_OF(w) (((uint32_t)(w) >> 16) & 0xFFu)
#define OW_SWITCH_LAST_LSB 24  // the last position in use
#define OW_SWITCH_LAST_MASK OW_U(0x3000000)
#define OW_SWITCH_LAST(x) (((uint32_t)(x) & 0x3u) << 24)
#define OW_SWITCH_LAST_OF(w) (((uint32_t)(w) >> 24) & 0x3u)
#define OW_SWITCH_CURRENT_LSB 29  // the current position
#define OW_SWITCH_CURRENT_MASK OW_U(0x60000000)
#define OW_SWITCH_CURRENT(x) (((uint32_t)(x) & 0x3u) << 29)
#define OW_SWITCH_CURRENT_OF(w) (((uint32_t)(w) >> 29) & 0x3u)
#define OW_SWITCH_TORN_LSB 31  // torn down
#define OW_SWITCH_TORN_MASK OW_U(0x80000000)
#define OW_SWITCH_TORN(x) (((uint32_t)(x) & 0x1u) << 31)
#define OW_SWITCH_TORN_OF(w) (((uint32_t)(w) >> 31) & 0x1u)
#define OW_FILTER_COLOUR_LSB 0  // its colour
#define OW_FILTER_COLOUR_MASK OW_U(0x1F)
#define OW_FILTER_COLOUR(x) (((uint32_t)(x) & 0x1Fu) << 0)
#define OW_FILTER_COLOUR_OF(w) (((uint32_t)(w) >> 0) & 0x1Fu)
#define OW_FILTER_ENABLE_LSB 5  // it filters
#define OW_FILTER_ENABLE_MASK OW_U(0x20)
#define OW_FILTER_ENABLE(x) (((uint32_t)(x) & 0x1u) << 5)
#define OW_FILTER_ENABLE_OF(w) (((uint32_t)(w) >> 5) & 0x1u)
#define OW_FILTER_KIND_LSB 6  // kind
#define OW_FILTER_KIND_MASK OW_U(0xC0)
#define OW_FILTER_KIND(x) (((uint32_t)(x) & 0x3u) << 6)
#define OW_FILTER_KIND_OF(w) (((uint32_t)(w) >> 6) & 0x3u)
#define OW_FILTER_COUNT_DATA_LSB 8  // counts data wavelets
#define OW_FILTER_COUNT_DATA_MASK OW_U(0x100)
#define OW_FILTER_COUNT_DATA(x) (((uint32_t)(x) & 0x1u) << 8)
#define OW_FILTER_COUNT_DATA_OF(w) (((uint32_t)(w) >> 8) & 0x1u)
#define OW_FILTER_COUNT_CTRL_LSB 9  // counts control wavelets
#define OW_FILTER_COUNT_CTRL_MASK OW_U(0x200)
#define OW_FILTER_COUNT_CTRL(x) (((uint32_t)(x) & 0x1u) << 9)
#define OW_FILTER_COUNT_CTRL_OF(w) (((uint32_t)(w) >> 9) & 0x1u)
#define OW_FILTER_FILTER_CTRL_LSB 10  // may drop control wavelets
#define OW_FILTER_FILTER_CTRL_MASK OW_U(0x400)
#define OW_FILTER_FILTER_CTRL(x) (((uint32_t)(x) & 0x1u) << 10)
#define OW_FILTER_FILTER_CTRL_OF(w) (((uint32_t)(w) >> 10) & 0x1u)
#define OW_FILTER_LIMITS_LOW_LSB 0  // limit1 or the least index
#define OW_FILTER_LIMITS_LOW_MASK OW_U(0xFFFF)
#define OW_FILTER_LIMITS_LOW(x) (((uint32_t)(x) & 0xFFFFu) << 0)
#define OW_FILTER_LIMITS_LOW_OF(w) (((uint32_t)(w) >> 0) & 0xFFFFu)
#define OW_FILTER_LIMITS_HIGH_LSB 16  // max_counter, limit2 or the greatest index
#define OW_FILTER_LIMITS_HIGH_MASK OW_U(0xFFFF0000)
#define OW_FILTER_LIMITS_HIGH(x) (((uint32_t)(x) & 0xFFFFu) << 16)
#define OW_FILTER_LIMITS_HIGH_OF(w) (((uint32_t)(w) >> 16) & 0xFFFFu)
#define OW_FILTER_COUNT_COUNT_LSB 0  // the count
#define OW_FILTER_COUNT_COUNT_MASK OW_U(0xFFFF)
#define OW_FILTER_COUNT_COUNT(x) (((uint32_t)(x) & 0xFFFFu) << 0)
#define OW_FILTER_COUNT_COUNT_OF(w) (((uint32_t)(w) >> 0) & 0xFFFFu)
#define OW_RT_CONTROL_REQUESTS_LSB 0  // bit p: requests from port p
#define OW_RT_CONTROL_REQUESTS_MASK OW_U(0x1F)
#define OW_RT_CONTROL_REQUESTS(x) (((uint32_t)(x) & 0x1Fu) << 0)
#define OW_RT_CONTROL_REQUESTS_OF(w) (((uint32_t)(w) >> 0) & 0x1Fu)
#define OW_RT_CONTROL_RESPONSES_LSB 5  // bit p: responses from port p
#define OW_RT_CONTROL_RESPONSES_MASK OW_U(0x1E0)
#define OW_RT_CONTROL_RESPONSES(x) (((uint32_t)(x) & 0xFu) << 5)
#define OW_RT_CONTROL_RESPONSES_OF(w) (((uint32_t)(w) >> 5) & 0xFu)
#define OW_RT_CREDITS_CREDITS_LSB 0  // 4 bits per colour
#define OW_RT_CREDITS_CREDITS_MASK OW_U(0xF)
#define OW_RT_CREDITS_CREDITS(i, x) (((uint32_t)(x) & 0xFu) << (0 + 4 * (i)))
#define OW_RT_CREDITS_CREDITS_OF(w, i) (((uint32_t)(w) >> (0 + 4 * (i))) & 0xFu)
#define OW_INQ_COLOUR_LSB 0  // its colour
#define OW_INQ_COLOUR_MASK OW_U(0x1F)
#define OW_INQ_COLOUR(x) (((uint32_t)(x) & 0x1Fu) << 0)
#define OW_INQ_COLOUR_OF(w) (((uint32_t)(w) >> 0) & 0x1Fu)
#define OW_INQ_ENABLE_LSB 5  // it is bound
#define OW_INQ_ENABLE_MASK OW_U(0x20)
#define OW_INQ_ENABLE(x) (((uint32_t)(x) & 0x1u) << 5)
#define OW_INQ_ENABLE_OF(w) (((uint32_t)(w) >> 5) & 0x1u)
#define OW_OUTQ_COLOUR_LSB 0  // its colour
#define OW_OUTQ_COLOUR_MASK OW_U(0x1F)
#define OW_OUTQ_COLOUR(x) (((uint32_t)(x) & 0x1Fu) << 0)
#define OW_OUTQ_COLOUR_OF(w) (((uint32_t)(w) >> 0) & 0x1Fu)
#define OW_OUTQ_ENABLE_LSB 5  // it is bound
#define OW_OUTQ_ENABLE_MASK OW_U(0x20)
#define OW_OUTQ_ENABLE(x) (((uint32_t)(x) & 0x1u) << 5)
#define OW_OUTQ_ENABLE_OF(w) (((uint32_t)(w) >> 5) & 0x1u)
#define OW_INQ_LEVEL_LEVEL_LSB 0  // 4 bits per queue
#define OW_INQ_LEVEL_LEVEL_MASK OW_U(0xF)
#define OW_INQ_LEVEL_LEVEL(i, x) (((uint32_t)(x) & 0xFu) << (0 + 4 * (i)))
#define OW_INQ_LEVEL_LEVEL_OF(w, i) (((uint32_t)(w) >> (0 + 4 * (i))) & 0xFu)
#define OW_OUTQ_LEVEL_LEVEL_LSB 0  // 4 bits per queue
#define OW_OUTQ_LEVEL_LEVEL_MASK OW_U(0xF)
#define OW_OUTQ_LEVEL_LEVEL(i, x) (((uint32_t)(x) & 0xFu) << (0 + 4 * (i)))
#define OW_OUTQ_LEVEL_LEVEL_OF(w, i) (((uint32_t)(w) >> (0 + 4 * (i))) & 0xFu)
#define OW_TASK_RUNNING_TASK_ID_LSB 0  // its number
#define OW_TASK_RUNNING_TASK_ID_MASK OW_U(0x1F)
#define OW_TASK_RUNNING_TASK_ID(x) (((uint32_t)(x) & 0x1Fu) << 0)
#define OW_TASK_RUNNING_TASK_ID_OF(w) (((uint32_t)(w) >> 0) & 0x1Fu)
#define OW_TASK_RUNNING_RUNNING_LSB 5  // it runs
#define OW_TASK_RUNNING_RUNNING_MASK OW_U(0x20)
#define OW_TASK_RUNNING_RUNNING(x) (((uint32_t)(x) & 0x1u) << 5)
#define OW_TASK_RUNNING_RUNNING_OF(w) (((uint32_t)(w) >> 5) & 0x1u)
#define OW_RED_ACC_SAMPLES_LSB 0  // samples per row (multiple of Lanes)
#define OW_RED_ACC_SAMPLES_MASK OW_U(0xFFFF)
#define OW_RED_ACC_SAMPLES(x) (((uint32_t)(x) & 0xFFFFu) << 0)
#define OW_RED_ACC_SAMPLES_OF(w) (((uint32_t)(w) >> 0) & 0xFFFFu)
#define OW_RED_ACC_RING_LSB 16  // rows in the ring
#define OW_RED_ACC_RING_MASK OW_U(0xFF0000)
#define OW_RED_ACC_RING(x) (((uint32_t)(x) & 0xFFu) << 16)
#define OW_RED_ACC_RING_OF(w) (((uint32_t)(w) >> 16) & 0xFFu)
#define OW_RED_COUNT_ROWS_LSB 0  // rows to drain in all
#define OW_RED_COUNT_ROWS_MASK OW_U(0xFFFF)
#define OW_RED_COUNT_ROWS(x) (((uint32_t)(x) & 0xFFFFu) << 0)
#define OW_RED_COUNT_ROWS_OF(w) (((uint32_t)(w) >> 0) & 0xFFFFu)
#define OW_RED_PHASE_PERIOD_LSB 0  // 1 to 65535
#define OW_RED_PHASE_PERIOD_MASK OW_U(0xFFFF)
#define OW_RED_PHASE_PERIOD(x) (((uint32_t)(x) & 0xFFFFu) << 0)
#define OW_RED_PHASE_PERIOD_OF(w) (((uint32_t)(w) >> 0) & 0xFFFFu)
#define OW_RED_PHASE_PIVOT_LSB 16  // the phase that EQ names
#define OW_RED_PHASE_PIVOT_MASK OW_U(0xFFFF0000)
#define OW_RED_PHASE_PIVOT(x) (((uint32_t)(x) & 0xFFFFu) << 16)
#define OW_RED_PHASE_PIVOT_OF(w) (((uint32_t)(w) >> 16) & 0xFFFFu)
#define OW_RED_PITCH_PITCH_LSB 0  // bytes, signed
#define OW_RED_PITCH_PITCH_MASK OW_U(0xFFFF)
#define OW_RED_PITCH_PITCH(x) (((uint32_t)(x) & 0xFFFFu) << 0)
#define OW_RED_PITCH_PITCH_OF(w) (((uint32_t)(w) >> 0) & 0xFFFFu)
#define OW_RED_STATUS_ROWS_LSB 0  // rows done
#define OW_RED_STATUS_ROWS_MASK OW_U(0xFFFF)
#define OW_RED_STATUS_ROWS(x) (((uint32_t)(x) & 0xFFFFu) << 0)
#define OW_RED_STATUS_ROWS_OF(w) (((uint32_t)(w) >> 0) & 0xFFFFu)
#define OW_RED_STATUS_ERROR_LSB 27
#define OW_RED_STATUS_ERROR_MASK OW_U(0x8000000)
#define OW_RED_STATUS_ERROR(x) (((uint32_t)(x) & 0x1u) << 27)
#define OW_RED_STATUS_ERROR_OF(w) (((uint32_t)(w) >> 27) & 0x1u)
#define OW_RED_STATUS_WAITS_LSB 28  // what it waits for
#define OW_RED_STATUS_WAITS_MASK OW_U(0x70000000)
#define OW_RED_STATUS_WAITS(x) (((uint32_t)(x) & 0x7u) << 28)
#define OW_RED_STATUS_WAITS_OF(w) (((uint32_t)(w) >> 28) & 0x7u)
#define OW_RED_STATUS_RUNNING_LSB 31  // running
#define OW_RED_STATUS_RUNNING_MASK OW_U(0x80000000)
#define OW_RED_STATUS_RUNNING(x) (((uint32_t)(x) & 0x1u) << 31)
#define OW_RED_STATUS_RUNNING_OF(w) (((uint32_t)(w) >> 31) & 0x1u)
#define OW_RED_START_PHASE_LSB 0  // phase of the first row, below the period
#define OW_RED_START_PHASE_MASK OW_U(0xFFFF)
#define OW_RED_START_PHASE(x) (((uint32_t)(x) & 0xFFFFu) << 0)
#define OW_RED_START_PHASE_OF(w) (((uint32_t)(w) >> 0) & 0xFFFFu)
#define OW_RED_START_MORE_LSB 16  // phases after the pivot that count as equal to it
#define OW_RED_START_MORE_MASK OW_U(0xFFFF0000)
#define OW_RED_START_MORE(x) (((uint32_t)(x) & 0xFFFFu) << 16)
#define OW_RED_START_MORE_OF(w) (((uint32_t)(w) >> 16) & 0xFFFFu)
#define OW_COUNTER_HIGH_HIGH_LSB 0  // bits 47:32
#define OW_COUNTER_HIGH_HIGH_MASK OW_U(0xFFFF)
#define OW_COUNTER_HIGH_HIGH(x) (((uint32_t)(x) & 0xFFFFu) << 0)
#define OW_COUNTER_HIGH_HIGH_OF(w) (((uint32_t)(w) >> 0) & 0xFFFFu)
#define OW_CORE_CTRL_RUN_LSB 0  // the core runs
#define OW_CORE_CTRL_RUN_MASK OW_U(0x1)
#define OW_CORE_CTRL_RUN(x) (((uint32_t)(x) & 0x1u) << 0)
#define OW_CORE_CTRL_RUN_OF(w) (((uint32_t)(w) >> 0) & 0x1u)
#define OW_CORE_CTRL_STEP_LSB 1  // one instruction, then run is 0
#define OW_CORE_CTRL_STEP_MASK OW_U(0x2)
#define OW_CORE_CTRL_STEP(x) (((uint32_t)(x) & 0x1u) << 1)
#define OW_CORE_CTRL_STEP_OF(w) (((uint32_t)(w) >> 1) & 0x1u)
#define OW_CORE_CTRL_RESET_LSB 2  // reset the compute part, see below
#define OW_CORE_CTRL_RESET_MASK OW_U(0x4)
#define OW_CORE_CTRL_RESET(x) (((uint32_t)(x) & 0x1u) << 2)
#define OW_CORE_CTRL_RESET_OF(w) (((uint32_t)(w) >> 2) & 0x1u)
#define OW_CORE_CTRL_CLEAR_QUEUES_LSB 3  // empty the ramp's queues, see below
#define OW_CORE_CTRL_CLEAR_QUEUES_MASK OW_U(0x8)
#define OW_CORE_CTRL_CLEAR_QUEUES(x) (((uint32_t)(x) & 0x1u) << 3)
#define OW_CORE_CTRL_CLEAR_QUEUES_OF(w) (((uint32_t)(w) >> 3) & 0x1u)
#define OW_CORE_STATUS_RUNNING_LSB 0  // running
#define OW_CORE_STATUS_RUNNING_MASK OW_U(0x1)
#define OW_CORE_STATUS_RUNNING(x) (((uint32_t)(x) & 0x1u) << 0)
#define OW_CORE_STATUS_RUNNING_OF(w) (((uint32_t)(w) >> 0) & 0x1u)
#define OW_CORE_STATUS_STOPPED_LSB 1  // stopped by a trap
#define OW_CORE_STATUS_STOPPED_MASK OW_U(0x2)
#define OW_CORE_STATUS_STOPPED(x) (((uint32_t)(x) & 0x1u) << 1)
#define OW_CORE_STATUS_STOPPED_OF(w) (((uint32_t)(w) >> 1) & 0x1u)
#define OW_CORE_STATUS_ASLEEP_LSB 2  // asleep in ow.next or wfi
#define OW_CORE_STATUS_ASLEEP_MASK OW_U(0x4)
#define OW_CORE_STATUS_ASLEEP(x) (((uint32_t)(x) & 0x1u) << 2)
#define OW_CORE_STATUS_ASLEEP_OF(w) (((uint32_t)(w) >> 2) & 0x1u)
#define OW_CORE_STATUS_WAITS_TENSOR_LSB 3
#define OW_CORE_STATUS_WAITS_TENSOR_MASK OW_U(0x8)
#define OW_CORE_STATUS_WAITS_TENSOR(x) (((uint32_t)(x) & 0x1u) << 3)
#define OW_CORE_STATUS_WAITS_TENSOR_OF(w) (((uint32_t)(w) >> 3) & 0x1u)
#define OW_CORE_STATUS_EBREAK_LSB 4  // stopped by ebreak
#define OW_CORE_STATUS_EBREAK_MASK OW_U(0x10)
#define OW_CORE_STATUS_EBREAK(x) (((uint32_t)(x) & 0x1u) << 4)
#define OW_CORE_STATUS_EBREAK_OF(w) (((uint32_t)(w) >> 4) & 0x1u)
#define OW_CORE_STATUS_CAUSE_LSB 8  // cause of the trap
#define OW_CORE_STATUS_CAUSE_MASK OW_U(0x1F00)
#define OW_CORE_STATUS_CAUSE(x) (((uint32_t)(x) & 0x1Fu) << 8)
#define OW_CORE_STATUS_CAUSE_OF(w) (((uint32_t)(w) >> 8) & 0x1Fu)
#define OW_ENGINE_FAULT_CAUSE_LSB 0  // cause (docs/isa.md)
#define OW_ENGINE_FAULT_CAUSE_MASK OW_U(0xF)
#define OW_ENGINE_FAULT_CAUSE(x) (((uint32_t)(x) & 0xFu) << 0)
#define OW_ENGINE_FAULT_CAUSE_OF(w) (((uint32_t)(w) >> 0) & 0xFu)
#define OW_ENGINE_FAULT_THREAD_LSB 4  // thread
#define OW_ENGINE_FAULT_THREAD_MASK OW_U(0xF0)
#define OW_ENGINE_FAULT_THREAD(x) (((uint32_t)(x) & 0xFu) << 4)
#define OW_ENGINE_FAULT_THREAD_OF(w) (((uint32_t)(w) >> 4) & 0xFu)
#define OW_ENGINE_FAULT_FAULT_LSB 31  // there is one
#define OW_ENGINE_FAULT_FAULT_MASK OW_U(0x80000000)
#define OW_ENGINE_FAULT_FAULT(x) (((uint32_t)(x) & 0x1u) << 31)
#define OW_ENGINE_FAULT_FAULT_OF(w) (((uint32_t)(w) >> 31) & 0x1u)
#define OW_ERROR_CAUSE_LSB 0  // cause
#define OW_ERROR_CAUSE_MASK OW_U(0x1F)
#define OW_ERROR_CAUSE(x) (((uint32_t)(x) & 0x1Fu) << 0)
#define OW_ERROR_CAUSE_OF(w) (((uint32_t)(w) >> 0) & 0x1Fu)
#define OW_ERROR_UNIT_LSB 8  // unit
#define OW_ERROR_UNIT_MASK OW_U(0x1F00)
#define OW_ERROR_UNIT(x) (((uint32_t)(x) & 0x1Fu) << 8)
#define OW_ERROR_UNIT_OF(w) (((uint32_t)(w) >> 8) & 0x1Fu)
#define OW_ERROR_SOURCE_LSB 16  // source
#define OW_ERROR_SOURCE_MASK OW_U(0x70000)
#define OW_ERROR_SOURCE(x) (((uint32_t)(x) & 0x7u) << 16)
#define OW_ERROR_SOURCE_OF(w) (((uint32_t)(w) >> 16) & 0x7u)
#define OW_ERROR_STOPPED_LSB 31  // the tile is stopped by it
#define OW_ERROR_STOPPED_MASK OW_U(0x80000000)
#define OW_ERROR_STOPPED(x) (((uint32_t)(x) & 0x1u) << 31)
#define OW_ERROR_STOPPED_OF(w) (((uint32_t)(w) >> 31) & 0x1u)
#define OW_STACK_LIMIT_ADDRESS_LSB 0  // the address; a reset of the compute part also sets it to 0
#define OW_STACK_LIMIT_ADDRESS_MASK OW_U(0xFFFFFF)
#define OW_STACK_LIMIT_ADDRESS(x) (((uint32_t)(x) & 0xFFFFFFu) << 0)
#define OW_STACK_LIMIT_ADDRESS_OF(w) (((uint32_t)(w) >> 0) & 0xFFFFFFu)
#define OW_TEXT_LIMIT_ADDRESS_LSB 0  // the address; a reset of the compute part also sets it to 0
#define OW_TEXT_LIMIT_ADDRESS_MASK OW_U(0xFFFFFF)
#define OW_TEXT_LIMIT_ADDRESS(x) (((uint32_t)(x) & 0xFFFFFFu) << 0)
#define OW_TEXT_LIMIT_ADDRESS_OF(w) (((uint32_t)(w) >> 0) & 0xFFFFFFu)
#define OW_THREAD_OPERATION_LSB 16  // operation
#define OW_THREAD_OPERATION_MASK OW_U(0x7F0000)
#define OW_THREAD_OPERATION(x) (((uint32_t)(x) & 0x7Fu) << 16)
#define OW_THREAD_OPERATION_OF(w) (((uint32_t)(w) >> 16) & 0x7Fu)
#define OW_THREAD_QUEUE_NO_LSB 24  // the queue that it waits for
#define OW_THREAD_QUEUE_NO_MASK OW_U(0xF000000)
#define OW_THREAD_QUEUE_NO(x) (((uint32_t)(x) & 0xFu) << 24)
#define OW_THREAD_QUEUE_NO_OF(w) (((uint32_t)(w) >> 24) & 0xFu)
#define OW_THREAD_WAITS_LSB 28  // what it waits for
#define OW_THREAD_WAITS_MASK OW_U(0x70000000)
#define OW_THREAD_WAITS(x) (((uint32_t)(x) & 0x7u) << 28)
#define OW_THREAD_WAITS_OF(w) (((uint32_t)(w) >> 28) & 0x7u)
#define OW_THREAD_ACTIVE_LSB 31  // active
#define OW_THREAD_ACTIVE_MASK OW_U(0x80000000)
#define OW_THREAD_ACTIVE(x) (((uint32_t)(x) & 0x1u) << 31)
#define OW_THREAD_ACTIVE_OF(w) (((uint32_t)(w) >> 31) & 0x1u)
#define OW_ROW_NUMBER_LSB 0  // the row
#define OW_ROW_NUMBER_MASK OW_U(0xFFFF)
#define OW_ROW_NUMBER(x) (((uint32_t)(x) & 0xFFFFu) << 0)
#define OW_ROW_NUMBER_OF(w) (((uint32_t)(w) >> 0) & 0xFFFFu)
#define OW_COL_NUMBER_LSB 0  // the column
#define OW_COL_NUMBER_MASK OW_U(0xFFFF)
#define OW_COL_NUMBER(x) (((uint32_t)(x) & 0xFFFFu) << 0)
#define OW_COL_NUMBER_OF(w) (((uint32_t)(w) >> 0) & 0xFFFFu)
#define OW_CONFIG_LANES_LSB 0  // lanes
#define OW_CONFIG_LANES_MASK OW_U(0xF)
#define OW_CONFIG_LANES(x) (((uint32_t)(x) & 0xFu) << 0)
#define OW_CONFIG_LANES_OF(w) (((uint32_t)(w) >> 0) & 0xFu)
#define OW_CONFIG_THREADS_LSB 4  // threads less one
#define OW_CONFIG_THREADS_MASK OW_U(0xF0)
#define OW_CONFIG_THREADS(x) (((uint32_t)(x) & 0xFu) << 4)
#define OW_CONFIG_THREADS_OF(w) (((uint32_t)(w) >> 4) & 0xFu)
#define OW_CONFIG_COLOURS_LSB 8  // data colours
#define OW_CONFIG_COLOURS_MASK OW_U(0x1F00)
#define OW_CONFIG_COLOURS(x) (((uint32_t)(x) & 0x1Fu) << 8)
#define OW_CONFIG_COLOURS_OF(w) (((uint32_t)(w) >> 8) & 0x1Fu)
#define OW_CONFIG_LIMITS_LSB 13  // STACK_LIMIT and TEXT_LIMIT are there
#define OW_CONFIG_LIMITS_MASK OW_U(0x2000)
#define OW_CONFIG_LIMITS(x) (((uint32_t)(x) & 0x1u) << 13)
#define OW_CONFIG_LIMITS_OF(w) (((uint32_t)(w) >> 13) & 0x1u)
#define OW_CONFIG_BANKS_LSB 14  // banks of the SRAM: 2 to the power of this
#define OW_CONFIG_BANKS_MASK OW_U(0xC000)
#define OW_CONFIG_BANKS(x) (((uint32_t)(x) & 0x3u) << 14)
#define OW_CONFIG_BANKS_OF(w) (((uint32_t)(w) >> 14) & 0x3u)
#define OW_CONFIG_SRAM_LSB 16  // SRAM in 64-byte units
#define OW_CONFIG_SRAM_MASK OW_U(0xFFFF0000)
#define OW_CONFIG_SRAM(x) (((uint32_t)(x) & 0xFFFFu) << 16)
#define OW_CONFIG_SRAM_OF(w) (((uint32_t)(w) >> 16) & 0xFFFFu)
#define OW_FEATURES_NONLINEAR_LSB 0  // non-linear functions
#define OW_FEATURES_NONLINEAR_MASK OW_U(0x1)
#define OW_FEATURES_NONLINEAR(x) (((uint32_t)(x) & 0x1u) << 0)
#define OW_FEATURES_NONLINEAR_OF(w) (((uint32_t)(w) >> 0) & 0x1u)
#define OW_FEATURES_GATHER_LSB 1  // gather, scatter, fmag
#define OW_FEATURES_GATHER_MASK OW_U(0x2)
#define OW_FEATURES_GATHER(x) (((uint32_t)(x) & 0x1u) << 1)
#define OW_FEATURES_GATHER_OF(w) (((uint32_t)(w) >> 1) & 0x1u)
#define OW_FEATURES_FP32_LSB 2
#define OW_FEATURES_FP32_MASK OW_U(0x4)
#define OW_FEATURES_FP32(x) (((uint32_t)(x) & 0x1u) << 2)
#define OW_FEATURES_FP32_OF(w) (((uint32_t)(w) >> 2) & 0x1u)
#define OW_FEATURES_INT8_LSB 3  // i8, its moves included
#define OW_FEATURES_INT8_MASK OW_U(0x8)
#define OW_FEATURES_INT8(x) (((uint32_t)(x) & 0x1u) << 3)
#define OW_FEATURES_INT8_OF(w) (((uint32_t)(w) >> 3) & 0x1u)
#define OW_FEATURES_INT32_LSB 4  // i32 (moves are always there)
#define OW_FEATURES_INT32_MASK OW_U(0x10)
#define OW_FEATURES_INT32(x) (((uint32_t)(x) & 0x1u) << 4)
#define OW_FEATURES_INT32_OF(w) (((uint32_t)(w) >> 4) & 0x1u)
#define OW_FEATURES_STOCHASTIC_LSB 5  // stochastic rounding
#define OW_FEATURES_STOCHASTIC_MASK OW_U(0x20)
#define OW_FEATURES_STOCHASTIC(x) (((uint32_t)(x) & 0x1u) << 5)
#define OW_FEATURES_STOCHASTIC_OF(w) (((uint32_t)(w) >> 5) & 0x1u)
#define OW_FEATURES_SELFTEST_LSB 6  // memory self-test
#define OW_FEATURES_SELFTEST_MASK OW_U(0x40)
#define OW_FEATURES_SELFTEST(x) (((uint32_t)(x) & 0x1u) << 6)
#define OW_FEATURES_SELFTEST_OF(w) (((uint32_t)(w) >> 6) & 0x1u)
#define OW_FEATURES_COUNTERS_LSB 7  // all counters (0: only that of consumed weights)
#define OW_FEATURES_COUNTERS_MASK OW_U(0x80)
#define OW_FEATURES_COUNTERS(x) (((uint32_t)(x) & 0x1u) << 7)
#define OW_FEATURES_COUNTERS_OF(w) (((uint32_t)(w) >> 7) & 0x1u)
#define OW_FEATURES_FIFOS_LSB 8  // FIFO registers
#define OW_FEATURES_FIFOS_MASK OW_U(0x700)
#define OW_FEATURES_FIFOS(x) (((uint32_t)(x) & 0x7u) << 8)
#define OW_FEATURES_FIFOS_OF(w) (((uint32_t)(w) >> 8) & 0x7u)
#define OW_FEATURES_FILTERS_LSB 11  // filters
#define OW_FEATURES_FILTERS_MASK OW_U(0x3800)
#define OW_FEATURES_FILTERS(x) (((uint32_t)(x) & 0x7u) << 11)
#define OW_FEATURES_FILTERS_OF(w) (((uint32_t)(w) >> 11) & 0x7u)
#define OW_FEATURES_POSITIONS_LSB 14  // switch positions (1: no colour switches or obeys commands)
#define OW_FEATURES_POSITIONS_MASK OW_U(0x1C000)
#define OW_FEATURES_POSITIONS(x) (((uint32_t)(x) & 0x7u) << 14)
#define OW_FEATURES_POSITIONS_OF(w) (((uint32_t)(w) >> 14) & 0x7u)
#define OW_FEATURES_QUEUES_LSB 17  // queues each way
#define OW_FEATURES_QUEUES_MASK OW_U(0x1E0000)
#define OW_FEATURES_QUEUES(x) (((uint32_t)(x) & 0xFu) << 17)
#define OW_FEATURES_QUEUES_OF(w) (((uint32_t)(w) >> 17) & 0xFu)
#define OW_FEATURES_DSRS_LSB 21  // descriptors less one
#define OW_FEATURES_DSRS_MASK OW_U(0x3E00000)
#define OW_FEATURES_DSRS(x) (((uint32_t)(x) & 0x1Fu) << 21)
#define OW_FEATURES_DSRS_OF(w) (((uint32_t)(w) >> 21) & 0x1Fu)
#define OW_FEATURES_TASKS_LSB 26  // tasks less one
#define OW_FEATURES_TASKS_MASK OW_U(0x7C000000)
#define OW_FEATURES_TASKS(x) (((uint32_t)(x) & 0x1Fu) << 26)
#define OW_FEATURES_TASKS_OF(w) (((uint32_t)(w) >> 26) & 0x1Fu)
#define OW_FEATURES_DOTW_ROWS_LSB 31  // row ends in dotw, and its results as rows (docs/isa.md)
#define OW_FEATURES_DOTW_ROWS_MASK OW_U(0x80000000)
#define OW_FEATURES_DOTW_ROWS(x) (((uint32_t)(x) & 0x1u) << 31)
#define OW_FEATURES_DOTW_ROWS_OF(w) (((uint32_t)(w) >> 31) & 0x1u)
#define OW_OPERATIONS_BFLOAT16_LSB 0  // bf16 and mixedb (moves are always there)
#define OW_OPERATIONS_BFLOAT16_MASK OW_U(0x1)
#define OW_OPERATIONS_BFLOAT16(x) (((uint32_t)(x) & 0x1u) << 0)
#define OW_OPERATIONS_BFLOAT16_OF(w) (((uint32_t)(w) >> 0) & 0x1u)
#define OW_OPERATIONS_INT16_LSB 1  // i16 (moves are always there)
#define OW_OPERATIONS_INT16_MASK OW_U(0x2)
#define OW_OPERATIONS_INT16(x) (((uint32_t)(x) & 0x1u) << 1)
#define OW_OPERATIONS_INT16_OF(w) (((uint32_t)(w) >> 1) & 0x1u)
#define OW_OPERATIONS_COMPARE_LSB 2  // max, min, comparisons
#define OW_OPERATIONS_COMPARE_MASK OW_U(0x4)
#define OW_OPERATIONS_COMPARE(x) (((uint32_t)(x) & 0x1u) << 2)
#define OW_OPERATIONS_COMPARE_OF(w) (((uint32_t)(w) >> 2) & 0x1u)
#define OW_OPERATIONS_REDUCTIONS_LSB 3  // dot, sum, rmax, rmin, dotw
#define OW_OPERATIONS_REDUCTIONS_MASK OW_U(0x8)
#define OW_OPERATIONS_REDUCTIONS(x) (((uint32_t)(x) & 0x1u) << 3)
#define OW_OPERATIONS_REDUCTIONS_OF(w) (((uint32_t)(w) >> 3) & 0x1u)
#define OW_OPERATIONS_TAGS_LSB 4  // tagged wavelets as an operand (sending them is always there)
#define OW_OPERATIONS_TAGS_MASK OW_U(0x10)
#define OW_OPERATIONS_TAGS(x) (((uint32_t)(x) & 0x1u) << 4)
#define OW_OPERATIONS_TAGS_OF(w) (((uint32_t)(w) >> 4) & 0x1u)
#define OW_OPERATIONS_DIMENSIONS_LSB 5  // dimensions 2 and 3 of descriptors
#define OW_OPERATIONS_DIMENSIONS_MASK OW_U(0x20)
#define OW_OPERATIONS_DIMENSIONS(x) (((uint32_t)(x) & 0x1u) << 5)
#define OW_OPERATIONS_DIMENSIONS_OF(w) (((uint32_t)(w) >> 5) & 0x1u)
#define OW_MBIST_START_LSB 0  // write 1: start
#define OW_MBIST_START_MASK OW_U(0x1)
#define OW_MBIST_START(x) (((uint32_t)(x) & 0x1u) << 0)
#define OW_MBIST_START_OF(w) (((uint32_t)(w) >> 0) & 0x1u)
#define OW_MBIST_RUNNING_LSB 0  // running
#define OW_MBIST_RUNNING_MASK OW_U(0x1)
#define OW_MBIST_RUNNING(x) (((uint32_t)(x) & 0x1u) << 0)
#define OW_MBIST_RUNNING_OF(w) (((uint32_t)(w) >> 0) & 0x1u)
#define OW_MBIST_DONE_LSB 1  // done
#define OW_MBIST_DONE_MASK OW_U(0x2)
#define OW_MBIST_DONE(x) (((uint32_t)(x) & 0x1u) << 1)
#define OW_MBIST_DONE_OF(w) (((uint32_t)(w) >> 1) & 0x1u)
#define OW_MBIST_FAILED_LSB 8  // one bit per bank that failed
#define OW_MBIST_FAILED_MASK OW_U(0xFF00)
#define OW_MBIST_FAILED(x) (((uint32_t)(x) & 0xFFu) << 8)
#define OW_MBIST_FAILED_OF(w) (((uint32_t)(w) >> 8) & 0xFFu)

#ifdef __ASSEMBLER__
#define OW_PORT_N 0
#define OW_PORT_E 1
#define OW_PORT_S 2
#define OW_PORT_W 3
#define OW_PORT_R 4
#define OW_PORT_NONE 7
#define OW_SWITCH_NOP 0
#define OW_SWITCH_ADV 1
#define OW_SWITCH_RST 2
#define OW_SWITCH_TEARDOWN 3
#define OW_FILTER_COUNTER 0
#define OW_FILTER_SPARSE 1
#define OW_FILTER_RANGE 2
#define OW_PACKET_WRITE 1
#define OW_PACKET_READ 2
#define OW_STATUS_DONE 0
#define OW_STATUS_ADDRESS 1
#define OW_STATUS_MALFORMED 2
#define OW_DOWN_NOT 0
#define OW_DOWN_OFF 1
#define OW_DOWN_NO_SIGNAL 2
#define OW_DOWN_TRAINING 3
#define OW_DOWN_LANES 4
#define OW_DOWN_PEER_LANES 5
#define OW_DOWN_PEER_RESET 6
#define OW_LINK_CAUSE_RESET 0
#define OW_LINK_CAUSE_COMMAND 1
#define OW_LINK_CAUSE_ERRORS 2
#define OW_LINK_CAUSE_SILENCE 3
#define OW_LINK_CAUSE_HANDSHAKE 4
#define OW_LINK_CAUSE_PEER 5
#define OW_SYS_NEXT 0
#define OW_SYS_DSRW 1
#define OW_SYS_DSRR 2
#define OW_OP_MOV 0
#define OW_OP_ADD 1
#define OW_OP_SUB 2
#define OW_OP_MUL 3
#define OW_OP_FMA 4
#define OW_OP_MAX 5
#define OW_OP_MIN 6
#define OW_OP_CVT 7
#define OW_OP_AND 8
#define OW_OP_OR 9
#define OW_OP_XOR 10
#define OW_OP_SLL 11
#define OW_OP_SRL 12
#define OW_OP_SRA 13
#define OW_OP_GATE 14
#define OW_OP_AXPYW 16
#define OW_OP_DRAIN 17
#define OW_OP_DOTW 18
#define OW_OP_CMPEQ 20
#define OW_OP_CMPNE 21
#define OW_OP_CMPLT 22
#define OW_OP_CMPLE 23
#define OW_OP_DOT 24
#define OW_OP_SUM 25
#define OW_OP_RMAX 26
#define OW_OP_RMIN 27
#define OW_OP_GATHER 28
#define OW_OP_SCATTER 29
#define OW_OP_FMAG 30
#define OW_OP_RCP 32
#define OW_OP_RSQRT 33
#define OW_OP_EXP 34
#define OW_OP_LOG 35
#define OW_OP_TANH 36
#define OW_OP_SIGMOID 37
#define OW_F16 0
#define OW_BF16 1
#define OW_F32 2
#define OW_MIXED 3
#define OW_I16 4
#define OW_I32 5
#define OW_I8 6
#define OW_MIXEDB 7
#define OW_DONE_NONE 0
#define OW_DONE_ACTIVATE 1
#define OW_DONE_UNBLOCK 2
#define OW_KIND_NONE 0
#define OW_KIND_MEM 1
#define OW_KIND_FABRIC_IN 2
#define OW_KIND_FABRIC_OUT 3
#define OW_KIND_FIFO 4
#define OW_DSR_KIND 0
#define OW_DSR_ADDRESS 1
#define OW_DSR_DIM0 2
#define OW_DSR_DIM1 3
#define OW_DSR_DIM2 4
#define OW_DSR_DIM3 5
#define OW_COUNT_BEATS 0
#define OW_COUNT_STALL_INPUT 1
#define OW_COUNT_STALL_OUTPUT 2
#define OW_COUNT_STALL_ROW 3
#define OW_COUNT_STALL_MEMORY 4
#define OW_COUNT_NO_WORK 5
#define OW_COUNT_REDUCER_ELEMENTS 6
#define OW_COUNT_INSTRUCTIONS 7
#define OW_COUNT_ASLEEP 8
#define OW_COUNT_WAVELETS_IN 9
#define OW_COUNT_WAVELETS_OUT 10
#define OW_COUNT_WEIGHTS 11
#define OW_COUNT_REDUCER_WAIT 12
#define OW_WAIT_NOTHING 0
#define OW_WAIT_INPUT 1
#define OW_WAIT_OUTPUT 2
#define OW_WAIT_ROW 3
#define OW_WAIT_MEMORY 4
#define OW_RED_WAIT_NOTHING 0
#define OW_RED_WAIT_ROW 1
#define OW_RED_WAIT_IN0 2
#define OW_RED_WAIT_IN1 3
#define OW_RED_WAIT_OUTPUT 4
#define OW_RED_WAIT_MEMORY 5
#define OW_ERR_CORE 0
#define OW_ERR_ENGINE 1
#define OW_ERR_REDUCER 2
#define OW_ERR_RAMP 3
#define OW_ERR_REGS 4
#define OW_TRAP_FETCH_MISALIGNED 0
#define OW_TRAP_FETCH_FAULT 1
#define OW_TRAP_ILLEGAL 2
#define OW_TRAP_BREAKPOINT 3
#define OW_TRAP_LOAD_MISALIGNED 4
#define OW_TRAP_LOAD_FAULT 5
#define OW_TRAP_STORE_MISALIGNED 6
#define OW_TRAP_STORE_FAULT 7
#define OW_TRAP_ECALL_M 11
#define OW_TRAP_STACK 24
#define OW_TRAP_TEXT 25
#define OW_ENG_ILLEGAL 1
#define OW_ENG_DESCRIPTOR 2
#define OW_ENG_ADDRESS 3
#define OW_RED_BAD_REGISTERS 1
#define OW_RED_BAD_STORE 2
#define OW_RED_BAD_BIAS 3
#define OW_RED_BUSY 4
#define OW_RAMP_NO_CONSUMER 1
#define OW_RAMP_OVERRUN 2
#define OW_RAMP_TWO_TAKERS 3
#define OW_RAMP_TWO_QUEUES 4
#define OW_REGS_SELFTEST 1
#define OW_REGS_PRNG_BUSY 2
#define OW_CSR_MSTATUS 768
#define OW_CSR_MISA 769
#define OW_CSR_MIE 772
#define OW_CSR_MTVEC 773
#define OW_CSR_MSCRATCH 832
#define OW_CSR_MEPC 833
#define OW_CSR_MCAUSE 834
#define OW_CSR_MTVAL 835
#define OW_CSR_MIP 836
#define OW_CSR_MCYCLE 0xB00
#define OW_CSR_MINSTRET 0xB02
#define OW_CSR_MCYCLEH 0xB80
#define OW_CSR_MINSTRETH 0xB82
#define OW_CSR_CYCLE 0xC00
#define OW_CSR_INSTRET 0xC02
#define OW_CSR_CYCLEH 0xC80
#define OW_CSR_INSTRETH 0xC82
#define OW_CSR_MVENDORID 0xF11
#define OW_CSR_MARCHID 0xF12
#define OW_CSR_MIMPID 0xF13
#define OW_CSR_MHARTID 0xF14
#define OW_HOST_FRAME_OPEN 1
#define OW_HOST_FRAME_OPENED 2
#define OW_HOST_FRAME_DATA 3
#define OW_HOST_FRAME_ACK 4
#define OW_HOST_FRAME_CLOSED 5
#define OW_HOST_RECORD_SELECT 1
#define OW_HOST_RECORD_DATA 2
#define OW_HOST_RECORD_CONTROL 3
#define OW_HOST_RECORD_CHAIN 4
#define OW_HOST_RECORD_STATUS 5
#define OW_HOST_RECORD_REPORT 6
#define OW_HOST_RECORD_ROOM 7
#else

// ports of a router; the ramp is the port to and from its own tile.
enum ow_port {
  OW_PORT_N = 0,  // north
  OW_PORT_E = 1,  // east
  OW_PORT_S = 2,  // south
  OW_PORT_W = 3,  // west
  OW_PORT_R = 4,  // ramp
  OW_PORT_NONE = 7,  // none
};

// what a command does to the switch of its colour.
enum ow_switch {
  OW_SWITCH_NOP = 0,  // nothing
  OW_SWITCH_ADV = 1,  // advance
  OW_SWITCH_RST = 2,  // reset
  OW_SWITCH_TEARDOWN = 3,  // teardown
};

// kinds of filters.
enum ow_filter_kind {
  OW_FILTER_COUNTER = 0,  // counter
  OW_FILTER_SPARSE = 1,  // sparse counter
  OW_FILTER_RANGE = 2,  // range
};

// operations of requests.
enum ow_packet {
  OW_PACKET_WRITE = 1,  // write
  OW_PACKET_READ = 2,  // read
};

// status of responses.
enum ow_packet_status {
  OW_STATUS_DONE = 0,  // done
  OW_STATUS_ADDRESS = 1,  // address error
  OW_STATUS_MALFORMED = 2,  // malformed
};

// why a link is not up.
enum ow_link_down {
  OW_DOWN_NOT = 0,  // it is up
  OW_DOWN_OFF = 1,  // not enabled
  OW_DOWN_NO_SIGNAL = 2,  // the other end's marker has not been found
  OW_DOWN_TRAINING = 3,  // training
  OW_DOWN_LANES = 4,  // more faulty lanes than spares in this end's receiver
  OW_DOWN_PEER_LANES = 5,  // the same in the other end's receiver
  OW_DOWN_PEER_RESET = 6,  // the other end was reset, this one was not
};

// why a link was last trained.
enum ow_link_cause {
  OW_LINK_CAUSE_RESET = 0,  // reset
  OW_LINK_CAUSE_COMMAND = 1,  // command
  OW_LINK_CAUSE_ERRORS = 2,  // too many wrong frames: noise, lanes, or the other end trains
  OW_LINK_CAUSE_SILENCE = 3,  // no acknowledgement in spite of replays
  OW_LINK_CAUSE_HANDSHAKE = 4,  // the other end did not follow into operation
  OW_LINK_CAUSE_PEER = 5,  // woken by the other end
};

// funct3 of a system instruction.
enum ow_sys {
  OW_SYS_NEXT = 0,
  OW_SYS_DSRW = 1,  // writes word of DSR rs1[4:0]; waits while a running thread uses the DSR
  OW_SYS_DSRR = 2,  // reads it back (word 1 is the advanced address if save_address was set)
};

// funct7 of a tensor instruction.
enum ow_op {
  OW_OP_MOV = 0,  // dst = a, bits kept
  OW_OP_ADD = 1,  // dst = a + b, one rounding; integers modulo 2^n
  OW_OP_SUB = 2,  // dst = a - b, rounded as add
  OW_OP_MUL = 3,  // dst = a * b, rounded as add
  OW_OP_FMA = 4,  // dst = a * b + dst, one rounding; integers modulo 2^n
  OW_OP_MAX = 5,  // IEEE 754-2019 maximum; integers signed
  OW_OP_MIN = 6,  // IEEE 754-2019 minimum; integers signed
  OW_OP_CVT = 7,
  OW_OP_AND = 8,  // bit by bit
  OW_OP_OR = 9,  // bit by bit
  OW_OP_XOR = 10,  // bit by bit
  OW_OP_SLL = 11,  // a shifted to the left by b modulo the width
  OW_OP_SRL = 12,  // a shifted to the right, filled with zeros
  OW_OP_SRA = 13,  // a shifted to the right, filled with the sign
  OW_OP_GATE = 14,
  OW_OP_AXPYW = 16,  // see below
  OW_OP_DRAIN = 17,  // see below
  OW_OP_DOTW = 18,  // see below
  OW_OP_CMPEQ = 20,  // a = b ? 1 : 0, in the type of a
  OW_OP_CMPNE = 21,  // a != b ? 1 : 0
  OW_OP_CMPLT = 22,  // a < b ? 1 : 0
  OW_OP_CMPLE = 23,  // a <= b ? 1 : 0
  OW_OP_DOT = 24,  // sum of a * b, one result per inner vector, in dst's type
  OW_OP_SUM = 25,  // sum of a
  OW_OP_RMAX = 26,  // largest of a
  OW_OP_RMIN = 27,  // smallest of a
  OW_OP_GATHER = 28,  // dst[i] = x[b[i]], x at the byte address rs2
  OW_OP_SCATTER = 29,  // x[b[i]] = a[i]; no dst
  OW_OP_FMAG = 30,  // dst[i] = a[i] * x[b[i]] + dst[i], one rounding
  OW_OP_RCP = 32,  // 1 / a, correctly rounded
  OW_OP_RSQRT = 33,  // 1 / sqrt(a), correctly rounded
  OW_OP_EXP = 34,  // e^a, correctly rounded
  OW_OP_LOG = 35,  // natural logarithm, correctly rounded
  OW_OP_TANH = 36,  // hyperbolic tangent, correctly rounded
  OW_OP_SIGMOID = 37,  // 1 / (1 + e^-a), correctly rounded
};

// element types, in funct3 and in descriptors.
enum ow_type {
  OW_F16 = 0,  // binary16
  OW_BF16 = 1,  // bfloat16
  OW_F32 = 2,  // binary32
  OW_MIXED = 3,  // operations only: binary16 sources, binary32 addend and result
  OW_I16 = 4,  // 16-bit integer
  OW_I32 = 5,  // 32-bit integer
  OW_I8 = 6,  // 8-bit integer
  OW_MIXEDB = 7,  // operations only: bfloat16 sources, binary32 addend and result
};

// what a completion does to a task.
enum ow_done {
  OW_DONE_NONE = 0,  // nothing
  OW_DONE_ACTIVATE = 1,  // activates it
  OW_DONE_UNBLOCK = 2,  // unblocks it
};

// kinds of descriptors.
enum ow_kind {
  OW_KIND_NONE = 0,  // none
  OW_KIND_MEM = 1,  // memory
  OW_KIND_FABRIC_IN = 2,  // fabric in
  OW_KIND_FABRIC_OUT = 3,  // fabric out
  OW_KIND_FIFO = 4,  // circular buffer in memory
};

// words of a descriptor.
enum ow_dsr_word {
  OW_DSR_KIND = 0,  // kind, type, queue and what goes with them
  OW_DSR_ADDRESS = 1,  // byte address; of a FIFO its base
  OW_DSR_DIM0 = 2,  // dimension 0; of a FIFO its capacity
  OW_DSR_DIM1 = 3,  // dimension 1; of a FIFO, read: elements in it
  OW_DSR_DIM2 = 4,  // dimension 2
  OW_DSR_DIM3 = 5,  // dimension 3
};

// counters, exact although an idle tile is not clocked.
enum ow_counter {
  OW_COUNT_BEATS = 0,  // engine beats
  OW_COUNT_STALL_INPUT = 1,  // cycles stalled on an input queue
  OW_COUNT_STALL_OUTPUT = 2,  // cycles stalled on an output queue
  OW_COUNT_STALL_ROW = 3,  // cycles stalled on an accumulator row
  OW_COUNT_STALL_MEMORY = 4,  // cycles stalled on memory
  OW_COUNT_NO_WORK = 5,  // cycles without work
  OW_COUNT_REDUCER_ELEMENTS = 6,  // reducer elements
  OW_COUNT_INSTRUCTIONS = 7,  // instructions retired
  OW_COUNT_ASLEEP = 8,  // cycles asleep
  OW_COUNT_WAVELETS_IN = 9,  // wavelets in through the ramp
  OW_COUNT_WAVELETS_OUT = 10,  // wavelets out through the ramp
  OW_COUNT_WEIGHTS = 11,  // weight wavelets consumed
  OW_COUNT_REDUCER_WAIT = 12,  // cycles that the reducer waited
};

// what a thread waits for.
enum ow_thread_wait {
  OW_WAIT_NOTHING = 0,  // nothing
  OW_WAIT_INPUT = 1,  // an input queue
  OW_WAIT_OUTPUT = 2,  // an output queue
  OW_WAIT_ROW = 3,  // an accumulator row
  OW_WAIT_MEMORY = 4,  // memory
};

// what the reducer waits for.
enum ow_reducer_wait {
  OW_RED_WAIT_NOTHING = 0,  // nothing
  OW_RED_WAIT_ROW = 1,  // a row
  OW_RED_WAIT_IN0 = 2,  // in0
  OW_RED_WAIT_IN1 = 3,  // in1
  OW_RED_WAIT_OUTPUT = 4,  // an output queue
  OW_RED_WAIT_MEMORY = 5,  // memory
};

// what stopped the tile.
enum ow_error_source {
  OW_ERR_CORE = 0,  // the core: a trap with `mtvec` = 0 (`ebreak` ends a program and is no error)
  OW_ERR_ENGINE = 1,  // the engine
  OW_ERR_REDUCER = 2,  // the reducer
  OW_ERR_RAMP = 3,  // the ramp
  OW_ERR_REGS = 4,  // a register access
};

// trap causes of the core (mcause); 24 and up are of this machine.
enum ow_trap {
  OW_TRAP_FETCH_MISALIGNED = 0,  // instruction address misaligned
  OW_TRAP_FETCH_FAULT = 1,  // instruction access fault
  OW_TRAP_ILLEGAL = 2,  // illegal instruction
  OW_TRAP_BREAKPOINT = 3,  // breakpoint
  OW_TRAP_LOAD_MISALIGNED = 4,  // load address misaligned
  OW_TRAP_LOAD_FAULT = 5,  // load access fault
  OW_TRAP_STORE_MISALIGNED = 6,  // store address misaligned
  OW_TRAP_STORE_FAULT = 7,  // store access fault
  OW_TRAP_ECALL_M = 11,  // environment call
  OW_TRAP_STACK = 24,  // stack pointer below its limit
  OW_TRAP_TEXT = 25,  // store into program text
};

// faults of the engine.
enum ow_engine_cause {
  OW_ENG_ILLEGAL = 1,  // illegal operation or type
  OW_ENG_DESCRIPTOR = 2,  // malformed descriptor
  OW_ENG_ADDRESS = 3,  // address outside memory
};

// faults of the reducer.
enum ow_reducer_cause {
  OW_RED_BAD_REGISTERS = 1,  // bad reducer registers
  OW_RED_BAD_STORE = 2,  // the reducer stores outside memory
  OW_RED_BAD_BIAS = 3,  // the reducer reads a bias outside memory
  OW_RED_BUSY = 4,  // a reducer register was written while a drain runs
};

// faults of the ramp.
enum ow_ramp_cause {
  OW_RAMP_NO_CONSUMER = 1,  // a wavelet came in of a colour to which no input queue is bound
  OW_RAMP_OVERRUN = 2,
  OW_RAMP_TWO_TAKERS = 3,  // two of engine, reducer and tasks took from one input queue
  OW_RAMP_TWO_QUEUES = 4,
};

// register accesses that stop the tile.
enum ow_regs_cause {
  OW_REGS_SELFTEST = 1,  // the core started the memory self-test
  OW_REGS_PRNG_BUSY = 2,
};

// control and status registers.
enum ow_csr {
  OW_CSR_MSTATUS = 768,  // MIE, MPIE; MPP reads 3
  OW_CSR_MISA = 769,  // RV32IM and X
  OW_CSR_MIE = 772,  // interrupt enables; there are no interrupts
  OW_CSR_MTVEC = 773,  // direct mode; 0: a trap stops the tile
  OW_CSR_MSCRATCH = 832,  // free
  OW_CSR_MEPC = 833,  // pc of the trap
  OW_CSR_MCAUSE = 834,  // its cause
  OW_CSR_MTVAL = 835,  // its address or instruction
  OW_CSR_MIP = 836,  // reads 0
  OW_CSR_MCYCLE = 0xB00,  // cycles
  OW_CSR_MINSTRET = 0xB02,  // instructions retired
  OW_CSR_MCYCLEH = 0xB80,  // the high word
  OW_CSR_MINSTRETH = 0xB82,  // the high word
  OW_CSR_CYCLE = 0xC00,  // cycles
  OW_CSR_INSTRET = 0xC02,  // instructions retired
  OW_CSR_CYCLEH = 0xC80,  // the high word
  OW_CSR_INSTRETH = 0xC82,  // the high word
  OW_CSR_MVENDORID = 0xF11,  // 0
  OW_CSR_MARCHID = 0xF12,  // 0
  OW_CSR_MIMPID = 0xF13,  // 0
  OW_CSR_MHARTID = 0xF14,  // 0
};

// kinds of frames between host and board.
enum ow_host_frame {
  OW_HOST_FRAME_OPEN = 1,  // the host opens a session
  OW_HOST_FRAME_OPENED = 2,  // the board has opened it
  OW_HOST_FRAME_DATA = 3,  // payload
  OW_HOST_FRAME_ACK = 4,  // an acknowledgement alone
  OW_HOST_FRAME_CLOSED = 5,  // there is no such session
};

// records of the payload, by their first byte.
enum ow_host_record {
  OW_HOST_RECORD_SELECT = 1,  // port, colour
  OW_HOST_RECORD_DATA = 2,  // 4 bytes: a wavelet of the selected port and colour
  OW_HOST_RECORD_CONTROL = 3,  // 4 bytes: a control wavelet of the selected port and colour
  OW_HOST_RECORD_CHAIN = 4,  // to the board: end, 8 bytes of a chain's frame; to the host: 8 bytes
  OW_HOST_RECORD_STATUS = 5,  // to the board: nothing; to the host: flags, 6 bytes of cycle count
  OW_HOST_RECORD_REPORT = 6,  // to the board: report all queues
  OW_HOST_RECORD_ROOM = 7,  // to the host: port, colour, wavelets gone and credits
};
#endif  // __ASSEMBLER__

#endif  // OW_TILE_ISA_H_
