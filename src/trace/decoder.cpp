// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include "trace/decoder.hpp"

#include <algorithm>
#include <limits>

#include "trace/encoder.hpp"

namespace numatch::trace {

void decoder::start(const chunk_header& header, std::span<const std::uint8_t> raw) {
  at_ = raw.data();
  end_ = raw.data() + raw.size();
  left_ = header.records;
  stamp_ = header.first_stamp;
  next_stamp_ = header.first_stamp;
  instructions_ = 0;
  instructions_left_ = header.instructions;
  before_first_ = 0;
  begun_ = false;
  damage_ = nullptr;
  last_ = 0;
  count_ = 0;
  sites_.assign(1, site{});
  accesses_.resize(std::min<std::uint64_t>(block_accesses, header.records));
}

std::span<const access> decoder::next() {
  count_ = 0;
  if (damage_ != nullptr || (left_ == 0 && at_ == end_)) return {};
  if ((!begun_ && !begin_chunk()) || !read_block()) return {};
  return {accesses_.data(), count_};
}

bool decoder::wrong(const char* what) {
  damage_ = what;
  return false;
}

bool decoder::number(std::uint64_t& value) {
  return get_varint(at_, end_, value) || wrong("a number is cut off");
}

bool decoder::begin_chunk() {
  begun_ = true;
  std::uint64_t head = 0;
  if (!number(head)) return false;
  if (head != static_cast<std::uint64_t>(token::new_block)) {
    return wrong("the chunk does not begin with a block");
  }
  return read_block_start(before_first_);
}

bool decoder::read_block_start(std::uint64_t& instructions) {
  std::uint64_t stamp_step = 0;
  if (!number(stamp_step) || !number(instructions)) return false;
  if (stamp_step > std::numeric_limits<std::uint64_t>::max() - next_stamp_) {
    return wrong("a stamp is too large");
  }
  next_stamp_ += stamp_step;
  return true;
}

bool decoder::read_block() {
  stamp_ = next_stamp_;
  for (;;) {
    const std::optional<token> what = read_common_tokens();
    if (damage_ != nullptr) return false;
    if (!what) break;
    if (*what != token::new_block) {
      if (!read_other_site(*what == token::other_site_and_address)) return false;
      continue;
    }
    if (count_ == 0) return wrong("a block is empty");
    std::uint64_t instructions = 0;
    if (!read_block_start(instructions)) return false;
    if (instructions > instructions_left_ || before_first_ > instructions_left_ - instructions) {
      return wrong("blocks have more instructions than the chunk");
    }
    instructions_ = before_first_ + instructions;
    before_first_ = 0;
    instructions_left_ -= instructions_;
    return true;
  }
  if (!put_predicted(left_)) return false;
  if (count_ == 0) return wrong("a block is empty");
  if (before_first_ > instructions_left_) {
    return wrong("blocks have more instructions than the chunk");
  }
  instructions_ = instructions_left_;
  return true;
}

/// Runs of predicted accesses and single other addresses, nearly all there is: on local copies,
/// because what is stored could be anywhere as far as the compiler knows.
std::optional<token> decoder::read_common_tokens() {
  const std::uint8_t* at = at_;
  std::byte* const first = reinterpret_cast<std::byte*>(sites_.data());
  std::uint64_t last = last_;
  access* to = accesses_.data() + count_;
  access* const full = to + std::min<std::uint64_t>(left_, accesses_.size() - count_);
  std::optional<token> other;
  bool unknown = false;  ///< a site that has no successor yet was asked for one
  while (at != end_) {
    std::uint64_t head = 0;
    if (!get_varint(at, end_, head)) {
      damage_ = "a number is cut off";
      break;
    }
    if (head >> 2 > static_cast<std::uint64_t>(full - to)) {
      damage_ = "a run is too long";
      break;
    }
    for (access* const end = to + (head >> 2); to != end; ++to) {
      site& s = site_at(first, last = site_at(first, last).next);
      unknown |= last == 0;
      *to = access{s.address, s.pc, s.bytes, s.write};
      s.address += s.stride;
    }
    if ((head & 3) != 0) {
      other = static_cast<token>(head & 3);
      break;
    }
    std::uint64_t from_expected = 0;
    if (to == full || !get_varint(at, end_, from_expected)) {
      damage_ = "an access is too much or cut off";
      break;
    }
    site& s = site_at(first, last = site_at(first, last).next);
    unknown |= last == 0;
    *to++ = access{s.learn(from_expected), s.pc, s.bytes, s.write};
  }
  const std::uint64_t added = static_cast<std::uint64_t>(to - accesses_.data()) - count_;
  count_ += added;
  left_ -= added;
  at_ = at;
  last_ = last;
  if (unknown) damage_ = "no site is known to come next";
  return other;
}

bool decoder::put_predicted(std::uint64_t count) {
  if (count > left_ || count > accesses_.size() - count_) return wrong("a run is too long");
  left_ -= count;
  access* to = accesses_.data() + count_;
  count_ += count;
  std::byte* const first = reinterpret_cast<std::byte*>(sites_.data());
  std::uint64_t last = last_;
  for (; count > 0; --count, ++to) {
    last = site_at(first, last).next;
    if (last == 0) return wrong("no site is known to come next");
    site& s = site_at(first, last);
    *to = access{s.address, s.pc, s.bytes, s.write};
    s.address += s.stride;
  }
  last_ = last;
  return true;
}

bool decoder::put(const site& s, std::uint64_t address) {
  if (left_ == 0 || count_ == accesses_.size())
    return wrong("there are more accesses than it says");
  --left_;
  accesses_[count_++] = access{address, s.pc, s.bytes, s.write};
  return true;
}

bool decoder::read_other_site(bool other_address) {
  std::uint64_t site_number = 0;
  if (!number(site_number)) return false;
  if (site_number == sites_.size() - 1 && other_address) return read_new_site();
  if (site_number >= sites_.size() - 1) return wrong("a site is not known");
  const std::uint64_t found = (site_number + 1) * sizeof(site);
  site_at(last_).next = found;
  last_ = found;
  site& s = site_at(found);
  if (other_address) {
    std::uint64_t from_expected = 0;
    return number(from_expected) && put(s, s.learn(from_expected));
  }
  const std::uint64_t address = s.address;
  s.address += s.stride;
  return put(s, address);
}

std::uint64_t decoder::site::learn(std::uint64_t from_expected) {
  const std::uint64_t met = address + unzigzag(from_expected);
  const std::uint64_t distance = met - (address - stride);
  if (distance == candidate) stride = distance;
  candidate = distance;
  address = met + stride;
  return met;
}

bool decoder::read_new_site() {
  std::uint64_t pc = 0;
  std::uint64_t kind = 0;
  std::uint64_t address = 0;
  if (!number(pc) || !number(kind) || !number(address)) return false;
  if (kind < 2 || kind >> 33 != 0) return wrong("an access has no or too many bytes");
  const site& before = site_at(last_);
  site added{};
  added.pc = before.pc + unzigzag(pc);
  added.address = before.address + unzigzag(address);
  added.bytes = static_cast<std::uint32_t>(kind >> 1);
  added.write = (kind & 1) != 0;
  const std::uint64_t here = sites_.size() * sizeof(site);
  site_at(last_).next = here;
  sites_.push_back(added);
  last_ = here;
  return put(sites_.back(), added.address);
}

}  // namespace numatch::trace
