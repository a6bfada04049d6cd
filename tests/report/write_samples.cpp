// SPDX-License-Identifier: Apache-2.0
// write_samples FOLDER: every synthetic profile of samples.hpp as FOLDER/NAME.nmp.
#include <cstdio>
#include <filesystem>

#include "report/samples.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: write_samples FOLDER\n");
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  for (const numatch::test::named_sample& sample : numatch::test::all_samples()) {
    const numatch::result<void> saved =
        numatch::save_profile(sample.make(), folder / (std::string(sample.name) + ".nmp"));
    if (!saved) {
      std::fprintf(stderr, "write_samples: %s\n", saved.error().message().c_str());
      return 1;
    }
  }
  return 0;
}
