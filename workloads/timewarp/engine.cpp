// SPDX-License-Identifier: Apache-2.0
#include "timewarp/engine.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <numeric>
#include <utility>

#include "common/annotations.hpp"
#include "common/crew.hpp"
#include "common/pages.hpp"
#include "timewarp/own_node.hpp"
#include "timewarp/schedule.hpp"

namespace timewarp {

namespace {

constexpr std::size_t object_bytes =
    (sizeof(object) + workload::page_bytes - 1) / workload::page_bytes * workload::page_bytes;

}  // namespace

/// What a thread has for itself, on pages of its own.
struct alignas(workload::page_bytes) engine::lane {
  /// Letters to each thread, of this round and of the one before, which they read now.
  std::vector<std::vector<letter>> outgoing[2];
  schedule next;  ///< of own objects, from `first` on
  std::uint32_t first = 0;
  std::vector<letter> to_send;  ///< what own objects want to send, in order
  std::vector<letter> rest;     ///< … while it is being sent
  ticks earliest = 0;           ///< for the others, when the global virtual time is asked for
  std::uint64_t rounds = 0;
  std::uint64_t collections = 0;
  std::uint64_t bound_again = 0;
  std::uint64_t pages_moved = 0;

  std::vector<std::vector<letter>>& sent_now() { return outgoing[rounds % 2]; }
};

void engine::put_away::operator()(object* made) const {
  made->~object();
  std::free(made);
}

engine::engine(const model& of, const settings& how)
    : of_(of), how_(how), objects_(of.cells()), lanes_(how.threads), work_(of.cells()) {
  for (unsigned t = 0; t <= how.threads; ++t) {
    cuts_.push_back(static_cast<std::uint32_t>(std::uint64_t{of.cells()} * t / how.threads));
  }
}

engine::~engine() = default;

unsigned engine::owner(std::uint32_t cell) const {
  return static_cast<unsigned>(std::upper_bound(cuts_.begin(), cuts_.end(), cell) - cuts_.begin() -
                               1);
}

/// The thread that has an object first touches its pages.
void engine::make_objects(unsigned me) {
  lanes_[me] = std::make_unique<lane>();
  lane& mine = *lanes_[me];
  for (std::vector<std::vector<letter>>& boxes : mine.outgoing) boxes.resize(how_.threads);
  for (std::uint32_t cell = cuts_[me]; cell < cuts_[me + 1]; ++cell) {
    void* const memory = std::aligned_alloc(workload::page_bytes, object_bytes);
    if (memory == nullptr) {
      std::fprintf(stderr, "timewarp: no memory for cell %u\n", cell);
      std::exit(2);
    }
    NUMATCH_LABEL(memory, object_bytes, "timewarp cell");
    objects_[cell].reset(::new (memory) object(of_, cell, how_.save_every));
  }
  adopt(mine, me);
}

void engine::adopt(lane& mine, unsigned me) {
  mine.first = cuts_[me];
  std::vector<ticks> times;
  for (std::uint32_t cell = cuts_[me]; cell < cuts_[me + 1]; ++cell) {
    times.push_back(objects_[cell]->next_time());
  }
  mine.next.assign(times);
}

void engine::run(unsigned me) {
  make_objects(me);
  workload::measure(me, "timewarp", workload::omp_wait, [&] { simulate(me); });
}

void engine::simulate(unsigned me) {
  lane& mine = *lanes_[me];
  for (ticks horizon = 0; horizon < of_.end;) {
    ++mine.rounds;
    for (std::vector<letter>& box : mine.sent_now()) box.clear();
    deliver(mine, me);
    work(mine, me, horizon);
    workload::omp_wait();
    if (mine.rounds % how_.rounds_per_gvt != 0) continue;
    mine.earliest = earliest(mine);
    workload::omp_wait();
    horizon = object::never;
    for (const std::unique_ptr<lane>& one : lanes_) horizon = std::min(horizon, one->earliest);
    collect(mine, me, std::min(horizon, of_.end));
    if (horizon < of_.end && how_.share_load && mine.collections % how_.gvts_per_sharing == 0) {
      bind_again(mine, me);
    }
    workload::omp_wait();
  }
}

/// Takes the letters that were sent in the round before, from one thread after the other, and only
/// then sends: a letter that annuls must not overtake the one that it annuls, which may still lie
/// here.
void engine::deliver(lane& mine, unsigned me) {
  for (const std::unique_ptr<lane>& from : lanes_) {
    for (const letter& one : from->outgoing[(mine.rounds + 1) % 2][me]) {
      object& to = *objects_[one.what.key.to];
      to.receive(one, mine.to_send);
      mine.next.set(one.what.key.to - mine.first, to.next_time());
    }
  }
  send(mine, me);
}

void engine::work(lane& mine, unsigned me, ticks horizon) {
  const ticks until = std::min(of_.end, horizon + how_.window);
  for (std::uint64_t done = 0; done < how_.work_per_round && !mine.next.empty();) {
    if (mine.next.earliest() >= until) break;
    const std::size_t which = mine.next.earliest_object();
    object& now = *objects_[mine.first + which];
    done += now.execute(mine.to_send);
    mine.next.set(which, now.next_time());
    send(mine, me);
  }
}

/// Letters to own objects arrive at once, and what these send then, too.
void engine::send(lane& mine, unsigned me) {
  while (!mine.to_send.empty()) {
    mine.rest.swap(mine.to_send);
    for (const letter& one : mine.rest) {
      const std::uint32_t cell = one.what.key.to;
      const unsigned to = owner(cell);
      if (to != me) {
        mine.sent_now()[to].push_back(one);
        continue;
      }
      objects_[cell]->receive(one, mine.to_send);
      mine.next.set(cell - mine.first, objects_[cell]->next_time());
    }
    mine.rest.clear();
  }
}

/// Of what own objects have before them and what this thread sent in this round. A letter that
/// annuls counts, too: what it annuls may have been handled.
ticks engine::earliest(const lane& mine) const {
  ticks found = mine.next.empty() ? object::never : mine.next.earliest();
  for (const std::vector<letter>& box : mine.outgoing[mine.rounds % 2]) {
    for (const letter& one : box) found = std::min(found, one.what.key.time);
  }
  return found;
}

void engine::collect(lane& mine, unsigned me, ticks horizon) {
  ++mine.collections;
  for (std::uint32_t cell = cuts_[me]; cell < cuts_[me + 1]; ++cell) {
    work_[cell] += objects_[cell]->collect(horizon);
  }
}

bool engine::is_uneven() const {
  std::uint64_t all = 0;
  std::uint64_t most = 0;
  for (unsigned t = 0; t < how_.threads; ++t) {
    const std::uint64_t part =
        std::accumulate(work_.begin() + cuts_[t], work_.begin() + cuts_[t + 1], std::uint64_t{0});
    all += part;
    most = std::max(most, part);
  }
  return most * how_.threads * 3 > all * 4;
}

/// Cells in their order, cut into parts of the same work. The one more keeps cells without work
/// from crowding into one part.
std::vector<std::uint32_t> engine::equal_work() const {
  const std::uint64_t all =
      std::accumulate(work_.begin(), work_.end(), std::uint64_t{0}) + work_.size();
  std::vector<std::uint32_t> cuts{0};
  std::uint64_t sum = 0;
  for (std::uint32_t cell = 0; cell < work_.size() && cuts.size() < how_.threads; ++cell) {
    sum += work_[cell] + 1;
    while (cuts.size() < how_.threads && sum * how_.threads >= all * cuts.size()) {
      cuts.push_back(cell + 1);
    }
  }
  cuts.push_back(of_.cells());
  return cuts;
}

void engine::bind_again(lane& mine, unsigned me) {
  const std::uint32_t first = cuts_[me];
  const std::uint32_t end = cuts_[me + 1];
  workload::omp_wait();  // all work is known, and everybody knows what they had
  if (me == 0) {
    if (is_uneven()) cuts_ = equal_work();
    std::fill(work_.begin(), work_.end(), 0);
  }
  workload::omp_wait();
  // Letters on their way go to the new owners. Those to one object stay in order.
  std::vector<letter> sent;
  for (std::vector<letter>& box : mine.sent_now()) {
    sent.insert(sent.end(), box.begin(), box.end());
    box.clear();
  }
  for (const letter& one : sent) mine.sent_now()[owner(one.what.key.to)].push_back(one);
  adopt(mine, me);
  for (std::uint32_t cell = cuts_[me]; cell < cuts_[me + 1]; ++cell) {
    if (cell >= first && cell < end) continue;
    ++mine.bound_again;
    if (!how_.resident_set) continue;
    mine.pages_moved += move_to_own_node(objects_[cell].get(), object_bytes);
    objects_[cell]->each_chunk([&](void* chunk, std::size_t bytes) {
      mine.pages_moved += move_to_own_node(chunk, bytes);
    });
  }
}

run_counts engine::counts() const {
  run_counts all;
  for (const std::unique_ptr<object, put_away>& one : objects_) all.events += one->counts();
  all.rounds = lanes_.front()->rounds;
  all.collections = lanes_.front()->collections;
  for (const std::unique_ptr<lane>& one : lanes_) {
    all.bound_again += one->bound_again;
    all.pages_moved += one->pages_moved;
  }
  return all;
}

}  // namespace timewarp
