// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include "trace/replay.hpp"

#include <functional>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace/release_order.hpp"
#include "trace/replayed_thread.hpp"

namespace numatch::trace {

namespace {
/// Threads that do the same work would overtake each other in the order of their ids for ever,
/// which no machine does and which detectors with a short memory would take for a pattern. So turns
/// are of different lengths, from 1 to twice the quantum; the same in every replay.
std::uint64_t turn_length(std::uint64_t quantum, std::uint64_t thread, std::uint64_t clock) {
  std::uint64_t mixed = (clock + (thread + 1) * 0x9e3779b97f4a7c15U) * 0xbf58476d1ce4e5b9U;
  mixed = (mixed ^ (mixed >> 31)) * 0x94d049bb133111ebU;
  return 1 + (mixed >> 32) % (2 * quantum);
}
}  // namespace

struct replay::state {
  /// (clock, number in `threads`): the lowest clock runs next, then the lowest id.
  using turn = std::pair<std::uint64_t, std::size_t>;

  const reader* trace;
  replay_options options;
  release_order order;
  std::vector<replayed_thread> threads;
  std::priority_queue<turn, std::vector<turn>, std::greater<>> ready;
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> waiting;  ///< by object
  std::size_t waiting_count = 0;
  std::optional<std::size_t> running;
  std::uint64_t quantum_end = 0;
  unsigned regions_open = 0;
  bool done = false;
  std::uint64_t handed_out = 0;

  bool skips_accesses() const {
    return options.region_of_interest && order.has_region_of_interest() && regions_open == 0;
  }
  void give_way();
  result<void> choose();
  result<std::optional<step>> advance();
  std::optional<step> pass(const event& happened);
  bool may_pass(const event& happened);
  void wake(std::uint64_t object);
};

replay::replay(std::unique_ptr<state> s) : state_(std::move(s)) {}
replay::replay(replay&&) noexcept = default;
replay& replay::operator=(replay&&) noexcept = default;
replay::~replay() = default;

result<replay> replay::open(const reader& trace, const replay_options& options) {
  if (options.quantum == 0) return fail("replay", "a quantum of 0 gives nobody a turn");
  result<release_order> order = release_order::read(trace);
  if (!order) return tl::unexpected(order.error());
  std::unique_ptr<state> s = std::make_unique<state>();
  s->trace = &trace;
  s->options = options;
  s->order = std::move(*order);
  s->threads.reserve(trace.threads().size());
  for (const thread_info& thread : trace.threads()) {
    s->ready.emplace(0, s->threads.size());
    s->threads.emplace_back(trace, thread);
  }
  return replay(std::move(s));
}

void replay::state::give_way() {
  ready.emplace(threads[*running].clock(), *running);
  running.reset();
}

result<void> replay::state::choose() {
  if (ready.empty()) {
    done = true;
    if (waiting_count == 0) return {};
    return fail(trace->path().string(),
                fmt::format("{} threads wait for releases that never come", waiting_count),
                "see numatch trace check");
  }
  running = ready.top().second;
  ready.pop();
  const std::uint64_t now = threads[*running].clock();
  quantum_end = now + turn_length(options.quantum, *running, now);
  return {};
}

void replay::state::wake(std::uint64_t object) {
  const auto found = waiting.find(object);
  if (found == waiting.end()) return;
  const std::vector<std::size_t> woken = std::move(found->second);
  waiting.erase(found);
  waiting_count -= woken.size();
  for (const std::size_t number : woken) ready.emplace(threads[number].clock(), number);
}

/// An acquire has its turn again each time that the object is released.
bool replay::state::may_pass(const event& happened) {
  if (happened.kind != event_kind::acquire) return true;
  replayed_thread& thread = threads[*running];
  const std::optional<std::uint64_t> time = order.ready_time(happened.args[0], happened.stamp);
  if (time) {
    thread.wait_until(*time);
    return true;
  }
  waiting[happened.args[0]].push_back(*running);
  ++waiting_count;
  running.reset();
  return false;
}

std::optional<step> replay::state::pass(const event& happened) {
  replayed_thread& thread = threads[*running];
  if (!may_pass(happened)) return std::nullopt;
  if (happened.kind == event_kind::release) {
    order.happened(happened.args[0], happened.stamp, thread.clock());
    wake(happened.args[0]);
  }
  if (happened.kind == event_kind::roi_begin) ++regions_open;
  if (happened.kind == event_kind::roi_end && regions_open > 0) --regions_open;
  const step passed{thread.id(), thread.clock(), {}, {}, &happened};
  thread.pass_event();
  return passed;
}

result<std::optional<step>> replay::state::advance() {
  replayed_thread& thread = threads[*running];
  const result<replayed_thread::kind> next = thread.peek();
  if (!next) return tl::unexpected(next.error());
  if (*next == replayed_thread::kind::event) return pass(thread.next_event());
  if (*next == replayed_thread::kind::end) {
    thread.close();
    running.reset();
    return std::nullopt;
  }
  if (thread.clock() >= quantum_end) {
    give_way();
    return std::nullopt;
  }
  step taken{thread.id(), thread.clock(), {}, {}, nullptr};
  const std::uint64_t before = thread.position();
  if (*next == replayed_thread::kind::accesses) {
    taken.accesses = thread.take_accesses(quantum_end);
  } else {
    taken.tlb_records = thread.take_tlb_records(quantum_end);
  }
  if (skips_accesses()) return std::nullopt;
  handed_out += thread.position() - before;
  return taken;
}

result<step> replay::next() {
  state& s = *state_;
  while (!s.done) {
    if (!s.running) {
      if (result<void> r = s.choose(); !r) return tl::unexpected(r.error());
      continue;
    }
    const result<std::optional<step>> advanced = s.advance();
    if (!advanced) return tl::unexpected(advanced.error());
    if (*advanced) return **advanced;
  }
  return step{};
}

bool replay::done() const {
  return state_->done;
}

std::uint64_t replay::position() const {
  return state_->handed_out;
}

}  // namespace numatch::trace
