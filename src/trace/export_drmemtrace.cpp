// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include <algorithm>
#include <string>
#include <system_error>

#include "base/atomic_file.hpp"
#include "trace/exporters.hpp"
#include "trace/needs_accesses.hpp"

namespace numatch::trace {

namespace {

/// The part of DynamoRIO's record types that we write.
enum class record : std::uint16_t {
  read = 0,
  write = 1,
  instruction = 10,
  thread = 22,
  thread_exit = 23,
  process = 24,
  header = 25,
  footer = 26,
  marker = 28,
};
enum class marker : std::uint16_t {
  timestamp = 2,
  pu = 3,
  file_type = 9,
  cache_line_bytes = 10,
  version = 12,
};
constexpr std::uint64_t format_of_records = 3;
constexpr std::uint64_t filtered_x86_64 = 0x01 | 0x40;
constexpr std::uint32_t most_bytes = 0x8000;  ///< of one record; larger accesses are split

/// 12 bytes, packed: type, size, address.
class record_text {
 public:
  void put(record type, std::uint16_t size, std::uint64_t address) {
    put_number(static_cast<std::uint16_t>(type));
    put_number(size);
    put_number(address);
  }
  void put(marker kind, std::uint64_t value) {
    put(record::marker, static_cast<std::uint16_t>(kind), value);
  }
  std::string& bytes() { return bytes_; }

 private:
  template <class Number>
  void put_number(Number n) {
    bytes_.append(reinterpret_cast<const char*>(&n), sizeof n);
  }
  std::string bytes_;
};

void put_head(record_text& to, const thread_info& thread) {
  to.put(record::header, 0, format_of_records);
  to.put(marker::version, format_of_records);
  to.put(marker::file_type, filtered_x86_64);
  to.put(record::thread, 4, thread.id.value + 1);
  to.put(record::process, 4, 1);
  to.put(marker::cache_line_bytes, 64);
  to.put(marker::timestamp, thread.first_stamp);
  to.put(marker::pu, 0);
}

/// A load and a store of one instruction follow one fetch; anything else is a new execution.
bool same_execution(const access& before, const access& a) {
  return before.pc == a.pc && !before.write && a.write;
}

void put_block(record_text& to, const block& b) {
  to.put(marker::timestamp, b.stamp);
  to.put(marker::pu, 0);
  const access* before = nullptr;
  for (const access& a : b.accesses) {
    if (before == nullptr || !same_execution(*before, a)) to.put(record::instruction, 1, a.pc);
    before = &a;
    for (std::uint32_t done = 0; done < a.bytes; done += most_bytes) {
      to.put(a.write ? record::write : record::read,
             static_cast<std::uint16_t>(std::min(most_bytes, a.bytes - done)), a.address + done);
      if (a.bytes - done <= most_bytes) break;
    }
  }
}

result<void> export_thread(const reader& trace, const thread_info& thread,
                           const std::filesystem::path& path) {
  result<atomic_file> file = atomic_file::create(path);
  if (!file) return tl::unexpected(file.error());
  record_text text;
  put_head(text, thread);
  access_cursor accesses = trace.accesses_of(thread.id);
  for (;;) {
    const result<block> next = accesses.next();
    if (!next) return tl::unexpected(next.error());
    if (next->accesses.empty()) break;
    put_block(text, *next);
    if (result<void> r = file->write(text.bytes()); !r) return r;
    text.bytes().clear();
  }
  text.put(record::thread_exit, 4, thread.id.value + 1);
  text.put(record::footer, 0, 0);
  if (result<void> r = file->write(text.bytes()); !r) return r;
  return file->commit();
}

result<void> export_threads(const reader& trace, const std::filesystem::path& folder) {
  std::error_code code;
  if (!std::filesystem::create_directories(folder / "trace", code)) {
    return fail(folder.string(), code.message());
  }
  for (const thread_info& thread : trace.threads()) {
    const std::string name = fmt::format("drmemtrace.numatch.{:06}.trace", thread.id.value);
    if (result<void> r = export_thread(trace, thread, folder / "trace" / name); !r) return r;
  }
  return {};
}

}  // namespace

result<void> export_drmemtrace(const reader& trace, const std::filesystem::path& folder) {
  if (result<void> r = needs_accesses(trace); !r) return r;
  if (std::filesystem::exists(folder)) {
    return fail(folder.string(), "exists already", "name a new folder");
  }
  const std::filesystem::path unfinished =
      folder.parent_path() / ("." + folder.filename().string() + ".unfinished");
  std::error_code code;
  std::filesystem::remove_all(unfinished, code);
  if (result<void> r = export_threads(trace, unfinished); !r) {
    std::filesystem::remove_all(unfinished, code);
    return r;
  }
  std::filesystem::rename(unfinished, folder, code);
  if (!code) return {};
  const std::string what = code.message();
  std::filesystem::remove_all(unfinished, code);
  return fail(folder.string(), what);
}

}  // namespace numatch::trace
