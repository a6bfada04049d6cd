// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "reproduce/suite.hpp"

// Where a suite's program comes from: a file of its own, or a layout of the user's directory of
// sources. Nothing is run here.

namespace numatch::reproduce {

/// What {word} stands for in the texts of a suite.
using places = std::map<std::string, std::string, std::less<>>;

/// {program}, {class}, {threads}, {size}, and the program's own words. Whoever runs programs adds
/// {sources}, {suite} and {programs}, the folders.
places places_of(const suite_program& program, const suite_class& size);

/// The text with each {word} of `known` replaced; other braces stay.
std::string filled(std::string_view text, const places& known);
std::vector<std::string> filled(const std::vector<std::string>& texts, const places& known);

/// What is in a folder under a path with *, ? and [...], sorted.
std::vector<std::filesystem::path> matches(const std::filesystem::path& folder,
                                           const std::string& pattern);

/// The first of the suite's layouts that the directory has for this program. Errors: no directory
/// was named, it is not there, it has none of them.
result<const suite_layout*> layout_of(const suite& of, const suite_program& program,
                                      const places& known, const std::filesystem::path& sources);

/// The paths below `sources` that a layout's build needs: those of its `copy`, or all.
std::vector<std::filesystem::path> copied_by(const suite_layout& layout, const places& known,
                                             const std::filesystem::path& sources);

/// Names and contents of all files below these paths, as a text for descriptions. Symbolic links
/// count with where they point.
result<std::string> contents_of(const std::filesystem::path& folder,
                                const std::vector<std::filesystem::path>& paths);

}  // namespace numatch::reproduce
