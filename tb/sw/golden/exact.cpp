// SPDX-License-Identifier: Apache-2.0
#include "exact.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace ow::golden {
namespace {

using Vector = std::vector<double>;

struct Operands {
  const ow::Op& op;
  const Tokens& tokens;
  std::vector<const ExactValue*> in;
  std::vector<const Vector*> p;
  size_t number(const char* key) const { return static_cast<size_t>(op.attributes.at(key)); }
};

// Gradients are added to what is there.
struct Slopes {
  std::vector<ExactValue*> in;
  std::vector<Vector*> p;
};

using Forward = ExactValue (*)(const Operands&);
using Backward = void (*)(const Operands&, const ExactValue& out, const ExactValue& delta, Slopes*);
struct Rule {
  Forward forward;
  Backward backward;
};

// ---- Rows of tables.

ExactValue embed(const Operands& o) {
  ExactValue y(o.number("width"), o.tokens.ids.size());
  for (size_t s = 0; s < y.samples; ++s) {
    if (o.tokens.ids[s] < 0) continue;
    const auto token = static_cast<size_t>(o.tokens.ids[s]);
    const auto position = static_cast<size_t>(o.tokens.position_of(s));
    for (size_t f = 0; f < y.features; ++f) {
      y.at(f, s) = (*o.p[0])[token * y.features + f];
      if (o.p.size() > 1) y.at(f, s) += (*o.p[1])[position * y.features + f];
    }
  }
  return y;
}

void embed_back(const Operands& o, const ExactValue&, const ExactValue& d, Slopes* slopes) {
  for (size_t s = 0; s < d.samples; ++s) {
    if (o.tokens.ids[s] < 0) continue;
    const auto token = static_cast<size_t>(o.tokens.ids[s]);
    const auto position = static_cast<size_t>(o.tokens.position_of(s));
    for (size_t f = 0; f < d.features; ++f) {
      (*slopes->p[0])[token * d.features + f] += d.at(f, s);
      if (o.p.size() > 1) (*slopes->p[1])[position * d.features + f] += d.at(f, s);
    }
  }
}

// ---- Sums of products.

ExactValue linear(const Operands& o) {
  const ExactValue& x = *o.in[0];
  const size_t copies = o.number("copies");
  ExactValue y(o.number("outputs") * copies, x.samples);
  for (size_t j = 0; j < y.features; ++j) {
    for (size_t s = 0; s < x.samples; ++s) y.at(j, s) = o.p.size() > 1 ? (*o.p[1])[j / copies] : 0;
    for (size_t i = 0; i < x.features; ++i) {
      const double w = (*o.p[0])[j / copies * x.features + i];
      for (size_t s = 0; s < x.samples; ++s) y.at(j, s) += w * x.at(i, s);
    }
  }
  return y;
}

void linear_back(const Operands& o, const ExactValue&, const ExactValue& d, Slopes* slopes) {
  const ExactValue& x = *o.in[0];
  const size_t copies = o.number("copies");
  for (size_t j = 0; j < d.features; ++j) {
    for (size_t s = 0; s < x.samples; ++s) {
      if (o.p.size() > 1) (*slopes->p[1])[j / copies] += d.at(j, s);
      for (size_t i = 0; i < x.features; ++i) {
        const size_t w = j / copies * x.features + i;
        (*slopes->p[0])[w] += d.at(j, s) * x.at(i, s);
        slopes->in[0]->at(i, s) += d.at(j, s) * (*o.p[0])[w];
      }
    }
  }
}

// ---- Element by element. f(x) and its slope.

template <double (*f)(double)>
ExactValue each(const Operands& o) {
  ExactValue y = *o.in[0];
  for (double& v : y.all) v = f(v);
  return y;
}

template <double (*slope)(double)>
void each_back(const Operands& o, const ExactValue&, const ExactValue& d, Slopes* slopes) {
  for (size_t i = 0; i < d.all.size(); ++i)
    slopes->in[0]->all[i] += d.all[i] * slope(o.in[0]->all[i]);
}

constexpr double kTanh = 0.7978845608028653558798921198687637369517;  // sqrt(2 / pi)
double gelu(double x) { return x / 2 * (1 + std::tanh(kTanh * (x + 0.044715 * x * x * x))); }
double gelu_slope(double x) {
  const double t = std::tanh(kTanh * (x + 0.044715 * x * x * x));
  return (1 + t) / 2 + x / 2 * (1 - t * t) * kTanh * (1 + 3 * 0.044715 * x * x);
}
double relu(double x) { return std::max(x, 0.0); }
double relu_slope(double x) { return x > 0 ? 1 : 0; }
double silu(double x) { return x / (1 + std::exp(-x)); }
double silu_slope(double x) {
  const double g = 1 / (1 + std::exp(-x));
  return g + x * g * (1 - g);
}

template <bool product>
ExactValue two(const Operands& o) {
  ExactValue y = *o.in[0];
  for (size_t i = 0; i < y.all.size(); ++i) {
    y.all[i] = product ? y.all[i] * o.in[1]->all[i] : y.all[i] + o.in[1]->all[i];
  }
  return y;
}

template <bool product>
void two_back(const Operands& o, const ExactValue&, const ExactValue& d, Slopes* slopes) {
  for (size_t i = 0; i < d.all.size(); ++i) {
    slopes->in[0]->all[i] += product ? d.all[i] * o.in[1]->all[i] : d.all[i];
    slopes->in[1]->all[i] += product ? d.all[i] * o.in[0]->all[i] : d.all[i];
  }
}

// ---- Norms.

struct Statistics {
  Statistics(const Operands& o, size_t s, bool centred) {
    const ExactValue& x = *o.in[0];
    const auto n = static_cast<double>(x.features);
    double variance = 0;
    for (size_t f = 0; f < x.features; ++f) mean += centred ? x.at(f, s) / n : 0;
    for (size_t f = 0; f < x.features; ++f) variance += std::pow(x.at(f, s) - mean, 2) / n;
    scale = 1 / std::sqrt(variance + o.op.attributes.at("epsilon"));
  }
  double mean = 0, scale = 0;
};

template <bool centred>
ExactValue norm(const Operands& o) {
  ExactValue y = *o.in[0];
  for (size_t s = 0; s < y.samples; ++s) {
    const Statistics st(o, s, centred);
    for (size_t f = 0; f < y.features; ++f) {
      y.at(f, s) = (y.at(f, s) - st.mean) * st.scale * (*o.p[0])[f] + (centred ? (*o.p[1])[f] : 0);
    }
  }
  return y;
}

template <bool centred>
void norm_back(const Operands& o, const ExactValue&, const ExactValue& d, Slopes* slopes) {
  const ExactValue& x = *o.in[0];
  const auto n = static_cast<double>(x.features);
  for (size_t s = 0; s < x.samples; ++s) {
    const Statistics st(o, s, centred);
    const auto normal = [&](size_t f) { return (x.at(f, s) - st.mean) * st.scale; };
    double mean = 0, along = 0;
    for (size_t f = 0; f < x.features; ++f) {
      const double t = d.at(f, s) * (*o.p[0])[f];
      mean += centred ? t / n : 0;
      along += t * normal(f) / n;
      (*slopes->p[0])[f] += d.at(f, s) * normal(f);
      if (centred) (*slopes->p[1])[f] += d.at(f, s);
    }
    for (size_t f = 0; f < x.features; ++f) {
      const double t = d.at(f, s) * (*o.p[0])[f];
      slopes->in[0]->at(f, s) += st.scale * (t - mean - normal(f) * along);
    }
  }
}

// ---- Heads: feature k of head g is feature k * heads + g.

// Adds x, turned by `sign` times the angle of its position.
void turn(const Operands& o, const ExactValue& x, double sign, ExactValue* y) {
  const size_t heads = o.number("heads"), size = x.features / heads;
  for (size_t s = 0; s < x.samples; ++s) {
    for (size_t m = 0; m < size / 2; ++m) {
      const double share = 2 * static_cast<double>(m) / static_cast<double>(size);
      const double angle =
          sign * o.tokens.position_of(s) * std::pow(o.op.attributes.at("theta"), -share);
      for (size_t g = 0; g < heads; ++g) {
        const size_t low = m * heads + g, high = (m + size / 2) * heads + g;
        y->at(low, s) += x.at(low, s) * std::cos(angle) - x.at(high, s) * std::sin(angle);
        y->at(high, s) += x.at(high, s) * std::cos(angle) + x.at(low, s) * std::sin(angle);
      }
    }
  }
}

ExactValue rotate(const Operands& o) {
  ExactValue y(o.in[0]->features, o.in[0]->samples);
  turn(o, *o.in[0], 1, &y);
  return y;
}

void rotate_back(const Operands& o, const ExactValue&, const ExactValue& d, Slopes* slopes) {
  turn(o, d, -1, slopes->in[0]);
}

// The shares that a query of head g gives to the keys from `first` on, up to its own.
Vector shares(const Operands& o, size_t g, size_t first, size_t query) {
  const size_t heads = o.number("heads"), size = o.in[0]->features / heads;
  Vector p;
  double most = -INFINITY, sum = 0;
  for (size_t j = first; j <= query; ++j) {
    double score = 0;
    for (size_t k = 0; k < size; ++k) {
      score += o.in[0]->at(k * heads + g, query) * o.in[1]->at(k * heads + g, j);
    }
    p.push_back(score / std::sqrt(static_cast<double>(size)));
    most = std::max(most, p.back());
  }
  for (double& v : p) sum += v = std::exp(v - most);
  for (double& v : p) v /= sum;
  return p;
}

ExactValue attend(const Operands& o) {
  const size_t heads = o.number("heads");
  ExactValue y(o.in[0]->features, o.in[0]->samples);
  for (size_t s = 0; s < y.samples; ++s) {
    const auto first = static_cast<size_t>(o.tokens.start_of(s));
    for (size_t g = 0; g < heads; ++g) {
      const Vector p = shares(o, g, first, s);
      for (size_t f = g; f < y.features; f += heads) {
        for (size_t j = 0; j < p.size(); ++j) y.at(f, s) += p[j] * o.in[2]->at(f, first + j);
      }
    }
  }
  return y;
}

void attend_back(const Operands& o, const ExactValue& y, const ExactValue& d, Slopes* slopes) {
  const size_t heads = o.number("heads");
  const double scale = 1 / std::sqrt(static_cast<double>(d.features / heads));
  for (size_t s = 0; s < d.samples; ++s) {
    const auto first = static_cast<size_t>(o.tokens.start_of(s));
    for (size_t g = 0; g < heads; ++g) {
      const Vector p = shares(o, g, first, s);
      for (size_t j = 0; j < p.size(); ++j) {
        double slope = 0;
        for (size_t f = g; f < d.features; f += heads) {
          slopes->in[2]->at(f, first + j) += p[j] * d.at(f, s);
          slope += d.at(f, s) * (o.in[2]->at(f, first + j) - y.at(f, s));
        }
        for (size_t f = g; f < d.features; f += heads) {
          slopes->in[0]->at(f, s) += p[j] * slope * scale * o.in[1]->at(f, first + j);
          slopes->in[1]->at(f, first + j) += p[j] * slope * scale * o.in[0]->at(f, s);
        }
      }
    }
  }
}

const Rule& rule_of(const std::string& kind) {
  static const std::map<std::string, Rule> all = {{"embedding", {embed, embed_back}},
                                                  {"linear", {linear, linear_back}},
                                                  {"gelu", {each<gelu>, each_back<gelu_slope>}},
                                                  {"silu", {each<silu>, each_back<silu_slope>}},
                                                  {"relu", {each<relu>, each_back<relu_slope>}},
                                                  {"add", {two<false>, two_back<false>}},
                                                  {"mul", {two<true>, two_back<true>}},
                                                  {"layer_norm", {norm<true>, norm_back<true>}},
                                                  {"rms_norm", {norm<false>, norm_back<false>}},
                                                  {"rotary", {rotate, rotate_back}},
                                                  {"attention", {attend, attend_back}}};
  return all.at(kind);
}

// The loss, and its deltas if they are asked for.
double cross_entropy(const Op& op, const ExactValue& z, const std::vector<int>& classes,
                     ExactValue* deltas) {
  const auto option = op.attributes.find("smoothing");
  const double smoothing = option == op.attributes.end() ? 0 : option->second;
  const auto counted = static_cast<double>(z.samples) -
                       static_cast<double>(std::count(classes.begin(), classes.end(), kNoToken));
  double total = 0;
  for (size_t s = 0; s < z.samples; ++s) {
    if (classes[s] == kNoToken) continue;
    double most = -INFINITY, sum = 0;
    for (size_t f = 0; f < z.features; ++f) most = std::max(most, z.at(f, s));
    for (size_t f = 0; f < z.features; ++f) sum += std::exp(z.at(f, s) - most);
    for (size_t f = 0; f < z.features; ++f) {
      const double target = smoothing / static_cast<double>(z.features) +
                            (static_cast<int>(f) == classes[s] ? 1 - smoothing : 0);
      const double log_p = z.at(f, s) - most - std::log(sum);
      total -= target * log_p / counted;
      if (deltas != nullptr) deltas->at(f, s) = (std::exp(log_p) - target) / counted;
    }
  }
  return total;
}

double squared_error(const ExactValue& z, const Activations& values, ExactValue* deltas) {
  const auto count = static_cast<double>(z.all.size());
  double total = 0;
  for (size_t i = 0; i < z.all.size(); ++i) {
    const double off = z.all[i] - from_half(HalfType::Binary16, values.values[i]);
    total += off * off / count;
    if (deltas != nullptr) deltas->all[i] = 2 * off / count;
  }
  return total;
}

double loss_of(const Op& op, const ExactValue& z, const Targets& targets, ExactValue* deltas) {
  if (op.kind == "mean_squared_error") return squared_error(z, targets.values, deltas);
  return cross_entropy(op, z, targets.classes, deltas);
}

}  // namespace

