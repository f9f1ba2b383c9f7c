// SPDX-License-Identifier: Apache-2.0
#include "ow/hang_report.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "ow/error.h"

namespace ow {
namespace {

constexpr int kRowStep[4] = {-1, 0, 1, 0};
constexpr int kColStep[4] = {0, 1, 0, -1};

// Builds the list of diagnoses from the states of all tiles.
class Diagnoser {
 public:
  Diagnoser(Device& device, const std::vector<TileState>& tiles, const ElfImage* image)
      : device_(device), shape_(device.shape()), tiles_(tiles), image_(image) {}

  std::vector<Diagnosis> run() {
    route_cycles();
    for (const TileState& t : tiles_) {
      router(t);
      if (t.error.stopped) {  // what else it would wait for does not matter
        stopped(t);
        continue;
      }
      cores(t);
      input_queues(t);
      output_queues(t);
      threads(t);
      reducer(t);
      tasks(t);
    }
    host();
    std::stable_sort(list_.begin(), list_.end(),
                     [](const Diagnosis& a, const Diagnosis& b) { return a.root > b.root; });
    return std::move(list_);
  }

 private:
  const TileState& tile(int row, int col) const {
    return tiles_[static_cast<size_t>(row * shape_.cols + col)];
  }
  bool in_grid(int row, int col) const {
    return row >= 0 && col >= 0 && row < shape_.rows && col < shape_.cols;
  }
  static std::string name(const TileState& t) { return fmt::format("tile ({}, {})", t.row, t.col); }
  std::string at_pc(const TileState& t) const {
    return image_ != nullptr ? image_->describe(t.core.pc) : fmt::format("pc 0x{:x}", t.core.pc);
  }
  static int edge_index(int port, int row, int col) { return port == 0 || port == 2 ? col : row; }
  static std::optional<int> bound(uint32_t reg) {
    if ((reg & 32) == 0) return std::nullopt;
    return static_cast<int>(reg & 31);
  }
  static std::optional<int> bound_inq(const TileState& t, int colour) {
    for (int q = 0; q < kNumQueues; ++q) {
      if (bound(t.inq[static_cast<size_t>(q)]) == colour) return q;
    }
    return std::nullopt;
  }
  // The output queue that is bound to a colour, or -1.
  static int bound_outq(const TileState& t, int colour) {
    for (int q = 0; q < kNumQueues; ++q) {
      if (bound(t.outq[static_cast<size_t>(q)]) == colour) return q;
    }
    return -1;
  }
  static bool active(uint32_t thread) { return thread >> 31 != 0; }
  static int waits(uint32_t thread) { return static_cast<int>(thread >> 28 & 7); }
  static int queue(uint32_t thread) { return static_cast<int>(thread >> 24 & 15); }
  static bool reducer_runs(const TileState& t) { return t.red_status >> 31 != 0; }
  static bool any_thread(const TileState& t) {
    return std::any_of(t.thread.begin(), t.thread.end(), active);
  }

  Diagnosis& add(HangCause cause, const TileState* t, bool root, std::string text) {
    Diagnosis d;
    d.cause = cause;
    d.root = root;
    if (t != nullptr) {
      d.row = t->row;
      d.col = t->col;
      text = name(*t) + ": " + text;
    }
    d.text = std::move(text);
    for (Diagnosis& other : list_) {
      if (other.text == d.text) return other;
    }
    list_.push_back(std::move(d));
    return list_.back();
  }
  Diagnosis& add(HangCause cause, const TileState* t, int colour, bool root, std::string text) {
    Diagnosis& d = add(cause, t, root, std::move(text));
    d.colour = colour;
    return d;
  }

  static bool torn(const TileState& t, int colour) {
    return t.switched[static_cast<size_t>(colour)] >> 31 != 0;
  }
  // Which position a switch has left the route on, if it is not the first one.
  static std::string position(const TileState& t, int colour) {
    const uint32_t now = t.switched[static_cast<size_t>(colour)] >> 29 & 3;
    return now == 0 ? "" : fmt::format(" (switch position {})", now);
  }

