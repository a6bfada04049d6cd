// SPDX-License-Identifier: Apache-2.0
// vsearch: nearest neighbours among many vectors, with the index laid out over NUMA nodes.
#include <getopt.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <exception>
#include <string>

#include "beside.hpp"
#include "checksum.hpp"
#include "command_words.hpp"
#include "hdf5_file.hpp"
#include "numatch/annotate.h"
#include "search_engine.hpp"

namespace {

using namespace vsearch;

constexpr const char* usage =
    R"(usage: vsearch [--index exact|lsh|ivf] [--layout flat|interleaved|replicated|partitioned]
               [--parts N] [-k N] [--truth] [--beside] [--seed N]
               [--base FILE --queries FILE [--neighbours FILE] | --hdf5 FILE
                | --generate BASE,QUERIES,DIMENSION [--write NAME]]
Finds the k nearest base vectors of every query and prints how fast, a checksum of the answers,
and with --truth the recall against an exact scan; with --beside also what faiss (exact, IVF-flat,
both in IndexShards) and hnswlib do with the same data and as many threads. FILEs are fvecs, neighbours ivecs (TEXMEX), or
one HDF5 file of ann-benchmarks; whoever owns a part reads it from there. Where neighbours come with
the data the recall is that against them. --write makes NAME.base.fvecs and NAME.queries.fvecs, and
searches nothing.
Example: vsearch --index ivf --layout partitioned --generate 20000,200,64 --truth
)";

struct request {
  engine_options engine;
  std::size_t k = 20;
  std::uint64_t seed = 1;
  bool truth = false;
  bool beside = false;
  std::string base;
  std::string queries;
  std::string neighbours;
  std::string hdf5;
  std::string write;
  std::array<std::size_t, 3> generate{20000, 200, 64};
};

request parse(int argc, char** argv) {
  const option options[] = {
      {"index", required_argument, nullptr, 'i'},   {"layout", required_argument, nullptr, 'l'},
      {"parts", required_argument, nullptr, 'p'},   {"base", required_argument, nullptr, 'b'},
      {"queries", required_argument, nullptr, 'q'}, {"generate", required_argument, nullptr, 'g'},
      {"seed", required_argument, nullptr, 's'},    {"truth", no_argument, nullptr, 't'},
      {"beside", no_argument, nullptr, 'B'},        {"neighbours", required_argument, nullptr, 'n'},
      {"hdf5", required_argument, nullptr, '5'},    {"write", required_argument, nullptr, 'w'},
      {"help", no_argument, nullptr, 'h'},          {nullptr, 0, nullptr, 0}};
  request wanted;
  for (int c = 0; (c = getopt_long(argc, argv, "k:h", options, nullptr)) != -1;) {
    switch (c) {
      case 'i':
        wanted.engine.index = known(index_kind_named(optarg), optarg);
        break;
      case 'l':
        wanted.engine.how = known(layout_named(optarg), optarg);
        break;
      case 'p':
        wanted.engine.parts = whole(optarg);
        break;
      case 'b':
        wanted.base = optarg;
        break;
      case 'q':
        wanted.queries = optarg;
        break;
      case 's':
        wanted.seed = whole(optarg);
        break;
      case 't':
        wanted.truth = true;
        break;
      case 'B':
        wanted.beside = true;
        break;
      case 'n':
        wanted.neighbours = optarg;
        break;
      case '5':
        wanted.hdf5 = optarg;
        break;
      case 'w':
        wanted.write = optarg;
        break;
      case 'k':
        wanted.k = whole(optarg);
        break;
      case 'g':
        wanted.generate = three(optarg);
        break;
      case 'h':
        std::fputs(usage, stdout);
        std::exit(0);
      default:
        throw usage_error("see vsearch --help");
    }
  }
  if (optind < argc) throw usage_error("'" + std::string(argv[optind]) + "' is not understood");
  if (wanted.base.empty() != wanted.queries.empty()) {
    throw usage_error("--base and --queries belong together");
  }
  const bool has_files = !wanted.base.empty() || !wanted.hdf5.empty();
  if (!wanted.write.empty() && has_files) {
    throw usage_error("--write is for what --generate makes");
  }
  if (!wanted.hdf5.empty() && !wanted.base.empty()) {
    throw usage_error("--hdf5 has base and queries in one file");
  }
  if (!wanted.neighbours.empty() && wanted.base.empty()) {
    throw usage_error("--neighbours belongs to --base and --queries");
  }
  return wanted;
}

