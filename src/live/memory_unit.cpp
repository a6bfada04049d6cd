// SPDX-License-Identifier: Apache-2.0
#include "live/memory_unit.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

namespace numatch::live {

namespace {

const std::string units_folder = "/sys/bus/event_source/devices";

/// Takes the text up to `separator` away from `rest`.
std::string_view take(std::string_view& rest, char separator) {
  const std::size_t end = rest.find(separator);
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return part;
}

std::optional<std::uint64_t> number(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x")) {
    text.remove_prefix(2);
    base = 16;
  }
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const std::from_chars_result read = std::from_chars(text.data(), end, value, base);
  return read.ec == std::errc{} && read.ptr == end ? std::optional(value) : std::nullopt;
}

class unit_folder {
 public:
  unit_folder(const system_tree& tree, const std::string& name)
      : tree_(tree), folder_(fmt::format("{}/{}", units_folder, name)) {}

  std::optional<std::uint32_t> type() const {
    return tree_.number<std::uint32_t>(folder_ + "/type");
  }
  std::optional<std::string> format(std::string_view term) const {
    return tree_.text(fmt::format("{}/format/{}", folder_, term));
  }

  /// "event=0xcd,umask=0x1,ldlat=3" of a file of events/; a term without value is 1.
  std::optional<memory_event> event(std::string_view name) const {
    const std::optional<std::string> text = tree_.text(fmt::format("{}/events/{}", folder_, name));
    if (!text) return std::nullopt;
    memory_event made;
    std::string_view rest = *text;
    while (!rest.empty()) {
      std::string_view value = take(rest, ',');
      const std::string_view term = take(value, '=');
      const std::optional<std::uint64_t> amount = value.empty() ? 1 : number(value);
      const std::optional<std::string> where = format(term);
      if (!amount || !where || !encode(*amount, *where, made)) return std::nullopt;
    }
    return made;
  }

 private:
  const system_tree& tree_;
  std::string folder_;
};

std::optional<memory_unit> pebs_unit(const unit_folder& folder) {
  const std::optional<memory_event> loads = folder.event("mem-loads");
  if (!loads) return std::nullopt;
  memory_unit unit;
  unit.events.push_back(*loads);
  if (const std::optional<memory_event> stores = folder.event("mem-stores")) {
    unit.events.push_back(*stores);
  }
  // From Sapphire Rapids on loads give their data source only in a group with this one.
  unit.leader = folder.event("mem-loads-aux");
  return unit;
}

std::optional<memory_unit> ibs_unit(const unit_folder& folder) {
  memory_unit unit;
  unit.by = memory_unit::maker::ibs;
  memory_event event;
  // Operations are counted, not cycles: waiting ones are not sampled more often.
  const std::optional<std::string> by_operation = folder.format("cnt_ctl");
  if (by_operation && !encode(1, *by_operation, event)) return std::nullopt;
  // Linux 6.14: the kernel drops samples of its own code.
  const std::optional<std::string> filter = folder.format("swfilt");
  unit.leaves_kernel_out = filter && encode(1, *filter, event);
  unit.events.push_back(event);
  return unit;
}

std::optional<memory_unit> unit_of(const unit_folder& folder, const std::string& name) {
  if (name == "ibs_op") return ibs_unit(folder);
  if (!name.starts_with("arm_spe_")) return pebs_unit(folder);
  memory_unit unit;
  unit.by = memory_unit::maker::spe;
  return unit;
}

}  // namespace

bool encode(std::uint64_t value, const std::string& format, memory_event& event) {
  std::string_view ranges = format;
  const std::string_view field = take(ranges, ':');
  std::uint64_t* const target = field == "config"    ? &event.config
                                : field == "config1" ? &event.config1
                                : field == "config2" ? &event.config2
                                                     : nullptr;
  if (target == nullptr || ranges.empty()) return false;
  while (!ranges.empty()) {
    std::string_view last = take(ranges, ',');
    const std::optional<std::uint64_t> from = number(take(last, '-'));
    const std::optional<std::uint64_t> to = last.empty() ? from : number(last);
    if (!from || !to || *to < *from || *to > 63) return false;
    for (std::uint64_t bit = *from; bit <= *to; ++bit) {
      *target |= (value & 1) << bit;
      value >>= 1U;
    }
  }
  // What has no room would be another event.
  return value == 0;
}

std::vector<memory_unit> memory_units(const system_tree& tree) {
  std::vector<memory_unit> units;
  for (const std::string& name : tree.names_in(units_folder)) {
    const unit_folder folder(tree, name);
    const std::optional<std::uint32_t> type = folder.type();
    std::optional<memory_unit> unit = type ? unit_of(folder, name) : std::nullopt;
    if (!unit) continue;
    unit->name = name;
    unit->type = *type;
    units.push_back(std::move(*unit));
  }
  return units;
}

}  // namespace numatch::live