  // The tile does not take colour c from its neighbour at `port` now, and may later: the colour is
  // torn down, or its switch stands on another input. Its credits for that neighbour are kept
  // there.
  static bool keeps(const TileState& t, int colour, int port) {
    const auto c = static_cast<size_t>(colour);
    if (torn(t, colour)) return true;
    Route route;
    const bool routed = parse_route(t.route[c], &route);
    return (t.switched[c] >> 24 & 3) != 0 && !(routed && static_cast<int>(route.in) == port);
  }
  // Somebody has wavelets of colour c for the tile, which does not take them there now.
  void not_taken(const TileState& t, int c, int port) {
    if (torn(t, c)) {
      add(HangCause::TornDown, &t, c, true,
          fmt::format("colour {} is torn down, and wavelets of it wait in the {}", c,
                      port_name(static_cast<Port>(port))));
      return;
    }
    Route route;
    const bool routed = parse_route(t.route[static_cast<size_t>(c)], &route);
    add(HangCause::NotSelected, &t, c, true,
        fmt::format("wavelets of colour {} wait in the {}, and its switch (position {}) takes them "
                    "from {}",
                    c, port_name(static_cast<Port>(port)),
                    t.switched[static_cast<size_t>(c)] >> 29 & 3,
                    routed ? port_name(route.in) : "nowhere"));
  }

  void route_cycles() {
    for (int c = 0; c < kMaxDataColours; ++c) {
      std::set<std::pair<int, int>> reported;
      for (const TileState& start : tiles_) {
        std::vector<std::pair<int, int>> path;
        int row = start.row;
        int col = start.col;
        for (;;) {
          Route route;
          if (!in_grid(row, col) || reported.count({row, col}) != 0 ||
              !parse_route(tile(row, col).route[static_cast<size_t>(c)], &route) ||
              route.in == Port::Ramp) {
            break;
          }
          const auto seen = std::find(path.begin(), path.end(), std::make_pair(row, col));
          if (seen != path.end()) {
            std::string ring = fmt::format("({}, {})", row, col);
            for (auto it = path.end(); it != seen;) {
              --it;
              ring += fmt::format(" -> ({}, {})", it->first, it->second);
              reported.insert(*it);
            }
            add(HangCause::RouteCycle, &tile(row, col), c, true,
                fmt::format("the routes of colour {} form a cycle: {}", c, ring));
            break;
          }
          path.emplace_back(row, col);
          const int p = static_cast<int>(route.in);
          row += kRowStep[p];
          col += kColStep[p];
        }
      }
    }
  }

  bool on_cycle(int colour) const {
    return std::any_of(list_.begin(), list_.end(), [&](const Diagnosis& d) {
      return d.cause == HangCause::RouteCycle && d.colour == colour;
    });
  }

  static HangCause cause_of(const TileError& error) {
    switch (error.source) {
      case ErrorSource::Core:
        return HangCause::CoreTrapped;
      case ErrorSource::Engine:
        return HangCause::EngineFault;
      case ErrorSource::Reducer:
        return HangCause::ReducerFault;
      case ErrorSource::Ramp:
        break;
    }
    return error.cause == kRampNoConsumer ? HangCause::NoConsumer : HangCause::QueueMisuse;
  }

  void stopped(const TileState& t) {
    const HangCause cause = cause_of(t.error);
    Diagnosis& d = add(cause, &t, true, "stopped: " + t.error.describe(image_));
    if (cause == HangCause::NoConsumer) d.colour = t.error.unit;
    if (cause == HangCause::QueueMisuse) d.queue = t.error.unit;
    if (cause == HangCause::EngineFault) d.thread = t.error.unit;
  }

  void cores(const TileState& t) {
    if (t.core.waits_tensor) {
      add(HangCause::TensorWait, &t, false,
          fmt::format("the core waits for a tensor instruction, {}", at_pc(t)));
    }
  }

