// SPDX-License-Identifier: Apache-2.0
// Axes, charts, and the metrics of trainings.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/base/rng.h"
#include "ow/plot/axis.h"
#include "ow/plot/chart.h"
#include "ow/plot/heat_map.h"
#include "ow/plot/training.h"

namespace ow::plot {
namespace {

std::vector<std::string> texts(const Axis& axis) {
  std::vector<std::string> out;
  for (const Tick& tick : axis.ticks) out.push_back(tick.text);
  return out;
}

using Texts = std::vector<std::string>;

size_t count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

// A file of metrics, gone at the end.
class File {
 public:
  explicit File(const std::string& contents)
      : path_(testing::TempDir() + "ow_plot_" + std::to_string(getpid()) + ".jsonl") {
    write_file(path_, contents);
  }
  ~File() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string refusal(const std::string& contents) {
  const File file(contents);
  try {
    read_metrics(file.path());
  } catch (const BadInput& error) {
    const std::string what = error.what();
    EXPECT_EQ(what.find(file.path()), 0u) << what;
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    return what.substr(file.path().size());
  }
  return "";
}

TEST(Axis, TicksStandAtRoundNumbers) {
  EXPECT_EQ(texts(make_axis(AxisKind::Zero, 0.03, 2.48)),
            (Texts{"0", "0.5", "1.0", "1.5", "2.0", "2.5"}));
  EXPECT_EQ(texts(make_axis(AxisKind::Zero, 26000, 35200)),
            (Texts{"0", "10k", "20k", "30k", "40k"}));
  EXPECT_EQ(texts(make_axis(AxisKind::Percent, 12.5, 99.7)),
            (Texts{"0", "20", "40", "60", "80", "100"}));
  EXPECT_EQ(texts(make_axis(AxisKind::Zero, 0, 0.002)),
            (Texts{"0", "0.0005", "0.0010", "0.0015", "0.0020"}));
  EXPECT_EQ(texts(make_axis(AxisKind::Whole, 0, 239)), (Texts{"0", "50", "100", "150", "200"}));
  EXPECT_EQ(texts(make_axis(AxisKind::Whole, 7, 9)), (Texts{"7", "8", "9"}));
  EXPECT_EQ(texts(make_axis(AxisKind::Zero, -3e7, 2e7)),
            (Texts{"-30M", "-20M", "-10M", "0", "10M", "20M"}));
  EXPECT_EQ(texts(make_axis(AxisKind::Powers, 64, 1024)),
            (Texts{"64", "128", "256", "512", "1024"}));
  EXPECT_EQ(texts(make_axis(AxisKind::Powers, 256, 256)), (Texts{"128", "256", "512"}));
}

TEST(Axis, HoldsAllValuesAndRisesWhateverTheyAre) {
  const uint64_t seed = 1;
  Rng rng(seed);
  const auto draw = [&] {
    const double size = std::pow(10.0, static_cast<double>(rng.below(200)) - 100);
    return size * (static_cast<double>(rng.below(2001)) - 1000) / 1000;
  };
  for (int k = 0; k < 20000; ++k) {
    const auto kind = static_cast<AxisKind>(rng.below(4));
    double low = draw(), high = rng.below(4) == 0 ? low : draw();
    if (low > high) std::swap(low, high);
    if (kind == AxisKind::Whole) {
      low = std::floor(low);
      high = std::floor(high);
    }
    const Axis axis = make_axis(kind, low, high);
    SCOPED_TRACE(testing::Message()
                 << "seed " << seed << ", axis " << k << " from " << low << " to " << high);
    ASSERT_LT(axis.low, axis.high);
    const double hair = 1e-6;
    ASSERT_GE(axis.share(low), -hair);
    ASSERT_LE(axis.share(high), 1 + hair);
    ASSERT_LE(axis.ticks.size(), 10u);
    for (size_t t = 0; t < axis.ticks.size(); ++t) {
      ASSERT_GE(axis.share(axis.ticks[t].at), -hair);
      ASSERT_LE(axis.share(axis.ticks[t].at), 1 + hair);
      if (t > 0) {
        ASSERT_LT(axis.ticks[t - 1].at, axis.ticks[t].at);
      }
    }
  }
}

TEST(Chart, CurvesBreakWhereThereIsNoValue) {
  const Panel panel{"loss",
                    AxisKind::Zero,
                    {{"a", {{0, 1}, {1, 2}, {2, NAN}, {3, 1}, {4, 2}, {5, 3}}, 0, false}}};
  const std::string svg = draw_chart("t", "step", {panel});
  EXPECT_EQ(count(svg, "<polyline"), 2u) << svg;
  EXPECT_EQ(count(svg, "<circle"), 0u);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  // A value without neighbours is drawn as a point, and so is a marked value.
  const Panel alone{"loss", AxisKind::Zero, {{"a", {{0, NAN}, {1, 2}, {2, NAN}}, 0, false}}};
  EXPECT_EQ(count(draw_chart("t", "step", {alone}), "<circle"), 1u);
  const Panel marked{"loss", AxisKind::Zero, {{"a", {{0, 1}, {9, 2}}, 0, true}}};
  EXPECT_EQ(count(draw_chart("t", "step", {marked}), "<circle"), 2u);
  // A panel without a value is left out.
  const Panel none{"nothing", AxisKind::Zero, {{"a", {{0, NAN}}, 0, false}}};
  EXPECT_EQ(draw_chart("t", "step", {none}).find("nothing"), std::string::npos);
}

TEST(Chart, LongCurvesKeepTheirExtremes) {
  Curve curve{"a", {}, 0, false};
  for (int k = 0; k < 100000; ++k) curve.points.push_back({static_cast<double>(k), 1.0});
  curve.points[31234].y = 10;  // one pixel of a hundred thousand
  const std::string svg = draw_chart("t", "step", {{"loss", AxisKind::Zero, {curve}}});
  EXPECT_LT(svg.size(), 40000u);
  const size_t begin = svg.find("points=\"");
  const std::string points = svg.substr(begin, svg.find("\"/>", begin) - begin);
  EXPECT_EQ(count(points, ",78.0"), 1u) << "the top of the plot, once: " << points;
}

TEST(Chart, NamesAreTextWhateverTheirBytes) {
  const Panel panel{"loss",
                    AxisKind::Zero,
                    {{"a<b>&\n\xFF", {{0, 1}, {1, 2}}, 0, false},
                     {std::string(300, 'x'), {{0, 1}, {1, 2}}, 1, false}}};
  const std::string svg = draw_chart("a & b", "step", {panel});
  EXPECT_NE(svg.find("a&lt;b&gt;&amp;?\uFFFD</text>"), std::string::npos) << svg;
  EXPECT_NE(svg.find("<title>a &amp; b</title>"), std::string::npos);
  EXPECT_NE(svg.find(">\u2026" + std::string(39, 'x') + "<"), std::string::npos) << svg;
}

TEST(Metrics, EveryKeyThatIsPlottedGetsItsPanel) {
  const File file(
      R"({"step":0,"loss":2.5,"accuracy":0.1,"rate":0.01,"loss_scale":256.0,"skipped":true,"kept":50,)"
      R"("weights":200,"norm":3,"different":0,"cycles":{"step":900,"forward":100,"loss":80,)"
      R"("gradients":400,"deltas":99},"colour":"red",)"
      R"("waits":{"edge":30,"store":0,"samples":4,"optimizer":5,"late":7},)"
      R"("stalls":{"stall_input":70,"stall_memory":0,"no_work":8,"reducer_wait":9}})"
      "\n\n"
      R"({"step":1,"loss":1.5,"accuracy":0.9,"loss_scale":128.0,"skipped":false,"kept":20,)"
      R"("weights":200,"held_out":{"loss":1.25,"accuracy":0.75}})"
      "\n");
  const Metrics m = read_metrics(file.path());
  EXPECT_EQ(m.steps, 2u);
  EXPECT_EQ(m.skipped, 1u);
  EXPECT_EQ(m.curves.at("accuracy").at(1).y, 90.0);
  EXPECT_EQ(m.curves.at("density").at(0).y, 25.0);
  EXPECT_EQ(m.curves.at("waits").at(0).y, 39.0) << "`late` is a part of the others";
  EXPECT_EQ(m.curves.at("density").at(1).y, 10.0);
  ASSERT_EQ(m.curves.at("held_out.accuracy").size(), 1u);
  EXPECT_EQ(m.curves.at("held_out.accuracy").at(0).x, 1.0);
  EXPECT_EQ(m.curves.at("held_out.accuracy").at(0).y, 75.0);
  std::vector<std::pair<std::string, size_t>> got;
  for (const Panel& panel : training_panels({m})) got.push_back({panel.title, panel.curves.size()});
  const std::vector<std::pair<std::string, size_t>> want = {
      {"loss (mean of a sample)", 2},
      {"accuracy (%)", 2},
      {"density (% of the weights kept)", 1},
      {"cycles a step, and of its parts on the slowest tile", 5},
      {"cycles a step that the grid waited for what is outside, by cause", 4},
      {"stall cycles a step, sums over the tiles, by cause", 3},
      {"learning rate", 1},
      {"loss scale", 1},
      {"norm of the gradients", 1}};
  EXPECT_EQ(got, want) << "no weight differs, and no panel says so";
  // Beside another one: a colour each, of the cycles the whole step's alone, and no stalls.
  const std::vector<Panel> both = training_panels({m, m});
  ASSERT_EQ(both.size(), want.size() - 1);
  EXPECT_EQ(both[0].curves.size(), 4u);
  EXPECT_EQ(both[0].curves[1].name, m.name + ", held out");
  EXPECT_EQ(both[0].curves[1].colour, 0);
  EXPECT_EQ(both[0].curves[2].colour, 1);
  EXPECT_EQ(both[3].curves.size(), 2u);
  EXPECT_EQ(both[4].curves.size(), 2u);
}

TEST(Metrics, OfAStepThatStandsThereTwiceTheLastLineHolds) {
  const File file(
      "{\"step\":1,\"loss\":5,\"norm\":1}\n{\"step\":2,\"loss\":4}\n{\"step\":0,\"loss\":6}\n"
      "{\"step\":1,\"loss\":3}\r\n{\"step\":3,\"loss\":null}");
  const Metrics m = read_metrics(file.path());
  const std::vector<Point>& loss = m.curves.at("loss");
  ASSERT_EQ(loss.size(), 4u);
  const double want[] = {6, 3, 4};
  for (size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(loss[k].x, static_cast<double>(k));
    EXPECT_EQ(loss[k].y, want[k]);
  }
  EXPECT_TRUE(std::isnan(loss[3].y)) << "a loss that was no number";
  EXPECT_EQ(m.curves.count("norm"), 0u) << "nothing is left of the first line of step 1";
  EXPECT_EQ(m.last_step, 3u);
}

TEST(Metrics, AStepWithoutANormLeavesAGap) {
  const File file(
      "{\"step\":0,\"norm\":null,\"skipped\":true}\n{\"step\":1,\"norm\":2}\n"
      "{\"step\":2,\"norm\":3}\n");
  const Metrics m = read_metrics(file.path());
  const std::vector<Point>& norm = m.curves.at("norm");
  ASSERT_EQ(norm.size(), 3u);
  EXPECT_TRUE(std::isnan(norm[0].y));
  EXPECT_EQ(norm[2].y, 3);
  const std::vector<Panel> panels = training_panels({m});
  ASSERT_EQ(panels.size(), 1u);
  EXPECT_EQ(panels[0].title, "norm of the gradients");
}

TEST(HeatMaps, NeighboursOfOneColourAreOneRectangle) {
  constexpr size_t kScale = 64, kPaper = 1;  // rectangles besides those of tiles
  const std::string same = draw_heat_maps("a & b", 2, 3, {{"busy", {7, 7, 7, 7, 7, 7}}});
  EXPECT_EQ(count(same, "<rect"), 2 + kScale + kPaper);
  EXPECT_EQ(count(same, "<title>a &amp; b</title>"), 1u);
  const std::string two =
      draw_heat_maps("t", 2, 3, {{"busy", {0, 0, 9, 9, 0, 9}}, {"idle", {0, 0, 0, 0, 0, 0}}});
  EXPECT_EQ(count(two, "<rect"), 2 + 3 + 2 + 2 * kScale + kPaper);
  EXPECT_EQ(count(two, "font-weight=\"bold\">busy<"), 1u);
  EXPECT_EQ(count(two, "nan"), 0u);
}

TEST(Metrics, BadFilesAreRefusedInOneLine) {
  const std::string good = "{\"step\":0,\"loss\":1}\n";
  EXPECT_EQ(refusal(good), "");
  EXPECT_EQ(refusal(""), ": holds no step of a training");
  EXPECT_EQ(refusal("\n \n"), ": holds no step of a training");
  EXPECT_EQ(refusal("{\"step\":0}\n"), ": holds nothing that is plotted");
  EXPECT_EQ(refusal(good + "\n{\"step\":1,\"lo"), ":3: is not JSON");
  EXPECT_EQ(refusal(good + "[1]\n"), ":2: must be a JSON object");
  EXPECT_EQ(refusal("{\"loss\":1}\n"), ":1: key 'step' is missing");
  EXPECT_EQ(refusal("{\"step\":-1}\n"), ":1: key 'step' must be a whole number from 0");
  EXPECT_EQ(refusal("{\"step\":0,\"step\":1}\n"), ":1: key 'step' stands there twice");
  EXPECT_EQ(refusal("{\"step\":0,\"loss\":\"x\"}\n"),
            ":1: key 'loss' must be a number from -1e+100 to 1e+100");
  EXPECT_EQ(refusal("{\"step\":0,\"loss\":1e200}\n"),
            ":1: key 'loss' must be a number from -1e+100 to 1e+100");
  EXPECT_EQ(refusal(good + "{\"step\":1,\"cycles\":{\"step\":true}}\n"),
            ":2: key 'cycles.step' must be a number from -1e+100 to 1e+100");
  EXPECT_EQ(refusal("{\"step\":0,\"cycles\":7}\n"), ":1: key 'cycles' must be an object");
  EXPECT_EQ(refusal("{\"step\":0,\"skipped\":7}\n"), ":1: key 'skipped' must be true or false");
  EXPECT_THROW(read_metrics("/nonexistent/metrics.jsonl"), BadInput);
}

TEST(Metrics, AreNamedByTheirFileOrDirectory) {
  EXPECT_EQ(name_of_metrics("runs/dense/metrics.jsonl"), "dense");
  EXPECT_EQ(name_of_metrics("runs/rigl.jsonl"), "rigl");
  EXPECT_EQ(name_of_metrics("metrics.jsonl"), "metrics");
  EXPECT_EQ(name_of_metrics("../metrics.jsonl"), "metrics");
}

}  // namespace
}  // namespace ow::plot
