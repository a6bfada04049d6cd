// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include <iterator>
#include <string>

#include "trace/exporters.hpp"
#include "trace/needs_accesses.hpp"
#include "trace/replay.hpp"

namespace numatch::trace {

namespace {

/// Writes every access of a replay with `put_line(text, access)`.
template <class PutLine>
result<void> export_lines(const reader& trace, const text_sink& sink, PutLine put_line) {
  constexpr std::size_t enough = 1 << 16;
  if (result<void> r = needs_accesses(trace); !r) return r;
  result<replay> order = replay::open(trace, {});
  if (!order) return tl::unexpected(order.error());
  std::string text;
  for (;;) {
    const result<step> next = order->next();
    if (!next) return tl::unexpected(next.error());
    if (order->done()) return sink(text);
    for (const access& a : next->accesses) put_line(text, a);
    if (text.size() < enough) continue;
    if (result<void> r = sink(text); !r) return r;
    text.clear();
  }
}

}  // namespace

result<void> needs_accesses(const reader& trace) {
  if (!trace.tlb_filtered()) return {};
  return fail(trace.path().string(),
              "holds only what missed in a TLB (" + trace.metadata().filter + "), no accesses",
              "record it without --filter");
}

result<void> export_lackey(const reader& trace, const text_sink& sink) {
  return export_lines(trace, sink, [](std::string& text, const access& a) {
    fmt::format_to(std::back_inserter(text), " {} {:08x},{}\n", a.write ? 'S' : 'L', a.address,
                   a.bytes);
  });
}

result<void> export_din(const reader& trace, const text_sink& sink) {
  return export_lines(trace, sink, [](std::string& text, const access& a) {
    fmt::format_to(std::back_inserter(text), "{} {:x}\n", a.write ? 1 : 0, a.address);
  });
}

}  // namespace numatch::trace