  void router(const TileState& t) {
    for (int c = 0; c < kMaxDataColours; ++c) {
      const uint32_t bit = uint32_t{1} << c;
      Route route;
      const bool routed = parse_route(t.route[static_cast<size_t>(c)], &route);
      // The output queue that injects the colour here, if the route does not start at the ramp.
      const int strayer = routed && route.in == Port::Ramp ? -1 : bound_outq(t, c);
      if ((t.misroute & bit) != 0) {
        std::string from;
        for (int p = 0; p < 4; ++p) {
          const int row = t.row + kRowStep[p];
          const int col = t.col + kColStep[p];
          Route other;
          if (in_grid(row, col) && p != static_cast<int>(route.in) &&
              parse_route(tile(row, col).route[static_cast<size_t>(c)], &other) &&
              (other.out_mask >> (p + 2) % 4 & 1) != 0) {
            from += fmt::format("; tile ({}, {}) sends it from {}", row, col,
                                port_name(static_cast<Port>(p)));
          }
        }
        if (strayer >= 0) {
          stray_output(t, c, strayer, route);
          from += fmt::format("; output queue {} injects it", strayer);
        }
        add(HangCause::Misroute, &t, c, strayer < 0,
            fmt::format(
                "a wavelet of colour {} came in at another port than the route's input, {}{}{}", c,
                routed ? port_name(route.in) : "none", position(t, c), from));
      }
      credits(t, c, routed, route);
      if ((t.occupied & bit) == 0) continue;
      if ((t.misroute & bit) != 0) continue;
      if (torn(t, c)) {
        add(HangCause::TornDown, &t, c, true,
            fmt::format("wavelets of colour {} wait in the router, which has torn it down", c));
        continue;
      }
      if (!routed) {
        add(HangCause::NoRoute, &t, c, strayer < 0,
            fmt::format("wavelets of colour {} wait in the router, which has no route for it", c));
        if (strayer >= 0) {
          add(HangCause::OutputNotRouted, &t, c, true,
              fmt::format("output queue {} is bound to colour {}, of which the tile has no route",
                          strayer, c))
              .queue = strayer;
        }
        continue;
      }
      if ((route.out_mask & kOutRamp) != 0) {
        const std::optional<int> q = bound_inq(t, c);
        const bool told =
            t.error.stopped && cause_of(t.error) == HangCause::NoConsumer && t.error.unit == c;
        if (!q && !told) {
          add(HangCause::NoConsumer, &t, c, true,
              fmt::format("colour {} is routed to the ramp, but no input queue is bound to it", c));
        }
      }
    }
  }

  void stray_output(const TileState& t, int c, int q, const Route& route) {
    add(HangCause::OutputNotRouted, &t, c, !on_cycle(c),
        fmt::format("output queue {} is bound to colour {}, whose route takes its input from {}, "
                    "not from the ramp",
                    q, c, port_name(route.in)))
        .queue = q;
  }

  // Credits towards the four neighbours: when nothing moves, each one that is missing is a wavelet
  // in the neighbour's buffer, or it is lost.
  void credits(const TileState& t, int c, bool routed, const Route& route) {
    const uint32_t bit = uint32_t{1} << c;
    for (int p = 0; p < 4; ++p) {
      const int left = t.credits[static_cast<size_t>(p)][static_cast<size_t>(c)];
      if (left >= kLinkCredits) continue;
      const int row = t.row + kRowStep[p];
      const int col = t.col + kColStep[p];
      const char* direction = port_name(static_cast<Port>(p));
      if (!in_grid(row, col)) {
        add(HangCause::EdgeBlocked, &t, c, left == 0,
            fmt::format("the host keeps {} credits of colour {} on the {} edge, port {}",
                        kLinkCredits - left, c, direction, edge_index(p, t.row, t.col)));
        continue;
      }
      const bool held = ((tile(row, col).occupied | tile(row, col).misroute) & bit) != 0;
      const int entry = (p + 2) % 4;
      const bool sends =
          left == 0 && routed && (route.out_mask >> p & 1) != 0 && (t.occupied & bit) != 0;
      if (keeps(tile(row, col), c, entry)) {
        if (sends) not_taken(tile(row, col), c, entry);
      } else if (!held) {
        add(HangCause::LostCredit, &t, c, true,
            fmt::format("{} of {} credits of colour {} towards {} are lost: the buffer of tile "
                        "({}, {}) is empty",
                        kLinkCredits - left, kLinkCredits, c, direction, row, col));
      } else if (sends) {
        add(HangCause::Downstream, &t, c, false,
            fmt::format("colour {} waits for credits from tile ({}, {}) in the {}", c, row, col,
                        direction));
      }
    }
  }

