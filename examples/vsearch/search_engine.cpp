// SPDX-License-Identifier: Apache-2.0
#include "search_engine.hpp"

#include "exact_index.hpp"

namespace vsearch {

std::optional<index_kind> index_kind_named(std::string_view word) {
  if (word == "exact") return index_kind::exact;
  if (word == "lsh") return index_kind::lsh;
  if (word == "ivf") return index_kind::ivf;
  return std::nullopt;
}

answers search_engine::search(const vector_set& queries, std::size_t k) {
  std::vector<std::span<const float>> each;
  for (std::size_t q = 0; q < queries.size(); ++q) each.push_back(queries[q]);
  return index_->search(each, k);
}

namespace {

template <class Index>
std::unique_ptr<search_engine> laid_out(numatch::runtime& nodes, const vector_source& base,
                                        const placing& where,
                                        const typename Index::shared& learned) {
  return std::make_unique<search_engine>(
      lay_out<Index, std::span<const float>>(nodes, where, learned, base));
}

}  // namespace

std::unique_ptr<search_engine> make_engine(numatch::runtime& nodes, const vector_source& base,
                                           const engine_options& options) {
  memory* const ordinary = std::pmr::get_default_resource();
  switch (options.index) {
    case index_kind::lsh:
      return laid_out<lsh_index>(nodes, base, options,
                                 lsh_family(base.dimension(), options.lsh, ordinary));
    case index_kind::ivf:
      return laid_out<ivf_index>(nodes, base, options, ivf_centres(base, options.ivf, ordinary));
    case index_kind::exact:
      break;
  }
  return laid_out<exact_index>(nodes, base, options, {});
}

}  // namespace vsearch
