// SPDX-License-Identifier: Apache-2.0
#include "ring_program/report.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <system_error>

namespace ring {

namespace {

void write_regions(std::ostream& out, const options& chosen, const memory& pages) {
  const layout shape = layout_of(chosen);
  for (std::size_t region = 0; region < shape.regions(); ++region) {
    if (shape.pages_of(region) == 0) continue;
    out << "region " << region << (shape.is_private(region) ? " private " : " shared ")
        << pages.page(shape.first_page_of(region)) << ' ' << shape.pages_of(region) << '\n';
  }
}

void write_uses(std::ostream& out, const memory& pages, const worker& of) {
  for (const page_record& record : of.records()) {
    const std::uint64_t reads = record.reads.load(std::memory_order_relaxed);
    const std::uint64_t writes = record.writes.load(std::memory_order_relaxed);
    if (reads + writes == 0) continue;
    out << "used " << pages.page(record.page) << ' ' << of.thread() << ' ' << reads << ' ' << writes
        << '\n';
  }
}

}  // namespace

std::string report_text(const options& chosen, const memory& pages,
                        const std::deque<worker>& workers, const disturbance& beside,
                        unsigned phase, std::optional<std::uint64_t> errors) {
  std::ostringstream out;
  out << "process " << getpid() << '\n' << "phase " << phase << '\n';
  for (const worker& one : workers) out << "thread " << one.thread() << ' ' << one.task << '\n';
  write_regions(out, chosen, pages);
  for (const worker& one : workers) write_uses(out, pages, one);
  out << "made " << beside.short_threads << " short threads, " << beside.forks << " forks, "
      << beside.execs << " execs, " << beside.failed << " failed\n";
  if (!errors) {
    out << "sums running\n";
  } else if (*errors == 0) {
    out << "sums right\n";
  } else {
    out << "sums wrong " << *errors << '\n';
  }
  return out.str();
}

void write_report(const std::string& file, const std::string& text) {
  const std::string part = file + ".new";
  std::ofstream out(part);
  out << text;
  out.close();
  if (!out || std::rename(part.c_str(), file.c_str()) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot write " + file);
  }
}

}  // namespace ring
