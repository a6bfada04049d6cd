// SPDX-License-Identifier: Apache-2.0
// SPCD, shared pages communication detection: Diener, Cruz, Navaux, "Communication-Based Mapping
// Using Shared Pages", IPDPS 2013. Only its slides were read; what they do not say follows the
// kernel module that the authors published (github.com/matthiasdiener/spcd), or is ours.
#include <array>
#include <bit>

#include "mechanism/event_matrix.hpp"
#include "mechanism/mechanism.hpp"
#include "mechanism/policy.hpp"
#include "mechanism/spcd_table.hpp"
#include "mechanism/thread_remapper.hpp"

namespace numatch {

namespace {

constexpr std::array needs{event_kind::page_fault};
constexpr std::array acts{action_kind::move_threads, action_kind::induce_faults,
                          action_kind::wake_up};
constexpr std::array<std::string_view, 2> tables{"hash table", "communication matrix"};
enum table : std::uint32_t { hash, matrix };

constexpr std::array parameters{
    parameter{"block-size", "512", "bytes",
              "size of the blocks in which threads meet, a power of two from 64 to 2 MiB",
              "SPCD slides, evaluation"},
    parameter{"table-entries", "4194304", "entries",
              "size of the hash table, a power of two from 2 to 2^32",
              "not said in the SPCD slides; 2^22 in the published module"},
    parameter{"list-length", "2", "threads", "threads that an entry remembers, 1 to 64",
              "not said in the SPCD slides; 2 in the published module"},
    parameter{
        "collisions", "overwrite", "",
        "a block whose entry belongs to another one takes it (overwrite) or is not seen (keep)",
        "not said in the SPCD slides; overwrite in the published module"},
    parameter{"window", "0", "ms",
              "threads meet in a block only if they were there within this time; 0: at any time",
              "not said in the SPCD slides (\"recently\"); the published module has no limit"},
    parameter{"fault-share", "0.1", "", "share of the injected faults in all; 0: none",
              "SPCD slides, evaluation: about 10 %"},
    parameter{"mapping-interval", "500", "ms", "time between thread mappings",
              "not said in the SPCD slides; 500 ms in the published module"},
    parameter{"matrix-ageing", "1", "",
              "the communication matrix is multiplied by this after every thread mapping",
              "not said in the SPCD slides; 1 keeps everything"},
    mapper_parameter("matching", "SPCD slides, methodology: Edmonds' matching"),
    remap_gain_parameter("not said in the SPCD slides"),
    move_price_parameter,
    fewest_moves_parameter,
    acts_on_threads_parameter,
};
constexpr std::array<std::string_view, 2> collision_words{"overwrite", "keep"};

struct options {
  unsigned block_shift = 9;
  spcd::table_rule table;
  double fault_share = 0.1;
  std::uint64_t mapping_interval = 0;  // nanoseconds
  double matrix_ageing = 1;
  bool moves_threads = true;
};

class spcd_mechanism : public mechanism {
 public:
  spcd_mechanism(const options& chosen, thread_remapper remapper)
      : options_(chosen), table_(chosen.table), remapper_(std::move(remapper)) {}

  void on_begin(world& where) override {
    if (where.machine() == nullptr || options_.fault_share == 0) return;
    where.induce_faults({.what = fault_plan::kind::share, .share = options_.fault_share});
  }

  void on_page_fault(const page_fault_event& fault, world& where) override {
    const std::uint64_t block = fault.address >> options_.block_shift;
    const std::uint32_t thread = fault.thread.value;
    communication_.note_thread(thread);
    where.touch({hash, table_.entry_of(block) * entry_bytes(),
                 static_cast<std::uint32_t>(entry_bytes()), true});
    for (const thread_id other : table_.note(block, fault.thread, where.now())) {
      communication_.add(thread, other.value);
      where.touch({matrix, (std::uint64_t{thread} << 18) + other.value * 4u, 4, true});
    }
  }

  void on_thread_start(thread_id thread, world& where) override {
    communication_.note_thread(thread.value);
    alarm_.thread_started();
    if (where.machine() == nullptr) return;
    if (!mapping_.is_set()) mapping_.set(where.now(), options_.mapping_interval);
    alarm_.sleep_until(mapping_.next(), where);
  }

  void on_thread_end(thread_id, world&) override { alarm_.thread_ended(); }

  void on_wake_up(world& where) override {
    alarm_.woken();
    if (mapping_.due(where.now())) {
      if (options_.moves_threads) remapper_.remap(communication_.sharing(), where);
      if (options_.matrix_ageing != 1) communication_.scale(options_.matrix_ageing);
      mapping_.set(where.now(), options_.mapping_interval);
    }
    alarm_.sleep_until(mapping_.next(), where);
  }

  sharing_matrix sharing() const override { return communication_.sharing(); }

 private:
  /// The block's number, and for each thread its id in 2 bytes and, with a window, its time in 8;
  /// entries lie at multiples of 8.
  std::uint64_t entry_bytes() const {
    const std::uint64_t visit = options_.table.window == 0 ? 2 : 10;
    return (8 + options_.table.list_length * visit + 7) / 8 * 8;
  }

  options options_;
  spcd::fault_table table_;
  event_matrix communication_;
  thread_remapper remapper_;
  timer mapping_;
  alarm_clock alarm_;
};

result<std::unique_ptr<mechanism>> make(const parameter_set& values) {
  parameter_reader read(values);
  const std::uint64_t block_size = read.whole("block-size", 64, std::uint64_t{2} << 20);
  options chosen;
  chosen.table.entries = read.whole("table-entries", 2, std::uint64_t{1} << 32);
  chosen.table.list_length = read.whole("list-length", 1, 64);
  chosen.table.overwrite = read.word("collisions", collision_words) == "overwrite";
  chosen.table.window = milliseconds_or_none(read, "window");
  chosen.fault_share = read.real("fault-share", 0, 0.9);
  chosen.mapping_interval = milliseconds(read, "mapping-interval");
  chosen.matrix_ageing = read.real("matrix-ageing", 0, 1);
  chosen.moves_threads = acts_on_named(read.word("act-on", acts_on_threads_words)).threads;
  if (read.problem()) return tl::unexpected(*read.problem());
  if (!std::has_single_bit(block_size)) {
    return fail("parameter block-size", fmt::format("{} is not a power of two", block_size));
  }
  if (!std::has_single_bit(chosen.table.entries)) {
    return fail("parameter table-entries",
                fmt::format("{} is not a power of two", chosen.table.entries));
  }
  chosen.block_shift = static_cast<unsigned>(std::countr_zero(block_size));
  result<thread_remapper> remapper = thread_remapper::make(values);
  if (!remapper) return tl::unexpected(remapper.error());
  return std::make_unique<spcd_mechanism>(chosen, std::move(*remapper));
}

}  // namespace

extern const mechanism_entry spcd_entry{
    .name = "spcd",
    .summary = "threads that fault in the same block of memory; some faults are injected",
    .source = "SPCD, IPDPS 2013",
    .matrix_unit = "page faults",
    .needs = needs,
    .acts = acts,
    .tables = tables,
    .parameters = parameters,
    .max_threads = 65536,
    .make = make,
};

}  // namespace numatch
