// SPDX-License-Identifier: Apache-2.0
#include "live/module_loader.hpp"

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/klog.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <vector>

#include "live/module_files.hpp"
#include "live/owned_fd.hpp"
#include "live/system_tree.hpp"

namespace numatch::live {

namespace {

constexpr const char* name = "numatch";
constexpr const char* how_to_sign = "sign it (docs/kernel-module.md, Secure Boot)";

bool may_load_modules(const system_tree& tree) {
  const std::string held = tree.value("/proc/self/status", "CapEff").value_or("0");
  std::uint64_t rights = 0;
  std::from_chars(held.data(), held.data() + held.size(), rights, 16);
  return (rights >> CAP_SYS_MODULE & 1U) != 0;
}

/// Empty where this user may not read it.
std::string kernel_log() {
  constexpr int read_all = 3;
  constexpr int size_of_buffer = 10;
  const int size = ::klogctl(size_of_buffer, nullptr, 0);
  if (size <= 0) return "";
  std::vector<char> text(static_cast<std::size_t>(size));
  const int length = ::klogctl(read_all, text.data(), size);
  return length <= 0 ? "" : std::string(text.data(), static_cast<std::size_t>(length));
}

/// Codes with which the kernel says more in its log.
bool has_more_to_say(int code) {
  return code == ENOEXEC || code == ENOENT || code == EINVAL || code == EOPNOTSUPP;
}

}  // namespace

std::optional<std::string> last_words(const std::string& log) {
  constexpr std::string_view mark = "] numatch: ";
  const std::size_t found = log.rfind(mark);
  if (found == std::string::npos) return std::nullopt;
  const std::size_t begin = found + mark.size();
  return log.substr(begin, log.find('\n', begin) - begin);
}

error load_error(const load_refusal& refusal) {
  error trouble{std::strerror(refusal.code), refusal.file, ""};
  const bool locked = refusal.lockdown && *refusal.lockdown != "none";
  switch (refusal.code) {
    case EPERM:
      if (!refusal.may_load) {
        trouble = {"this user may not load kernel modules", refusal.file, "be root"};
      } else if (refusal.loading_is_off) {
        trouble = {"this system loads no modules any more (kernel.modules_disabled)", refusal.file,
                   "boot without that setting"};
      } else if (locked) {
        trouble = {"the kernel is locked down and loads signed modules only", refusal.file,
                   how_to_sign};
      }
      return trouble;
    case EKEYREJECTED:
    case ENOKEY:
    case EBADMSG:
      return {"the kernel loads only modules with a signature that it trusts", refusal.file,
              how_to_sign};
    case EEXIST:
      return {"is loaded already", "module numatch", "numatch module unload first"};
    default:
      break;
  }
  if (refusal.kernel_says) trouble.what = "the kernel refuses it: " + *refusal.kernel_says;
  if (refusal.code == ENOEXEC || refusal.code == ENOENT) {
    trouble.hint = "numatch module build makes one for this kernel";
  }
  return trouble;
}

result<void> load_module(const std::string& file, const std::string& parameters) {
  const system_tree tree("/");
  const std::string running = tree.text("/proc/sys/kernel/osrelease").value_or("");
  const bool compressed = !file.ends_with(".ko");
  if (!compressed) {
    const result<std::string> release = release_of_module(file);
    if (!release) return tl::unexpected(release.error());
    if (*release != running) {
      return fail(file, fmt::format("is for kernel {}, this is {}", *release, running),
                  "numatch module build makes one for this kernel");
    }
  }
  const owned_fd opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!opened) return fail(file, std::strerror(errno));
  constexpr int is_compressed = 4;  // MODULE_INIT_COMPRESSED_FILE, Linux 5.17
  if (::syscall(SYS_finit_module, opened.get(), parameters.c_str(),
                compressed ? is_compressed : 0) == 0) {
    return {};
  }
  load_refusal refusal{.file = file, .code = errno};
  refusal.may_load = may_load_modules(tree);
  refusal.loading_is_off = tree.number<int>("/proc/sys/kernel/modules_disabled").value_or(0) != 0;
  refusal.lockdown = tree.chosen("/sys/kernel/security/lockdown");
  if (has_more_to_say(refusal.code)) refusal.kernel_says = last_words(kernel_log());
  return tl::unexpected(load_error(refusal));
}

result<void> unload_module() {
  if (::syscall(SYS_delete_module, name, O_NONBLOCK) == 0) return {};
  switch (errno) {
    case ENOENT:
      return fail("module numatch", "is not loaded");
    case EPERM:
      return fail("module numatch", "this user may not unload kernel modules", "be root");
    case EWOULDBLOCK:
    case EBUSY:
      return fail("module numatch",
                  "is in use: by a session, or by threads that have slept since one ended",
                  "end what observes; a thread that sleeps must run once, or end");
    default:
      return fail("module numatch", std::strerror(errno));
  }
}

}  // namespace numatch::live