  bool has_task(const TileState& t, int q) const {
    return t.task_entry[static_cast<size_t>(q)] != 0 ||
           t.task_entry[static_cast<size_t>(q + 8)] != 0;
  }

  void input_queues(const TileState& t) {
    for (int q = 0; q < kNumQueues; ++q) {
      const auto i = static_cast<size_t>(q);
      if (t.inq_level[i] == 0) continue;
      const std::optional<int> c = bound(t.inq[i]);
      const int colour = c ? *c : -1;
      const uint32_t blocked = t.task_blocked >> q & 0x101;
      if (has_task(t, q)) {
        if (blocked != 0 && !any_thread(t)) {
          Diagnosis& d =
              add(HangCause::TaskBlocked, &t, colour, true,
                  fmt::format("{} wavelets wait in input queue {} for task {}, which is blocked",
                              t.inq_level[i], q, (blocked & 1) != 0 ? q : q + 8));
          d.queue = q;
        }
        continue;
      }
      if (any_thread(t) || reducer_runs(t)) continue;  // one of them may be the consumer
      Diagnosis& d = add(HangCause::NoTask, &t, colour, true,
                         fmt::format("{} wavelets of colour {} wait in input queue {}, and no "
                                     "thread, reducer or task takes them",
                                     t.inq_level[i], colour, q));
      d.queue = q;
    }
  }

  void output_queues(const TileState& t) {
    for (int q = 0; q < kNumQueues; ++q) {
      const auto i = static_cast<size_t>(q);
      if (t.outq_level[i] == 0) continue;
      output_queue(t, q, fmt::format("{} wavelets wait in output queue {}", t.outq_level[i], q),
                   -1);
    }
  }

  // `who` waits for output queue q to take or to send.
  void output_queue(const TileState& t, int q, const std::string& who, int thread) {
    const std::optional<int> c = bound(t.outq[static_cast<size_t>(q)]);
    Diagnosis* d = nullptr;
    if (!c) {
      d = &add(HangCause::UnboundOutput, &t, true, who + ", which is bound to no colour");
    } else {
      Route route;
      const bool routed =
          *c < kMaxDataColours && parse_route(t.route[static_cast<size_t>(*c)], &route);
      if (!routed) {
        d = &add(HangCause::OutputNotRouted, &t, *c, true,
                 who + fmt::format(", bound to colour {}, of which the tile has no route", *c));
      } else if (torn(t, *c)) {
        d = &add(HangCause::TornDown, &t, *c, true,
                 who + fmt::format(", bound to colour {}, which the router has torn down", *c));
      } else if (route.in != Port::Ramp) {
        d = &add(
            HangCause::OutputNotRouted, &t, *c, !on_cycle(*c),
            who + fmt::format(", bound to colour {}, whose route{} takes its input from {}, not "
                              "from the ramp",
                              *c, position(t, *c), port_name(route.in)));
      } else {
        d = &add(HangCause::Downstream, &t, *c, false,
                 who + fmt::format(" (colour {}): the fabric does not take them", *c));
      }
    }
    d->queue = q;
    d->thread = thread;
  }

  // `who` waits for wavelets in input queue q, which is empty.
  void input_wait(const TileState& t, int q, const std::string& who, int thread) {
    const std::optional<int> bound_to = bound(t.inq[static_cast<size_t>(q)]);
    if (!bound_to) {
      Diagnosis& d =
          add(HangCause::UnboundInput, &t, true,
              fmt::format("{} waits on input queue {}, which is bound to no colour", who, q));
      d.queue = q;
      d.thread = thread;
      return;
    }
    const int c = *bound_to;
    Diagnosis& d = upstream(t, c, fmt::format("{} waits on input queue {} (colour {})", who, q, c));
    d.queue = q;
    d.thread = thread;
  }

