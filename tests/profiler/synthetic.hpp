// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string_view>

#include "profiler/observer.hpp"
#include "trace/event.hpp"

namespace numatch {

/// An event of a trace that was never recorded; stamps count up by themselves.
class event_maker {
 public:
  trace::event operator()(trace::event_kind kind, std::initializer_list<std::uint64_t> args,
                          std::string_view text = {}) {
    trace::event made;
    made.kind = kind;
    made.stamp = ++stamp_;
    made.text = text;
    std::size_t i = 0;
    for (const std::uint64_t argument : args) made.args[i++] = argument;
    return made;
  }

 private:
  std::uint64_t stamp_ = 0;
};

/// `count` accesses of `bytes` bytes to one address.
inline void touch(observer& by, std::uint32_t thread, std::uint64_t address, std::uint64_t count,
                  bool write = false, std::uint32_t bytes = 8) {
  const trace::access once{address, 0, bytes, write};
  for (std::uint64_t i = 0; i < count; ++i) {
    by.on_accesses(thread_id{thread}, i, std::span<const trace::access>(&once, 1));
  }
}

}  // namespace numatch
