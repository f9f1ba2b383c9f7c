// SPDX-License-Identifier: Apache-2.0
// The connection between the ranks of a split grid, and what a rank other than 0 does.
#include <new>
#include <utility>
#include <vector>

#include "ow/base/error.h"
#include "ow/sim/sim_device.h"
#include "ow/sim/split.h"
#include "split_messages.h"

namespace ow {
namespace {

using ranks::Message;
using ranks::Reader;
using ranks::Tag;
using ranks::Writer;
using split::Answer;
using split::Ask;

// A part in a rank other than 0.
class Server {
 public:
  Server(ranks::Transport* transport, const EngineMaker& make)
      : transport_(transport), make_(make) {}

  // Does what a message asks for and returns the answer.
  Message act(Reader* reader, Ask what) {
    Writer answer;
    answer.put(Answer::Good);
    if (what == Ask::Make) {
      make(reader, &answer);
      return answer.take();
    }
    if (!part_) split::refuse("asks for a part before it is made");
    switch (what) {
      case Ask::Clock:
        clock(reader, &answer);
        break;
      case Ask::Read: {
        const auto tile = reader->get<uint64_t>();
        if (tile >= tiles()) split::refuse("asks for no tile of the part");
        TileState state;
        part_->read_tile(tile, &state);
        split::put_state(state, &answer);
        break;
      }
      case Ask::Write:
        write();
        split::put_flag(part_->grid_quiet(), &answer);
        break;
      case Ask::Memory:
        write_memory(reader);
        break;
      case Ask::Counts:
        answer.put(part_->evaluations());
        for (const UnitClock& unit : part_->unit_clocks()) answer.put(unit.edges);
        break;
      default:
        split::refuse("asks for something else");
    }
    return answer.take();
  }
  void drop() { part_.reset(); }

 private:
  size_t tiles() const {
    return static_cast<size_t>(part_->shape().rows) * static_cast<size_t>(part_->shape().cols);
  }
  void make(Reader* reader, Writer* answer) {
    GridShape shape;
    SimOptions options = split::get_order(reader, &shape);
    options.processes_here = transport_->ranks_here();
    part_.reset();
    part_ = make_(shape, options);
    in_.assign(static_cast<size_t>(split::port_count(shape)), 0);
    out_ = in_;
    split::put_flag(part_->grid_quiet(), answer);
    const std::string hash = hash_of(part_->state_layout());
    answer->put(hash.data(), hash.size());
  }
  void clock(Reader* reader, Writer* answer) {
    const auto cycle = reader->get<uint64_t>();
    split::get_words(reader, &in_);
    part_->clock_grid(cycle, in_.data(), out_.data());
    split::put_flag(part_->grid_quiet(), answer);
    split::put_words(out_, answer);
  }
  // If the part fails, rank 0 still sends the other states.
  void write() {
    size_t left = tiles();
    const auto next = [this, &left] {
      Message message = transport_->receive(0, Tag::Grid);
      const bool tile = !message.empty() && message[0] == static_cast<uint8_t>(Ask::Tile);
      left = tile ? left - 1 : 0;
      return message;
    };
    try {
      part_->write_tiles([&](size_t, TileState* state) {
        const Message message = next();
        Reader reader(message);
        if (reader.get<Ask>() != Ask::Tile) split::refuse("has no tile, but others came before");
        split::get_state(&reader, part_->state_layout(), state);
      });
    } catch (...) {
      while (left > 0) next();
      throw;
    }
  }
  void write_memory(Reader* reader) {
    const int row = reader->get<int>(), column = reader->get<int>();
    const auto address = reader->get<uint32_t>();
    std::vector<uint32_t> words(reader->count<uint32_t>());
    reader->get(words.data(), words.size());
    const GridShape shape = part_->shape();
    if (row < 0 || column < 0 || row >= shape.rows || column >= shape.cols ||
        address + words.size() * sizeof(uint32_t) > isa::kFull.sram_bytes) {
      split::refuse("has words for no memory of the part");
    }
    part_->write_memory(row, column, address, words.data(), words.size());
  }

  ranks::Transport* transport_;
  const EngineMaker& make_;
  std::unique_ptr<SimDevice> part_;
  std::vector<uint64_t> in_, out_;
};

Message error_answer(Answer kind, const std::string& what) {
  Writer writer;
  writer.put(kind);
  writer.put(what.data(), what.size());
  return writer.take();
}

}  // namespace

GridRanks::GridRanks(std::unique_ptr<ranks::Transport> transport)
    : transport_(std::move(transport)) {}

// A failure of the run has been reported before: the ranks are then ended by their connection.
GridRanks::~GridRanks() {
  try {
    for (int r = 1; rank() == 0 && r < count(); ++r) tell(r, split::request(Ask::End).take());
    transport_->close();
  } catch (const Error&) {
  }
}

void GridRanks::tell(int rank, Message message) {
  transport_->send(rank, Tag::Grid, std::move(message));
}

Message GridRanks::answer(int rank) { return transport_->receive(rank, Tag::Grid); }

Message GridRanks::ask(int rank, Message message) {
  tell(rank, std::move(message));
  return answer(rank);
}

int GridRanks::serve(const EngineMaker& make) {
  Server server(transport_.get(), make);
  const auto guarded = [&](Reader* reader, Ask what) {
    try {
      return server.act(reader, what);
    } catch (const BadInput& e) {
      return error_answer(Answer::BadInput, e.what());
    } catch (const DeviceFault& e) {
      return error_answer(Answer::DeviceFault, e.what());
    } catch (const std::bad_alloc&) {
      return error_answer(Answer::BadInput, "not enough memory");
    } catch (const std::exception& e) {
      return error_answer(Answer::InternalError, e.what());
    }
  };
  try {
    for (;;) {
      const Message message = transport_->receive(0, Tag::Grid);
      Reader reader(message);
      const auto what = reader.get<Ask>();
      if (what == Ask::End) return 0;
      if (what == Ask::Drop) {
        server.drop();
      } else {
        transport_->send(0, Tag::Grid, guarded(&reader, what));
      }
    }
  } catch (const DeviceFault& e) {
    if (rank() == ranks::speaker(e.what())) throw;
    return e.exit_status();
  }
}

}  // namespace ow
