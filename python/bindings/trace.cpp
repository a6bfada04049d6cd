// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings/arrays.hpp"
#include "bindings/errors.hpp"
#include "bindings/parts.hpp"
#include "trace/reader.hpp"
#include "trace/replay.hpp"

namespace numatch::python {

namespace nb = nanobind;

namespace {

// The records as numatch.traces sees them; no padding.
struct access_record {
  std::uint64_t position;
  std::uint64_t address;
  std::uint64_t pc;
  std::uint32_t bytes;
  std::uint32_t write;
};
struct replayed_record {
  std::uint64_t time;
  std::uint64_t address;
  std::uint64_t pc;
  std::uint32_t thread;
  std::uint32_t bytes;
  std::uint32_t write;
  std::uint32_t unused;
};

result<void> check_unfiltered(const trace::reader& trace) {
  if (!trace.tlb_filtered()) return {};
  return fail(trace.path().string(), "was filtered by a TLB when it was recorded",
              "tlb_records() has what it holds; record without a filter for accesses");
}

result<void> check_thread(const trace::reader& trace, std::uint32_t thread) {
  const auto known = trace.threads();
  if (std::ranges::any_of(known,
                          [&](const trace::thread_info& t) { return t.id.value == thread; })) {
    return {};
  }
  return fail(trace.path().string(), fmt::format("has no thread {}", thread),
              "threads are in Trace.threads");
}

/// One thread's accesses in order, so many at a time. Memory: one chunk of the file and one of the
/// caller.
class access_chunks {
 public:
  access_chunks(const trace::reader& trace, std::uint32_t thread)
      : cursor_(trace.accesses_of(thread_id(thread))) {}

  array<std::uint8_t, 1> next(std::size_t most) {
    std::vector<access_record> records;
    result<void> filled;
    {
      const nb::gil_scoped_release released;
      filled = fill(records, most);
    }
    take(std::move(filled));
    return as_bytes(std::span<const access_record>(records));
  }

 private:
  result<void> fill(std::vector<access_record>& records, std::size_t most) {
    while (records.size() < most) {
      if (rest_.empty()) {
        const result<trace::block> block = cursor_.next();
        if (!block) return tl::unexpected(block.error());
        if (block->accesses.empty()) return {};
        rest_ = block->accesses;
        position_ = block->first_position;
      }
      const std::size_t count = std::min(most - records.size(), rest_.size());
      for (const trace::access& a : rest_.first(count)) {
        records.push_back({position_++, a.address, a.pc, a.bytes, a.write ? 1U : 0U});
      }
      rest_ = rest_.subspan(count);
    }
    return {};
  }

  trace::access_cursor cursor_;
  std::span<const trace::access> rest_;
  std::uint64_t position_ = 0;
};

/// What a TLB-filtered trace has of one thread, a chunk of the file at a time.
class tlb_chunks {
 public:
  tlb_chunks(const trace::reader& trace, std::uint32_t thread)
      : cursor_(trace.accesses_of(thread_id(thread))) {}

  array<std::uint8_t, 1> next() {
    result<std::span<const trace::tlb_record>> records;
    {
      const nb::gil_scoped_release released;
      records = cursor_.next_tlb();
    }
    return as_bytes(take(std::move(records)));
  }

 private:
  trace::access_cursor cursor_;
};

/// All threads in the one order in which a trace is replayed.
class replay_chunks {
 public:
  explicit replay_chunks(trace::replay replayed) : replay_(std::move(replayed)) {}

  array<std::uint8_t, 1> next(std::size_t most) {
    std::vector<replayed_record> records;
    result<void> filled;
    {
      const nb::gil_scoped_release released;
      filled = fill(records, most);
    }
    take(std::move(filled));
    return as_bytes(std::span<const replayed_record>(records));
  }

 private:
  result<void> fill(std::vector<replayed_record>& records, std::size_t most) {
    while (records.size() < most && !(rest_.empty() && replay_.done())) {
      if (rest_.empty()) {
        const result<trace::step> step = replay_.next();
        if (!step) return tl::unexpected(step.error());
        rest_ = step->accesses;
        thread_ = step->thread.value;
        time_ = step->time;
      }
      const std::size_t count = std::min(most - records.size(), rest_.size());
      for (const trace::access& a : rest_.first(count)) {
        records.push_back({time_, a.address, a.pc, thread_, a.bytes, a.write ? 1U : 0U, 0});
      }
      rest_ = rest_.subspan(count);
    }
    return {};
  }