  // Walks the route of colour c back from the ramp of t to where its wavelets should come from.
  Diagnosis& upstream(const TileState& t, int c, const std::string& who) {
    int row = t.row;
    int col = t.col;
    uint32_t into = kOutRamp;
    std::set<std::pair<int, int>> seen;
    for (;;) {
      const TileState& at = tile(row, col);
      Route route;
      const bool routed =
          c < kMaxDataColours && parse_route(at.route[static_cast<size_t>(c)], &route);
      if (!routed) {
        return add(HangCause::NoRoute, &t, c, true,
                   fmt::format("{}, but tile ({}, {}) has no route of that colour", who, row, col));
      }
      if (torn(at, c)) {
        return add(HangCause::TornDown, &t, c, true,
                   fmt::format("{}, which tile ({}, {}) has torn down", who, row, col));
      }
      if ((route.out_mask & into) == 0) {
        return add(
            HangCause::NoRoute, &t, c, !on_cycle(c),
            fmt::format("{}, but the route of tile ({}, {}){} does not send that colour here", who,
                        row, col, position(at, c)));
      }
      if (!seen.insert({row, col}).second) {
        return add(HangCause::NoUpstream, &t, c, false, who + ", whose routes form a cycle");
      }
      if ((at.occupied >> c & 1) != 0 || (at.misroute >> c & 1) != 0) {
        return add(HangCause::NoUpstream, &t, c, false,
                   fmt::format("{}, whose wavelets are held in tile ({}, {})", who, row, col));
      }
      if (route.in == Port::Ramp) {
        const bool produces =
            at.row != t.row || at.col != t.col
                ? any_thread(at) || reducer_runs(at) || at.error.stopped || holds_output(at, c)
                : holds_output(at, c);
        return add(HangCause::NoUpstream, &t, c, !produces,
                   fmt::format("{}, and tile ({}, {}) {}", who, row, col,
                               produces ? "has not sent them yet" : "sends no more of them"));
      }
      const int p = static_cast<int>(route.in);
      const int next_row = row + kRowStep[p];
      const int next_col = col + kColStep[p];
      if (!in_grid(next_row, next_col)) {
        const Side side = static_cast<Side>(p);
        const int index = edge_index(p, row, col);
        const bool waits_here = device_.pending_sends(side, index, c) != 0;
        return add(HangCause::NoUpstream, &t, c, !waits_here,
                   fmt::format("{}, and the host {} (edge {}, port {})", who,
                               waits_here ? "cannot send what it has" : "has no more to send",
                               side_name(side), index));
      }
      into = 1u << ((p + 2) % 4);
      row = next_row;
      col = next_col;
    }
  }

  bool holds_output(const TileState& t, int c) const {
    for (size_t q = 0; q < kNumQueues; ++q) {
      if (t.outq_level[q] != 0 && bound(t.outq[q]) == c) return true;
    }
    return false;
  }

  void threads(const TileState& t) {
    for (size_t i = 0; i < t.thread.size(); ++i) {
      const uint32_t w = t.thread[i];
      if (!active(w)) continue;
      const int id = static_cast<int>(i);
      const std::string who = fmt::format("thread {} ({})", id, operation(w >> 16 & 127));
      switch (waits(w)) {
        case 1:
          if (t.inq_level[static_cast<size_t>(queue(w) & 7)] == 0) {
            input_wait(t, queue(w) & 7, who, id);
          }
          break;
        case 2:
          output_queue(t, queue(w) & 7, fmt::format("{} waits for output queue {}", who, queue(w)),
                       id);
          break;
        case 3: {
          Diagnosis& d =
              reducer_runs(t)
                  ? add(HangCause::RowNotDrained, &t, false,
                        who + " waits for an accumulator row, which the reducer still holds")
                  : add(HangCause::RowNotDrained, &t, true,
                        who +
                            " waits for an accumulator row, and no drain runs that would free one");
          d.thread = id;
          break;
        }
        default:
          break;
      }
    }
  }