/// The base, which its owners read, the queries, and their true neighbours if somebody knows them.
struct data {
  explicit data(const request& wanted) {
    if (!wanted.hdf5.empty()) {
      hdf5_data opened = open_hdf5(wanted.hdf5);
      base = std::move(opened.base);
      made.queries = std::move(opened.queries);
      neighbours = std::move(opened.neighbours);
    } else if (!wanted.base.empty()) {
      base = open_fvecs(wanted.base);
      made.queries = read_fvecs(wanted.queries);
      if (!wanted.neighbours.empty()) neighbours = read_ivecs(wanted.neighbours);
    } else {
      made = generate(wanted.generate[0], wanted.generate[1], wanted.generate[2], wanted.seed);
      base = std::make_unique<memory_source>(made.base);
    }
    if (base->dimension() != made.queries.dimension()) {
      throw std::runtime_error("the queries have another dimension than the base");
    }
    if (!neighbours.empty() && neighbours.size() != made.queries.size()) {
      throw std::runtime_error(wanted.neighbours + ": there are neighbours of " +
                               std::to_string(neighbours.size()) + " queries, but " +
                               std::to_string(made.queries.size()) + " queries");
    }
  }
  made_data made{vector_set(1), vector_set(1)};
  std::unique_ptr<vector_source> base;
  std::vector<std::vector<std::uint32_t>> neighbours;
};

double recall_of(const answers& found, const answers& truth) {
  double sum = 0;
  for (std::size_t q = 0; q < truth.size(); ++q) sum += recall(found[q], truth[q]);
  return sum / static_cast<double>(truth.size());
}

/// Which share of the first k that are known to be the nearest was found.
double recall_of(const answers& found, const std::vector<std::vector<std::uint32_t>>& neighbours,
                 std::size_t k) {
  std::size_t hits = 0;
  std::size_t all = 0;
  for (std::size_t q = 0; q < found.size(); ++q) {
    for (std::size_t i = 0; i < std::min(k, neighbours[q].size()); ++i) {
      ++all;
      hits += static_cast<std::size_t>(
          std::count_if(found[q].begin(), found[q].end(),
                        [&](const neighbour& one) { return one.number == neighbours[q][i]; }));
    }
  }
  return all == 0 ? 1 : static_cast<double>(hits) / static_cast<double>(all);
}

/// What other libraries do with the same data.
void print_beside(const request& wanted, numatch::runtime& nodes, const data& loaded,
                  const answers& truth) {
  beside_options options;
  options.k = wanted.k;
  options.parts =
      wanted.engine.parts > 0 ? wanted.engine.parts : std::max<std::size_t>(nodes.size(), 2);
  options.threads = 0;
  for (std::size_t n = 0; n < nodes.size(); ++n) options.threads += nodes.threads().threads(n);
  options.lists = wanted.engine.ivf.lists;
  options.probes = wanted.engine.ivf.probes;
  const vector_set base = loaded.base->slice(0, 1, std::pmr::get_default_resource());
  for (const beside_row& row : run_beside(base, loaded.made.queries, truth, options)) {
    if (!row.built) {
      std::printf("beside    %s: left out, it was not there when this was built\n",
                  row.name.c_str());
      continue;
    }
    std::printf("beside    %s: queries/s %.0f (measured, %zu threads), recall@%zu %.4f",
                row.name.c_str(), row.queries_per_second, options.threads, wanted.k, row.recall);
    if (!row.compared_with.empty()) {
      std::printf(", answers of %s: %zu of %zu", row.compared_with.c_str(), row.same,
                  loaded.made.queries.size());
    }
    std::printf("\n");
  }
}

void run(const request& wanted) {
  const data loaded(wanted);
  const vector_set& queries = loaded.made.queries;
  if (!wanted.write.empty()) {
    write_fvecs(loaded.made.base, wanted.write + ".base.fvecs");
    write_fvecs(queries, wanted.write + ".queries.fvecs");
    return;
  }
  numatch::runtime nodes;
  std::printf("nodes     %s\n", nodes.machine().why().c_str());
  const std::unique_ptr<search_engine> engine = make_engine(nodes, *loaded.base, wanted.engine);

  NUMATCH_ROI_BEGIN();
  NUMATCH_REGION_BEGIN("query");
  const auto before = std::chrono::steady_clock::now();
  const answers found = engine->search(queries, wanted.k);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - before;
  NUMATCH_REGION_END("query");
  NUMATCH_ROI_END();
  checksum sum;
  for (const std::vector<neighbour>& one : found) sum.add(one);

  std::printf("queries/s %.0f (measured, %zu queries)\n",
              static_cast<double>(found.size()) / took.count(), found.size());
  std::printf("checksum  %016llx\n", static_cast<unsigned long long>(sum.value()));
  if (!loaded.neighbours.empty()) {
    std::printf("recall@%zu %.4f (against the neighbours of the data)\n", wanted.k,
                recall_of(found, loaded.neighbours, wanted.k));
  }
  if (wanted.truth || wanted.beside) {
    const answers truth = make_engine(nodes, *loaded.base, {})->search(queries, wanted.k);
    std::printf("recall@%zu %.4f\n", wanted.k, recall_of(found, truth));
    if (wanted.beside) print_beside(wanted, nodes, loaded, truth);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(parse(argc, argv));
    return 0;
  } catch (const usage_error& wrong) {
    std::fprintf(stderr, "vsearch: %s\n%s", wrong.what(), usage);
  } catch (const std::exception& wrong) {
    std::fprintf(stderr, "vsearch: %s\n", wrong.what());
  }
  return 2;
}
