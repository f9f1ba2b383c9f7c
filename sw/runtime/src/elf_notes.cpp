// SPDX-License-Identifier: Apache-2.0
#include "elf_notes.h"

#include <gelf.h>

#include <algorithm>
#include <cstring>
#include <map>

#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/isa/isa.h"

namespace ow {
namespace {

constexpr char kSection[] = ".note.openwafer";
constexpr char kFormats[] = ".ow_strings";
constexpr char kOwner[] = "openwafer";
constexpr uint32_t kTypeExport = 1;
constexpr uint32_t kTypeLaunch = 2;
constexpr uint32_t kTypeClaim = 3;
constexpr uint32_t kTypeDescriptor = 4;
constexpr uint32_t kTypeFlow = 5;
constexpr uint32_t kTypeTaskNumber = 6;
constexpr uint32_t kTypeDescriptorNumber = 7;
constexpr uint32_t kTypeFifoNumber = 8;
constexpr uint32_t kFlowBytes = 12;  // struct ow_flow
// The claim of the kernel library, which sets its descriptors up once.
constexpr char kLibrary[] = "kernel_library";
constexpr uint32_t kMaxDims = 4;
constexpr uint32_t kMaxArguments = 8;
constexpr uint32_t kFirstLocalTask = isa::kFirstLocalTask;
constexpr uint32_t kNumTasks = isa::kNumTasks;

struct Element {
  ElementType type;
  uint32_t bytes;
  const char* name;
};
constexpr Element kElements[] = {
    {ElementType::F16, 2, "f16"}, {ElementType::Bf16, 2, "bf16"}, {ElementType::F32, 4, "f32"},
    {ElementType::I16, 2, "i16"}, {ElementType::I32, 4, "i32"},   {ElementType::I8, 1, "i8"},
    {ElementType::U16, 2, "u16"}, {ElementType::U32, 4, "u32"},   {ElementType::U8, 1, "u8"}};

const Element* find_element(uint32_t code) {
  for (const Element& e : kElements) {
    if (static_cast<uint32_t>(e.type) == code) return &e;
  }
  return nullptr;
}

const Element& known_element(const std::string& where, uint32_t code) {
  const Element* e = find_element(code);
  if (e == nullptr) throw BadInput(fmt::format("{}element type {} is unknown", where, code));
  return *e;
}

const Element& element(ElementType type) {
  const Element* e = find_element(static_cast<uint32_t>(type));
  if (e == nullptr) throw InternalError("an element type without a size");
  return *e;
}

// The words of a note in order, then the name and what follows it.
class Words {
 public:
  Words(std::string where, const char* bytes, size_t size)
      : where_(std::move(where)), bytes_(bytes), size_(size) {}

  uint32_t next() {
    if (size_ - at_ < 4) throw BadInput(where_ + "a note is too short");
    uint32_t word = 0;
    for (size_t i = 0; i < 4; ++i) {
      word |= static_cast<uint32_t>(static_cast<unsigned char>(bytes_[at_ + i])) << (8 * i);
    }
    at_ += 4;
    return word;
  }
  std::string name() {
    const std::string name = text();
    if (name.empty()) throw BadInput(where_ + "note without a name");
    return name;
  }
  // Up to a zero.
  std::string text() {
    const char* begin = bytes_ + at_;
    const char* end = bytes_ + size_;
    const char* zero = std::find(begin, end, '\0');
    if (zero == end) throw BadInput(where_ + "text of a note without its end");
    at_ += static_cast<size_t>(zero - begin) + 1;
    return {begin, zero};
  }

