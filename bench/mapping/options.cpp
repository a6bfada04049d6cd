// SPDX-License-Identifier: Apache-2.0
#include "bench/mapping/options.hpp"

#include <charconv>

#include "base/suggest.hpp"

namespace numatch::bench {

namespace {

template <class T>
result<T> number_of(std::string_view name, std::string_view text) {
  T value = 0;
  const std::from_chars_result end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || end.ec != std::errc() || end.ptr != text.data() + text.size()) {
    return fail(std::string(name), fmt::format("'{}' is not a whole number", text));
  }
  return value;
}

}  // namespace

result<options> options::parse(std::span<const option_text> known,
                               std::span<const std::string_view> words) {
  options parsed;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const option_text* found = nullptr;
    std::vector<std::string_view> names;
    for (const option_text& one : known) {
      if (one.name == words[i]) found = &one;
      names.push_back(one.name);
    }
    if (found == nullptr) {
      return fail("", fmt::format("unknown option '{}'", words[i]), suggest(words[i], names));
    }
    std::string& value = parsed.values_[std::string(found->name)];
    if (found->value.empty()) continue;
    if (++i == words.size()) return fail(std::string(found->name), "needs a value");
    value = words[i];
  }
  return parsed;
}

std::string options::text(std::string_view name, std::string_view otherwise) const {
  const std::map<std::string, std::string, std::less<>>::const_iterator found = values_.find(name);
  return std::string(found == values_.end() ? otherwise : found->second);
}

std::vector<std::string> options::list(std::string_view name, std::string_view otherwise) const {
  const std::string all = text(name, otherwise);
  std::vector<std::string> parts;
  for (std::size_t from = 0; from < all.size();) {
    const std::size_t comma = std::min(all.find(',', from), all.size());
    if (comma > from) parts.push_back(all.substr(from, comma - from));
    from = comma + 1;
  }
  return parts;
}

result<std::uint64_t> options::number(std::string_view name, std::uint64_t otherwise) const {
  return has(name) ? number_of<std::uint64_t>(name, text(name)) : otherwise;
}

result<std::vector<std::size_t>> options::numbers(std::string_view name,
                                                  std::string_view otherwise) const {
  std::vector<std::size_t> all;
  for (const std::string& part : list(name, otherwise)) {
    result<std::size_t> one = number_of<std::size_t>(name, part);
    if (!one) return tl::unexpected(one.error());
    all.push_back(*one);
  }
  return all;
}

std::string help_of(std::span<const option_text> known) {
  std::string text;
  for (const option_text& one : known) {
    text += fmt::format("  {:<28} {}\n", fmt::format("{} {}", one.name, one.value), one.says);
  }
  return text;
}

}  // namespace numatch::bench
