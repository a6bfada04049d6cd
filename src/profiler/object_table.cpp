// SPDX-License-Identifier: Apache-2.0
#include "profiler/object_table.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

namespace numatch {

namespace {

std::string base_name(std::string_view path) {
  return std::filesystem::path(path).filename().string();
}

address_range range_of(std::uint64_t first, std::uint64_t bytes) {
  address_range range{first, first + bytes};
  if (range.end < first) range.end = first;  // nonsense sizes are empty ranges
  return range;
}

data_object named(object_kind kind, std::string name) {
  data_object object;
  object.kind = kind;
  object.name = std::move(name);
  return object;
}

/// Memory that belongs to no known block of the heap: the allocator's own, or blocks whose
/// allocation was not seen.
data_object rest_of_heap() {
  return named(object_kind::heap, "heap outside known blocks");
}

/// A library of the system: its variables say nothing to the programmer of the observed program, so
/// all of them are one object.
bool is_system_library(std::string_view path) {
  return path.starts_with("/usr/lib") || path.starts_with("/lib");
}

/// The name of an allocation site, from what is known about it.
std::string site_name(const data_object& site, std::string_view module, std::uint64_t address) {
  if (site.line != 0) return fmt::format("allocated at {}:{}", base_name(site.file), site.line);
  if (!site.function.empty()) return fmt::format("allocated in {}", site.function);
  if (!module.empty()) return fmt::format("allocated in {}", base_name(module));
  return fmt::format("allocated at {:#x}", address);
}

}  // namespace

object_table::object_table() {
  object_of("", named(object_kind::unknown, "unknown"));
}

object_table::object_id object_table::object_of(const std::string& key,
                                                const data_object& description) {
  const auto [entry, added] = by_key_.try_emplace(key, static_cast<object_id>(objects_.size()));
  if (added) {
    objects_.push_back(description);
    live_bytes_.push_back(0);
  }
  return entry->second;
}

object_table::object_id object_table::site_object(std::uint64_t call_site) {
  const std::unordered_map<std::uint64_t, object_id>::const_iterator known =
      by_site_.find(call_site);
  if (known != by_site_.end()) return known->second;
  data_object site = named(object_kind::heap, "");
  site.blocks = 0;
  // The recorded address is behind the call; the line is that of the call.
  const std::vector<symbols::code_location> frames = symbols_.code(call_site - 1);
  if (const symbols::code_location* const own = symbols::own_frame(frames); own != nullptr) {
    site.function = own->function;
    site.file = own->file;
    site.line = own->line;
  }
  site.name = site_name(site, symbols_.module_of(call_site - 1), call_site);
  const std::string key =
      fmt::format("heap\n{}\n{}\n{}\n{}", site.name, site.function, site.file, site.line);
  const object_id object = object_of(key, site);
  by_site_.emplace(call_site, object);
  return object;
}

void object_table::grow(object_id object, std::uint64_t bytes) {
  live_bytes_[object] += bytes;
  objects_[object].bytes = std::max(objects_[object].bytes, live_bytes_[object]);
}

// A replay keeps the order of events that the program itself ordered. An allocator hands a block
// from one thread to the next without that, so that the stamps decide which use is the later one.
void object_table::allocate(const trace::event& happened) {
  const std::uint64_t address = happened.args[0];
  const std::uint64_t bytes = happened.args[1];
  const object_id object = site_object(happened.args[2]);
  ++objects_[object].blocks;
  const std::unordered_map<std::uint64_t, block>::const_iterator known =
      blocks_by_address_.find(address);
  if (known != blocks_by_address_.end() && known->second.stamp > happened.stamp) return;
  release(address, happened.stamp);
  blocks_.assign(range_of(address, bytes), object);
  blocks_by_address_[address] = {object, bytes, happened.stamp};
  grow(object, bytes);
}

address_range object_table::release(std::uint64_t address, std::uint64_t stamp) {
  const std::unordered_map<std::uint64_t, block>::iterator known = blocks_by_address_.find(address);
  if (known == blocks_by_address_.end() || known->second.stamp > stamp) return {0, 0};
  const address_range range = range_of(address, known->second.bytes);
  blocks_.erase(range);
  labels_.erase(range);
  live_bytes_[known->second.object] -= known->second.bytes;
  blocks_by_address_.erase(known);
  return range;
}

void object_table::label(const trace::event& happened) {
  const object_id below = at(happened.args[0]).object;
  data_object labelled = objects_[below];
  labelled.name = happened.text;
  labelled.bytes = 0;
  labelled.blocks = 0;
  const object_id object = object_of(fmt::format("label\n{}", happened.text), labelled);
  if (object == below) return;  // said twice
  labels_.assign(range_of(happened.args[0], happened.args[1]), object);
  grow(object, happened.args[1]);
  ++objects_[object].blocks;
}

void object_table::map(const address_range& range, std::string_view path) {
  clear(range);
  data_object mapping =
      named(object_kind::mapping, path.empty() ? "anonymous mapping" : std::string(path));
  if (path == "[heap]") mapping = rest_of_heap();
  mapping.blocks = 0;
  const object_id object = object_of(fmt::format("map\n{}", path), mapping);
  mappings_.assign(range, object);
  grow(object, range.end - range.first);
  ++objects_[object].blocks;
}

/// Takes everything but modules out of the range: the loader maps a module piece by piece over
/// itself, so that only an unmapping ends it.
void object_table::clear(const address_range& range) {
  mappings_.visit(range, [this](const address_range& part, object_id object) {
    live_bytes_[object] -= part.end - part.first;
  });
  mappings_.erase(range);
  labels_.erase(range);
  blocks_.erase(range);
  stacks_.erase(range);
}

/// The heap begins where the program break was first seen.
address_range object_table::move_heap_end(std::uint64_t end) {
  if (heap_start_ == 0) heap_start_ = end;
  const address_range heap{heap_start_, std::max(heap_start_, end)};
  const object_id object = object_of("map\n[heap]", rest_of_heap());
  mappings_.assign(heap, object);
  objects_[object].bytes = std::max(objects_[object].bytes, heap.end - heap.first);
  return heap;
}

void object_table::on_event(thread_id thread, const trace::event& happened,
                            const std::function<void(const address_range&)>& on_change) {
  const std::uint64_t* const args = happened.args;
  address_range changed = range_of(args[0], args[1]);
  switch (happened.kind) {
    case trace::event_kind::allocate:
      allocate(happened);
      break;
    case trace::event_kind::free:
      changed = release(args[0], happened.stamp);
      break;
    case trace::event_kind::map:
      map(changed, happened.text);
      break;
    case trace::event_kind::unmap:
      clear(changed);
      symbols_.remove(args[0], args[1]);
      module_data_.erase(changed);
      break;
    case trace::event_kind::remap:
      clear(changed);
      on_change(changed);
      changed = range_of(args[2], args[3]);
      map(changed, "");
      break;
    case trace::event_kind::heap_end:
      changed = move_heap_end(args[0]);
      break;
    case trace::event_kind::module:
      add_module(happened);
      break;
    case trace::event_kind::stack: {
      const object_id object =
          object_of(fmt::format("stack\n{}", thread.value),
                    named(object_kind::stack, fmt::format("stack of thread {}", thread.value)));
      stacks_.assign(changed, object);
      objects_[object].bytes = std::max(objects_[object].bytes, args[1]);
      break;
    }
    case trace::event_kind::label:
      label(happened);
      break;
    default:
      return;
  }
  if (changed.first < changed.end) on_change(changed);
}

/// What cannot be executed is the module's data; its pieces may be reported more than once.
void object_table::add_module(const trace::event& happened) {
  const std::uint64_t* const args = happened.args;
  symbols_.add({args[0], args[1], args[2], std::string(happened.text)});
  if ((args[3] & PROT_EXEC) != 0) return;
  const object_id object = module_object(happened.text);
  const address_range range = range_of(args[0], args[1]);
  module_data_.visit(range, [this](const address_range& part, object_id there) {
    live_bytes_[there] -= part.end - part.first;
  });
  module_data_.assign(range, object);
  grow(object, range.end - range.first);
}

object_table::object_id object_table::module_object(std::string_view path) {
  return object_of(fmt::format("module\n{}", path),
                   named(object_kind::global, fmt::format("data of {}", base_name(path))));
}

object_table::place object_table::variable_at(std::uint64_t address, const address_range& gap) {
  place answer{0, gap};
  const std::string_view module = symbols_.module_of(address);
  if (module.empty()) return answer;
  if (is_system_library(module)) {
    answer.object = module_object(module);
    return answer;
  }
  const std::optional<symbols::data_location> found = symbols_.data(address);
  if (!found) {
    // Modules begin on pages, but end anywhere: say nothing about the rest of such a page.
    answer.range = range_of(address, 1);
    return answer;
  }
  answer.range.clip(range_of(found->address, found->bytes));
  if (found->name.empty()) {
    answer.object = module_object(module);
    return answer;
  }
  data_object variable = named(object_kind::global, found->name);
  variable.file = found->file;
  variable.line = found->line;
  variable.bytes = found->bytes;
  answer.object =
      object_of(fmt::format("variable\n{}\n{:x}", found->module, found->address), variable);
  return answer;
}

object_table::place object_table::at(std::uint64_t address) {
  constexpr std::uint64_t page = 4096;
  address_range range = range_of(address & ~(page - 1), page);
  for (const interval_map<object_id>* const layer : {&labels_, &blocks_, &stacks_}) {
    const interval_map<object_id>::found found = layer->find(address);
    range.clip(found.range);
    if (found.value != nullptr) return {*found.value, range};
  }
  // Mappings come after variables: a program's .data and .bss are mapped memory, too.
  const interval_map<object_id>::found mapped = mappings_.find(address);
  range.clip(mapped.range);
  const place variable = variable_at(address, range);
  if (variable.object != 0) return variable;
  return {mapped.value == nullptr ? 0 : *mapped.value, variable.range};
}

}  // namespace numatch
