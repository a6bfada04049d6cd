// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
// Which files lie where in the program's memory, and the threads' stacks.
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "state.hpp"

namespace numatch::instrumented {

namespace {

/// One line of /proc/self/maps.
struct mapping {
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t protection;
  std::uint64_t offset;
  const char* path;
  std::size_t path_bytes;
};

std::uint64_t take_hex(const char*& at) {
  std::uint64_t value = 0;
  for (;; ++at) {
    const char c = *at;
    if (c >= '0' && c <= '9')
      value = value * 16 + static_cast<std::uint64_t>(c - '0');
    else if (c >= 'a' && c <= 'f')
      value = value * 16 + static_cast<std::uint64_t>(c - 'a' + 10);
    else
      return value;
  }
}

/// "begin-end rwxp offset device inode   path", ended by a zero byte.
mapping parse(const char* line) {
  mapping m{};
  m.begin = take_hex(line);
  m.end = take_hex(++line);
  ++line;
  m.protection = (line[0] == 'r' ? PROT_READ : 0) | (line[1] == 'w' ? PROT_WRITE : 0) |
                 (line[2] == 'x' ? PROT_EXEC : 0);
  line += 5;
  m.offset = take_hex(line);
  for (int field = 0; field < 2; ++field) {
    while (*line == ' ') ++line;
    while (*line != ' ' && *line != '\0') ++line;
  }
  while (*line == ' ') ++line;
  m.path = line;
  m.path_bytes = strlen(line);
  return m;
}

constexpr std::size_t most_modules = 4096;

/// Begin and file offset, mixed, of every mapping that was reported. Written by the first thread
/// before main and at the exit only.
struct reported_modules {
  std::size_t count;
  std::uint64_t keys[most_modules];
};
constinit reported_modules reported{};

bool is_new(const mapping& m) {
  std::uint64_t key = m.begin * 31 + m.offset;
  for (std::size_t i = 0; i < m.path_bytes; ++i)
    key = key * 131 + static_cast<unsigned char>(m.path[i]);
  for (std::size_t i = 0; i < reported.count; ++i)
    if (reported.keys[i] == key) return false;
  if (reported.count == most_modules) return false;
  reported.keys[reported.count++] = key;
  return true;
}

/// The first thread's stack grows down to its limit; 8 MiB stands for "unlimited".
void report_first_stack(const recording& record, const mapping& m) {
  rlimit limit{};
  std::uint64_t bytes = 8 << 20;
  if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    bytes = limit.rlim_cur;
  if (bytes < m.end - m.begin) bytes = m.end - m.begin;
  record.event(trace::event_kind::stack, {m.end - bytes, bytes});
}

void report(const recording& record, const mapping& m, bool first_time) {
  if (m.path[0] == '/' && strncmp(m.path, "/dev/", 5) != 0) {
    if (is_new(m))
      record.event(trace::event_kind::module, {m.begin, m.end - m.begin, m.offset, m.protection},
                   m.path, m.path_bytes);
  } else if (first_time && strcmp(m.path, "[stack]") == 0) {
    report_first_stack(record, m);
  }
}

}  // namespace

void report_modules(const recording& record, bool first_time) {
  const int maps = static_cast<int>(syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_CLOEXEC));
  if (maps < 0) return;
  char text[8192];
  std::size_t held = 0;
  for (;;) {
    const long got = syscall(SYS_read, maps, text + held, sizeof text - 1 - held);
    if (got <= 0) break;
    held += static_cast<std::size_t>(got);
    char* line = text;
    while (char* newline = static_cast<char*>(
               memchr(line, '\n', static_cast<std::size_t>(text + held - line)))) {
      *newline = '\0';
      report(record, parse(line), first_time);
      line = newline + 1;
    }
    held = static_cast<std::size_t>(text + held - line);
    memmove(text, line, held);
    if (held == sizeof text - 1) break;  // no path is that long
  }
  syscall(SYS_close, maps);
}

void report_stack() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void* lowest = nullptr;
  std::size_t bytes = 0;
  if (pthread_attr_getstack(&attributes, &lowest, &bytes) == 0)
    happened(trace::event_kind::stack, {reinterpret_cast<std::uint64_t>(lowest), bytes});
  pthread_attr_destroy(&attributes);
}

}  // namespace numatch::instrumented