  // Mnemonics by operation code (docs/isa.md).
  static std::string operation(uint32_t op) {
    static constexpr std::array<const char*, 38> kNames = {
        "mov",   "add",   "sub",  "mul",   "fma",    "max",     "min",   "cvt",
        "and",   "or",    "xor",  "sll",   "srl",    "sra",     nullptr, nullptr,
        "axpyw", "drain", "dotw", nullptr, "cmpeq",  "cmpne",   "cmplt", "cmple",
        "dot",   "sum",   "rmax", "rmin",  "gather", "scatter", "fmag",  nullptr,
        "rcp",   "rsqrt", "exp",  "log",   "tanh",   "sigmoid"};
    if (op < kNames.size() && kNames[op] != nullptr) return kNames[op];
    return fmt::format("operation {}", op);
  }

  void reducer(const TileState& t) {
    if (!reducer_runs(t)) return;
    const std::string who = fmt::format("the reducer ({} outputs done)", t.red_status & 0xFFFF);
    const int what = static_cast<int>(t.red_status >> 28 & 7);
    switch (what) {
      case 1: {
        const bool feeder = std::any_of(t.thread.begin(), t.thread.end(), [](uint32_t w) {
          return active(w) && (w >> 16 & 127) == 16;
        });
        add(HangCause::RowNotClosed, &t, !feeder,
            who + (feeder
                       ? " waits for the next accumulator row"
                       : " waits for an accumulator row, and no axpyw runs that would close one"));
        break;
      }
      case 2:
      case 3: {
        const std::set<int> queues = reducer_queues(t, what == 2 ? 1 : 5);
        for (int q : queues) {
          if (t.inq_level[static_cast<size_t>(q)] == 0) {
            input_wait(t, q, who + (what == 2 ? " (in0)" : " (in1)"), -1);
          }
        }
        break;
      }
      case 4:
        for (int q : reducer_queues(t, -1)) {
          if (t.outq_level[static_cast<size_t>(q)] == 0 && bound(t.outq[static_cast<size_t>(q)]))
            continue;
          output_queue(t, q, fmt::format("{} waits for output queue {}", who, q), -1);
        }
        break;
      default:
        break;
    }
  }

  // The queues that the reducer's actions name: at `enable_bit` (queue in the three bits above it),
  // or the output queues for -1.
  static std::set<int> reducer_queues(const TileState& t, int enable_bit) {
    std::set<int> queues;
    for (uint32_t action : t.red_action) {
      if ((action & 1) == 0) continue;
      if (enable_bit >= 0) {
        if ((action >> enable_bit & 1) != 0) {
          queues.insert(static_cast<int>(action >> (enable_bit + 1) & 7));
        }
      } else if ((action >> 9 & 1) == 0) {
        queues.insert(static_cast<int>(action >> 10 & 7));
      }
    }
    return queues;
  }

  void tasks(const TileState& t) {
    for (int k = 0; k < kNumTasks; ++k) {
      if ((t.task_pending >> k & 1) == 0) continue;
      if (t.task_entry[static_cast<size_t>(k)] == 0) {
        // A teardown that no task waits for hinders nobody.
        add(HangCause::TaskNoEntry, &t, k != kTeardownTask,
            fmt::format("task {} is activated but has no entry address", k));
      } else if ((t.task_blocked >> k & 1) != 0) {
        add(HangCause::TaskBlocked, &t, true,
            fmt::format("task {} ({}) is activated but blocked", k,
                        image_ != nullptr
                            ? image_->locate(t.task_entry[static_cast<size_t>(k)])
                            : fmt::format("0x{:x}", t.task_entry[static_cast<size_t>(k)])));
      } else if (!t.core.running && !t.core.trapped) {
        add(HangCause::CoreHalted, &t, true,
            fmt::format("task {} is ready but the core is halted", k));
      }
    }
  }

