// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trace/format.hpp"
#include "trace/varint.hpp"

namespace numatch::trace {

/// Unpacks the raw bytes of one chunk of accesses, block by block; the mirror image of
/// recorder/encode.cpp. Every number is checked: damaged bytes give a reason, never more.
class decoder {
 public:
  /// `raw` must live as long as the decoder is used.
  void start(const chunk_header& header, std::span<const std::uint8_t> raw);

  /// The next block's accesses, until the next call; empty at the chunk's end or after damage.
  std::span<const access> next();

  std::uint64_t stamp() const { return stamp_; }
  /// Retired by the thread between the end of the block before (the chunk's start, for its first
  /// block) and the end of this one (the chunk's end, for its last block).
  std::uint64_t instructions() const { return instructions_; }
  /// Null, or what is wrong with the bytes.
  const char* damage() const { return damage_; }

 private:
  /// Address and pc are not neighbours: a compiler would load both at once, and such a load waits
  /// until the address that the last access has stored is out of the store buffer.
  struct site {
    std::uint64_t address;  ///< expected
    std::uint64_t stride;
    std::uint64_t candidate;
    std::uint64_t pc;
    std::uint64_t next;  ///< place of the successor; 0: not known
    std::uint32_t bytes;
    bool write;
    /// The address that is this far from the expected one; expects better from now on.
    std::uint64_t learn(std::uint64_t from_expected);
  };
  /// A site's place is bytes from the first one: a number would take a multiplication on the way
  /// from each access to the next.
  static site& site_at(std::byte* first, std::uint64_t place) {
    return *reinterpret_cast<site*>(first + place);
  }
  site& site_at(std::uint64_t place) {
    return site_at(reinterpret_cast<std::byte*>(sites_.data()), place);
  }
  bool begin_chunk();
  bool read_block_start(std::uint64_t& instructions);
  /// Decodes up to the block's end.
  bool read_block();
  std::optional<token> read_common_tokens();
  bool put_predicted(std::uint64_t count);
  bool read_other_site(bool other_address);
  bool read_new_site();
  bool number(std::uint64_t& value);
  bool put(const site& s, std::uint64_t address);
  bool wrong(const char* what);

  const std::uint8_t* at_ = nullptr;
  const std::uint8_t* end_ = nullptr;
  std::uint64_t left_ = 0;  ///< accesses of the chunk that are not decoded yet
  std::uint64_t stamp_ = 0;
  std::uint64_t next_stamp_ = 0;
  std::uint64_t instructions_ = 0;
  std::uint64_t instructions_left_ = 0;
  std::uint64_t before_first_ = 0;  ///< instructions from the chunk's start to its first block
  bool begun_ = false;
  const char* damage_ = nullptr;
  std::uint64_t last_ = 0;  ///< place of the last access's site
  std::size_t count_ = 0;
  std::vector<access> accesses_;
  std::vector<site> sites_;  ///< [0] stands before the first access; [n + 1] is site n
};

}  // namespace numatch::trace
