// SPDX-License-Identifier: Apache-2.0
// kMAF: Diener, Cruz, Navaux, Busse, Heiss, "kMAF: Automatic Kernel-Level Management of Thread and
// Data Affinity", PACT 2014, and with Alves "Kernel-Based Thread and Data Mapping for Improved
// Memory Affinity", IEEE TPDS 27(9), 2016; SAMMU (section 5.2) compares with it.
// docs/compared-systems.md tells what had to be decided.
#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <random>
#include <vector>

#include "base/flat_table.hpp"
#include "mechanism/event_matrix.hpp"
#include "mechanism/mechanism.hpp"
#include "mechanism/page_counters.hpp"
#include "mechanism/policy.hpp"
#include "mechanism/sharers_vector.hpp"
#include "mechanism/thread_remapper.hpp"

namespace numatch {

namespace {

constexpr std::array needs{event_kind::page_fault};
constexpr std::array acts{action_kind::move_threads, action_kind::move_pages,
                          action_kind::induce_faults, action_kind::wake_up};
constexpr std::array<std::string_view, 3> tables{"block vectors", "sharing matrix", "NUMA vectors"};
enum table : std::uint32_t { blocks, matrix, vectors };

constexpr std::array parameters{
    parameter{"block-size", "4096", "bytes",
              "size of the pieces of memory in which threads meet, a power of two from 64 to 2 MiB",
              "kMAF's published kernel: a page"},
    parameter{"list-length", "2", "threads", "length of a block's list of threads, 1 to 16",
              "kMAF, TPDS 2016, section 4.3.3, and its published kernel"},
    parameter{"move-to-front", "yes", "",
              "a thread that is in the list already is moved instead of inserted again",
              "our assumption"},
    parameter{"fault-interval", "10", "ms", "time between two rounds of extra faults",
              "our assumption; the published kernel has the hint faults of Linux 3.8"},
    parameter{"fault-share", "0.01", "",
              "share of the known pages whose next use faults, drawn in every round; 0: none",
              "our assumption; the published kernel has the hint faults of Linux 3.8"},
    parameter{"mapping-interval", "100", "ms", "time between thread mappings",
              "kMAF's published kernel"},
    mapper_parameter(
        "matching",
        "our assumption: that of SPCD, of the same group; the published kernel maps greedily"),
    ageing_parameter("1", "kMAF's published kernel: everything is kept"),
    remap_gain_parameter("our assumption; the published kernel moves whatever differs"),
    move_price_parameter,
    fewest_moves_parameter,
    parameter{"least-faults", "2", "faults", "a page with fewer faults stays where it is",
              "our assumption"},
    parameter{"exclusivity", "0.5", "",
              "a page goes to the node with most of its faults if that has at least this share",
              "kMAF, TPDS 2016, section 4.5, has no value; our assumption"},
    parameter{"shared-pages", "stay", "",
              "what becomes of pages below the exclusivity: they stay, or are spread by their "
              "number (balance)",
              "kMAF, TPDS 2016, section 4.5: balance; the earlier one has no such rule"},
    acts_on_parameter,
};
constexpr std::array<std::string_view, 2> shared_words{"stay", "balance"};

struct options {
  unsigned block_shift = 12;
  std::size_t list_length = 2;
  bool move_to_front = true;
  std::uint64_t fault_interval = 0;  // nanoseconds
  double fault_share = 0;
  std::uint64_t mapping_interval = 0;  // nanoseconds
  double ageing = 1;
  std::uint64_t least_faults = 0;
  double exclusivity = 0;
  bool balance = false;
  acts_on moves;
};

class kmaf_mechanism : public mechanism {
 public:
  kmaf_mechanism(const options& chosen, thread_remapper remapper)
      : options_(chosen), remapper_(std::move(remapper)) {}

  void on_begin(world& where) override { draws_.seed(where.seed()); }

  void on_page_fault(const page_fault_event& fault, world& where) override {
    note_sharing(fault, where);
    if (where.machine() != nullptr) note_node(fault, where);
  }

  void on_thread_start(thread_id thread, world& where) override {
    sharing_.note_thread(thread.value);
    alarm_.thread_started();
    if (where.machine() == nullptr) return;
    if (!mapping_.is_set()) {
      mapping_.set(where.now(), options_.mapping_interval);
      faulting_.set(where.now(), options_.fault_interval);
    }
    sleep(where);
  }

  void on_thread_end(thread_id, world&) override { alarm_.thread_ended(); }

  void on_wake_up(world& where) override {
    alarm_.woken();
    const instant now = where.now();
    if (mapping_.due(now)) {
      if (options_.moves.threads) remapper_.remap(sharing_.sharing(), where);
      if (options_.ageing != 1) sharing_.scale(options_.ageing);
      mapping_.set(now, options_.mapping_interval);
    }
    if (faulting_.due(now)) {
      induce_faults(where);
      faulting_.set(now, options_.fault_interval);
    }
    sleep(where);
  }

  /// A page whose move failed may move at its next fault.
  void on_outcome(const outcome_event& outcome, world&) override {
    pending_.finish(outcome.request);
  }

  sharing_matrix sharing() const override { return sharing_.sharing(); }

 private:
  void sleep(world& where) {
    alarm_.sleep_until(std::min(mapping_.next(), faulting_.next()), where);
  }

