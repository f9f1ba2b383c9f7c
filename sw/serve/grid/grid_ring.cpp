// SPDX-License-Identifier: Apache-2.0
#include "ow/serve/grid_ring.h"

#include <numeric>

#include "ow/base/error.h"

namespace ow::serve {
namespace {

// A limit for hangs: a region takes some 10,000 cycles for a token.
constexpr uint64_t kCyclesOfToken = 10'000'000;

}  // namespace

GridRing::GridRing(const std::vector<Runtime>& wafers, const LanguageModel& model,
                   const jobs::LanguageOptions& options, const std::string& firmware)
    : grid_(wafers, model, options, firmware),
      shape_{grid_.plan().slots, grid_.plan().positions, model.shape.vocabulary, grid_.inside()},
      rules_("ring of regions", shape_),
      pages_(static_cast<size_t>(shape_.slots)),
      free_(static_cast<size_t>(grid_.plan().pages)) {
  std::iota(free_.rbegin(), free_.rend(), uint16_t{0});
}

bool GridRing::open(int slot, int positions) {
  const jobs::LanguagePlan& plan = grid_.plan();
  const int all = plan.pages_of(positions);
  const int in_last = plan.places_of(positions) - (all - 1) * plan.page_places;
  const bool ends_short = short_free_ && in_last <= plan.short_places;
  const auto wanted = static_cast<size_t>(all - (ends_short ? 1 : 0));
  if (wanted > free_.size()) return false;
  rules_.open(slot, positions);
  std::vector<uint16_t>& pages = pages_[static_cast<size_t>(slot)];
  pages.assign(free_.rbegin(), free_.rbegin() + static_cast<ptrdiff_t>(wanted));
  free_.resize(free_.size() - wanted);
  if (ends_short) {
    pages.push_back(static_cast<uint16_t>(plan.pages));
    short_free_ = false;
  }
  grid_.set_pages(slot, pages);
  return true;
}

void GridRing::close(int slot) {
  rules_.close(slot);
  std::vector<uint16_t>& pages = pages_[static_cast<size_t>(slot)];
  if (!pages.empty() && pages.back() == grid_.plan().pages) {
    pages.pop_back();
    short_free_ = true;
  }
  free_.insert(free_.end(), pages.rbegin(), pages.rend());
  pages.clear();
}

void GridRing::send(const Packet& packet) {
  rules_.send(packet);
  ow_command command{};
  command.what = static_cast<uint32_t>(packet.slot) | OW_COMMAND_EMBED;
  if (packet.head == HeadTask::None) command.what |= OW_COMMAND_QUIET;
  if (packet.head == HeadTask::Logits) command.what |= OW_COMMAND_LOGITS;
  const int last = packet.head == HeadTask::None ? packet.position : packet.until;
  command.position = static_cast<uint32_t>(packet.position);
  command.last = static_cast<uint32_t>(last);
  command.token = static_cast<uint32_t>(packet.token);
  grid_.send(command);
}

Pass GridRing::receive() {
  if (rules_.inside() == 0) throw InternalError("ring of regions: nothing is inside");
  jobs::LanguageGrid::Report report = grid_.wait(kCyclesOfToken);
  const ow_command& command = report.command;
  Pass pass;
  pass.slot = static_cast<int>(command.what & OW_COMMAND_SLOT);
  pass.position = static_cast<int>(command.position);
  pass.cycle = report.cycle;
  const bool quiet = (command.what & OW_COMMAND_QUIET) != 0;
  if (!quiet) pass.token = static_cast<int>(command.token);
  pass.logits = std::move(report.logits);
  rules_.receive(pass.slot, pass.position, !quiet && command.position < command.last);
  return pass;
}

}  // namespace ow::serve
