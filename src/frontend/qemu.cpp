// SPDX-License-Identifier: Apache-2.0
#include "frontend/qemu.hpp"

#include <sys/wait.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "frontend/library_folder.hpp"
#include "frontend/passive_waiting.hpp"

namespace numatch::frontend {

namespace fs = std::filesystem;

namespace {

result<fs::path> find_qemu() {
  const char* const chosen = std::getenv("NUMATCH_QEMU");
  const std::string name = chosen != nullptr && *chosen != '\0' ? chosen : "qemu-x86_64";
  if (name.find('/') != std::string::npos) {
    if (::access(name.c_str(), X_OK) == 0) return fs::path(name);
    return fail(name, "cannot be run", "set NUMATCH_QEMU to a qemu-x86_64 with plugins");
  }
  const char* const search = std::getenv("PATH");
  std::string_view left = search != nullptr ? search : "/usr/local/bin:/usr/bin:/bin";
  for (;;) {
    const std::size_t colon = left.find(':');
    fs::path candidate = fs::path(left.substr(0, colon)) / name;
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
    if (colon == std::string_view::npos) break;
    left.remove_prefix(colon + 1);
  }
  return fail(name, "is not installed",
              "install Debian's package qemu-user, or build the program with numatch-cc");
}

/// True when the help text of QEMU lists the option that loads plugins.
result<bool> knows_plugins(const fs::path& qemu) {
  std::string quoted = "'";
  for (const char c : qemu.string()) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  quoted += "' -h 2>/dev/null";
  FILE* const help = ::popen(quoted.c_str(), "r");
  if (help == nullptr) return fail(qemu.string(), "cannot be run");
  std::string text;
  char buffer[4096];
  for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof buffer, help)) > 0;) {
    text.append(buffer, got);
  }
  ::pclose(help);
  return text.find("\n-plugin") != std::string::npos;
}

/// QEMU takes options apart at commas; two of them stand for one.
std::string with_doubled_commas(const std::string& text) {
  std::string doubled;
  for (const char c : text) doubled += c == ',' ? std::string(",,") : std::string(1, c);
  return doubled;
}

}  // namespace

result<launch_plan> plan_qemu(const program_file& program, const qemu_options& options) {
  const result<fs::path> qemu = find_qemu();
  if (!qemu) return tl::unexpected(qemu.error());
  const result<bool> able = knows_plugins(*qemu);
  if (!able) return tl::unexpected(able.error());
  if (!*able) {
    return fail(qemu->string(), "was built without plugins",
                "use a dynamically linked QEMU configured with --enable-plugins (Debian 12's "
                "qemu-user is one) and name it in NUMATCH_QEMU, or build the program with "
                "numatch-cc");
  }
  const result<fs::path> plugin = find_capture_library("libnumatch_qemu.so");
  if (!plugin) return tl::unexpected(plugin.error());

  launch_plan plan;
  plan.executable = *qemu;
  plan.arguments = {qemu->string(), "-plugin", with_doubled_commas(plugin->string()), "-0",
                    program.arguments[0]};
  plan.environment["NUMATCH_SESSION"] = options.session.string();
  // Addresses of the program must be addresses of the process.
  plan.removed_environment = {"QEMU_GUEST_BASE", "QEMU_RESERVED_VA", "LD_PRELOAD"};
  wait_passively(plan);

  // The user's own preloads are meant for the program, not for QEMU.
  std::string preload;
  if (options.allocations) {
    const result<fs::path> shim = find_capture_library("libnumatch_preload.so");
    if (!shim) return tl::unexpected(shim.error());
    preload = shim->string();
  }
  if (const char* const asked = std::getenv("LD_PRELOAD"); asked != nullptr && *asked != '\0') {
    preload += (preload.empty() ? "" : ":") + std::string(asked);
  }
  if (preload.find(',') != std::string::npos) {
    return fail(preload, "QEMU cannot preload a library whose path has a comma",
                "use --no-allocations, or install numatch elsewhere");
  }
  if (!preload.empty()) {
    plan.arguments.insert(plan.arguments.end(), {"-E", "LD_PRELOAD=" + preload});
  }
  plan.arguments.push_back(program.path.string());
  plan.arguments.insert(plan.arguments.end(), program.arguments.begin() + 1,
                        program.arguments.end());
  return plan;
}

std::optional<error> explain_qemu_end(const program_file& program, const outcome& ended) {
  if (ended.signal() != SIGILL) return std::nullopt;
  return error{"died of an instruction that QEMU does not know, most likely AVX-512",
               program.path.string(),
               "build it without -march=native or -mavx512*, have the library choose another path "
               "(GLIBC_TUNABLES, OPENBLAS_CORETYPE=Haswell), or build it with numatch-cc"};
}

}  // namespace numatch::frontend
