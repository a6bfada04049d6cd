// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include "base/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace numatch {

namespace {
tl::unexpected<error> system_error(const std::filesystem::path& path, int code,
                                   std::string hint = {}) {
  return fail(path.string(), std::strerror(code), std::move(hint));
}
}  // namespace

result<atomic_file> atomic_file::create(std::filesystem::path target) {
  if (std::error_code ignored; std::filesystem::is_directory(target, ignored)) {
    return fail(target.string(), "is a directory", "name a file");
  }
  atomic_file file;
  file.target_ = std::move(target);
  std::string name =
      (file.target_.parent_path() / ("." + file.target_.filename().string() + ".XXXXXX")).string();
  file.descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
  if (file.descriptor_ < 0)
    return system_error(file.target_, errno, "choose a folder you may write to");
  file.temporary_ = name;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(file.descriptor_, 0666 & ~mask);
  return file;
}

atomic_file::atomic_file(atomic_file&& other) noexcept
    : target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

atomic_file& atomic_file::operator=(atomic_file&& other) noexcept {
  if (this != &other) {
    abandon();
    target_ = std::move(other.target_);
    temporary_ = std::exchange(other.temporary_, {});
    descriptor_ = std::exchange(other.descriptor_, -1);
  }
  return *this;
}

atomic_file::~atomic_file() {
  abandon();
}

void atomic_file::abandon() noexcept {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  descriptor_ = -1;
  temporary_.clear();
}

result<void> atomic_file::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(descriptor_, bytes.data(), bytes.size());
    if (n < 0) {
      if (errno == EINTR) continue;
      return system_error(target_, errno, errno == ENOSPC ? "free some space" : "");
    }
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

result<void> atomic_file::commit() {
  if (::fsync(descriptor_) != 0 && errno != EINVAL) return system_error(target_, errno);
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) return system_error(target_, errno);
  temporary_.clear();
  abandon();
  return {};
}

result<void> write_file(const std::filesystem::path& target, std::string_view text) {
  result<atomic_file> file = atomic_file::create(target);
  if (!file) return tl::unexpected(file.error());
  if (result<void> r = file->write(text); !r) return r;
  return file->commit();
}

result<std::string> read_file(const std::filesystem::path& path, std::size_t limit) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return system_error(path, errno);
  struct stat status{};
  std::string text;
  if (::fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
    ::close(descriptor);
    return fail(path.string(), "is a directory", "name a file");
  }
  char buffer[65536];
  for (;;) {
    const ssize_t n = ::read(descriptor, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const int code = errno;
      ::close(descriptor);
      return system_error(path, code);
    }
    if (n == 0) break;
    text.append(buffer, static_cast<std::size_t>(n));
    if (text.size() > limit) {
      ::close(descriptor);
      return fail(path.string(), fmt::format("is larger than {} bytes", limit));
    }
  }
  ::close(descriptor);
  return text;
}

}  // namespace numatch
