// SPDX-License-Identifier: Apache-2.0
// Words between neighbours: each good tile sends some to each of its neighbours over good wires.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "ow/firmware/selftest.h"
#include "steps.h"

namespace ow::wafer {
namespace {

class RouterTest {
 public:
  explicit RouterTest(Probe& probe) : probe_(probe) {}
  void run();

 private:
  // A connection over which words were sent, and whether they arrived.
  struct Heard {
    int reticle;
    Position from;
    Position to;
    bool works;
  };
  struct Exchange {
    std::vector<Heard> heard;
    std::set<size_t> not_ended;  // tiles whose test has not ended
  };
  // A tile that fails in all that it sends, or in all that it hears.
  struct Suspect {
    Position at;
    int sends = 0, not_sent = 0;  // connections, and those of them that fail
    int hears = 0, not_heard = 0;
    std::set<Wire> failing;      // over which it fails, one way or both
    std::vector<Heard> without;  // the reticle's connections while the tile is joined to nothing
    bool ends = true;            // its test ends then
    int left = 0;                // connections that still fail then
    int work = 0;                // and that work then

    int lost_sending() const { return not_sent == sends ? not_sent : 0; }
    int lost_hearing() const { return not_heard == hears ? not_heard : 0; }
    // Among equal tiles, the one without which more connections work: a tile that a neighbour
    // disturbs works with others when that neighbour is gone. Then the tile that fails in more
    // connections, then the tile whose words do not arrive.
    std::tuple<bool, int, int, int, bool> innocence() const {
      return {ends, left, -work, -std::max(lost_sending(), lost_hearing()),
              lost_sending() < lost_hearing()};
    }
    // One failing connection does not tell which of its ends is bad.
    bool by_one_connection() const { return failing.size() == 1; }
  };
  using Suspects = std::vector<Suspect>;

  Exchange exchange_words(const Setting& setting, const std::set<size_t>& alone);
  Suspects suspects(const std::vector<Heard>& all, int reticle) const;
  static bool to_be_tried(const Suspects& s) {
    return s.size() > 1 || (s.size() == 1 && s[0].by_one_connection());
  }
  void try_alone(const Setting& setting, size_t k, std::vector<Suspects>* suspected);
  bool has_witness(int reticle, const Suspect& s, const std::vector<Heard>& all) const;
  void give_up(int reticle, const Suspect& worst, const std::vector<Heard>& all);
  void give_up_connection(const Heard& h);
  bool give_up_worst(const Setting& setting, const std::vector<Heard>& all);
  void test_neighbours(const Setting& setting);