 private:
  std::string where_;
  const char* bytes_;
  size_t size_;
  size_t at_ = 0;
};

// The length of an array that takes all memory from ow_heap to ow_heap_end.
uint32_t heap_elements(const std::string& what, const ElfImage& image, const ElfExport& e) {
  const std::optional<uint32_t> begin = image.find("ow_heap");
  const std::optional<uint32_t> end = image.find("ow_heap_end");
  if (!begin || !end || e.addr != *begin || *end < *begin) {
    throw BadInput(what + "dimensions 0: must be 1 or more, or stand at ow_heap");
  }
  return (*end - *begin) / element_bytes(e.type);
}

ElfExport parse_export(const std::string& where, Words words, const ElfImage& image,
                       uint32_t sram_bytes) {
  ElfExport e;
  const uint32_t code = words.next();
  const uint32_t dims = words.next();
  if (dims > kMaxDims) {
    throw BadInput(
        fmt::format("{}export of {} dimensions: must be 0 to {}", where, dims, kMaxDims));
  }
  for (uint32_t i = 0; i < dims; ++i) e.dims.push_back(words.next());
  e.addr = words.next();
  e.name = words.name();
  const std::string what = fmt::format("{}export '{}': ", where, e.name);
  const Element& type = known_element(what, code);
  e.type = type.type;
  if (e.dims == std::vector<uint32_t>{0}) e.dims[0] = heap_elements(what, image, e);
  uint64_t bytes = type.bytes;
  for (const uint32_t length : e.dims) {
    // Checked step by step, because a product of four words does not fit 64 bits.
    if (length == 0 || (bytes *= length) > sram_bytes) {
      throw BadInput(fmt::format("{}dimensions {}: must be 1 or more and fit the {} bytes of SRAM",
                                 what, fmt::join(e.dims, " x "), sram_bytes));
    }
  }
  if (e.addr % type.bytes != 0 || e.addr + bytes > sram_bytes) {
    throw BadInput(fmt::format(
        "{}{} bytes at 0x{:x}: must be aligned to {} and lie within the {} bytes of SRAM", what,
        bytes, e.addr, type.bytes, sram_bytes));
  }
  return e;
}

ElfLaunch parse_launch(const std::string& where, Words words) {
  ElfLaunch l;
  l.task = words.next();
  const uint32_t arguments = words.next();
  if (l.task < kFirstLocalTask || l.task >= kNumTasks || arguments > kMaxArguments) {
    throw BadInput(
        fmt::format("{}launch of task {} with {} arguments: must be {} to {} with at most {}",
                    where, l.task, arguments, kFirstLocalTask, kNumTasks - 1, kMaxArguments));
  }
  std::vector<uint32_t> codes;
  for (uint32_t i = 0; i < arguments; ++i) codes.push_back(words.next());
  l.name = words.name();
  for (const uint32_t code : codes) {
    l.arguments.push_back(known_element(fmt::format("{}launch '{}': ", where, l.name), code).type);
  }
  const std::string text = words.text();
  for (size_t begin = 0; !text.empty() && begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const size_t first = std::min(text.find_first_not_of(' ', begin), end);
    l.parameters.push_back(text.substr(first, end - first));
    begin = end + 1;
  }
  if (l.parameters.size() != arguments) {
    throw BadInput(fmt::format("{}launch '{}': parameters '{}' for {} arguments", where, l.name,
                               text, arguments));
  }
  return l;
}

ElfClaim parse_claim(const std::string& where, Words words) {
  ElfClaim c;
  c.dsr = words.next();
  c.dsr_end = words.next();
  c.thread = words.next();
  c.thread_end = words.next();
  c.name = words.name();
  if (c.dsr > c.dsr_end || c.dsr_end > isa::kNumDsrs || c.thread > c.thread_end ||
      c.thread_end > isa::kMaxThreads) {
    throw BadInput(fmt::format(
        "{}claim '{}': descriptors {} to before {}, threads {} to before {}: at most {} and {}",
        where, c.name, c.dsr, c.dsr_end, c.thread, c.thread_end, isa::kNumDsrs, isa::kMaxThreads));
  }
  return c;
}

ElfDescriptor parse_descriptor(const std::string& where, Words words) {
  ElfDescriptor d;
  d.number = words.next();
  d.name = words.name();
  if (d.number >= isa::kNumDsrs - 1) {  // the last one is OW_NONE
    throw BadInput(fmt::format("{}descriptor '{}': number {}: must be 0 to {}", where, d.name,
                               d.number, isa::kNumDsrs - 2));
  }
  return d;
}

ElfFlow parse_flow(const std::string& where, Words words, uint32_t sram_bytes) {
  ElfFlow f;
  f.addr = words.next();
  f.name = words.name();
  if (f.addr % 4 != 0 || f.addr > sram_bytes - kFlowBytes) {
    throw BadInput(fmt::format(
        "{}flow '{}': {} bytes at 0x{:x}: must be aligned to 4 and lie within the {} bytes of SRAM",
        where, f.name, kFlowBytes, f.addr, sram_bytes));
  }
  return f;
}

template <class T>
void add(const std::string& where, const char* what, T item, std::vector<T>* list) {
  if (std::any_of(list->begin(), list->end(), [&](const T& t) { return t.name == item.name; })) {
    throw BadInput(fmt::format("{}two {}s of the name '{}'", where, what, item.name));
  }
  list->push_back(std::move(item));
}

template <class T>
const T& find_named(const ElfImage& image, const char* what, const std::string& name,
                    const std::vector<T>& list) {
  std::string others;
  for (const T& t : list) {
    if (t.name == name) return t;
    others += (others.empty() ? "" : ", ") + t.name;
  }
  throw BadInput(fmt::format("{}: no {} '{}'{}", image.path, what, name,
                             others.empty() ? "" : fmt::format(" (it has: {})", others)));
}

}  // namespace

uint32_t element_bytes(ElementType type) { return element(type).bytes; }
const char* element_name(ElementType type) { return element(type).name; }

uint32_t ElfExport::elements() const {
  uint32_t n = 1;
  for (const uint32_t length : dims) n *= length;
  return n;
}

std::string ElfExport::shape() const {
  std::string s = element_name(type);
  for (const uint32_t length : dims) s += fmt::format("[{}]", length);
  return s;
}

const ElfExport& ElfImage::exported(const std::string& name) const {
  return find_named(*this, "export", name, export_list);
}

const ElfLaunch& ElfImage::launch(const std::string& name) const {
  return find_named(*this, "launch", name, launch_list);
}

std::map<uint32_t, std::string> ElfImage::named_tasks() const {
  static const std::string kPrefix = "ow_task_id_";
  std::map<uint32_t, std::string> tasks;
  for (const ElfLaunch& launch : launch_list) tasks[launch.task] = launch.name;
  for (auto s = symbols.lower_bound(kPrefix); s != symbols.end(); ++s) {
    if (s->first.compare(0, kPrefix.size(), kPrefix) != 0) break;
    tasks[s->second] = s->first.substr(kPrefix.size());
  }
  return tasks;
}

uint32_t ElfImage::first_named_task() const {
  const std::map<uint32_t, std::string> tasks = named_tasks();
  return tasks.empty() ? isa::kTaskTeardown : tasks.begin()->first;
}

std::string ElfImage::format_string(uint32_t addr) const {
  const uint32_t at = addr - formats_begin;
  if (at >= formats.size()) return "?";
  return formats.substr(at, formats.find('\0', at) - at);
}

void check_tasks(const ElfImage& image) {
  const std::map<uint32_t, std::string> named = image.named_tasks();
  for (const uint32_t task : image.numbered_tasks) {
    const auto name = named.find(task);
    if (name == named.end()) continue;
    throw BadInput(fmt::format(
        "{}: task {} has the name '{}' and is registered by its number too: with {} names, numbers "
        "of one's own are {} to {}",
        image.path, task, name->second, named.size(), kFirstLocalTask, named.begin()->first - 1));
  }
  // What the start-up code registers: pairs of a number and a function.
  const auto begin = image.find("ow_task_table_begin"), end = image.find("ow_task_table_end");
  if (!begin || !end) return;
  std::map<uint32_t, uint32_t> functions;
  for (uint32_t at = *begin; at + 8 <= *end; at += 8) {
    const uint32_t task = image.loaded_word(at), function = image.loaded_word(at + 4);
    const auto [other, is_new] = functions.emplace(task, function);
    if (is_new) continue;
    throw BadInput(fmt::format("{}: '{}' and '{}' are both task {}", image.path,
                               image.locate(other->second), image.locate(function), task));
  }
}

void check_descriptors(const ElfImage& image) {
  for (const ElfDescriptor& named : image.descriptors()) {
    if (image.written_descriptors.count(named.number) == 0) continue;
    throw BadInput(
        fmt::format("{}: '{}' is descriptor {} (OW_DSR), which the program also writes by "
                    "its number: numbers of one's own begin at {}",
                    image.path, named.name, named.number, image.descriptors().size()));
  }
  for (const ElfClaim& claim : image.claims()) {
    if (claim.name != kLibrary) continue;
    const auto written = image.written_descriptors.lower_bound(claim.dsr);
    if (written == image.written_descriptors.end() || *written >= claim.dsr_end) continue;
    throw BadInput(
        fmt::format("{}: the program writes descriptor {} by its number: '{}' has {} to {}, and "
                    "does not write them again before each use",
                    image.path, *written, claim.name, claim.dsr, claim.dsr_end - 1));
  }
}

void read_notes(const std::string& path, Elf* elf, uint32_t sram_bytes, ElfImage* image) {
  size_t strings = 0;
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(elf, section)) != nullptr) {
    GElf_Shdr sh;
    if (elf_getshdrstrndx(elf, &strings) != 0 || gelf_getshdr(section, &sh) == nullptr) continue;
    const char* name = elf_strptr(elf, strings, sh.sh_name);
    if (name != nullptr && std::strcmp(name, kFormats) == 0 && sh.sh_type != SHT_NOBITS) {
      const Elf_Data* data =
          elf_getdata_rawchunk(elf, static_cast<int64_t>(sh.sh_offset), sh.sh_size, ELF_T_BYTE);
      if (data == nullptr) throw BadInput(fmt::format("{}: {} cannot be read", path, kFormats));
      image->formats.assign(static_cast<const char*>(data->d_buf), data->d_size);
      image->formats_begin = static_cast<uint32_t>(sh.sh_addr);
    }
    if (name == nullptr || std::strcmp(name, kSection) != 0) continue;
    const std::string where = fmt::format("{}: {}: ", path, kSection);
    // By name, not by section type: compilers mark a data section PROGBITS.
    Elf_Data* data =
        sh.sh_type == SHT_NOBITS
            ? nullptr
            : elf_getdata_rawchunk(elf, static_cast<int64_t>(sh.sh_offset), sh.sh_size, ELF_T_NHDR);
    if (data == nullptr) throw BadInput(where + "the section cannot be read");
    const char* bytes = static_cast<const char*>(data->d_buf);
    size_t at = 0;
    while (at < data->d_size) {
      GElf_Nhdr note;
      size_t owner = 0;
      size_t descriptor = 0;
      const size_t next = gelf_getnote(data, at, &note, &owner, &descriptor);
      if (next == 0) throw BadInput(where + fmt::format("malformed note at byte {}", at));
      at = next;
      if (note.n_namesz != sizeof(kOwner) ||
          std::memcmp(bytes + owner, kOwner, sizeof(kOwner)) != 0) {
        continue;
      }
      const Words words(where, bytes + descriptor, note.n_descsz);
      if (note.n_type == kTypeExport) {
        add(where, "export", parse_export(where, words, *image, sram_bytes), &image->export_list);
      } else if (note.n_type == kTypeLaunch) {
        add(where, "launch", parse_launch(where, words), &image->launch_list);
      } else if (note.n_type == kTypeClaim) {
        add(where, "claim", parse_claim(where, words), &image->claim_list);
      } else if (note.n_type == kTypeDescriptor) {
        add(where, "descriptor", parse_descriptor(where, words), &image->descriptor_list);
      } else if (note.n_type == kTypeFlow) {
        add(where, "flow", parse_flow(where, words, sram_bytes), &image->flow_list);
      } else if (note.n_type == kTypeTaskNumber) {
        image->numbered_tasks.insert(Words(words).next());
      } else if (note.n_type == kTypeDescriptorNumber) {
        image->written_descriptors.insert(Words(words).next());
      } else if (note.n_type == kTypeFifoNumber) {
        image->used_fifos.insert(Words(words).next());
      } else {
        throw BadInput(where + fmt::format("note of type {}: must be {} to {}", note.n_type,
                                           kTypeExport, kTypeFifoNumber));
      }
    }
  }
}

}  // namespace ow
