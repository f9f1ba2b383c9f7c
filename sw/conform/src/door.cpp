// SPDX-License-Identifier: Apache-2.0
// The line protocol, as a device answers it.
#include "ow/conform/door.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "ow/base/error.h"
#include "ow/conform/suite.h"

namespace ow::conform {
namespace {

using Words = std::vector<std::string>;

uint64_t number(const std::string& word, int base, uint64_t most) {
  const char* digits = base == 16 ? "0123456789abcdefABCDEF" : "0123456789";
  const bool fits = !word.empty() && word.size() <= (base == 16 ? 16 : 18) &&
                    word.find_first_not_of(digits) == std::string::npos;
  const uint64_t value = fits ? std::strtoull(word.c_str(), nullptr, base) : 0;
  if (!fits || value > most)
    throw BadInput("'" + word + "' is not a number up to " + std::to_string(most));
  return value;
}

int whole(const std::string& word, int most) {
  return static_cast<int>(number(word, 10, static_cast<uint64_t>(most)));
}

uint32_t hex(const std::string& word) {
  return static_cast<uint32_t>(number(word, 16, UINT32_MAX));
}

Side side_of(const std::string& word) {
  constexpr char kLetters[] = "nesw";
  for (int side = 0; side < kSides; ++side) {
    if (word == std::string(1, kLetters[side])) return static_cast<Side>(side);
  }
  throw BadInput("'" + word + "' is no side: n, e, s or w");
}

std::vector<uint32_t> numbers(const Words& words, size_t from) {
  std::vector<uint32_t> out;
  for (size_t k = from; k < words.size(); ++k) out.push_back(hex(words[k]));
  return out;
}

std::string shown(const std::vector<uint32_t>& words) {
  std::string out = "ok";
  for (const uint32_t word : words) out += fmt::format(" {:x}", word);
  return out;
}

void need(const Words& words, size_t least) {
  if (words.size() < least)
    throw BadInput("'" + words[0] + "' has " + std::to_string(least - 1) + " operands at least");
}

constexpr int kMostTiles = 4096;
constexpr int kMostColour = 25;

}  // namespace

std::string Device::answer_link(const Words& w) {
  if (w[0] == "ends") {
    need(w, 2);
    if (w[1] != "full" && w[1] != "mini") throw BadInput("'" + w[1] + "' is no size: full or mini");
    open_ends(w[1] == "mini");
    return "ok";
  }
  need(w, 9);
  std::array<EndClock, 2> in;
  for (size_t s = 0; s < 2; ++s) {
    const auto word = [&](size_t k) { return number(w[1 + 4 * s + k], 16, UINT64_MAX); };
    in[s] = {word(0), {word(1), word(2)}, static_cast<uint32_t>(word(3))};
  }
  std::string out = "ok";
  for (const EndClock& end : clock_ends(in))
    out += fmt::format(" {:x} {:x} {:x} {:x}", end.tile, end.lanes[0], end.lanes[1], end.word);
  return out;
}

std::string Device::answer_host(const Words& w) {
  const std::string& what = w[0];
  if (what == "step") {
    const auto [updated, scale] = end_step();
    return fmt::format("ok {} {:x}", updated ? 1 : 0, scale);
  }
  if (what != "job" && what != "parameter" && what != "set" && what != "gradient" &&
      what != "batch" && what != "order") {
    return "";
  }
  need(w, what == "job" ? 2 : 3);
  if (what == "parameter") return shown(parameter(w[1], w[2]));
  if (what == "order")
    return shown(order(number(w[1], 10, UINT32_MAX), number(w[2], 10, UINT32_MAX)));
  if (what == "job") {
    begin_job(w[1]);
  } else if (what == "set") {
    set_parameter(w[1], numbers(w, 2));
  } else if (what == "gradient") {
    set_gradient(w[1], numbers(w, 2));
  } else {
    const std::vector<uint32_t> all = numbers(w, 2);
    const auto inputs = static_cast<std::ptrdiff_t>(number(w[1], 10, all.size()));
    return shown(batch({all.begin(), all.begin() + inputs}, {all.begin() + inputs, all.end()}));
  }
  return "ok";
}

std::string Device::answer(const Words& w) {
  const std::string& what = w[0];
  if (what == "hello" || what == "bye") return "ok";
  if (what == "test") return "ok";
  if (what == "reset") {
    need(w, 3);
    reset({whole(w[1], kMostTiles), whole(w[2], kMostTiles)});
    return "ok";
  }
  if (what == "write") {
    need(w, 5);
    write(whole(w[1], kMostTiles), whole(w[2], kMostTiles), hex(w[3]), numbers(w, 4));
    return "ok";
  }
  if (what == "read") {
    need(w, 5);
    return shown(read(whole(w[1], kMostTiles), whole(w[2], kMostTiles), hex(w[3]),
                      static_cast<size_t>(whole(w[4], 1 << 20))));
  }
  if (what == "run") {
    need(w, 2);
    return fmt::format("ok {}", run(number(w[1], 10, UINT64_MAX / 16)));
  }
  if (what == "call") {
    need(w, 6);
    const Call asked{w[1], w[2], w[3], static_cast<size_t>(whole(w[4], 1 << 20)), numbers(w, 5)};
    return shown(call(asked));
  }
  if (what == "ends" || what == "clock") return answer_link(w);
  if (const std::string said = answer_host(w); !said.empty()) return said;
  if (what != "send" && what != "take" && what != "hold") throw Refused(what);
  need(w, what == "take" ? 4 : 5);
  const Side side = side_of(w[1]);
  const int index = whole(w[2], kMostTiles), colour = whole(w[3], kMostColour);
  if (what == "hold") {
    hold(side, index, colour, whole(w[4], 1) == 1);
    return "ok";
  }
  if (what == "take") {
    std::string out = "ok";
    for (const Word& word : take(side, index, colour)) {
      out += fmt::format(" {}{:x}", word.control ? "c" : "d", word.data);
    }
    return out;
  }
  std::vector<Word> sent;
  for (size_t k = 4; k < w.size(); ++k) {
    if (w[k][0] != 'c' && w[k][0] != 'd')
      throw BadInput("'" + w[k] + "' is no wavelet: d or c, then its data");
    sent.push_back({w[k][0] == 'c', hex(w[k].substr(1))});
  }
  send(side, index, colour, sent);
  return "ok";
}

std::string Device::ask(const std::string& line) {
  const Words words = words_of(line);
  if (words.empty()) return "error an empty line";
  try {
    return answer(words);
  } catch (const Refused& e) {
    return std::string("no ") + e.what();
  } catch (const std::exception& e) {
    return std::string("error ") + e.what();
  }
}

void serve(Door* door, std::FILE* in, std::FILE* out) {
  char* line = nullptr;
  size_t room = 0;
  for (ssize_t length; (length = getline(&line, &room, in)) > 0;) {
    if (line[length - 1] == '\n') line[length - 1] = '\0';
    std::fprintf(out, "%s\n", door->ask(line).c_str());
    std::fflush(out);
    if (std::string(line) == "bye") break;
  }
  std::free(line);
}

}  // namespace ow::conform
