// SPDX-License-Identifier: Apache-2.0
// Messages between rank 0 and the other ranks of a grid that is split.
#ifndef OW_SIM_SPLIT_MESSAGES_H_
#define OW_SIM_SPLIT_MESSAGES_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ow/base/error.h"
#include "ow/ranks/bytes.h"
#include "ow/sim/sim.h"
#include "ow/sim/tile_state.h"

namespace ow::split {

using ranks::Message;
using ranks::Reader;
using ranks::Tag;
using ranks::Writer;

// What rank 0 sends. All but the last two are answered.
enum class Ask : uint8_t { Make, Clock, Read, Write, Memory, Counts, Drop, End };
// How an answer begins. Other than Good: an error and its text.
enum class Answer : uint8_t { Good, BadInput, DeviceFault, InternalError };

// The part that a rank makes.
struct PartOrder {
  GridShape shape;
  int first_row;
  Engine engine;
  int width, threads;
  bool lockstep, checked, check_idle, skip_idle, toggle_clock;
};

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
    if (p >= words->size()) throw ProtocolError("a message between ranks names no port of a part");
    (*words)[p] = reader->get<uint64_t>();
  }
}

inline void put_state(const TileState& state, Writer* writer) {
  writer->put(state.idle);
  writer->put(state.sent.data(), state.sent.size());
  writer->put(uint64_t{state.words.size()});
  writer->put(state.words.data(), state.words.size());
}
inline void get_state(Reader* reader, TileState* state) {
  state->idle = reader->get<bool>();
  reader->get(state->sent.data(), state->sent.size());
  state->words.resize(reader->count<uint64_t>());
  reader->get(state->words.data(), state->words.size());
  reader->close();
}

}  // namespace ow::split

#endif  // OW_SIM_SPLIT_MESSAGES_H_
