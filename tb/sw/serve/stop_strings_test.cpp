// SPDX-License-Identifier: Apache-2.0
#include "ow/serve/stop_strings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "ow/base/error.h"
#include "ow/base/rng.h"
#include "seed.h"

namespace ow::serve {
namespace {

TEST(StopStrings, EndATextWhereverItsPiecesEnd) {
  StopStrings s({"END", "\n\n"});
  EXPECT_EQ(s.add("one E"), "one ");
  EXPECT_EQ(s.add("N"), "");
  EXPECT_EQ(s.add("\n"), "EN");
  EXPECT_EQ(s.add("EN"), "\n");
  EXPECT_FALSE(s.stopped());
  EXPECT_EQ(s.add("D after"), "");
  EXPECT_TRUE(s.stopped());
  EXPECT_EQ(s.add("more"), "");
  EXPECT_EQ(s.finish(), "");

  StopStrings open({"END"});
  EXPECT_EQ(open.add("the EN"), "the ");
  EXPECT_EQ(open.finish(), "EN");
  EXPECT_FALSE(open.stopped());

  EXPECT_THROW(StopStrings({"a", ""}), BadInput);
}

// The first prefix of the text that ends with a stop string, without the longest one there.
std::string expected(const std::string& text, const std::vector<std::string>& stops) {
  for (size_t n = 0; n <= text.size(); ++n) {
    size_t longest = 0;
    for (const std::string& s : stops) {
      if (s.size() <= n && text.substr(n - s.size(), s.size()) == s) {
        longest = std::max(longest, s.size());
      }
    }
    if (longest > 0) return text.substr(0, n - longest);
  }
  return text;
}

TEST(StopStrings, ShowTheSameForEveryCut) {
  for (const uint64_t seed : test_seeds({1})) {
    SCOPED_TRACE("OW_SEED=" + std::to_string(seed));
    Rng rng(seed);
    const auto word = [&rng](size_t length) {
      std::string out;
      for (size_t i = 0; i < length; ++i) out += "ab"[rng.below(2)];
      return out;
    };
    for (int draw = 0; draw < 20000; ++draw) {
      std::vector<std::string> stops;
      for (size_t n = rng.below(4); n > 0; --n) stops.push_back(word(1 + rng.below(6)));
      const std::string text = word(rng.below(30));
      StopStrings s(stops);
      std::string shown;
      for (size_t at = 0; at < text.size();) {
        const size_t n = 1 + rng.below(5);
        shown += s.add(text.substr(at, n));
        at += n;
      }
      shown += s.finish();
      ASSERT_EQ(shown, expected(text, stops)) << text;
      ASSERT_EQ(s.stopped(), shown.size() < text.size());
    }
  }
}

}  // namespace
}  // namespace ow::serve