  void host() {
    for (int s = 0; s < kSides; ++s) {
      const Side side = static_cast<Side>(s);
      const bool vertical = side == Side::North || side == Side::South;
      const int n = vertical ? shape_.cols : shape_.rows;
      for (int i = 0; i < n; ++i) {
        const int row = side == Side::North ? 0 : side == Side::South ? shape_.rows - 1 : i;
        const int col = side == Side::West ? 0 : side == Side::East ? shape_.cols - 1 : i;
        const TileState& t = tile(row, col);
        for (int c = 0; c < kMaxDataColours; ++c) {
          const int left = device_.send_credits(side, i, c);
          const bool held = ((t.occupied | t.misroute) >> c & 1) != 0;
          const bool kept = keeps(t, c, s);
          if (left < kLinkCredits && !held && !kept) {
            add(HangCause::LostCredit, &t, c, true,
                fmt::format("{} of {} credits of colour {} towards this tile from the {} edge are "
                            "lost: its buffer is empty",
                            kLinkCredits - left, kLinkCredits, c, side_name(side)));
          }
          const size_t pending = device_.pending_sends(side, i, c);
          if (pending != 0) {
            if (kept) not_taken(t, c, s);
            add(HangCause::HostUnsent, nullptr, c, false,
                fmt::format("host: {} wavelets of colour {} wait at the {} edge, port {}, for "
                            "credits of tile ({}, {})",
                            pending, c, side_name(side), i, row, col));
          }
        }
      }
    }
  }

