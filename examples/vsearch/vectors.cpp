// SPDX-License-Identifier: Apache-2.0
#include "vectors.hpp"

#include <algorithm>
#include <cmath>

#include "draws.hpp"

namespace vsearch {

namespace {

constexpr std::size_t latent = 16;

/// Draws vectors around centres in a space of few dimensions and turns them into the full one.
class maker {
 public:
  maker(std::size_t dimension, std::uint64_t seed)
      : draw_(seed), turn_(dimension * latent), centres_(clusters * latent) {
    for (float& x : turn_) x = draw_.normal() * 12;
    for (float& x : centres_) x = draw_.normal();
  }
  std::vector<float> vector() {
    const std::size_t cluster = draw_.below(clusters);
    float inner[latent];
    for (std::size_t l = 0; l < latent; ++l) {
      inner[l] = centres_[cluster * latent + l] + 0.35F * draw_.normal();
    }
    std::vector<float> made(turn_.size() / latent);
    for (std::size_t d = 0; d < made.size(); ++d) {
      float x = 128 + 2 * draw_.normal();
      for (std::size_t l = 0; l < latent; ++l) x += turn_[d * latent + l] * inner[l];
      made[d] = std::round(std::clamp(x, 0.0F, 255.0F));
    }
    return made;
  }

 private:
  static constexpr std::size_t clusters = 256;
  draws draw_;
  std::vector<float> turn_;
  std::vector<float> centres_;
};

}  // namespace

made_data generate(std::size_t base, std::size_t queries, std::size_t dimension,
                   std::uint64_t seed) {
  maker make(dimension, seed);
  made_data made{vector_set(dimension), vector_set(dimension)};
  made.base.reserve(base);
  for (std::size_t i = 0; i < base; ++i) made.base.add(make.vector());
  for (std::size_t i = 0; i < queries; ++i) made.queries.add(make.vector());
  return made;
}

}  // namespace vsearch