  Probe& probe_;
  // A word from the tile has arrived, and a word at it. A neighbour to the side is heard in one
  // setting and hears in another, so only both together count.
  std::vector<bool> sent_, heard_;
};

void RouterTest::run() {
  sent_.assign(probe_.found.size(), false);
  heard_.assign(probe_.found.size(), false);
  const auto untested = [&] {
    std::vector<size_t> tiles;
    probe_.each_alive([&](int d, int p, int c) {
      const size_t at = probe_.index(d, p, c);
      if (probe_.usable_tile(d, p, c) && !(sent_[at] && heard_[at])) tiles.push_back(at);
    });
    return tiles;
  };
  if (probe_.rows() * probe_.cols() == 1) return;  // there is no neighbour
  // Tiles between bad ones exchange words with those beyond, or to the side.
  std::vector<Setting> settings;
  for (int skip = 0; skip <= std::max(probe_.shape.spare_rows, probe_.shape.spare_cols); ++skip) {
    settings.push_back({skip, 0});
  }
  for (int skip = 0; skip <= probe_.shape.spare_rows; ++skip) {
    for (int shift = -probe_.shape.spare_cols; shift <= probe_.shape.spare_cols; ++shift) {
      if (shift != 0) settings.push_back({skip, shift});
    }
  }
  for (const Setting& s : settings) {
    if (untested().empty()) break;
    test_neighbours(s);
  }
  for (const size_t at : untested()) {
    const Position p = probe_.position_of(at);
    probe_.lose(probe_.reticle_of(at), p.row, p.col, "no tile that works can be joined to it");
  }
}

// Each good tile sends words to its neighbours in this setting. The tiles of `alone` do the same,
// but are joined to no neighbour.
RouterTest::Exchange RouterTest::exchange_words(const Setting& setting,
                                                const std::set<size_t>& alone) {
  const int far = 1 + setting.skip;
  const uint32_t colours = probe_.options.exchange_colours;
  const uint32_t order = probe_.options.selftest.image.symbol("ow_selftest_order");
  const uint32_t result = probe_.options.selftest.image.symbol("ow_selftest_result");
  const auto joined = [&](int d, int p, int c, int side, Position* at) {
    return probe_.listens(d, p, c, side, setting) && probe_.neighbour(p, c, side, setting, at) &&
           alone.count(probe_.index(d, p, c)) == 0 &&
           alone.count(probe_.index(d, at->row, at->col)) == 0;
  };
  // Bad tiles go back into reset. The others restart but keep their memory, since lost words have
  // used up credits.
  probe_.open_batch();
  probe_.each_alive([&](int d, int p, int c) {
    probe_.add_command(d, p, c, true, kStationControl, 0);
    probe_.add_command(d, p, c, true, kStationTileFuse, 0);
  });
  probe_.run_batch();
  probe_.open_batch();
  probe_.each_alive([&](int d, int p, int c) {
    if (!probe_.usable_tile(d, p, c)) return;
    TileFuse fuse = probe_.direct(d, p, c, setting);
    int* const skips[] = {&fuse.n_skip, &fuse.e_skip, &fuse.s_skip, &fuse.w_skip};
    for (int side = 0; side < 4; ++side) {
      Position at;
      if (!joined(d, p, c, side, &at)) *skips[side] = kNoSkip;
    }
    probe_.add_command(d, p, c, true, kStationControl, kStationRun | kStationTest);
    probe_.add_command(d, p, c, true, kStationTileFuse, fuse.word());
    probe_.add_write(d, p, c, order,
                     {OW_SELFTEST_ROUTER, static_cast<uint32_t>(probe_.index(d, p, c)),
                      static_cast<uint32_t>((p / far + (setting.shift == 0 ? c / far : 0)) & 1),
                      colours, ow_selftest_slot(probe_.options.tile.small_tile)});
  });
  probe_.run_batch();
  probe_.run_exchange(result, colours);
  probe_.open_batch();
  std::map<size_t, Handle> reads;
  probe_.each_alive([&](int d, int p, int c) {
    if (probe_.usable_tile(d, p, c))
      reads[probe_.index(d, p, c)] = probe_.add_read(d, p, c, result, 6);
  });
  probe_.run_batch();
  Exchange all;
  probe_.each_alive([&](int d, int p, int c) {
    const auto it = reads.find(probe_.index(d, p, c));
    if (it == reads.end()) return;
    const bool ended = probe_.word(it->second, 0, 6) == OW_SELFTEST_DONE + OW_SELFTEST_ROUTER;
    if (!ended) all.not_ended.insert(it->first);
    for (int side = 0; side < 4; ++side) {
      Position at;
      if (!joined(d, p, c, side, &at)) continue;
      const uint32_t expected =
          ow_selftest_heard(static_cast<uint32_t>(probe_.index(d, at.row, at.col)),
                            static_cast<uint32_t>((side + 2) & 3), colours);
      all.heard.push_back(
          {d, at, {p, c}, ended && probe_.word(it->second, 2 + side, 6) == expected});
    }
  });
  return all;
}

// The tiles of a reticle that fail in all that they send, or in all that they hear.
std::vector<RouterTest::Suspect> RouterTest::suspects(const std::vector<Heard>& all,
                                                      int reticle) const {
  std::map<Position, Suspect> tiles;
  for (const Heard& h : all) {
    if (h.reticle != reticle) continue;
    for (const bool hears : {false, true}) {
      Suspect& s = tiles[hears ? h.to : h.from];
      s.at = hears ? h.to : h.from;
      ++(hears ? s.hears : s.sends);
      if (h.works) continue;
      ++(hears ? s.not_heard : s.not_sent);
      s.failing.insert(Probe::wire_of(h.from, h.to));
    }
  }
  std::vector<Suspect> found;
  for (const auto& tile : tiles) {
    const Suspect& s = tile.second;
    if (s.lost_sending() > 0 || s.lost_hearing() > 0) found.push_back(s);
  }
  return found;
}

// Runs the test again with suspect k of each reticle joined to no neighbour, where there is doubt.
void RouterTest::try_alone(const Setting& setting, size_t k, std::vector<Suspects>* suspected) {
  std::map<int, Suspect*> tried;  // by reticle
  std::set<size_t> alone;
  for (int d = 0; d < probe_.shape.reticles(); ++d) {
    Suspects& s = (*suspected)[static_cast<size_t>(d)];
    if (!to_be_tried(s) || k >= s.size()) continue;
    tried[d] = &s[k];
    alone.insert(probe_.index(d, s[k].at.row, s[k].at.col));
  }
  const Exchange without = exchange_words(setting, alone);
  for (const auto& [d, suspect] : tried) {
    const Position& at = suspect->at;
    suspect->ends = without.not_ended.count(probe_.index(d, at.row, at.col)) == 0;
    for (const Heard& h : without.heard) {
      if (h.reticle != d) continue;
      ++(h.works ? suspect->work : suspect->left);
      suspect->without.push_back(h);
    }
  }
}

void RouterTest::give_up_connection(const Heard& h) {
  if (!probe_.wires.insert({h.reticle, Probe::wire_of(h.from, h.to)}).second) return;
  probe_.result.findings.push_back(
      {h.reticle, h.from, fmt::format("no word reaches tile ({}, {})", h.to.row, h.to.col)});
}

// Whether another tile speaks against the suspect. Such a witness is a tile that does not get the
// suspect's words but hears others, or one whose words do not reach the suspect but are heard by
// others: in an earlier setting, in this one, or without the suspect. Without a witness the suspect
// may be the only good tile among them.
bool RouterTest::has_witness(int reticle, const Suspect& s, const std::vector<Heard>& all) const {
  const auto works = [&](const std::vector<Heard>& some, const Position& at, bool hears) {
    return std::any_of(some.begin(), some.end(), [&](const Heard& h) {
      return h.reticle == reticle && h.works && (hears ? h.to : h.from) == at;
    });
  };
  return std::any_of(all.begin(), all.end(), [&](const Heard& h) {
    if (h.reticle != reticle || h.works) return false;
    const bool hears = s.lost_sending() > 0 && h.from == s.at;
    if (!hears && !(s.lost_hearing() > 0 && h.to == s.at)) return false;
    const Position& other = hears ? h.to : h.from;
    return (hears ? heard_ : sent_)[probe_.index(reticle, other.row, other.col)] ||
           works(all, other, hears) || works(s.without, other, hears);
  });
}

// A tile may be good if its own test ends and it fails over one connection only, or only with tiles
// that are not known to work. Then only those connections are given up. Other connections show
// later, in this setting or the next ones, whether it works. If there are none, it is lost at the
// end.
void RouterTest::give_up(int reticle, const Suspect& worst, const std::vector<Heard>& all) {
  if (!worst.ends || (!worst.by_one_connection() && has_witness(reticle, worst, all))) {
    probe_.lose(reticle, worst.at.row, worst.at.col,
                worst.lost_sending() >= worst.lost_hearing()
                    ? "nothing that its router sends arrives"
                    : "nothing arrives at its router");
    return;
  }
  for (const Heard& h : all) {
    const bool failing = worst.failing.count(Probe::wire_of(h.from, h.to)) != 0;
    if (h.reticle == reticle && !h.works && failing) give_up_connection(h);
  }
}

// In each reticle, gives up the tile (or its only connection) that best explains why words do not
// arrive. Returns false if no tile is under suspicion. A bad tile can stop its neighbours, so their
// connections fail too. So each suspect runs the test joined to no neighbour, and the others run it
// without that suspect. The bad one is a suspect whose test does not end alone, then the one
// without which the fewest connections fail.
bool RouterTest::give_up_worst(const Setting& setting, const std::vector<Heard>& all) {
  std::vector<Suspects> suspected;
  size_t most = 0, tries = 0;
  for (int d = 0; d < probe_.shape.reticles(); ++d) {
    suspected.push_back(suspects(all, d));
    most = std::max(most, suspected.back().size());
    if (to_be_tried(suspected.back())) tries = std::max(tries, suspected.back().size());
  }
  for (size_t k = 0; k < tries; ++k) try_alone(setting, k, &suspected);
  for (int d = 0; d < probe_.shape.reticles(); ++d) {
    const Suspects& s = suspected[static_cast<size_t>(d)];
    if (s.empty()) continue;
    const Suspect& worst = *std::min_element(
        s.begin(), s.end(),
        [](const Suspect& a, const Suspect& b) { return a.innocence() < b.innocence(); });
    give_up(d, worst, all);
  }
  return most > 0;
}

// Each good tile sends words to its neighbours in this setting. A tile that fails in all that it
// sends, or in all that it hears, is given up, and the others repeat the test without it. A
// connection that fails between tiles that work, or that is its tile's only known failure, is given
// up alone.
void RouterTest::test_neighbours(const Setting& setting) {
  std::vector<Heard> all = exchange_words(setting, {}).heard;
  while (give_up_worst(setting, all)) all = exchange_words(setting, {}).heard;
  for (const Heard& h : all) {
    if (!h.works) continue;
    sent_[probe_.index(h.reticle, h.from.row, h.from.col)] = true;
    heard_[probe_.index(h.reticle, h.to.row, h.to.col)] = true;
  }
  for (const Heard& h : all) {
    if (!h.works) give_up_connection(h);
  }
}

}  // namespace

void test_routers(Probe& probe) {
  probe.begin("routers");
  RouterTest(probe).run();
}

}  // namespace ow::wafer
