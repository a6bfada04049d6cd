// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include "trace/session.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/atomic_file.hpp"
#include "trace/chunk_file.hpp"
#include "trace/metadata.hpp"
#include "trace/salvage.hpp"
#include "trace/session_memory.hpp"

namespace numatch::trace {

namespace {

result<void> check_filter(const filter_options& filter) {
  if (filter.entries == 0) return {};
  const auto wrong = [](std::string what) { return fail("TLB filter", std::move(what)); };
  if (filter.ways == 0 || filter.entries % filter.ways != 0) {
    return wrong(fmt::format("{} entries are no multiple of {} ways", filter.entries, filter.ways));
  }
  if (!std::has_single_bit(filter.entries / filter.ways)) {
    return wrong("entries / ways must be a power of two");
  }
  if (!std::has_single_bit(filter.page_bytes) || filter.page_bytes < filter_tlb::least_page_bytes) {
    return wrong(fmt::format("pages must be a power of two and have {} bytes or more",
                             filter_tlb::least_page_bytes));
  }
  if (filter.entries > max_filter_entries) {
    return wrong(fmt::format("at most {} entries", max_filter_entries));
  }
  return {};
}

/// The shared-memory file: memory where the machine has /dev/shm, else the temporary folder.
class shared_file {
 public:
  static result<shared_file> create() {
    std::error_code ignored;
    const std::filesystem::path memory = "/dev/shm";
    const std::filesystem::path folder =
        std::filesystem::is_directory(memory, ignored) && ::access(memory.c_str(), W_OK) == 0
            ? memory
            : std::filesystem::temp_directory_path(ignored);
    shared_file file;
    std::string name = (folder / "numatch.XXXXXX").string();
    file.descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (file.descriptor_ < 0) return fail(name, std::strerror(errno), "set TMPDIR to a folder");
    file.path_ = name;
    if (::ftruncate(file.descriptor_, static_cast<off_t>(session_bytes)) != 0) {
      return fail(name, std::strerror(errno));
    }
    void* const header = ::mmap(nullptr, session_header_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                                file.descriptor_, 0);
    if (header == MAP_FAILED) return fail(name, std::strerror(errno));
    file.memory_ = static_cast<session_memory*>(header);
    return file;
  }
  shared_file(shared_file&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)),
        path_(std::exchange(other.path_, {})),
        memory_(std::exchange(other.memory_, nullptr)) {}
  shared_file& operator=(shared_file&&) = delete;
  ~shared_file() {
    if (memory_ != nullptr) ::munmap(memory_, session_header_bytes);
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!path_.empty()) ::unlink(path_.c_str());
  }

  int descriptor() const { return descriptor_; }
  const std::filesystem::path& path() const { return path_; }
  session_memory& memory() const { return *memory_; }

 private:
  shared_file() = default;
  int descriptor_ = -1;
  std::filesystem::path path_;
  session_memory* memory_ = nullptr;
};

void set_up(session_memory& memory, const filter_options& filter, const std::string& trace_path) {
  std::memcpy(memory.magic, session_magic, sizeof session_magic);
  memory.version = session_version;
  memory.filter_entries = filter.entries;
  memory.filter_ways = filter.ways;
  memory.page_shift = static_cast<std::uint32_t>(std::countr_zero(filter.page_bytes));
  std::memcpy(memory.trace_path, trace_path.c_str(), trace_path.size() + 1);
  memory.next_stamp = 1;
  memory.file_end = sizeof(file_header);
}

std::string filter_text(const filter_options& filter) {
  if (filter.entries == 0) return "none";
  return fmt::format("tlb:entries={},ways={},page={}", filter.entries, filter.ways,
                     filter.page_bytes);
}

}  // namespace

struct session::state {
  std::filesystem::path output;
  trace_metadata metadata;
  atomic_file file;
  shared_file shared;
};

session::session(std::unique_ptr<state> s) : state_(std::move(s)) {}
session::session(session&&) noexcept = default;
session& session::operator=(session&&) noexcept = default;
session::~session() = default;

result<session> session::create(const std::filesystem::path& output, const trace_metadata& metadata,
                                const filter_options& filter) {
  if (result<void> fits = check_filter(filter); !fits) return tl::unexpected(fits.error());
  result<atomic_file> file = atomic_file::create(output);
  if (!file) return tl::unexpected(file.error());
  file_header header{};
  std::memcpy(header.magic, file_magic, sizeof file_magic);
  header.version = format_version;
  const std::string_view first_bytes(reinterpret_cast<const char*>(&header), sizeof header);
  if (result<void> r = file->write(first_bytes); !r) return tl::unexpected(r.error());
  result<shared_file> shared = shared_file::create();
  if (!shared) return tl::unexpected(shared.error());
  const std::string trace_path = std::filesystem::absolute(file->temporary_path()).string();
  if (trace_path.size() >= sizeof session_memory::trace_path) {
    return fail(output.string(), "the path is too long");
  }
  set_up(shared->memory(), filter, trace_path);
  trace_metadata described = metadata;
  described.filter = filter_text(filter);
  return session(std::unique_ptr<state>(
      new state{output, std::move(described), std::move(*file), std::move(*shared)}));
}

const std::filesystem::path& session::path() const {
  return state_->shared.path();
}

bool session::joined() const {
  return state_->shared.memory().joined != 0;
}

std::uint64_t session::accesses() const {
  return state_->shared.memory().accesses;
}

namespace {

result<void> report_problem(const session_memory& memory, const std::filesystem::path& output) {
  const int code = memory.problem_errno;
  switch (static_cast<session_problem>(memory.problem.load())) {
    case session_problem::none:
      return {};
    case session_problem::trace_write:
      return fail(
          output.string(),
          fmt::format("recording stopped, the trace could not be written: {}", std::strerror(code)),
          "free some space or write elsewhere with -o");
    case session_problem::shared_memory:
      return fail(
          "shared memory",
          fmt::format("recording stopped, no room for another thread: {}", std::strerror(code)),
          "make /dev/shm larger or use fewer threads");
    case session_problem::too_many_threads:
      return fail("recording",
                  fmt::format("stopped, more than {} threads at once", max_live_threads),
                  "use fewer threads");
  }
  return fail("recording", "stopped for an unknown reason");
}

}  // namespace

result<void> session::finish(const std::map<std::string, std::string>& extra) {
  session_memory& memory = state_->shared.memory();
  memory.stopped = 1;
  if (result<void> r = report_problem(memory, state_->output); !r) return r;
  unfinished_file file{state_->file.descriptor(), state_->output, {}, 0};
  if (result<void> r = collect_chunks(file, memory.file_end, memory.chunks); !r) return r;
  if (result<void> r = save_slots(file, memory, state_->shared.descriptor()); !r) return r;
  for (const auto& [key, value] : extra) state_->metadata.extra[key] = value;
  const std::string text = to_json(state_->metadata);
  chunk_header header{};
  header.kind = static_cast<std::uint16_t>(chunk_kind::metadata);
  header.records = 1;
  const std::span<const std::uint8_t> raw(reinterpret_cast<const std::uint8_t*>(text.data()),
                                          text.size());
  if (result<void> r = append_to(file, header, raw); !r) return r;
  if (result<void> r = append_end(file); !r) return r;
  return state_->file.commit();
}

}  // namespace numatch::trace