  Device& device_;
  GridShape shape_;
  const std::vector<TileState>& tiles_;
  const ElfImage* image_;
  std::vector<Diagnosis> list_;
};

}  // namespace

const char* hang_cause_name(HangCause cause) {
  switch (cause) {
    case HangCause::NoConsumer:
      return "no consumer";
    case HangCause::NoTask:
      return "no task";
    case HangCause::NoRoute:
      return "no route";
    case HangCause::RouteCycle:
      return "route cycle";
    case HangCause::Misroute:
      return "misroute";
    case HangCause::LostCredit:
      return "lost credit";
    case HangCause::NotSelected:
      return "not selected";
    case HangCause::TornDown:
      return "torn down";
    case HangCause::EdgeBlocked:
      return "edge blocked";
    case HangCause::UnboundInput:
      return "unbound input queue";
    case HangCause::UnboundOutput:
      return "unbound output queue";
    case HangCause::OutputNotRouted:
      return "output not routed";
    case HangCause::NoUpstream:
      return "no upstream";
    case HangCause::RowNotDrained:
      return "row not drained";
    case HangCause::RowNotClosed:
      return "row not closed";
    case HangCause::TaskBlocked:
      return "task blocked";
    case HangCause::TaskNoEntry:
      return "task without entry";
    case HangCause::CoreTrapped:
      return "core trapped";
    case HangCause::CoreHalted:
      return "core halted";
    case HangCause::EngineFault:
      return "engine fault";
    case HangCause::ReducerFault:
      return "reducer fault";
    case HangCause::QueueMisuse:
      return "queue misuse";
    case HangCause::TensorWait:
      return "tensor wait";
    case HangCause::Downstream:
      return "downstream";
    case HangCause::HostUnsent:
      return "host unsent";
  }
  return "?";
}

bool HangReport::has(HangCause cause) const { return find(cause) != nullptr; }

const Diagnosis* HangReport::find(HangCause cause, int row, int col, int colour) const {
  for (const Diagnosis& d : diagnoses) {
    if (d.cause == cause && (row < 0 || d.row == row) && (col < 0 || d.col == col) &&
        (colour < 0 || d.colour == colour)) {
      return &d;
    }
  }
  return nullptr;
}

std::string HangReport::text() const {
  std::string s = fmt::format("nothing moves any more since cycle {}\n", cycle);
  for (const Diagnosis& d : diagnoses) {
    s += fmt::format("  {} [{}] {}\n", d.root ? "cause:" : "waits:", hang_cause_name(d.cause),
                     d.text);
  }
  if (diagnoses.empty())
    s += "  no tile waits for anything: the job ended early or never started\n";
  return s;
}

std::vector<TileState> read_tile_states(ControlPlane& control, const Rect& rect) {
  // Threads and colours differ between builds; a register that a build lacks is not read.
  const TileConfig config = read_config(control, rect.row, rect.col);
  const size_t threads = static_cast<size_t>(std::clamp(config.threads, 1, 16));
  const size_t colours = static_cast<size_t>(std::clamp(config.colours, 1, kMaxDataColours));
  struct Range {
    uint32_t addr;
    size_t n;
  };
  const std::vector<Range> ranges = {
      {kRegRoute, colours},  {kRegInq, kNumQueues},      {kRegOutq, kNumQueues},
      {kRegInqLevel, 2},     {kRegTaskEntry, kNumTasks}, {kRegTaskActivate, 4},
      {kRegRed + 0x0C, 3},   {kRegRedStatus, 1},         {kRegCorePc, 7},
      {kRegThread, threads}, {kRegRtOccupied, 2},        {kRegRtCredits, 16},
      {kRegSwitch, colours}};
  std::vector<ControlPlane::ReadRequest> requests;
  for (int c = 0; c < rect.cols; ++c) {
    for (int r = 0; r < rect.rows; ++r) {
      for (const Range& range : ranges) {
        requests.push_back({rect.row + r, rect.col + c, range.addr, range.n});
      }
    }
  }
  const std::vector<std::vector<uint32_t>> words = control.read_many(requests);
  std::vector<TileState> tiles(static_cast<size_t>(rect.rows * rect.cols));
  size_t k = 0;
  for (int c = 0; c < rect.cols; ++c) {
    for (int r = 0; r < rect.rows; ++r) {
      TileState& t = tiles[static_cast<size_t>(r * rect.cols + c)];
      t.row = rect.row + r;
      t.col = rect.col + c;
      const std::vector<uint32_t>* w = &words[k];
      k += ranges.size();
      std::copy(w[0].begin(), w[0].end(), t.route.begin());
      std::copy(w[1].begin(), w[1].end(), t.inq.begin());
      std::copy(w[2].begin(), w[2].end(), t.outq.begin());
      for (size_t q = 0; q < kNumQueues; ++q) {
        t.inq_level[q] = static_cast<int>(w[3][0] >> (4 * q) & 15);
        t.outq_level[q] = static_cast<int>(w[3][1] >> (4 * q) & 15);
      }
      std::copy(w[4].begin(), w[4].end(), t.task_entry.begin());
      t.task_pending = w[5][0];
      t.task_blocked = w[5][1];
      t.task_running = w[5][3];
      std::copy(w[6].begin(), w[6].end(), t.red_action.begin());
      t.red_status = w[7][0];
      t.core.pc = w[8][0];
      t.core.running = (w[8][1] & 1) != 0;
      t.core.trapped = (w[8][1] & 2) != 0;
      t.core.asleep = (w[8][1] & 4) != 0;
      t.core.waits_tensor = (w[8][1] & 8) != 0;
      t.core.stopped_ebreak = (w[8][1] & 16) != 0;
      t.core.cause = static_cast<int>(w[8][1] >> 8 & 31);
      t.core.tval = w[8][2];
      t.core.engine_fault = w[8][3];
      t.error = parse_error(w[8][4], w[8][5], w[8][6]);
      std::copy(w[9].begin(), w[9].end(), t.thread.begin());
      std::copy(w[12].begin(), w[12].end(), t.switched.begin());
      t.occupied = w[10][0];
      t.misroute = w[10][1];
      for (size_t p = 0; p < 4; ++p) {
        for (size_t colour = 0; colour < kMaxColours; ++colour) {
          t.credits[p][colour] =
              static_cast<uint8_t>(w[11][4 * p + colour / 8] >> (4 * (colour % 8)) & 15);
        }
        // Colours that the build lacks have no credits to miss.
        for (size_t colour = colours; colour < kMaxColours; ++colour) {
          t.credits[p][colour] = kLinkCredits;
        }
      }
    }
  }
  return tiles;
}

HangReport make_hang_report(ControlPlane& control, const ElfImage* image) {
  HangReport report;
  report.cycle = control.device().cycle();
  report.tiles = read_tile_states(control, whole(control.shape()));
  report.diagnoses = Diagnoser(control.device(), report.tiles, image).run();
  return report;
}

}  // namespace ow
