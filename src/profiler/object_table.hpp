// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/ids.hpp"
#include "pattern/profile.hpp"
#include "profiler/interval_map.hpp"
#include "symbols/symbols.hpp"
#include "trace/reader.hpp"

namespace numatch {

/// Which piece of the program's data lies at an address, as far as the events so far tell: a name
/// given by an annotation, else a block of the heap, a stack, a variable, a mapping. Blocks from
/// one source line are one object; so are all mappings of a file. Not thread safe.
class object_table {
 public:
  using object_id = std::uint32_t;

  struct place {
    object_id object = 0;
    address_range range;  ///< around the address, inside its page; the same object everywhere
  };

  object_table();
  /// Tells `on_change` about every range in which answers of at() may have changed.
  void on_event(thread_id thread, const trace::event& happened,
                const std::function<void(const address_range&)>& on_change);
  place at(std::uint64_t address);

  /// Kind, names, bytes and blocks; no accesses. Element [id] is the object of that id.
  const std::vector<data_object>& objects() const { return objects_; }

 private:
  struct block {
    object_id object;
    std::uint64_t bytes;
    std::uint64_t stamp;
  };

  object_id object_of(const std::string& key, const data_object& description);
  object_id module_object(std::string_view path);
  object_id site_object(std::uint64_t call_site);
  void add_module(const trace::event& happened);
  void allocate(const trace::event& happened);
  address_range release(std::uint64_t address, std::uint64_t stamp);
  void label(const trace::event& happened);
  void map(const address_range& range, std::string_view path);
  void clear(const address_range& range);
  void grow(object_id object, std::uint64_t bytes);
  address_range move_heap_end(std::uint64_t end);
  place variable_at(std::uint64_t address, const address_range& gap);

  symbols::symbolizer symbols_;
  std::vector<data_object> objects_;
  std::vector<std::uint64_t> live_bytes_;  // of each object
  std::unordered_map<std::string, object_id> by_key_;
  std::unordered_map<std::uint64_t, object_id> by_site_;
  std::unordered_map<std::uint64_t, block> blocks_by_address_;
  interval_map<object_id> labels_;
  interval_map<object_id> blocks_;
  interval_map<object_id> stacks_;
  interval_map<object_id> mappings_;
  interval_map<object_id> module_data_;
  std::uint64_t heap_start_ = 0;
};

}  // namespace numatch
