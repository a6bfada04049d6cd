// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "timewarp/model.hpp"
#include "timewarp/pool.hpp"

namespace timewarp {

/// What goes from object to object: a message, or the word that it never was sent.
struct letter {
  message what;
  bool annuls = false;
};

/// What happened to an object so far.
struct object_counts {
  std::uint64_t executed = 0;  ///< events, those that were undone later too
  std::uint64_t undone = 0;
  std::uint64_t rollbacks = 0;
  std::uint64_t lost = 0;  ///< annulled messages that never came; an error of the caller's
  object_counts& operator+=(const object_counts& other);
};

/// A simulation object of Time Warp (D. R. Jefferson, "Virtual Time", 1985): a cell with its input
/// queue, what it sent, and saved states. It handles its events in the order of their keys, and
/// undoes them when one comes that should have been before. Letters about the same message have to
/// come in the order in which they were sent. One thread at a time; whoever has it may change.
class object {
 public:
  /// Saves the state before every `save_every`th event.
  object(const model& of, std::uint32_t cell, unsigned save_every);

  /// A letter arrives. What has to be annulled now is added to `out`.
  void receive(const letter& what, std::vector<letter>& out);

  /// Handles the next event, which has to be there; its message is added to `out`. The work done.
  std::uint32_t execute(std::vector<letter>& out);

  static constexpr ticks never = ~ticks{0};
  /// When the next event is, or `never`.
  ticks next_time() const { return next_ == nullptr ? never : next_->what.key.time; }

  /// Nothing before `horizon` will be undone any more: gives back what only that would need. The
  /// work of the events that were given back.
  std::uint64_t collect(ticks horizon);

  const cell_state& state() const { return state_; }
  const object_counts& counts() const { return counts_; }

  /// Calls `what` with the address and the bytes of all memory of the object but itself.
  template <class What>
  void each_chunk(What what) const {
    events_.each_chunk(what);
    saved_states_.each_chunk(what);
  }

 private:
  /// A handled event is in the queue until it is collected.
  struct event {
    message what;
    event_key sent;  ///< the message that it sent
    event* before = nullptr;
    event* after = nullptr;
  };
  struct saved {
    cell_state state;
    event_key until;  ///< the last event that the state knows
    saved* older = nullptr;
  };

  event* last_handled() const { return next_ == nullptr ? last_ : next_->before; }
  void save();
  void roll_back(const event_key& to, std::vector<letter>& out);
  void insert(const message& what);
  void annul(const event_key& key, std::vector<letter>& out);
  void remove(event* gone);

  const model& of_;
  unsigned save_every_;
  unsigned unsaved_ = 0;  ///< events since the newest saved state
  pool<event> events_{"timewarp events"};
  pool<saved> saved_states_{"timewarp saved states"};
  event* first_ = nullptr;
  event* last_ = nullptr;
  event* next_ = nullptr;  ///< the first one that is not handled
  saved* newest_ = nullptr;
  object_counts counts_;
  cell_state state_;
};

}  // namespace timewarp
