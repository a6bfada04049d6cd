// SPDX-License-Identifier: Apache-2.0
#include "instrumented/captured.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "trace/replay.hpp"
#include "trace/session.hpp"

namespace numatch::test {

namespace fs = std::filesystem;

scratch::scratch() {
  std::string pattern = (fs::temp_directory_path() / "numatch-instrumented-XXXXXX").string();
  path_ = ::mkdtemp(pattern.data());
}

scratch::~scratch() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

namespace {

std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

finished shell(const std::string& line, const fs::path& folder) {
  const std::string whole = "cd '" + folder.string() +
                            "' && PATH='" NUMATCH_BINARY_DIR "/bin':\"$PATH\" && { " + line +
                            "\n} >.out 2>.err </dev/null";
  const int status = std::system(whole.c_str());
  finished result;
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.output = contents(folder / ".out");
  result.errors = contents(folder / ".err");
  return result;
}

std::vector<seen_event> seen_thread::events_of(trace::event_kind kind) const {
  std::vector<seen_event> found;
  std::copy_if(events.begin(), events.end(), std::back_inserter(found),
               [kind](const seen_event& e) { return e.kind == kind; });
  return found;
}

std::uint64_t captured::count(std::uint64_t begin, std::uint64_t end, bool write) const {
  std::uint64_t found = 0;
  for (const seen_thread& thread : threads)
    for (const trace::access& a : thread.accesses)
      if (a.address >= begin && a.address < end && a.write == write) ++found;
  return found;
}

std::map<std::string, captured::range> captured::labels() const {
  std::map<std::string, range> found;
  for (const seen_thread& thread : threads)
    for (const seen_event& e : thread.events_of(trace::event_kind::label))
      found[e.text] = {e.args[0], e.args[0] + e.args[1]};
  return found;
}

std::uint64_t captured::reads_of(const std::string& name) const {
  const range r = labels()[name];
  EXPECT_NE(r.end, 0U) << "no label " << name;
  return count(r.begin, r.end, false);
}

std::uint64_t captured::writes_of(const std::string& name) const {
  const range r = labels()[name];
  EXPECT_NE(r.end, 0U) << "no label " << name;
  return count(r.begin, r.end, true);
}

namespace {

seen_thread read_thread(const trace::reader& trace, thread_id id) {
  seen_thread seen;
  trace::access_cursor accesses = trace.accesses_of(id);
  for (;;) {
    const result<trace::block> block = accesses.next();
    if (!block) {
      ADD_FAILURE() << block.error().message();
      return seen;
    }
    if (block->accesses.empty()) break;
    seen.accesses.insert(seen.accesses.end(), block->accesses.begin(), block->accesses.end());
    seen.stamps.insert(seen.stamps.end(), block->accesses.size(), block->stamp);
  }
  trace::event_cursor events = trace.events_of(id);
  for (;;) {
    const result<const trace::event*> next = events.next();
    if (!next) {
      ADD_FAILURE() << next.error().message();
      return seen;
    }
    if (*next == nullptr) return seen;
    const trace::event& e = **next;
    seen.events.push_back(
        {e.kind, e.position, e.stamp, {std::begin(e.args), std::end(e.args)}, std::string(e.text)});
  }
}

}  // namespace

captured capture(const std::string& command, const fs::path& folder) {
  captured seen;
  const fs::path file = folder / "trace.nmt";
  trace::trace_metadata metadata;
  metadata.frontend = "instrumented";
  metadata.filter = "none";
  result<trace::session> session = trace::session::create(file, metadata, {});
  if (!session) {
    ADD_FAILURE() << session.error().message();
    return seen;
  }
  seen.run =
      shell("NUMATCH_SESSION='" + session->path().string() + "' OMP_WAIT_POLICY=passive " + command,
            folder);
  EXPECT_TRUE(session->joined());
  const result<void> finished = session->finish({});
  if (!finished) {
    ADD_FAILURE() << finished.error().message();
    return seen;
  }
  const result<trace::reader> trace = trace::reader::open(file);
  if (!trace) {
    ADD_FAILURE() << trace.error().message();
    return seen;
  }
  for (const trace::thread_info& thread : trace->threads())
    seen.threads.push_back(read_thread(*trace, thread.id));
  return seen;
}

std::map<std::string, std::uint64_t> reads_before_writes(const captured& seen,
                                                         const fs::path& folder) {
  std::map<std::string, std::uint64_t> too_early;
  const result<trace::reader> trace = trace::reader::open(folder / "trace.nmt");
  if (!trace) {
    ADD_FAILURE() << trace.error().message();
    return too_early;
  }
  // A short turn mixes the threads as much as the recorded order allows.
  trace::replay_options options;
  options.quantum = 8;
  result<trace::replay> replay = trace::replay::open(*trace, options);
  if (!replay) {
    ADD_FAILURE() << replay.error().message();
    return too_early;
  }
  const std::map<std::string, captured::range> labels = seen.labels();
  const auto label_at = [&](std::uint64_t address) {
    return std::find_if(labels.begin(), labels.end(), [address](const auto& label) {
      return address >= label.second.begin && address < label.second.end;
    });
  };
  std::set<std::uint64_t> written;
  while (!replay->done()) {
    const result<trace::step> step = replay->next();
    if (!step) {
      ADD_FAILURE() << step.error().message();
      return too_early;
    }
    for (const trace::access& a : step->accesses) {
      const auto label = label_at(a.address);
      if (label == labels.end()) continue;
      if (a.write) {
        for (std::uint64_t i = 0; i < a.bytes; ++i) written.insert(a.address + i);
      } else if (!written.contains(a.address)) {
        ++too_early[label->first];
      }
    }
  }
  return too_early;
}

void build(const std::string& compiler, const std::string& source, const fs::path& folder,
           const std::string& libraries) {
  static const scratch built;  // the same program is needed by many tests
  static std::map<std::string, finished> results;
  const std::string line = compiler +
                           " -I'" NUMATCH_SOURCE_DIR "/include' '" NUMATCH_SOURCE_DIR
                           "/tests/instrumented/programs/" +
                           source + "' " + libraries;
  const std::string name = std::to_string(std::hash<std::string>{}(line));
  if (!results.contains(line)) results[line] = shell(line + " -o " + name, built.path());
  ASSERT_EQ(results[line].code, 0) << line << "\n" << results[line].errors;
  EXPECT_EQ(results[line].errors, "");
  fs::copy_file(built.path() / name, folder / "program", fs::copy_options::overwrite_existing);
}

}  // namespace numatch::test
