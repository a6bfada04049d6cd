// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include <cerrno>

#include "trace/crc32.hpp"
#include "trace/recorder/internals.hpp"
#include "trace/recorder/system.hpp"

namespace numatch::trace {

namespace {

compressor* take_compressor(recorder* r) {
  for (unsigned i = 0;; i = (i + 1) % compressor_count) {
    compressor& c = r->compressors[i];
    std::uint32_t free_one = 0;
    if (c.taken.compare_exchange_strong(free_one, 1, std::memory_order_acquire)) {
      if (c.workspace == nullptr) c.workspace = linux_call::map_private(r->workspace_bytes);
      if (c.output == nullptr) {
        c.output = static_cast<std::uint8_t*>(linux_call::map_private(output_bytes));
      }
      if (c.workspace != nullptr && c.output != nullptr) return &c;
      c.taken.store(0, std::memory_order_release);
      return nullptr;
    }
    if (i + 1 == compressor_count) linux_call::yield();
  }
}

/// The bytes that are stored, at c->output + sizeof(chunk_header): compressed only where it helps.
void fill_output(compressor* c, std::size_t workspace_bytes, chunk_header& header,
                 const std::uint8_t* bytes) {
  std::uint8_t* const body = c->output + sizeof header;
  header.compression = 0;
  header.stored_bytes = header.raw_bytes;
  ZSTD_CCtx* const context = ZSTD_initStaticCCtx(c->workspace, workspace_bytes);
  if (context != nullptr && header.raw_bytes > 64) {
    const std::size_t packed = ZSTD_compressCCtx(context, body, header.raw_bytes - 1, bytes,
                                                 header.raw_bytes, compression_level);
    if (ZSTD_isError(packed) == 0) {
      header.compression = 1;
      header.stored_bytes = packed;
    }
  }
  if (header.compression == 0) copy_bytes(body, bytes, header.raw_bytes);
  header.crc = 0;
  header.crc = crc32(crc32(0, &header, sizeof header), body, header.stored_bytes);
  __builtin_memcpy(c->output, &header, sizeof header);
}

/// The trace file's descriptor. A program that closes all descriptors may have closed ours, and may
/// even have got its number for a file of its own.
int trace_descriptor(recorder* r) {
  int descriptor = r->trace_descriptor.load(std::memory_order_acquire);
  struct stat status{};
  if (descriptor >= 0 && linux_call::file_status(descriptor, &status) == 0 &&
      status.st_dev == r->trace_device && status.st_ino == r->trace_inode) {
    return descriptor;
  }
  const int opened = linux_call::open(r->session->trace_path, O_WRONLY);
  if (opened < 0) return opened;
  const int high = linux_call::move_up(opened);
  if (r->trace_descriptor.compare_exchange_strong(descriptor, high)) return high;
  linux_call::close(high);
  return descriptor;
}

/// 0 or an error number.
int write_whole(recorder* r, const std::uint8_t* bytes, std::size_t count, std::uint64_t offset) {
  const int descriptor = trace_descriptor(r);
  if (descriptor < 0) return -descriptor;
  while (count > 0) {
    const long written = linux_call::write_at(descriptor, bytes, count, offset);
    if (written == -EINTR) continue;
    if (written <= 0) return written == 0 ? EIO : static_cast<int>(-written);
    bytes += written;
    offset += static_cast<std::uint64_t>(written);
    count -= static_cast<std::size_t>(written);
  }
  return 0;
}

}  // namespace

bool write_chunk(recorder* r, chunk_header header, const std::uint8_t* bytes) {
  session_memory* const session = r->session;
  if (has_stopped(session)) return false;
  header.magic = chunk_magic;
  compressor* const c = take_compressor(r);
  if (c == nullptr) {
    stop_recording(session, session_problem::shared_memory, ENOMEM);
    return false;
  }
  fill_output(c, r->workspace_bytes, header, bytes);
  const std::size_t count = sizeof header + header.stored_bytes;
  const std::uint64_t offset = session->file_end.fetch_add(count);
  const int problem = write_whole(r, c->output, count, offset);
  c->taken.store(0, std::memory_order_release);
  if (problem != 0) {
    stop_recording(session, session_problem::trace_write, problem);
    return false;
  }
  session->chunks.fetch_add(1);
  if (header.kind == static_cast<std::uint16_t>(chunk_kind::accesses)) {
    session->accesses.fetch_add(header.records);
  }
  return true;
}

bool flush_data(thread_recorder* t) {
  const std::uint64_t progress = t->data.progress;
  if (progress == 0 && t->instructions == t->chunk_instructions) return true;
  if (progress == 0) {
    t->data.first_stamp = take_stamp(t->owner->session);
    t->data.first_position = position_of(t);
  }
  chunk_header header{};
  header.kind =
      static_cast<std::uint16_t>(t->filtered != 0 ? chunk_kind::tlb : chunk_kind::accesses);
  header.thread = t->id;
  header.raw_bytes = bytes_of(progress);
  header.records = records_of(progress);
  header.first_position = t->filtered != 0 ? t->data.first_position : t->position;
  header.first_stamp = t->data.first_stamp;
  header.instructions = t->instructions - t->chunk_instructions;
  if (!write_chunk(t->owner, header, t->data_bytes)) {
    silence(t);
    return false;
  }
  commit(t->data, 0);
  t->position += records_of(progress);
  reset_encoder(t);
  return true;
}

bool flush_events(thread_recorder* t) {
  const std::uint64_t progress = t->events.progress;
  if (progress == 0) return true;
  chunk_header header{};
  header.kind = static_cast<std::uint16_t>(chunk_kind::events);
  header.thread = t->id;
  header.raw_bytes = bytes_of(progress);
  header.records = records_of(progress);
  header.first_position = t->events.first_position;
  header.first_stamp = t->events.first_stamp;
  if (!write_chunk(t->owner, header, t->event_bytes)) {
    silence(t);
    return false;
  }
  commit(t->events, 0);
  return true;
}

}  // namespace numatch::trace
