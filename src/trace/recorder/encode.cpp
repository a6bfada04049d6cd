// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include <cstdint>

#include "trace/recorder/internals.hpp"
#include "trace/varint.hpp"

namespace numatch::trace {

namespace {

/// A block start and an access: seven numbers.
constexpr std::size_t most_token_bytes = 7 * max_varint_bytes;

std::uint8_t* put_head(std::uint8_t* to, const thread_recorder* t, token what) {
  const std::uint64_t run = records_of(t->data.progress) - t->run_start;
  return put_varint(to, run << 2 | static_cast<std::uint64_t>(what));
}

/// Behind the block's start the expected site is known again.
std::uint8_t* put_block_start(std::uint8_t* to, thread_recorder* t) {
  const std::uint64_t stamp = take_stamp(t->owner->session);
  if (t->data.progress == 0) {
    t->data.first_stamp = stamp;
    t->block_stamp = stamp;
    t->block_instructions = t->chunk_instructions;
  }
  to = put_head(to, t, token::new_block);
  to = put_varint(to, stamp - t->block_stamp);
  to = put_varint(to, t->pause_instructions - t->block_instructions);
  t->block_stamp = stamp;
  t->block_instructions = t->pause_instructions;
  t->run_start = records_of(t->data.progress);
  t->last = t->resume;
  return to;
}

std::uint32_t hash_of(std::uint64_t pc, std::uint64_t kind) {
  const std::uint64_t mixed = (pc ^ (kind << 48)) * 0x9e3779b97f4a7c15U;
  return static_cast<std::uint32_t>(mixed >> 40) & (2 * max_sites - 1);
}

/// The site of (pc, kind); a new one has the next free number.
site* find_site(site_tables* tables, std::uint64_t pc, std::uint64_t kind) {
  std::uint32_t place = hash_of(pc, kind);
  for (;; place = (place + 1) & (2 * max_sites - 1)) {
    site_tables::entry& entry = tables->index[place];
    if (entry.generation != tables->generation) {
      entry = {tables->generation, tables->count};
      return &tables->sites[tables->count];
    }
    site* const found = &tables->sites[entry.number];
    if (found->pc == pc && found->kind == kind) return found;
  }
}

/// The stride changes when the same unexpected distance comes twice in a row.
void learn_address(site* s, std::uint64_t address) {
  const std::uint64_t distance = address - (s->address - s->stride);
  if (distance == s->candidate) s->stride = distance;
  s->candidate = distance;
  s->address = address + s->stride;
}

std::uint8_t* put_new_site(std::uint8_t* to, thread_recorder* t, site* s, std::uint64_t pc,
                           std::uint64_t address, std::uint64_t kind) {
  const site* const before = t->last;
  to = put_head(to, t, token::other_site_and_address);
  to = put_varint(to, t->tables->count);
  to = put_varint(to, zigzag(pc - before->pc));
  to = put_varint(to, kind);
  to = put_varint(to, zigzag(address - before->address));
  *s = site{pc, kind, address, 0, &t->nothing, 0};
  ++t->tables->count;
  return to;
}

std::uint8_t* put_known_site(std::uint8_t* to, thread_recorder* t, site* s, std::uint64_t address) {
  const bool expected_address = s->address == address;
  to = put_head(to, t, expected_address ? token::other_site : token::other_site_and_address);
  to = put_varint(to, static_cast<std::uint64_t>(s - t->tables->sites));
  if (expected_address) {
    s->address += s->stride;
    return to;
  }
  to = put_varint(to, zigzag(address - s->address));
  learn_address(s, address);
  return to;
}

/// Writes what the predictions did not say and learns from it.
std::uint8_t* put_access(std::uint8_t* to, thread_recorder* t, std::uint64_t pc,
                         std::uint64_t address, std::uint64_t kind) {
  site* s = t->last->next;
  if (s->pc == pc && s->kind == kind) {
    if (s->address == address) {  // only the block's start was in the way
      s->address += s->stride;
      t->last = s;
      return to;
    }
    to = put_head(to, t, token::other_address);
    to = put_varint(to, zigzag(address - s->address));
    learn_address(s, address);
  } else {
    s = find_site(t->tables, pc, kind);
    const bool is_new = s == &t->tables->sites[t->tables->count];
    to = is_new ? put_new_site(to, t, s, pc, address, kind) : put_known_site(to, t, s, address);
    t->last->next = s;
  }
  t->last = s;
  t->run_start = records_of(t->data.progress) + 1;
  return to;
}

bool has_room(thread_recorder* t) {
  if (t->tables->count == max_sites) return false;
  return bytes_of(t->data.progress) + most_token_bytes <= t->data_limit || grow_data(t);
}

}  // namespace

void encode_access(thread_recorder* t, std::uint64_t pc, std::uint64_t address,
                   std::uint64_t kind) {
  if (t->stopped != 0 || t->busy != 0) return;
  t->busy = 1;
  if (t->last == &t->pause && (!is_ours(t->owner) || has_stopped(t->owner->session))) {
    silence(t);
  } else if (has_room(t) || flush_data(t)) {
    std::uint8_t* const begin = t->data_bytes + bytes_of(t->data.progress);
    std::uint8_t* to = t->last == &t->pause ? put_block_start(begin, t) : begin;
    to = put_access(to, t, pc, address, kind);
    const std::uint64_t bytes = static_cast<std::uint64_t>(to - t->data_bytes);
    const std::uint64_t records = records_of(t->data.progress) + std::uint64_t{1};
    commit(t->data, progress_of(bytes, records));
    if ((records & (block_accesses - 1)) == 0) pause_block(t);
  }
  t->busy = 0;
}

void pause_block(thread_recorder* t) {
  if (t->last == &t->pause) return;
  t->resume = t->last;
  t->last = &t->pause;
  t->pause_instructions = t->instructions;
}

void reset_encoder(thread_recorder* t) {
  site_tables* const tables = t->tables;
  if (++tables->generation == 0) {  // after 2³² chunks old entries would look new
    for (site_tables::entry& entry : tables->index) entry = {};
    tables->generation = 1;
  }
  tables->count = 0;
  tables->root = site{0, 0, 0, 0, &t->nothing, 0};
  t->resume = &tables->root;
  t->last = &t->pause;
  t->run_start = 0;
  t->chunk_instructions = t->instructions;
  t->pause_instructions = t->instructions;
}

}  // namespace numatch::trace
