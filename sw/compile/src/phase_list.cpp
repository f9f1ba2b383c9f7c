// SPDX-License-Identifier: Apache-2.0
// The list of phases as it lies in a tile (ow/firmware/job.h).
#include <algorithm>
#include <cstring>
#include <limits>

#include "ow/compile/executable.h"
#include "ow/firmware/job.h"
#include "turns.h"

namespace ow::jobs {
namespace {

size_t words_of(const Phase& phase) { return 1 + phase.parameters.front().size(); }

// Words of a record of turns. Each change is one more.
constexpr size_t kTurnsWords = (sizeof(ow_phase) + sizeof(ow_turns)) / 4;

int64_t difference(const Phase& from, const Phase& to, size_t row, size_t word) {
  return int64_t{to.parameters[row][word]} - int64_t{from.parameters[row][word]};
}

class Finder {
 public:
  Finder(const std::vector<Phase>& phases, size_t forward) : phases_(phases), forward_(forward) {}

  std::vector<PhaseTurns> turns() const {
    const Follows follows{[this](size_t phase, size_t length) { return once(phase, length); },
                          [this](size_t phase, size_t length) { return again(phase, length); }};
    std::vector<PhaseTurns> all;
    for (const Turns& t :
         find_turns(phases_.size(), follows, [this](const Turns& t) { return saves(t); })) {
      all.push_back({t.first, t.phases, t.times, changes(t)});
    }
    return all;
  }

 private:
  // Whether what is before a phase leaves its end.
  bool begins(size_t phase) const { return phase == 0 || leaves_end(phases_, forward_, phase - 1); }

  template <typename Of>
  bool all_words(size_t phase, const Of& of) const {
    const std::vector<std::vector<uint32_t>>& rows = phases_[phase].parameters;
    for (size_t row = 0; row < rows.size(); ++row) {
      for (size_t w = 0; w < rows[row].size(); ++w) {
        if (!of(row, w)) return false;
      }
    }
    return true;
  }

  // All words change by a number that a record can say. A turn does not end a launch.
  bool once(size_t phase, size_t length) const {
    const size_t other = phase + length;
    const Phase &a = phases_[phase], &b = phases_[other];
    if (std::strcmp(a.kernel, b.kernel) != 0 || words_of(a) != words_of(b) ||
        begins(phase) != begins(other) || (phase < forward_) != (other + 1 < forward_) ||
        other + 1 == phases_.size()) {
      return false;
    }
    return all_words(phase, [&](size_t row, size_t w) {
      const int64_t step = difference(a, b, row, w);
      return step % 4 == 0 && step / 4 >= std::numeric_limits<int16_t>::min() &&
             step / 4 <= std::numeric_limits<int16_t>::max();
    });
  }
  // By the same from turn to turn.
  bool again(size_t phase, size_t length) const {
    const Phase &a = phases_[phase], &b = phases_[phase + length], &c = phases_[phase + 2 * length];
    return all_words(phase, [&](size_t row, size_t w) {
      return difference(a, b, row, w) == difference(b, c, row, w);
    });
  }

  std::vector<PhaseTurns::Change> changes(const Turns& t) const {
    std::vector<PhaseTurns::Change> all;
    uint32_t word = 0;
    for (size_t k = t.first; k < t.first + t.phases; ++k) {
      ++word;  // the kernel
      for (size_t w = 0; w + 1 < words_of(phases_[k]); ++w, ++word) {
        PhaseTurns::Change change{word, {}};
        for (size_t row = 0; row < phases_[k].parameters.size(); ++row) {
          const int64_t each = difference(phases_[k], phases_[k + t.phases], row, w);
          change.each_turn.push_back(static_cast<int32_t>(each));
        }
        const auto any = [](int32_t each) { return each != 0; };
        if (std::any_of(change.each_turn.begin(), change.each_turn.end(), any)) {
          all.push_back(std::move(change));
        }
      }
    }
    return all;
  }

  int64_t saves(const Turns& t) const {
    size_t words = 0;
    for (size_t k = t.first; k < t.first + t.phases; ++k) words += words_of(phases_[k]);
    return static_cast<int64_t>((t.times - 1) * words) -
           static_cast<int64_t>(kTurnsWords + changes(t).size());
  }

  const std::vector<Phase>& phases_;
  const size_t forward_;
};

}  // namespace

std::vector<PhaseTurns> turns_of(const std::vector<Phase>& phases, size_t forward) {
  return Finder(phases, forward).turns();
}

uint32_t list_bytes(const std::vector<Phase>& phases, const std::vector<PhaseTurns>& turns) {
  size_t words = 0;
  for (const Phase& phase : phases) words += words_of(phase);
  for (const PhaseTurns& t : turns) {
    words += kTurnsWords + t.changes.size();
    for (size_t k = t.first; k < t.first + t.phases; ++k) {
      words -= (t.times - 1) * words_of(phases[k]);
    }
  }
  return static_cast<uint32_t>(4 * words);
}

bool leaves_end(const std::vector<Phase>& phases, size_t forward, size_t phase) {
  if (phase + 1 == phases.size() || phase + 1 == forward) return true;
  const Phase &a = phases[phase], &b = phases[phase + 1];
  return a.part != b.part || a.layer != b.layer;
}

uint32_t ends_bytes(const std::vector<Phase>& phases, size_t forward) {
  uint32_t ends = 1;
  for (size_t k = 0; k < phases.size(); ++k) ends += leaves_end(phases, forward, k) ? 1 : 0;
  return 4 * ends;
}

std::vector<uint32_t> list_words(const Executable& executable, const std::vector<uint32_t>& kernels,
                                 int row) {
  const auto r = static_cast<size_t>(row);
  std::vector<uint32_t> words;
  const auto add = [&](size_t from, size_t to) {
    for (size_t k = from; k < to; ++k) {
      const std::vector<uint32_t>& parameters = executable.phases[k].parameters[r];
      const bool ends = k == 0 || leaves_end(executable.phases, executable.forward, k - 1);
      const auto bytes = static_cast<uint32_t>(4 * parameters.size());
      words.push_back(kernels[k] | (bytes | (ends ? OW_PHASE_ENDS : 0u)) << 16);
      words.insert(words.end(), parameters.begin(), parameters.end());
    }
  };
  size_t done = 0;
  for (const PhaseTurns& t : executable.turns) {
    add(done, t.first);
    const size_t begin = words.size();
    add(t.first, t.first + t.phases);
    done = t.first + t.times * t.phases;
    const auto left = static_cast<uint32_t>(t.times - 1);
    const auto size = static_cast<uint32_t>(kTurnsWords - 1 + t.changes.size());
    const auto back = static_cast<uint32_t>(4 * (words.size() - begin));
    words.insert(words.end(), {4 * size << 16, left, left, back});
    for (const PhaseTurns::Change& c : t.changes) {
      words.push_back(c.word | static_cast<uint32_t>(c.each_turn[r] / 4) << 16);
    }
  }
  add(done, executable.phases.size());
  return words;
}

}  // namespace ow::jobs
