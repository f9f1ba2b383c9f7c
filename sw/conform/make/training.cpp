// SPDX-License-Identifier: Apache-2.0
// A host that trains, without a machine: the test gives the gradients. Optimizers, schedules,
// masks, random numbers.
#include <cmath>
#include <limits>

#include "host.h"
#include "ow/graph/chain.h"

namespace ow::conform {
namespace {

const std::vector<std::string> kHost = {"optimizer"};
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Two layers with matrices of 3 x 5 and 2 x 3, each with a bias.
Json job_of(Maker* m, const Json& optimizer) {
  return {{"type", "f16"},
          {"grid", {1, 1}},
          {"samples", 8},
          {"seed", m->word()},
          {"features", 5},
          {"optimizer", optimizer},
          {"layers",
           {{{"name", "one"}, {"kind", kShortLayer}, {"inputs", {"input"}}, {"outputs", 3}},
            {{"name", "act"}, {"kind", kShortActivation}, {"inputs", {"one"}}},
            {{"name", "two"}, {"kind", kShortLayer}, {"inputs", {"act"}}, {"outputs", 2}},
            {{"name", "loss"}, {"kind", kShortLoss}, {"inputs", {"two", "targets"}}}}}};
}

// One layer with a matrix of 6 x 8 and no bias.
Json one_matrix(Maker* m, const Json& optimizer) {
  Json job = job_of(m, optimizer);
  job["features"] = 8;
  job["layers"] = {
      {{"name", "one"}, {"kind", kShortLayer}, {"inputs", {"input"}}, {"outputs", 6}, {"bias", 0}},
      {{"name", "loss"}, {"kind", kShortLoss}, {"inputs", {"one", "targets"}}}};
  return job;
}

Json sgd(const Json& rate) { return {{"kind", "sgd"}, {"rate", rate}}; }

void make_updates(Maker* m) {
  struct Case {
    const char* name;
    const char* about;
    Json more;
    Rules rules;
  };
  const Case cases[] = {
      {"sgd", "Plain gradient descent, with decay of matrices.", {{"weight_decay", 0.25}}, {"N76"}},
      {"momentum", "A momentum gathers gradients.", {{"momentum", 0.75}}, {"N76"}},
      {"nesterov",
       "Nesterov's rule looks a step ahead.",
       {{"momentum", 0.75}, {"nesterov", true}, {"weight_decay", 0.25}},
       {"N76"}},
      {"adamw", "AdamW without decay.", {{"kind", "adamw"}, {"beta1", 0.8}}, {"N77"}},
      {"adamw_decay",
       "AdamW with decay of matrices alone.",
       {{"kind", "adamw"}, {"weight_decay", 0.3}, {"epsilon", 0.125}, {"beta2", 0.9}},
       {"N77"}}};
  for (const Case& c : cases) {
    Json optimizer = sgd(always(0.3));
    optimizer.update(c.more);
    Json job = job_of(m, optimizer);
    job["loss_scale"] = {{"initial", 4}};
    Rules rules = {"N18", "N73", "N61"};
    rules.insert(rules.begin(), c.rules.begin(), c.rules.end());
    HostTest t(m, std::string("host.update.") + c.name, c.about, kHost, rules, job);
    for (int step = 0; step < 3; ++step) {
      t.gradients(-100, 100);
      t.step();
      t.ask("value");
    }
    const bool momentum = c.more.contains("momentum"), adamw = c.more.contains("kind");
    if (momentum || adamw) t.ask("first");
    if (adamw) t.ask("second");
  }
}

void make_skips(Maker* m) {
  Json job = job_of(m, {{"kind", "adamw"}, {"rate", always(0.1)}});
  job["loss_scale"] = {{"initial", 4}, {"dynamic", true}, {"interval", 2}, {"most", 8}};
  HostTest t(m, "host.skipped",
             "A gradient that is not finite skips the step; the loss scale follows.", kHost,
             {"N17", "N75"}, job);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const float bad : {0.0f, kInfinity, nan, -kInfinity, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f}) {
    t.gradients(
        [&](size_t k, size_t i) { return bad != 0 && k == 1 && i == 1 ? bad : t.between(-1, 1); });
    t.step({"N75"});
    t.ask("value", {"N17"});
  }
  t.ask("first", {"N17"});
}

void make_clips(Maker* m) {
  Json optimizer = sgd(always(0.5));
  optimizer["max_norm"] = 0.5;
  Json job = job_of(m, optimizer);
  // More than a block of 4,096 elements.
  job["features"] = 70;
  job["layers"][0]["outputs"] = 60;
  HostTest t(m, "host.clip", "The norm of all gradients together is limited.", kHost, {"N74"}, job);
  for (const double size : {10.0, 0.001}) {
    t.gradients(-size, size);
    t.step();
    t.ask("value");
  }
}

void make_micro_batches(Maker* m) {
  for (const int count : {2, 3, 7}) {
    Json job = one_matrix(m, sgd(always(1)));
    job["micro_batches"] = count;
    HostTest t(m, "host.micro_batches." + std::to_string(count),
               "Gradients of micro-batches are added by a fixed tree.", kHost, {"N16", "N71"}, job);
    for (int k = 0; k < count; ++k)
      t.gradients([&](size_t, size_t) { return t.between(-1, 1) * std::exp2(t.between(-6, 6)); });
    t.step();
    t.ask("value");
  }
}

// With a gradient of 1 and a rate of 8 r, each step takes r of a weight.
void make_schedules(Maker* m) {
  const auto two = [](const Json& first, const Json& second) {
    return Json::array({first, second});
  };
  struct Case {
    const char* name;
    Json rate;
    Rules rules;
  };
  const Case cases[] = {
      {"constant", two(piece("constant", 0.7, 0.7, 2), piece("constant", 0.3, 0.3, 1)), {"N19"}},
      {"linear", two(piece("linear", 0.9, 0.2, 5), piece("linear", 0.1, 0.4, 3)), {"N19"}},
      {"cosine", two(piece("cosine", 0.1, 0.9, 4), piece("cosine", 0.8, 0.05, 3)), {"N19", "N79"}},
      {"cubic", Json::array({piece("cubic", 0.9, 0.1, 7)}), {"N19"}},
      {"power", Json::array({piece("power", 0.9, 0.1, 6, 0.7)}), {"N19"}},
      {"slope", two(piece("constant", 0.5, 0.5, 2), piece("slope", 0.9, 0.2, 1, -0.17)), {"N19"}},
      {"repeat",
       Json::array({piece("constant", 0.9, 0.9, 1), piece("linear", 0.1, 0.4, 2),
                    piece("cosine", 0.5, 0.3, 2), piece("repeat", 0, 0, 2)}),
       {"N19", "N78"}}};
  for (const Case& c : cases) {
    HostTest t(m, std::string("host.schedule.") + c.name, "The rate of each step.", kHost, c.rules,
               one_matrix(m, sgd(c.rate)));
    for (int step = 0; step < 11; ++step) {
      t.gradients([](size_t, size_t) { return 1.0f; });
      t.step();
      t.ask("value");
    }
  }
}

void make_first_masks(Maker* m) {
  for (const char* init : {"random", "magnitude", "even", "zeros", "dense"}) {
    Json job = job_of(m, sgd(always(0.5)));
    // 0.58 of 15 is 8.7; the first pattern that matches counts. Only what changes later keeps
    // nothing or everything at first.
    const bool changes = std::string(init) == "zeros" || std::string(init) == "dense";
    const char* algorithm = changes ? "set" : "static";
    const auto group = [&](const char* pattern, double density) {
      return Json{{"pattern", pattern},
                  {"algorithm", algorithm},
                  {"init", init},
                  {"start", 5},
                  {"density", always(density)}};
    };
    job["sparsity"] = {group("one.*", 0.58), group("*", 0.5)};
    Rules rules = {"N20", "N80", "N81"};
    if (std::string(init) == "random") rules.emplace_back("N87");
    HostTest t(m, std::string("host.masks.") + init, "The masks that a training begins with.",
               kHost, rules, job);
    t.ask("mask");
    t.ask("value");
    t.gradients(-1, 1);
    t.step();
    t.ask("value", {"N18"});
    t.ask("mask", {"N81"});
  }
  Json job = one_matrix(m, sgd(always(0.5)));
  job["features"] = 25;
  job["layers"][0]["outputs"] = 4;
  job["sparsity"] = {
      {{"pattern", "*"}, {"algorithm", "static"}, {"init", "even"}, {"density", always(0.29)}}};
  HostTest t(m, "host.masks.share", "A density of 0.29 keeps 29 of 100.", kHost, {"N80"}, job);
  t.ask("mask");
}

void make_changing_masks(Maker* m) {
  struct Case {
    const char* name;
    Json more;
    Rules rules;
  };
  const Json falls = Json::array({piece("linear", 0.75, 0.25, 6)});
  const Json rises = Json::array({piece("linear", 0.4, 0.7, 6)});
  const Json balance = {{"balance", "inputs"}, {"parts", 4}};
  Case cases[] = {
      {"gradual", {{"algorithm", "gradual"}, {"density", falls}, {"every", 2}}, {"N83"}},
      {"set",
       {{"algorithm", "set"}, {"density", falls}, {"start", 1}, {"stop", 4}},
       {"N84", "N87"}},
      {"set_grows",
       {{"algorithm", "set"}, {"density", rises}, {"drop", always(0.5)}, {"at", {0, 3, 4}}},
       {"N84", "N87"}},
      {"rigl", {{"algorithm", "rigl"}, {"density", falls}, {"every", 2}}, {"N84"}},
      {"balanced_inputs", {{"algorithm", "set"}, {"density", falls}, {"every", 2}}, {"N85"}},
      {"balanced_outputs",
       {{"algorithm", "gradual"}, {"density", falls}, {"every", 2}, {"init", "even"}},
       {"N85"}}};
  cases[4].more.update(balance);
  cases[5].more.update({{"balance", "outputs"}, {"parts", 3}});
  for (const Case& c : cases) {
    Json job = one_matrix(m, {{"kind", "adamw"}, {"rate", always(0.05)}});
    Json group = {{"pattern", "*"}, {"init", "random"}};
    group.update(c.more);
    job["sparsity"] = {group};
    Rules rules = {"N82", "N86"};
    rules.insert(rules.begin(), c.rules.begin(), c.rules.end());
    HostTest t(m, std::string("host.masks.") + c.name, "Masks that change in a training.", kHost,
               rules, job);
    const bool rigl = std::string(c.name) == "rigl";
    for (int step = 0; step < 6; ++step) {
      const bool skipped = step == 2;
      t.gradients(
          [&](size_t, size_t i) { return skipped && i == 0 ? kInfinity : t.between(-1, 1); },
          skipped || (rigl && step % 2 == 0));
      t.step();
      t.ask("mask");
      t.ask("value", {"N86"});
    }
    t.ask("first", {"N86"});
    t.ask("second", {"N86"});
  }
}

void make_beginnings(Maker* m) {
  {
    HostTest t(m, "host.weights",
               "First weights are drawn by the seed, in the order of parameters.", kHost,
               {"N21", "N60", "N61"}, job_of(m, sgd(always(1))));
    t.ask("value");
  }
  Json job = one_matrix(m, sgd(always(1)));
  job["micro_batches"] = 2;
  HostTest t(m, "host.samples", "The samples of steps, over the end of an epoch.", kHost, {"N88"},
             job);
  for (const char* line : {"order 37 0", "order 37 1", "order 37 2", "order 37 3", "order 11 1"})
    m->ask(line);
}

}  // namespace

void make_training(Maker* m) {
  make_updates(m);
  make_skips(m);
  make_clips(m);
  make_micro_batches(m);
  make_schedules(m);
  make_first_masks(m);
  make_changing_masks(m);
  make_beginnings(m);
}

}  // namespace ow::conform
