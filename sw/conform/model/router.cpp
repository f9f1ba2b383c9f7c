// SPDX-License-Identifier: Apache-2.0
#include "router.h"

namespace ow::conform {
namespace {

using isa::Control;
using isa::Position;
using isa::reg::Route;
using isa::reg::Switch;
using RegFilter = isa::reg::Filter;

constexpr uint32_t kRoutes = Route::kOffset, kSwitches = Switch::kOffset,
                   kFilterRegs = RegFilter::kOffset;
constexpr uint32_t kCommandBits = 24, kSlotBits = 3, kTopSlot = kCommandBits - kSlotBits;
constexpr uint32_t kCommands = Control::Commands::kMask;
constexpr int kCommandsAt = Control::Commands::kLsb;

enum Command { kNothing, kAdvance, kReset, kTeardown };

// The array that an offset lies in, if it does.
bool inside(uint32_t offset, uint32_t first, uint32_t count, uint32_t* index) {
  if (offset < first || offset >= first + 4 * count) return false;
  *index = (offset - first) / 4;
  return true;
}

}  // namespace

bool Router::write(uint32_t offset, uint32_t value) {
  uint32_t k = 0;
  if (inside(offset, kRoutes, isa::kMaxDataColours, &k)) {
    Colour& colour = colours_[k];
    const bool was_enabled = Route::Enable::get(colour.route);
    colour.route = value;
    // What is held follows the new route from the start.
    if (!(*wrong_)("a copy that is owed follows the old route")) colour.begun = false;
    const uint32_t before = Position::InPort::get(colour.positions[colour.current]);
    colour.positions[0] = Route::Position::get(value);
    colour.stopped = false;
    colour.held = 0;
    if (was_enabled && colour.last == 0 && !Route::Obey::get(value))
      turn(static_cast<int>(k), before);
    return true;
  }
  if (inside(offset, kSwitches, isa::kMaxDataColours, &k)) {
    Colour& colour = colours_[k];
    colour.positions[1] = Switch::Position1::get(value);
    colour.positions[2] = Switch::Position2::get(value);
    colour.positions[3] = Switch::Position3::get(value);
    colour.last = Switch::Last::get(value);
    colour.current = Switch::Current::get(value);
    colour.torn = Switch::Torn::get(value);
    return true;
  }
  if (!inside(offset, kFilterRegs, 4 * kFilters, &k)) return false;
  Filter& filter = filters_[k / 4];
  switch (k % 4) {
    case 0:
      filter.control = value;
      break;
    case 1:
      filter.first = value & 0xFFFF;
      filter.second = value >> 16;
      break;
    case 2:
      filter.count = value & 0xFFFF;
      break;
    default:
      break;
  }
  return true;
}

bool Router::read(uint32_t offset, uint32_t* value) const {
  uint32_t k = 0;
  if (inside(offset, kRoutes, isa::kMaxDataColours, &k)) {
    const Colour& colour = colours_[k];
    const uint32_t kept =
        Route::Enable::kMask | Route::Obey::kMask | Route::PopMode::kMask | Route::Ring::kMask;
    *value = (colour.route & kept) | Route::Position::put(colour.positions[colour.current]);
    return true;
  }
  if (inside(offset, kSwitches, isa::kMaxDataColours, &k)) {
    const Colour& colour = colours_[k];
    *value = Switch::Last::put(colour.last) | Switch::Current::put(colour.current) |
             Switch::Torn::put(colour.torn);
    return true;
  }
  if (offset == isa::reg::RtMisroute::kAddress - isa::reg::kBase) {
    *value = 0;
    for (uint32_t c = 0; c < colours_.size(); ++c)
      *value |= static_cast<uint32_t>(colours_[c].stopped) << c;
    return true;
  }
  if (offset == isa::reg::RtTorn::kAddress - isa::reg::kBase) {
    *value = 0;
    for (uint32_t c = 0; c < colours_.size(); ++c)
      *value |= static_cast<uint32_t>(colours_[c].torn) << c;
    return true;
  }
  if (!inside(offset, kFilterRegs, 4 * kFilters, &k)) return false;
  *value = k % 4 == 0 ? filters_[k / 4].control : k % 4 == 2 ? filters_[k / 4].count : 0;
  return true;
}

bool Router::take_teardown() {
  const bool torn = teardown_;
  teardown_ = false;
  return torn;
}

bool Router::advance(Colour* colour) const {
  const uint32_t before = colour->current;
  if ((*wrong_)("advance stays")) return false;
  if (before < colour->last) {
    ++colour->current;
  } else if (Route::Ring::get(colour->route) != (*wrong_)("ring is inverted")) {
    colour->current = 0;
  }
  return colour->current != before;
}

Word Router::command(Colour* colour, const Word& word, bool* to_ramp) {
  uint32_t list = (word.data & kCommands) >> kCommandsAt;
  const uint32_t slot = list & 7;
  const uint32_t what = slot & 3;
  bool moved = false;
  if (what == kAdvance) moved = advance(colour);
  if (what == kReset && !(*wrong_)("reset does nothing")) colour->current = 0;
  if (what == kTeardown && !(*wrong_)("teardown does nothing")) {
    colour->torn = true;
    teardown_ = true;
  }
  *to_ramp = (slot >> 2 & 1) == 0 || (*wrong_)("noce is ignored");
  const uint32_t mode = Route::PopMode::get(colour->route);
  bool pop = mode == 1 || (mode >= 2 && moved) || (mode == 3 && what == kNothing);
  if ((*wrong_)("slots never leave")) pop = false;
  if ((*wrong_)("mode 2 pops always") && mode == 2) pop = true;
  if (pop) list = list >> kSlotBits | slot << kTopSlot;
  if (pop && (*wrong_)("a popped slot is lost")) list &= (1u << kTopSlot) - 1;
  return {true, (word.data & ~kCommands) | list << kCommandsAt};
}

// Whether the wavelet passes, before control wavelets are let through.
bool Router::judge(Filter* filter, const Word& word) const {
  const uint32_t index = word.data >> 16;
  const bool counts = word.control ? RegFilter::CountCtrl::get(filter->control)
                                   : RegFilter::CountData::get(filter->control);
  switch (static_cast<isa::FilterKind>(RegFilter::Kind::get(filter->control))) {
    case isa::FilterKind::Range:
      if (word.control) return true;
      if ((*wrong_)("range leaves out its end"))
        return index >= filter->first && index < filter->second;
      return index >= filter->first && index <= filter->second;
    case isa::FilterKind::Counter: {
      const bool pass = (*wrong_)("counter passes one less") ? filter->count < filter->second
                                                             : filter->count <= filter->second;
      const uint32_t period = filter->first + ((*wrong_)("counter period is longer") ? 1 : 0);
      if (counts) filter->count = filter->count >= period ? 0 : filter->count + 1;
      return pass;
    }
    default: {
      const bool pass = filter->count == filter->first;
      if (!counts) return pass;
      if (!pass) {
        ++filter->count;
        return false;
      }
      filter->count = 0;
      if (!(*wrong_)("sparse counter keeps its limit")) filter->first = filter->second;
      return true;
    }
  }
}

bool Router::passes(int colour, const Word& word) {
  for (Filter& filter : filters_) {
    if (!RegFilter::Enable::get(filter.control)) continue;
    if (static_cast<int>(RegFilter::Colour::get(filter.control)) != colour) continue;
    if ((*wrong_)("filters drop nothing")) return true;
    const bool pass = judge(&filter, word);
    if (word.control && !RegFilter::FilterCtrl::get(filter.control)) return true;
    return pass;
  }
  return true;
}

// A colour that does not switch has one input; a wavelet elsewhere is dropped and stops it.
bool Router::misrouted(int c, int in) {
  Colour& colour = colours_[static_cast<size_t>(c)];
  if (Route::Obey::get(colour.route) || colour.last != 0) return false;
  for (int port = 0; port < kPorts; ++port) {
    if (port == in || buffer(port, c).empty()) continue;
    buffer(port, c).pop_front();
    colour.stopped = true;
    return true;
  }
  return false;
}

void Router::turn(int c, uint32_t before) {
  Colour& colour = colours_[static_cast<size_t>(c)];
  const uint32_t after = Position::InPort::get(colour.positions[0]);
  if (before == after || before >= kPorts || after >= kPorts) return;
  Buffer &from = buffer(static_cast<int>(before), c), &to = buffer(static_cast<int>(after), c);
  for (; !from.empty() && colour.held < isa::kLinkCredits; ++colour.held) {
    to.insert(to.begin() + static_cast<long>(colour.held), from.front());
    from.pop_front();
  }
  colour.stopped = colour.held != 0;
}

bool Router::dropped(int c, int in) {
  const Colour& colour = colours_[static_cast<size_t>(c)];
  if (!colour.stopped || colour.held < isa::kLinkCredits || buffer(in, c).size() <= colour.held)
    return false;
  buffer(in, c).pop_back();
  return true;
}

bool Router::is_fence(const Word& word) { return word.control && (word.data & kCommands) != 0; }

bool Router::move(int c, const Ready& ready, const Output& output) {
  Colour& colour = colours_[static_cast<size_t>(c)];
  const uint32_t position = colour.positions[colour.current];
  const auto in = static_cast<int>(Position::InPort::get(position));
  if (in < kPorts && dropped(c, in)) return true;
  if (!Route::Enable::get(colour.route) || colour.torn || colour.stopped) return false;
  uint32_t mask = Position::OutMask::get(position);
  if (misrouted(c, in)) return true;
  if (in >= kPorts || buffer(in, c).empty()) return false;
  if ((*wrong_)("multicast takes one output")) mask &= ~(mask - 1);
  if ((*wrong_)("east and west are exchanged")) {
    mask = (mask & ~0xAu) | (mask >> 1 & 1) << 3 | (mask >> 3 & 1) << 1;
  }
  if (!colour.begun) colour.owed = mask;
  Word word = buffer(in, c).front();
  uint32_t now = 0;  // outputs that get their copy
  for (int port = 0; port < kPorts; ++port) {
    if ((colour.owed >> port & 1) != 0 && ready(port, c, is_fence(word))) now |= 1u << port;
  }
  // A command is carried out once, so its copies leave together.
  const bool command_here = word.control && Route::Obey::get(colour.route);
  if (now != colour.owed && (now == 0 || command_here)) return false;
  colour.owed &= ~now;
  colour.begun = colour.owed != 0;
  if (!colour.begun) buffer(in, c).pop_front();
  bool allowed = true;
  if (command_here) word = command(&colour, word, &allowed);
  for (int port = 0; port < kPorts; ++port) {
    if ((now >> port & 1) == 0) continue;
    if (port == kRamp && (!allowed || !passes(c, word))) continue;
    Word copy = word;
    if ((*wrong_)("control bit is lost at a link") && port != kRamp) copy.control = false;
    if ((*wrong_)("data bit 31 is stuck at a link") && port != kRamp) copy.data |= 0x80000000;
    output(port, c, copy);
  }
  return true;
}

}  // namespace ow::conform
