// SPDX-License-Identifier: Apache-2.0
// imgsearch: pictures that look like others, with the index laid out over NUMA nodes.
#include <getopt.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

#include "checksum.hpp"
#include "command_words.hpp"
#include "pipeline.hpp"

namespace {

using namespace imgsearch;
using vsearch::known;
using vsearch::three;
using vsearch::usage_error;
using vsearch::whole;

constexpr const char* usage =
    "usage: imgsearch [--layout flat|interleaved|replicated|partitioned] [--parts N] [-k N]\n"
    "                 [--batch N] [--seed N] [--quiet]\n"
    "                 [--base FOLDER --queries FOLDER | --draw FAMILIES,MEMBERS,QUERIES]\n"
    "                 [--width N] [--write FOLDER]\n"
    "For every query the k pictures that look most like it: their names and earth mover's\n"
    "distances; then how fast, and a checksum of the answers. FOLDERs have .png or .ppm files;\n"
    "--draw makes its own pictures, in families that look alike, N pixels wide (96), and says how\n"
    "often a query finds its family first. --write puts drawn pictures into FOLDER/base and\n"
    "FOLDER/queries instead.\n"
    "Example: imgsearch --draw 50,4,20 --layout partitioned -k 4 --quiet\n";

struct request {
  pipeline_options pipeline;
  std::uint64_t seed = 1;
  bool quiet = false;
  std::string base;
  std::string queries;
  std::string write;
  std::array<std::size_t, 3> draw{50, 4, 20};
  std::size_t width = 96;
};

request parse(int argc, char** argv) {
  const option options[] = {
      {"layout", required_argument, nullptr, 'l'}, {"parts", required_argument, nullptr, 'p'},
      {"batch", required_argument, nullptr, 'n'},  {"seed", required_argument, nullptr, 's'},
      {"base", required_argument, nullptr, 'b'},   {"queries", required_argument, nullptr, 'q'},
      {"draw", required_argument, nullptr, 'd'},   {"width", required_argument, nullptr, 'W'},
      {"write", required_argument, nullptr, 'w'},  {"quiet", no_argument, nullptr, 'Q'},
      {"help", no_argument, nullptr, 'h'},         {nullptr, 0, nullptr, 0}};
  request wanted;
  for (int c = 0; (c = getopt_long(argc, argv, "k:h", options, nullptr)) != -1;) {
    switch (c) {
      case 'l': {
        wanted.pipeline.how = known(vsearch::layout_named(optarg), optarg);
        break;
      }
      case 'p':
        wanted.pipeline.parts = whole(optarg);
        break;
      case 'n':
        wanted.pipeline.batch = whole(optarg);
        break;
      case 's':
        wanted.seed = whole(optarg);
        break;
      case 'b':
        wanted.base = optarg;
        break;
      case 'q':
        wanted.queries = optarg;
        break;
      case 'd':
        wanted.draw = three(optarg);
        break;
      case 'W':
        wanted.width = whole(optarg);
        if (wanted.width < 8)
          throw usage_error("a picture has at least 8 pixels beside each other");
        break;
      case 'w':
        wanted.write = optarg;
        break;
      case 'Q':
        wanted.quiet = true;
        break;
      case 'k':
        wanted.pipeline.k = whole(optarg);
        break;
      case 'h':
        std::fputs(usage, stdout);
        std::exit(0);
      default:
        throw usage_error("see imgsearch --help");
    }
  }
  if (optind < argc) throw usage_error("'" + std::string(argv[optind]) + "' is not understood");
  if (wanted.base.empty() != wanted.queries.empty()) {
    throw usage_error("--base and --queries belong together");
  }
  if (!wanted.write.empty() && !wanted.base.empty()) {
    throw usage_error("--write is for pictures that --draw makes");
  }
  return wanted;
}

void print(const std::string& query, const std::vector<vsearch::neighbour>& answer,
           const picture_source& base) {
  std::printf("%s\n", query.c_str());
  for (const vsearch::neighbour& found : answer) {
    std::printf("  %8.3f  %s\n", static_cast<double>(found.distance),
                base.name(found.number).c_str());
  }
}

void search(const request& wanted, const picture_source& base, const picture_source& queries,
            const pipeline::output& look) {
  numatch::runtime nodes;
  std::printf("nodes     %s\n", nodes.machine().why().c_str());
  pipeline stages(nodes, base, wanted.pipeline);
  vsearch::checksum sum;
  const auto before = std::chrono::steady_clock::now();
  stages.search(queries, [&](std::size_t query, const std::vector<vsearch::neighbour>& answer) {
    if (!wanted.quiet) print(queries.name(query), answer, base);
    sum.add(answer);
    look(query, answer);
  });
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - before;
  std::printf("queries/s %.0f (measured, %zu queries, %zu pictures)\n",
              static_cast<double>(queries.size()) / took.count(), queries.size(), base.size());
  std::printf("checksum  %016llx\n", static_cast<unsigned long long>(sum.value()));
}

void write_all(const picture_source& from, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  for (std::size_t i = 0; i < from.size(); ++i) {
    write_ppm(from.load(i), folder / (from.name(i) + ".ppm"));
  }
}

void run(const request& wanted) {
  if (!wanted.base.empty()) {
    search(wanted, picture_files(pictures_in(wanted.base)),
           picture_files(pictures_in(wanted.queries)), [](auto&&...) {});
    return;
  }
  scene_options scenes;
  scenes.seed = wanted.seed;
  scenes.width = wanted.width;
  scenes.height = wanted.width * 3 / 4;
  const auto [families, members, asked] = wanted.draw;
  const drawn_scenes base(scenes, families, 1, members);
  const drawn_scenes queries(scenes, std::min(asked, families), 0, 1);
  if (!wanted.write.empty()) {
    write_all(base, std::filesystem::path(wanted.write) / "base");
    write_all(queries, std::filesystem::path(wanted.write) / "queries");
    return;
  }
  std::size_t right = 0;
  search(wanted, base, queries,
         [&](std::size_t query, const std::vector<vsearch::neighbour>& answer) {
           right += !answer.empty() && base.family(answer.front().number) == queries.family(query);
         });
  std::printf("family    %zu of %zu queries find theirs first\n", right, queries.size());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(parse(argc, argv));
    return 0;
  } catch (const usage_error& wrong) {
    std::fprintf(stderr, "imgsearch: %s\n%s", wrong.what(), usage);
  } catch (const std::exception& wrong) {
    std::fprintf(stderr, "imgsearch: %s\n", wrong.what());
  }
  return 2;
}
