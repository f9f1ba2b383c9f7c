// SPDX-License-Identifier: Apache-2.0
// The key `family`: a language model by its sizes.
#include <fmt/format.h>

#include "graph_reader.h"
#include "ow/graph/family.h"

namespace ow::jobs {
namespace {

constexpr int kMaxWidth = 65535;
constexpr int kMaxTable = 1 << 20;
constexpr int kMaxCount = 1000;  // blocks, heads

int whole(YamlMap* map, const char* key, int64_t most) {
  return static_cast<int>((*map)[key].integer(1, most));
}

int whole(YamlMap* map, const char* key, int64_t most, int fallback) {
  const auto value = map->find(key);
  return value ? static_cast<int>(value->integer(1, most)) : fallback;
}

double real(YamlMap* map, const char* key, double low, double high, double fallback) {
  const auto value = map->find(key);
  return value ? value->real(low, high) : fallback;
}

void need_multiple(YamlMap* map, const char* key, int value, int of, const char* what) {
  if (value % of != 0)
    (*map)[key].fail(fmt::format("is {}, no multiple of {}, {}", value, what, of));
}

void read_llama(YamlMap* map, LanguageShape* s) {
  s->kv_heads = whole(map, "kv_heads", kMaxCount, s->heads);
  need_multiple(map, "heads", s->heads, s->kv_heads, "kv_heads");
  s->head_size = whole(map, "head_size", kMaxWidth, s->width / s->heads);
  need_multiple(map, map->has("head_size") ? "head_size" : "width", s->head_size, 2,
                "a pair of features that turn");
  s->hidden = whole(map, "hidden", kMaxWidth);
  s->epsilon = real(map, "epsilon", 1e-12, 1, 1e-6);
  s->theta = real(map, "theta", 1, 1e12, 10000);
  if (!map->has("factor")) return;
  s->scaling =
      RotaryScaling{(*map)["factor"].real(1, 1e6), real(map, "low_frequency_factor", 1e-6, 1e6, 1),
                    real(map, "high_frequency_factor", 1e-6, 1e6, 4),
                    whole(map, "original_positions", kMaxTable, 8192)};
}

}  // namespace

Graph read_family(const Yaml& family) {
  YamlMap map = family.map();
  LanguageShape s;
  bool tied = false;
  const bool gpt2 = map.has("gpt2");
  if (gpt2 == map.has("llama")) family.fail("must name one of gpt2 and llama");
  const Yaml name = map[gpt2 ? "gpt2" : "llama"];
  if (!name.is_null()) name.fail("is a name, and has no value");
  s.family = gpt2 ? LanguageFamily::Gpt2 : LanguageFamily::Llama;
  s.layers = whole(&map, "layers", kMaxCount);
  s.width = whole(&map, "width", kMaxWidth);
  s.heads = whole(&map, "heads", kMaxCount);
  s.vocabulary = whole(&map, "vocabulary", kMaxTable);
  s.positions = whole(&map, "positions", kMaxTable);
  if (gpt2 || !map.has("head_size")) need_multiple(&map, "width", s.width, s.heads, "heads");
  if (gpt2) {
    s.kv_heads = s.heads;
    s.head_size = s.width / s.heads;
    s.hidden = whole(&map, "hidden", kMaxWidth, 4 * s.width);
    s.epsilon = real(&map, "epsilon", 1e-12, 1, 1e-5);
  } else {
    read_llama(&map, &s);
  }
  const auto flag = map.find("tied");
  tied = flag ? flag->flag() : gpt2;
  map.close();
  return family_graph(s, tied, family.where()).graph;
}

}  // namespace ow::jobs
