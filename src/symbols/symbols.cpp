// SPDX-License-Identifier: Apache-2.0
#include "symbols/symbols.hpp"

#include <map>

#include "symbols/binary.hpp"

namespace numatch::symbols {

namespace {
/// A binary at one place of the address space.
struct image {
  std::uint64_t end = 0;
  binary* file = nullptr;
  std::uint64_t bias = 0;
};
}  // namespace

struct symbolizer::state {
  std::map<std::string, std::unique_ptr<binary>> files;
  std::map<std::uint64_t, image> images;  // by first address; they do not overlap

  const image* find(std::uint64_t address) const {
    std::map<std::uint64_t, image>::const_iterator after = images.upper_bound(address);
    if (after == images.begin()) return nullptr;
    const image& before = std::prev(after)->second;
    return address < before.end ? &before : nullptr;
  }

  /// Cuts [first, end) out of whatever was there.
  void clear(std::uint64_t first, std::uint64_t end) {
    std::map<std::uint64_t, image>::iterator at = images.lower_bound(first);
    if (at != images.begin() && std::prev(at)->second.end > first) {
      image& before = std::prev(at)->second;
      if (before.end > end) images.emplace(end, before);
      before.end = first;
    }
    at = images.lower_bound(first);
    while (at != images.end() && at->first < end) {
      if (at->second.end > end) images.emplace(end, at->second);
      at = images.erase(at);
    }
  }
};

symbolizer::symbolizer() : state_(std::make_unique<state>()) {}
symbolizer::symbolizer(symbolizer&&) noexcept = default;
symbolizer& symbolizer::operator=(symbolizer&&) noexcept = default;
symbolizer::~symbolizer() = default;

void symbolizer::add(const module_mapping& mapped) {
  if (mapped.bytes == 0 || mapped.path.empty()) return;
  std::unique_ptr<binary>& file = state_->files[mapped.path];
  if (!file) file = std::make_unique<binary>(mapped.path);
  const std::optional<std::uint64_t> bias = file->bias(mapped.address, mapped.file_offset);
  std::uint64_t end = mapped.address + mapped.bytes;
  // .bss lies behind the last byte of the file and is mapped without it.
  if (bias && file->image_end() != 0) {
    const std::uint64_t image_end = file->image_end() + *bias;
    const std::map<std::uint64_t, image>::iterator next = state_->images.lower_bound(end);
    const bool free = next == state_->images.end() || next->first >= image_end;
    if (image_end > end && free) end = image_end;
  }
  state_->clear(mapped.address, end);
  state_->images[mapped.address] = {end, file.get(), bias.value_or(mapped.address)};
}

void symbolizer::remove(std::uint64_t address, std::uint64_t bytes) {
  if (address + bytes > address) state_->clear(address, address + bytes);
}

std::string_view symbolizer::module_of(std::uint64_t address) const {
  const image* const at = state_->find(address);
  return at == nullptr ? std::string_view{} : std::string_view{at->file->path()};
}

std::vector<code_location> symbolizer::code(std::uint64_t address) {
  const image* const at = state_->find(address);
  if (at == nullptr) return {};
  return at->file->code(address - at->bias);
}

std::optional<data_location> symbolizer::data(std::uint64_t address) {
  const image* const at = state_->find(address);
  if (at == nullptr) return std::nullopt;
  std::optional<data_location> found = at->file->data(address - at->bias);
  if (found) {
    found->address += at->bias;
    found->module = at->file->path();
  }
  return found;
}

const code_location* own_frame(const std::vector<code_location>& frames) {
  for (const code_location& frame : frames) {
    const std::string_view file = frame.file;
    const bool system = file.empty() || file.starts_with("/usr/include/") ||
                        file.starts_with("/usr/lib/") || file.find("/include/c++/") != file.npos;
    if (!system) return &frame;
  }
  return frames.empty() ? nullptr : &frames.back();
}

}  // namespace numatch::symbols
