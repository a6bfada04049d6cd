// SPDX-License-Identifier: Apache-2.0
#include "beside.hpp"

#include <chrono>
#include <utility>

namespace vsearch {

std::vector<beside_row> run_beside(const vector_set& base, const vector_set& queries,
                                   const answers& exact, const beside_options& options) {
  std::vector<beside_row> rows;
  const auto run = [&](std::string name, std::unique_ptr<other_index> index, std::size_t effort,
                       const std::string& whose, const found_numbers& expected) {
    beside_row row;
    row.name = std::move(name);
    row.built = index != nullptr;
    found_numbers found;
    if (index != nullptr) {
      index->set_effort(effort);
      const auto before = std::chrono::steady_clock::now();
      found = index->search(queries, options.k);
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - before;
      row.queries_per_second = static_cast<double>(queries.size()) / took.count();
      row.recall = recall_of(found, exact);
      row.compared_with = whose;
      row.same = same_answers(found, expected);
    }
    rows.push_back(std::move(row));
    return found;
  };
  const std::string parts = std::to_string(options.parts);
  const found_numbers truth = numbers_of(exact);
  run("faiss, exact", make_faiss_flat(base, options.threads), 0, "the exact scan", truth);
  run("faiss, exact in " + parts + " IndexShards",
      make_faiss_flat_shards(base, options.parts, options.threads), 0, "the exact scan", truth);
  const found_numbers whole =
      run("faiss, IVF-flat", make_faiss_ivf(base, options.lists, options.threads), options.probes,
          "", {});
  run("faiss, IVF-flat in " + parts + " IndexShards",
      make_faiss_ivf_shards(base, options.parts, options.lists, options.threads), options.probes,
      "faiss, IVF-flat", whole);
  run("hnswlib", make_hnsw(base, options.threads), options.candidates, "", {});
  return rows;
}

}  // namespace vsearch