  void note_sharing(const page_fault_event& fault, world& where) {
    const std::uint64_t block = fault.address >> options_.block_shift;
    where.touch({blocks, block * 8, 8, true});
    sharing_.note_thread(fault.thread.value);
    sharers_vector& threads = threads_of_[block];
    for (const std::uint16_t other : threads.ids()) {
      sharing_.add(fault.thread.value, other);
      where.touch({matrix, (std::uint64_t{fault.thread.value} << 18) + other * 4u, 4, true});
    }
    threads.insert(static_cast<std::uint16_t>(fault.thread.value), options_.list_length,
                   options_.move_to_front);
  }

  /// Pages are mapped while their fault is handled; the first one of a page leaves it where the
  /// operating system put it.
  void note_node(const page_fault_event& fault, world& where) {
    const std::optional<node_id> node = node_of_event({}, fault.thread, where);
    if (!node) return;
    const page_number page = page_of(fault.address, where);
    const std::size_t known = faults_.size();
    const std::span<std::uint32_t> counts = faults_.of(page, where.machine()->node_count());
    ++counts[node->index()];
    where.touch({vectors, page.value * 4 * counts.size(),
                 static_cast<std::uint32_t>(4 * counts.size()), true});
    if (faults_.size() > known) {
      pages_.push_back(page);
    } else if (options_.moves.pages && !pending_.contains(page)) {
      map_page(page, counts, where);
    }
  }

  void map_page(page_number page, std::span<const std::uint32_t> counts, world& where) {
    const std::optional<node_id> present = where.node_of(page);
    if (!present) return;
    const std::optional<node_id> wanted = node_for(page, counts, *present);
    if (wanted && *wanted != *present) pending_.add(where.move_page(page, *wanted), page);
  }

  std::optional<node_id> node_for(page_number page, std::span<const std::uint32_t> counts,
                                  node_id present) const {
    const std::uint64_t sum = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    if (sum < options_.least_faults) return std::nullopt;
    const std::optional<node_id> best = busiest_node(counts, present);
    if (!best) return std::nullopt;
    if (counts[best->index()] >= options_.exclusivity * static_cast<double>(sum)) return best;
    if (!options_.balance) return std::nullopt;
    return node_id(static_cast<std::uint32_t>(page.value % counts.size()));
  }

  /// Draws with repetition: a page that is drawn twice faults once.
  void induce_faults(world& where) {
    if (options_.fault_share == 0 || pages_.empty()) return;
    const double wanted = options_.fault_share * static_cast<double>(pages_.size());
    const std::size_t count = std::max<std::size_t>(1, static_cast<std::size_t>(wanted));
    std::vector<page_number> drawn;
    drawn.reserve(count);
    for (std::size_t i = 0; i < count; ++i) drawn.push_back(pages_[draws_() % pages_.size()]);
    std::sort(drawn.begin(), drawn.end());
    drawn.erase(std::unique(drawn.begin(), drawn.end()), drawn.end());
    where.induce_faults({.what = fault_plan::kind::pages, .pages = drawn});
    where.spend(software_work::scan_pages, drawn.size());
  }

  options options_;
  flat_table<sharers_vector> threads_of_;  ///< by block
  event_matrix sharing_;
  page_counters faults_;            ///< per node
  std::vector<page_number> pages_;  ///< that had a fault, in the order of the first one
  pending_pages pending_;
  thread_remapper remapper_;
  std::mt19937_64 draws_;
  alarm_clock alarm_;
  timer mapping_;
  timer faulting_;
};

result<std::unique_ptr<mechanism>> make(const parameter_set& values) {
  parameter_reader read(values);
  options chosen;
  const std::uint64_t block = read.whole("block-size", 64, std::uint64_t{2} << 20);
  chosen.list_length = read.whole("list-length", 1, sharers_vector::max_length);
  chosen.move_to_front = read.flag("move-to-front");
  chosen.fault_interval = milliseconds(read, "fault-interval");
  chosen.fault_share = read.real("fault-share", 0, 1);
  chosen.mapping_interval = milliseconds(read, "mapping-interval");
  chosen.ageing = read.real("ageing", 0, 1);
  chosen.least_faults = read.whole("least-faults", 1, 0xffffffff);
  chosen.exclusivity = read.real("exclusivity", 0, 1);
  chosen.balance = read.word("shared-pages", shared_words) == "balance";
  chosen.moves = acts_on_named(read.word("act-on", acts_on_words));
  if (read.problem()) return tl::unexpected(*read.problem());
  if (!std::has_single_bit(block)) {
    return fail("parameter block-size", fmt::format("{} is not a power of two", block));
  }
  chosen.block_shift = static_cast<unsigned>(std::countr_zero(block));
  result<thread_remapper> remapper = thread_remapper::make(values);
  if (!remapper) return tl::unexpected(remapper.error());
  return std::make_unique<kmaf_mechanism>(chosen, std::move(*remapper));
}

}  // namespace

extern const mechanism_entry kmaf_entry{
    .name = "kmaf",
    .summary = "kernel memory affinity framework: page faults map threads and pages",
    .source = "Diener et al., PACT 2014 and TPDS 2016; SAMMU section 5.2",
    .matrix_unit = "page faults",
    .needs = needs,
    .acts = acts,
    .tables = tables,
    .parameters = parameters,
    .max_threads = 65536,
    .make = make,
};

}  // namespace numatch
