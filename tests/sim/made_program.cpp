// SPDX-License-Identifier: Apache-2.0
#include "sim/made_program.hpp"

#include <algorithm>

namespace numatch::sim {

class made_program::walk : public program_thread {
 public:
  explicit walk(const made_thread& walked) : walked_(walked) {}

  result<piece> next() override {
    if (next_ == walked_.pieces.size()) return piece{};
    const made_piece& made = walked_.pieces[next_++];
    if (made.accesses.empty()) return piece{{}, 0, &made.happened};
    return piece{made.accesses, made.instructions, nullptr};
  }

 private:
  const made_thread& walked_;
  std::size_t next_ = 0;
};

made_program& made_program::run(unsigned thread, std::vector<trace::access> accesses,
                                std::uint64_t instructions) {
  made_thread& made = threads_.at(thread);
  const std::uint64_t count = accesses.size();
  made.accesses += count;
  made.pieces.push_back({std::move(accesses), std::max(instructions, count), {}});
  return *this;
}

made_program& made_program::release(unsigned thread, std::uint64_t object) {
  tell(thread, trace::event_kind::release, {object});
  releases_.push_back({object, stamp_});
  return *this;
}

made_program& made_program::acquire(unsigned thread, std::uint64_t object) {
  return tell(thread, trace::event_kind::acquire, {object});
}

made_program& made_program::tell(unsigned thread, trace::event_kind kind,
                                 const std::vector<std::uint64_t>& args) {
  made_thread& made = threads_.at(thread);
  trace::event happened;
  happened.kind = kind;
  happened.position = made.accesses;
  happened.stamp = ++stamp_;
  std::copy(args.begin(), args.end(), happened.args);
  made.pieces.push_back({{}, 0, happened});
  return *this;
}

std::uint64_t made_program::accesses() const {
  std::uint64_t all = 0;
  for (const made_thread& thread : threads_) all += thread.accesses;
  return all;
}

result<std::unique_ptr<program_thread>> made_program::start(thread_id thread) const {
  return std::make_unique<walk>(threads_.at(thread.index()));
}

}  // namespace numatch::sim
