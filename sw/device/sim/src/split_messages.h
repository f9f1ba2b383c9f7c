// SPDX-License-Identifier: Apache-2.0
// Messages between rank 0 and the other ranks of a grid that is split.
#ifndef OW_SIM_SPLIT_MESSAGES_H_
#define OW_SIM_SPLIT_MESSAGES_H_

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "ow/base/error.h"
#include "ow/device/link_word.h"
#include "ow/ranks/bytes.h"
#include "ow/sim/sim.h"
#include "ow/sim/tile_state.h"

namespace ow::split {

using ranks::Message;
using ranks::Reader;
using ranks::Tag;
using ranks::Writer;

// What rank 0 sends. All are answered but Tile, Stop, Drop and End. After Write come the states of
// the part's tiles, each in a Tile; instead of one of them a Stop if rank 0 cannot go on. Then
// comes the answer.
enum class Ask : uint8_t { Make, Clock, Read, Write, Tile, Stop, Memory, Counts, Drop, End };
// How an answer begins. Other than Good: an error and its text.
enum class Answer : uint8_t { Good, BadInput, DeviceFault, InternalError };

[[noreturn]] inline void refuse(const char* what) {
  throw ProtocolError(fmt::format("a message between ranks {}", what));
}
inline bool get_flag(Reader* reader) {
  const auto flag = reader->get<uint8_t>();
  if (flag > 1) refuse("has a flag that is neither 0 nor 1");
  return flag == 1;
}
inline void put_flag(bool flag, Writer* writer) { writer->put(static_cast<uint8_t>(flag ? 1 : 0)); }

// The part that a rank makes: these options and its shape.
inline void put_order(GridShape shape, const SimOptions& options, Writer* writer) {
  writer->put(shape);
  for (const int number :
       {options.first_row, static_cast<int>(options.engine), options.width, options.threads}) {
    writer->put(number);
  }
  for (const bool flag : {options.lockstep, options.checked, options.check_idle, options.skip_idle,
                          options.toggle_clock}) {
    put_flag(flag, writer);
  }
}
inline SimOptions get_order(Reader* reader, GridShape* shape) {
  *shape = reader->get<GridShape>();
  SimOptions options;
  options.first_row = reader->get<int>();
  const int engine = reader->get<int>();
  if (engine < 0 || engine > static_cast<int>(Engine::Auto)) refuse("names no engine");
  options.engine = static_cast<Engine>(engine);
  options.width = reader->get<int>();
  options.threads = reader->get<int>();
  for (bool* const flag : {&options.lockstep, &options.checked, &options.check_idle,
                           &options.skip_idle, &options.toggle_clock}) {
    *flag = get_flag(reader);
  }
  reader->close();
  return options;
}

inline Writer request(Ask what) {
  Writer writer;
  writer.put(what);
  return writer;
}

// Ports of a part, numbered as EdgePorts does.
inline int port_count(GridShape shape) { return 2 * (shape.rows + shape.cols); }
inline size_t port(GridShape shape, Side side, int index) {
  const int first[] = {0, shape.cols, shape.cols + shape.rows, 2 * shape.cols + shape.rows};
  return static_cast<size_t>(first[static_cast<int>(side)] + index);
}

// The words that are not zero, with their ports.
inline void put_words(const std::vector<uint64_t>& words, Writer* writer) {
  for (size_t p = 0; p < words.size(); ++p) {
    if (words[p] == 0) continue;
    writer->put(static_cast<uint16_t>(p));
    writer->put(words[p]);
  }
}
// To the end of the message.
inline void get_words(Reader* reader, std::vector<uint64_t>* words) {
  std::fill(words->begin(), words->end(), uint64_t{0});
  while (!reader->done()) {
    const auto p = reader->get<uint16_t>();
    if (p >= words->size()) refuse("names no port of a part");
    (*words)[p] = reader->get<uint64_t>();
    if ((*words)[p] > kLinkMask) refuse("has a word that no link carries");
  }
}

inline void put_state(const TileState& state, Writer* writer) {
  put_flag(state.idle, writer);
  writer->put(state.sent.data(), state.sent.size());
  writer->put(uint64_t{state.words.size()});
  writer->put(state.words.data(), state.words.size());
}
// To the end of the message.
inline void get_state(Reader* reader, const StateLayout& layout, TileState* state) {
  state->idle = get_flag(reader);
  reader->get(state->sent.data(), state->sent.size());
  state->words.resize(reader->count<uint64_t>());
  reader->get(state->words.data(), state->words.size());
  reader->close();
  const std::string fault = fault_of(*state, layout);
  if (!fault.empty()) refuse(("has a tile that cannot be: " + fault).c_str());
}

}  // namespace ow::split

#endif  // OW_SIM_SPLIT_MESSAGES_H_
