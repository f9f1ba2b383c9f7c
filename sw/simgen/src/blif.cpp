// SPDX-License-Identifier: Apache-2.0
#include "ow/simgen/blif.h"

#include <fmt/format.h>

#include "ow/base/file.h"

namespace ow::simgen {
namespace {

std::string net(Bit bit) { return fmt::format("n{}", bit); }

class Writer {
 public:
  explicit Writer(const Cover& cover) : cover_(cover) {}

  void input(const std::string& kind, const std::string& name, size_t k, Bit bit) {
    const std::string label = fmt::format("{}:{}[{}]", kind, name, k);
    inputs_ += ".inputs " + label + "\n";
    tables_ += fmt::format(".names {} {}\n1 1\n", label, net(bit));
  }
  void output(const std::string& kind, const std::string& name, size_t k, Bit bit) {
    tables_ += fmt::format(".names {} {}\n1 1\n", net(bit), to(kind, name, k));
  }
  // The value after the edge, as a function of no more than it depends on: a proof is cut by that.
  // The cover has no `d` of a register that never takes it.
  void next(const Register& r) {
    const auto bit = static_cast<size_t>(r.name.bit);
    if (r.enable <= kTrue) {
      return output("register'", r.name.signal, bit, r.enable == kTrue ? r.d : r.q);
    }
    tables_ += fmt::format(".names {} {} {} {}\n11- 1\n0-1 1\n", net(r.enable), net(r.d), net(r.q),
                           to("register'", r.name.signal, bit));
  }
  void word(const std::string& kind, const std::string& name, const Word& bits, bool in) {
    for (size_t k = 0; k < bits.size(); ++k)
      in ? input(kind, name, k, bits[k]) : output(kind, name, k, bits[k]);
  }
  // A table that is a net, or is 0 where the net is 1. Inverters become part of what reads them, so
  // a table's inverse stands for it.
  void net_is(Net number, Bit bit, const Logic& logic) {
    const bool inverse = logic.node(bit).inputs == 1;
    if (inverse) bit = logic.node(bit).in[0];
    if (cover_.has(bit))
      nets_ += fmt::format("# net {} {}{}\n", number, inverse ? "~" : "", net(bit));
  }
  std::string text(const std::string& model) {
    for (const Bit bit : cover_.order) table(bit);
    return fmt::format(".model {}\n{}{}{}.names n0\n.names n1\n1\n{}.end\n", model, inputs_,
                       outputs_, nets_, tables_);
  }

 private:
  std::string to(const std::string& kind, const std::string& name, size_t k) {
    std::string label = fmt::format("{}:{}[{}]", kind, name, k);
    outputs_ += ".outputs " + label + "\n";
    return label;
  }
  void table(Bit bit) {
    const Node& node = cover_.tables[bit];
    if (node.table == 0 || node.table == 0xFF) {  // BLIF has no inputs then
      tables_ += fmt::format(".names {}\n{}", net(bit), node.table == 0 ? "" : "1\n");
      return;
    }
    tables_ += ".names";
    for (size_t k = 0; k < node.inputs; ++k) tables_ += " " + net(node.in[k]);
    tables_ += " " + net(bit) + "\n";
    for (unsigned row = 0; row < 1u << node.inputs; ++row) {
      const unsigned at = row << (3 - node.inputs);  // inputs that are not there count as 0
      if ((node.table >> at & 1) == 0) continue;
      for (size_t k = node.inputs; k-- > 0;) tables_ += (row >> k & 1) != 0 ? '1' : '0';
      tables_ += " 1\n";
    }
  }

  const Cover& cover_;
  std::string inputs_, outputs_, nets_, tables_;
};

}  // namespace

void write_blif(const Design& design, const Plan& plan, const std::string& path) {
  Writer writer(plan.cover);
  for (const DesignPort& port : design.ports) writer.word("port", port.name, port.bits, port.input);
  for (const Register& r : plan.registers) {
    writer.input("register", r.name.signal, static_cast<size_t>(r.name.bit), r.q);
    writer.next(r);
  }
  for (const Bank& bank : design.banks) {
    for (size_t p = 0; p < bank.reads.size(); ++p) {
      writer.word(fmt::format("read{}", p), bank.name, bank.reads[p].data, true);
      writer.word(fmt::format("address{}", p), bank.name, bank.reads[p].address, false);
    }
    for (size_t p = 0; p < bank.writes.size(); ++p) {
      writer.word(fmt::format("at{}", p), bank.name, bank.writes[p].address, false);
      writer.word(fmt::format("enable{}", p), bank.name, bank.writes[p].enable, false);
      writer.word(fmt::format("data{}", p), bank.name, bank.writes[p].data, false);
    }
  }
  for (const auto& [number, bit] : design.nets) writer.net_is(number, bit, design.logic);
  write_file(path, writer.text("cover"));
}

}  // namespace ow::simgen