ExactGraph::ExactGraph(const Graph& graph, const std::vector<Parameter>& masters) : graph_(graph) {
  for (const Parameter& p : masters) parameters.emplace_back(p.value.begin(), p.value.end());
}

std::vector<ExactValue> ExactGraph::forward(const Tokens& tokens) const {
  std::vector<ExactValue> values(1);
  for (const ow::Op& op : graph_.ops) {
    if (op.value < 0) break;
    Operands o{op, tokens, {}, {}};
    for (const int v : op.input_values) o.in.push_back(&values[static_cast<size_t>(v)]);
    for (const size_t p : op.parameters) o.p.push_back(&parameters[p]);
    ExactValue y = rule_of(op.kind).forward(o);
    values.push_back(std::move(y));
  }
  return values;
}

double ExactGraph::loss(const Tokens& tokens, const Targets& targets) const {
  return loss_of(graph_.ops.back(), forward(tokens).back(), targets, nullptr);
}

std::vector<std::vector<double>> ExactGraph::gradients(const Tokens& tokens,
                                                       const Targets& targets) const {
  const std::vector<ExactValue> values = forward(tokens);
  std::vector<ExactValue> deltas;
  for (const ExactValue& v : values) deltas.emplace_back(v.features, v.samples);
  std::vector<Vector> slopes;
  for (const Vector& p : parameters) slopes.emplace_back(p.size());
  loss_of(graph_.ops.back(), values.back(), targets, &deltas.back());
  for (size_t n = values.size() - 1; n-- > 0;) {
    const ow::Op& op = graph_.ops[n];
    Operands o{op, tokens, {}, {}};
    Slopes s;
    for (const int v : op.input_values) {
      o.in.push_back(&values[static_cast<size_t>(v)]);
      s.in.push_back(&deltas[static_cast<size_t>(v)]);
    }
    for (const size_t p : op.parameters) {
      o.p.push_back(&parameters[p]);
      s.p.push_back(&slopes[p]);
    }
    rule_of(op.kind).backward(o, values[n + 1], deltas[n + 1], &s);
  }
  return slopes;
}

}  // namespace ow::golden
