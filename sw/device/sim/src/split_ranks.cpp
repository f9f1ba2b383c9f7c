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
    switch (what) {
      case Ask::Make:
        make(reader->get<split::PartOrder>());
        answer.put(part_->grid_quiet());
        break;
      case Ask::Clock:
        clock(reader, &answer);
        break;
      case Ask::Read: {
        TileState state;
        part_->read_tile(reader->get<uint64_t>(), &state);
        split::put_state(state, &answer);
        break;
      }
      case Ask::Write:
        part_->write_tiles([this](size_t, TileState* state) {
          const Message message = transport_->receive(0, Tag::Grid);
          Reader of_tile(message);
          split::get_state(&of_tile, state);
        });
        answer.put(part_->grid_quiet());
        break;
      case Ask::Memory: {
        const int row = reader->get<int>(), column = reader->get<int>();
        const auto address = reader->get<uint32_t>();
        std::vector<uint32_t> words(reader->count<uint32_t>());
        reader->get(words.data(), words.size());
        part_->write_memory(row, column, address, words.data(), words.size());
        break;
      }
      case Ask::Counts:
        answer.put(part_->evaluations());
        for (const UnitClock& unit : part_->unit_clocks()) answer.put(unit.edges);
        break;
      default:
        break;
    }
    return answer.take();
  }
  void drop() { part_.reset(); }

 private:
  void make(const split::PartOrder& order) {
    SimOptions options;
    options.first_row = order.first_row;
    options.engine = order.engine;
    options.width = order.width;
    options.threads = order.threads;
    options.lockstep = order.lockstep;
    options.checked = order.checked;
    options.check_idle = order.check_idle;
    options.skip_idle = order.skip_idle;
    options.toggle_clock = order.toggle_clock;
    part_.reset();
    part_ = make_(order.shape, options);
    in_.assign(static_cast<size_t>(split::port_count(order.shape)), 0);
    out_ = in_;
  }
  void clock(Reader* reader, Writer* answer) {
    const auto cycle = reader->get<uint64_t>();
    split::get_words(reader, &in_);
    part_->clock_grid(cycle, in_.data(), out_.data());
    answer->put(part_->grid_quiet());
    split::put_words(out_, answer);
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

// The answer to a message; throws the error that it is.
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
    const bool first_lost = std::string(e.what()).rfind("rank 0 ", 0) == 0;
    if (rank() == 1 && first_lost) throw;
    return e.exit_status();
  }
}

}  // namespace ow
