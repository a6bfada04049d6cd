// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sim/engine.hpp"

namespace numatch::sim {

void engine::start_threads() {
  if (unplaced_ == 0) return;
  for (std::uint32_t t = 0; t < threads_.size(); ++t) {
    if (threads_[t].now == sim_thread::state::unplaced) start_thread(t);
  }
}

/// Follows a thread that has not used memory yet to its first access: there it needs a PU.
void engine::start_thread(std::uint32_t number) {
  sim_thread& t = threads_[number];
  for (;;) {
    if (t.current.ended()) {
      result<piece> next = t.stream->next();
      if (!next) {
        t.problem = next.error();
        return;
      }
      t.current = *next;
      t.used = 0;
      if (t.current.ended()) {
        t.now = sim_thread::state::ended;
        --unplaced_;
        ++ended_;
        return;
      }
    }
    if (t.current.happened == nullptr) {
      place(number);
      return;
    }
    const trace::event& happened = *t.current.happened;
    if (happened.kind == trace::event_kind::acquire) {
      const std::optional<std::uint64_t> ready =
          order_.ready_time(happened.args[0], happened.stamp);
      if (!ready) return;
      t.clock = std::max(t.clock, *ready);
    } else if (happened.kind == trace::event_kind::release) {
      order_.happened(happened.args[0], happened.stamp, t.clock + 1);
    } else {
      handle_event({t.clock, number, happened});
    }
    t.current = {};
  }
}

void engine::place(std::uint32_t number) {
  sim_thread& t = threads_[number];
  t.pu = thread_starts_.next(live_on_pu_, t.allowed);
  t.now = sim_thread::state::ready;
  queue_[t.pu].push_back(number);
  ++live_on_pu_[t.pu];
  --unplaced_;
  if (mechanism_ == nullptr) return;
  call_software(software::handler, t.pu, t.clock,
                [&] { mechanism_->on_thread_start(thread_id(number), world_); });
}

void engine::end_thread(std::uint32_t number) {
  sim_thread& t = threads_[number];
  ++ended_;
  std::erase(queue_[t.pu], number);
  --live_on_pu_[t.pu];
  if (mechanism_ == nullptr) return;
  call_software(software::handler, t.pu, t.clock,
                [&] { mechanism_->on_thread_end(thread_id(number), world_); });
}

void engine::wake_blocked() {
  for (sim_thread& t : threads_) {
    if (t.now != sim_thread::state::blocked) continue;
    const std::optional<std::uint64_t> ready = order_.ready_time(t.object, t.stamp);
    if (!ready) continue;
    t.clock = std::max(t.clock, *ready);
    t.now = sim_thread::state::ready;
  }
}

void engine::schedule() {
  for (std::uint32_t pu = 0; pu < config_.pus(); ++pu) schedule_pu(pu);
}

/// The first ready thread of the queue runs; one whose slice is over goes behind the others.
void engine::schedule_pu(std::uint32_t pu) {
  lane& on = lanes_[pu];
  on.begin(lane::nobody, 0);
  std::vector<std::uint32_t>& queue = queue_[pu];
  if (queue.empty()) return;
  const auto is_ready = [&](std::uint32_t t) {
    return threads_[t].now == sim_thread::state::ready;
  };
  const sim_thread& present = threads_[queue.front()];
  const bool slice_over =
      present.clock - std::min(present.clock, present.slice_begin) >= config_.os.time_slice;
  const std::size_t from = is_ready(queue.front()) && slice_over ? 1 : 0;
  std::size_t chosen = from;
  while (chosen < queue.size() && !is_ready(queue[chosen])) ++chosen;
  if (chosen == queue.size()) {
    if (from == 0) return;
    chosen = 0;
  }
  std::rotate(queue.begin(), queue.begin() + static_cast<std::ptrdiff_t>(chosen), queue.end());
  const std::uint32_t number = queue.front();
  sim_thread& t = threads_[number];
  std::uint64_t paid = t.charged;
  t.charged = 0;
  if (last_on_pu_[pu] != number) {
    if (last_on_pu_[pu] != lane::nobody) {
      t.clock = std::max(t.clock, pu_clock_[pu]);
      paid += config_.os.context_switch;
    }
    t.slice_begin = t.clock;
    last_on_pu_[pu] = number;
  }
  t.clock += paid;
  if (counting_) {
    t.running += paid;
    result_.stall_system += paid;
  }
  on.begin(number, t.clock);
}

/// What it costs, in cycles; the thread finds the new PU's caches and TLB as others left them.
std::uint64_t engine::move_thread(std::uint32_t number, std::uint32_t pu) {
  sim_thread& t = threads_[number];
  if (t.pu == pu || t.now == sim_thread::state::ended) return 0;
  std::erase(queue_[t.pu], number);
  --live_on_pu_[t.pu];
  t.pu = pu;
  queue_[pu].push_back(number);
  ++live_on_pu_[pu];
  t.charged += config_.os.thread_move;
  return config_.os.thread_move;
}

}  // namespace numatch::sim
