// SPDX-License-Identifier: Apache-2.0
#include "timewarp/object.hpp"

namespace timewarp {

object_counts& object_counts::operator+=(const object_counts& other) {
  executed += other.executed;
  undone += other.undone;
  rollbacks += other.rollbacks;
  lost += other.lost;
  return *this;
}

object::object(const model& of, std::uint32_t cell, unsigned save_every)
    : of_(of), save_every_(save_every), state_(of.first_state(cell)) {
  for (std::uint32_t i = 0; i < of.calls_per_cell; ++i) insert(of.first_call(cell, i));
  save();
}

void object::save() {
  saved* const kept = saved_states_.take();
  kept->state = state_;
  const event* const last = last_handled();
  if (last != nullptr) {
    kept->until = last->what.key;
  } else if (newest_ != nullptr) {
    kept->until = newest_->until;  // all that it knows has been collected
  }
  kept->older = newest_;
  newest_ = kept;
  unsaved_ = 0;
}

void object::receive(const letter& what, std::vector<letter>& out) {
  if (what.annuls) {
    annul(what.what.key, out);
    return;
  }
  const event* const last = last_handled();
  if (last != nullptr && what.what.key < last->what.key) roll_back(what.what.key, out);
  insert(what.what);
}

void object::insert(const message& what) {
  event* after = nullptr;
  event* before = last_;
  while (before != nullptr && what.key < before->what.key) {
    after = before;
    before = before->before;
  }
  event* const added = events_.take();
  added->what = what;
  added->before = before;
  added->after = after;
  (before == nullptr ? first_ : before->after) = added;
  (after == nullptr ? last_ : after->before) = added;
  if (next_ == after) next_ = added;
}

void object::annul(const event_key& key, std::vector<letter>& out) {
  event* gone = last_;
  while (gone != nullptr && key < gone->what.key) gone = gone->before;
  if (gone == nullptr || gone->what.key != key) {
    ++counts_.lost;
    return;
  }
  const event* const last = last_handled();
  if (last != nullptr && key <= last->what.key) roll_back(key, out);
  remove(gone);
}

void object::remove(event* gone) {
  if (next_ == gone) next_ = gone->after;
  (gone->before == nullptr ? first_ : gone->before->after) = gone->after;
  (gone->after == nullptr ? last_ : gone->after->before) = gone->before;
  events_.give(gone);
}

std::uint32_t object::execute(std::vector<letter>& out) {
  if (unsaved_ >= save_every_) save();
  event* const now = next_;
  const message sent = of_.arrive(state_, now->what);
  now->sent = sent.key;
  out.push_back({sent, false});
  next_ = now->after;
  ++unsaved_;
  ++counts_.executed;
  return of_.work_of(now->what.key.to, now->what.key.time);
}

/// Events from `to` on are undone. The state comes from the newest saved one before them; the
/// events between are handled again without sending, because what they sent stands.
void object::roll_back(const event_key& to, std::vector<letter>& out) {
  ++counts_.rollbacks;
  event* kept = last_handled();
  while (kept != nullptr && to <= kept->what.key) {
    out.push_back({{kept->sent, 0}, true});
    ++counts_.undone;
    next_ = kept;
    kept = kept->before;
  }
  while (to <= newest_->until) {
    saved* const gone = newest_;
    newest_ = gone->older;
    saved_states_.give(gone);
  }
  state_ = newest_->state;
  unsaved_ = 0;
  event* again = next_;
  while (kept != nullptr && newest_->until < kept->what.key) {
    again = kept;
    kept = kept->before;
  }
  for (; again != next_; again = again->after) {
    of_.arrive(state_, again->what);
    ++unsaved_;
  }
}

std::uint64_t object::collect(ticks horizon) {
  saved* oldest = newest_;
  while (oldest->older != nullptr && oldest->until.time >= horizon) oldest = oldest->older;
  while (oldest->older != nullptr) {
    saved* const gone = oldest->older;
    oldest->older = gone->older;
    saved_states_.give(gone);
  }
  std::uint64_t work = 0;
  while (first_ != next_ && first_->what.key <= oldest->until) {
    work += of_.work_of(first_->what.key.to, first_->what.key.time);
    remove(first_);
  }
  return work;
}

}  // namespace timewarp
