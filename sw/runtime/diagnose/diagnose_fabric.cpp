// SPDX-License-Identifier: Apache-2.0
// Routes, routers, credits and edges.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "diagnoser.h"
#include "ow/runtime/routes.h"

namespace ow {
namespace {

int edge_index(int port, const TileState& t) { return port == 0 || port == 2 ? t.col : t.row; }

// The tile does not take the colour from its neighbour at `port` now, but may later: the colour is
// torn down, or its switch has another input. Its credits for that neighbour are held there.
bool keeps(const ColourState& s, int port) {
  if (s.torn) return true;
  return s.last_position != 0 && !(s.route && static_cast<int>(s.route->in) == port);
}

bool sends(const ColourState& s, int port) { return s.route && (s.route->out_mask >> port & 1); }

}  // namespace

void Diagnoser::route_cycles() {
  for (int c = 0; c < kMaxDataColours; ++c) {
    std::set<const TileState*> reported;
    for (const TileState& start : tiles_) {
      std::vector<const TileState*> path;
      for (const TileState* t = &start; t != nullptr && reported.count(t) == 0;) {
        const std::optional<Route>& route = t->of(c).route;
        if (!route || route->in == Port::Ramp) break;
        const auto seen = std::find(path.begin(), path.end(), t);
        if (seen != path.end()) {
          std::string ring = fmt::format("({}, {})", t->row, t->col);
          for (auto it = path.end(); it != seen;) {
            --it;
            ring += fmt::format(" -> ({}, {})", (*it)->row, (*it)->col);
            reported.insert(*it);
          }
          add_diagnosis(HangCause::RouteCycle, t, c, true,
                        fmt::format("the routes of colour {} form a cycle: {}", c, ring));
          break;
        }
        path.push_back(t);
        t = neighbour(*t, static_cast<int>(route->in));
      }
    }
  }
}

bool Diagnoser::on_cycle(int colour) const {
  return std::any_of(list_.begin(), list_.end(), [&](const Diagnosis& d) {
    return d.cause == HangCause::RouteCycle && d.colour == colour;
  });
}

void Diagnoser::router(const TileState& t) {
  for (int c = 0; c < kMaxDataColours; ++c) {
    const ColourState& s = t.of(c);
    const WaitUnit here = unit(t, Kind::Router, c);
    // The output queue that sends the colour here although the route does not start at the ramp.
    std::optional<int> strayer;
    if (!s.route || s.route->in != Port::Ramp) strayer = t.outq_of(c);
    if (s.misrouted) misroute(t, c, strayer);
    credits(t, c);
    if (!s.occupied || s.misrouted) continue;
    if (s.torn) {
      add_diagnosis(
          HangCause::TornDown, &t, c, true,
          fmt::format("wavelets of colour {} wait in the router, which has torn it down", c));
      graph_.explain(here);
    } else if (!s.route) {
      add_diagnosis(
          HangCause::NoRoute, &t, c, !strayer,
          fmt::format("wavelets of colour {} wait in the router, which has no route for it", c));
      graph_.explain(here);
      if (!strayer) continue;
      add_diagnosis(
          HangCause::OutputNotRouted, &t, c, true,
          fmt::format("output queue {} is bound to colour {}, of which the tile has no route",
                      *strayer, c))
          .queue = *strayer;
    } else if ((s.route->out_mask & kOutRamp) != 0) {
      to_ramp(t, c);
    }
  }
}

void Diagnoser::misroute(const TileState& t, int c, std::optional<int> strayer) {
  const std::optional<Route>& route = t.of(c).route;
  std::string from;
  for (int p = 0; p < 4; ++p) {
    const TileState* other = neighbour(t, p);
    if (other == nullptr || (route && p == static_cast<int>(route->in))) continue;
    if (sends(other->of(c), (p + 2) % 4)) {
      from += fmt::format("; tile ({}, {}) sends it from {}", other->row, other->col,
                          port_name(static_cast<Port>(p)));
    }
  }
  if (strayer && route) stray_output(t, c, *strayer);
  if (strayer) from += fmt::format("; output queue {} injects it", *strayer);
  const int position = t.of(c).position;
  add_diagnosis(
      HangCause::Misroute, &t, c, !strayer,
      fmt::format("a wavelet of colour {} came in at another port than the route's input, {}{}{}",
                  c, route ? port_name(route->in) : "none",
                  position == 0 ? "" : fmt::format(" (switch position {})", position), from));
  graph_.explain(unit(t, Kind::Router, c));
}

void Diagnoser::stray_output(const TileState& t, int c, int q) {
  add_diagnosis(
      HangCause::OutputNotRouted, &t, c, !on_cycle(c),
      fmt::format("output queue {} is bound to colour {}, whose route takes its input from {}, not "
                  "from the ramp",
                  q, c, port_name(t.of(c).route->in)))
      .queue = q;
}

// Wavelets wait in a router that sends them to the ramp.
void Diagnoser::to_ramp(const TileState& t, int c) {
  const WaitUnit here = unit(t, Kind::Router, c);
  if (const std::optional<int> q = t.inq_of(c)) {
    graph_.wait(here, unit(t, Kind::InputQueue, *q));
    return;
  }
  graph_.explain(here);
  const bool told = t.error.stopped && t.error.source == ErrorSource::Ramp &&
                    t.error.cause == kRampNoConsumer && t.error.unit == c;
  if (told) return;
  add_diagnosis(
      HangCause::NoConsumer, &t, c, true,
      fmt::format("colour {} is routed to the ramp, but no input queue is bound to it", c));
}

// Credits towards the four neighbours. When nothing moves, each missing credit is a wavelet in the
// neighbour's buffer, or it is lost.
void Diagnoser::credits(const TileState& t, int c) {
  const ColourState& s = t.of(c);
  const WaitUnit here = unit(t, Kind::Router, c);
  for (int p = 0; p < 4; ++p) {
    const int left = s.credits[static_cast<size_t>(p)];
    if (left >= kLinkCredits) continue;
    const char* direction = port_name(static_cast<Port>(p));
    const bool waits = left == 0 && sends(s, p) && s.occupied;
    const TileState* next = neighbour(t, p);
    if (next == nullptr) {
      if (moving_) continue;
      add_diagnosis(HangCause::EdgeBlocked, &t, c, left == 0,
                    fmt::format("the host keeps {} credits of colour {} on the {} edge, port {}",
                                kLinkCredits - left, c, direction, edge_index(p, t)));
      if (left == 0) graph_.explain(here);
      continue;
    }
    const ColourState& theirs = next->of(c);
    if (keeps(theirs, (p + 2) % 4)) {
      if (!waits) continue;
      not_taken(*next, c, (p + 2) % 4);
      graph_.explain(here);
    } else if (!theirs.occupied && !theirs.misrouted) {
      if (moving_) continue;
      add_diagnosis(
          HangCause::LostCredit, &t, c, true,
          fmt::format("{} of {} credits of colour {} towards {} are lost: the buffer of tile ({}, "
                      "{}) is empty",
                      kLinkCredits - left, kLinkCredits, c, direction, next->row, next->col));
      graph_.explain(here);
    } else if (waits) {
      add_diagnosis(HangCause::Downstream, &t, c, false,
                    fmt::format("colour {} waits for credits from tile ({}, {}) in the {}", c,
                                next->row, next->col, direction));
      graph_.wait(here, unit(*next, Kind::Router, c));
    }
  }
}

// A neighbour has wavelets of the colour for the tile, which does not take them there now.
void Diagnoser::not_taken(const TileState& t, int c, int port) {
  const ColourState& s = t.of(c);
  const char* from = port_name(static_cast<Port>(port));
  if (s.torn) {
    add_diagnosis(
        HangCause::TornDown, &t, c, true,
        fmt::format("colour {} is torn down, and wavelets of it wait in the {}", c, from));
    return;
  }
  add_diagnosis(
      HangCause::NotSelected, &t, c, true,
      fmt::format("wavelets of colour {} wait in the {}, and its switch (position {}) takes them "
                  "from {}",
                  c, from, s.position, s.route ? port_name(s.route->in) : "nowhere"));
}

void Diagnoser::host() {
  for (int k = 0; k < kSides; ++k) {
    const Side side = static_cast<Side>(k);
    const bool vertical = side == Side::North || side == Side::South;
    const int n = vertical ? shape_.cols : shape_.rows;
    for (int i = 0; i < n; ++i) {
      const int row = side == Side::North ? 0 : side == Side::South ? shape_.rows - 1 : i;
      const int col = side == Side::West ? 0 : side == Side::East ? shape_.cols - 1 : i;
      for (int c = 0; c < kMaxDataColours; ++c) host_colour(tile(row, col), side, i, c);
    }
  }
}

void Diagnoser::host_colour(const TileState& t, Side side, int index, int c) {
  const ColourState& s = t.of(c);
  const bool kept = keeps(s, static_cast<int>(side));
  const int left = device_.send_credits(side, index, c);
  if (!moving_ && left < kLinkCredits && !s.occupied && !s.misrouted && !kept) {
    add_diagnosis(
        HangCause::LostCredit, &t, c, true,
        fmt::format("{} of {} credits of colour {} towards this tile from the {} edge are lost: "
                    "its buffer is empty",
                    kLinkCredits - left, kLinkCredits, c, side_name(side)));
  }
  const size_t pending = device_.pending_sends(side, index, c);
  if (pending == 0) return;
  if (kept) not_taken(t, c, static_cast<int>(side));
  add_diagnosis(
      HangCause::HostUnsent, nullptr, c, false,
      fmt::format("host: {} wavelets of colour {} wait at the {} edge, port {}, for credits of "
                  "tile ({}, {})",
                  pending, c, side_name(side), index, t.row, t.col));
}

}  // namespace ow