  trace::replay replay_;
  std::span<const trace::access> rest_;
  std::uint32_t thread_ = 0;
  std::uint64_t time_ = 0;
};

/// One thread's events in order: (kind's number, position, stamp, arguments, text) each.
class event_chunks {
 public:
  event_chunks(const trace::reader& trace, std::uint32_t thread)
      : cursor_(trace.events_of(thread_id(thread))) {}

  nb::list next(std::size_t most) {
    nb::list rows;
    while (rows.size() < most) {
      const trace::event* const happened = take(cursor_.next());
      if (happened == nullptr) break;
      nb::list arguments;
      for (const std::uint64_t argument : happened->args) arguments.append(argument);
      const nb::bytes text(happened->text.data(), happened->text.size());
      rows.append(nb::make_tuple(static_cast<unsigned>(happened->kind), happened->position,
                                 happened->stamp, nb::tuple(arguments), text));
    }
    return rows;
  }

 private:
  trace::event_cursor cursor_;
};

/// (id, os tid, name, accesses, instructions, events, first stamp, last stamp) each.
nb::list threads(const trace::reader& trace) {
  nb::list rows;
  for (const trace::thread_info& t : trace.threads()) {
    rows.append(nb::make_tuple(t.id.value, t.os_tid, t.name, t.accesses, t.instructions, t.events,
                               t.first_stamp, t.last_stamp));
  }
  return rows;
}

access_chunks accesses(const trace::reader& trace, std::uint32_t thread) {
  take(check_unfiltered(trace));
  take(check_thread(trace, thread));
  return {trace, thread};
}

tlb_chunks tlb_records(const trace::reader& trace, std::uint32_t thread) {
  if (!trace.tlb_filtered()) {
    raise({"has accesses and no TLB records", trace.path().string(), "accesses() has them"});
  }
  take(check_thread(trace, thread));
  return {trace, thread};
}

event_chunks events(const trace::reader& trace, std::uint32_t thread) {
  take(check_thread(trace, thread));
  return {trace, thread};
}

replay_chunks replayed(const trace::reader& trace, std::uint64_t quantum, bool region_of_interest) {
  take(check_unfiltered(trace));
  return replay_chunks(take(trace::replay::open(trace, {quantum, region_of_interest})));
}

}  // namespace

void bind_trace(nb::module_& m) {
  nb::class_<access_chunks>(m, "AccessChunks").def("next", &access_chunks::next);
  nb::class_<tlb_chunks>(m, "TlbChunks").def("next", &tlb_chunks::next);
  nb::class_<replay_chunks>(m, "ReplayChunks").def("next", &replay_chunks::next);
  nb::class_<event_chunks>(m, "EventChunks").def("next", &event_chunks::next);
  nb::class_<trace::reader>(m, "TraceReader")
      .def_prop_ro("file_bytes", &trace::reader::file_bytes)
      .def_prop_ro("accesses_in_all", &trace::reader::accesses)
      .def_prop_ro("instructions", &trace::reader::instructions)
      .def_prop_ro("tlb_filtered", &trace::reader::tlb_filtered)
      .def_prop_ro("frontend", [](const trace::reader& t) { return t.metadata().frontend; })
      .def_prop_ro("command", [](const trace::reader& t) { return t.metadata().command; })
      .def_prop_ro("filter", [](const trace::reader& t) { return t.metadata().filter; })
      .def_prop_ro("counts_instructions",
                   [](const trace::reader& t) { return t.metadata().counts_instructions; })
      .def_prop_ro("metadata", [](const trace::reader& t) { return t.metadata().extra; })
      .def("threads", &threads)
      .def("accesses", &accesses, nb::keep_alive<0, 1>())
      .def("tlb_records", &tlb_records, nb::keep_alive<0, 1>())
      .def("events", &events, nb::keep_alive<0, 1>())
      .def("replay", &replayed, nb::keep_alive<0, 1>());
  m.def("open_trace",
        [](const std::filesystem::path& path) { return take(trace::reader::open(path)); });
}

}  // namespace numatch::python
