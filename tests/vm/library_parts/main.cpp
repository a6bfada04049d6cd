// SPDX-License-Identifier: Apache-2.0
// Builds the containers of numatch::numa and has somebody else look where they are:
//
//     library_parts [--parts N] [--mib M] [--pages base|transparent|huge] [--run-by pool|arenas]
//                   [--look COMMAND] FOLDER
//
// N parts (8) of M MiB (2) in one big and many small pieces, a partitioned_vector, and a replicated
// vector of 3 MiB. After building, and again after every part has gone to the next node,
//   FOLDER/STEP         is a report as ring_program writes them: regions 0… are the pages that the
//                       parts use, 100… the blocks of the vector, 200… the copies; the threads are
//                       those that worked
//   FOLDER/STEP.owners  says on which node each region should be: "region R NODE"
//   FOLDER/STEP.cpus    says on which CPU work ran: "part P node NODE cpu CPU"
// and COMMAND, if given, is run with the report's path. On standard output stand the topology's
// sentence and what placement() tells. STEP is `built` or `moved`.
#include <getopt.h>
#include <sched.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <mutex>
#include <numatch/numa.hpp>
#include <set>
#include <string>
#include <tuple>

namespace {

struct request {
  std::size_t parts = 8;
  std::size_t mib = 2;
  numatch::runtime_options options;
  std::string look;
  std::string folder;
};

/// The bytes of something, as pages.
using page_set = std::set<std::uintptr_t>;
void add_pages(page_set& pages, const void* at, std::size_t bytes) {
  constexpr std::uintptr_t page = 4096;
  const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(at);
  for (std::uintptr_t p = first / page * page; p < first + bytes; p += page) pages.insert(p);
}

/// A part of all sizes of pieces.
struct part {
  part(std::size_t bytes, std::pmr::memory_resource* memory)
      : large(bytes, 'x', memory), small(memory) {
    for (int i = 0; i < 2000; ++i) small.emplace(i, std::pmr::string(i % 100, 'y'));
  }
  page_set pages() const {
    page_set all;
    add_pages(all, this, sizeof *this);
    add_pages(all, large.data(), large.size());
    for (const std::pair<const int, std::pmr::string>& one : small) {
      add_pages(all, &one, sizeof one);
      add_pages(all, one.second.data(), one.second.size() + 1);
    }
    return all;
  }
  bool is_whole() const {
    for (const char c : large) {
      if (c != 'x') return false;
    }
    for (const auto& [i, text] : small) {
      if (text != std::pmr::string(i % 100, 'y')) return false;
    }
    return small.size() == 2000;
  }
  std::pmr::vector<char> large;
  std::pmr::map<int, std::pmr::string> small;
};

/// Where work ran, and which threads did it. Thread safe.
class work_log {
 public:
  void add(std::size_t part, std::size_t node) {
    const std::lock_guard<std::mutex> held(lock_);
    places_.emplace(part, node, sched_getcpu());
    threads_.insert(gettid());
  }
  void write_threads(std::ostream& out) const {
    std::size_t number = 0;
    for (const pid_t thread : threads_) out << "thread " << number++ << ' ' << thread << '\n';
  }
  void write_cpus(std::ostream& out) const {
    for (const auto& [part, node, cpu] : places_) {
      out << "part " << part << " node " << node << " cpu " << cpu << '\n';
    }
  }

 private:
  std::mutex lock_;
  std::set<std::tuple<std::size_t, std::size_t, int>> places_;
  std::set<pid_t> threads_;
};

class program {
 public:
  explicit program(const request& wanted)
      : wanted_(wanted),
        nodes_(numatch::topology::system(), wanted.options),
        parts_(nodes_, wanted.parts,
               [&wanted](std::size_t, std::pmr::memory_resource* memory) {
                 return part(wanted.mib << 20, memory);
               }),
        vector_(nodes_, std::size_t{1} << 20, 1),
        copies_(nodes_, std::pmr::vector<char>(3 << 20, 'z')) {
    std::cout << nodes_.machine().why() << '\n';
  }

  bool run() {
    bool well = look("built");
    numatch::rebalance_plan next;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      next.node_of_part.push_back((parts_.owner(p) + 1) % nodes_.size());
    }
    const char* const before = parts_[0].large.data();
    parts_.rebalance(next);
    well = look("moved") && well;
    bool whole = before == parts_[0].large.data();
    for (std::size_t p = 0; p < parts_.size(); ++p) whole = whole && parts_[p].is_whole();
    std::cout << (whole ? "contents right\n" : "contents wrong\n");
    return well;
  }

 private:
  bool look(const std::string& step) {
    work_log log;
    parts_.for_each_part([&](part& one, std::size_t p) {
      nodes_.for_each_here(64, 1, [&](std::size_t i) {
        one.large[i] = 'x';
        log.add(p, memory_of(parts_.owner(p)));
      });
    });
    const std::string path = wanted_.folder + '/' + step;
    std::ofstream report(path);
    std::ofstream owners(path + ".owners");
    std::ofstream cpus(path + ".cpus");
    report << "process " << getpid() << '\n';
    log.write_threads(report);
    log.write_cpus(cpus);
    const auto region = [&](std::size_t number, std::size_t node, const page_set& pages) {
      for (const std::uintptr_t page : pages) {
        report << "region " << number << " private " << std::hex << page << std::dec << " 1\n";
      }
      owners << "region " << number << ' ' << memory_of(node) << '\n';
    };
    for (std::size_t p = 0; p < parts_.size(); ++p) region(p, parts_.owner(p), parts_[p].pages());
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      // The page that a block ends in is on its node, the page that it begins in need not be.
      const std::span<const long> block = vector_.block(node);
      page_set pages;
      add_pages(pages, block.data(), block.size_bytes());
      if (node > 0 && reinterpret_cast<std::uintptr_t>(block.data()) % 4096 != 0) {
        pages.erase(pages.begin());
      }
      region(100 + node, node, pages);
      const std::shared_ptr<const std::pmr::vector<char>> copy = copies_.snapshot(node);
      page_set of_copy;
      add_pages(of_copy, copy->data(), copy->size());
      region(200 + node, node, of_copy);
    }
    tell(step);
    report.close();
    owners.close();
    cpus.close();
    if (wanted_.look.empty()) return true;
    // The looker is a program of its own; its command is the caller's.
    const std::string command = wanted_.look + ' ' + path + " > " + path + ".places";
    return std::system(command.c_str()) == 0;  // NOLINT(cert-env33-c,bugprone-command-processor)
  }

  unsigned memory_of(std::size_t node) const { return nodes_.machine()[node].memory.value_or(0); }

  /// What placement() says about all parts together.
  void tell(const std::string& step) const {
    std::size_t home = 0;
    std::size_t elsewhere = 0;
    std::size_t unknown = 0;
    for (const numatch::part_placement& one : parts_.placement()) {
      unknown += one.where.unknown;
      for (const auto& [node, bytes] : one.where.bytes_on) {
        (one.memory && node == *one.memory ? home : elsewhere) += bytes;
      }
    }
    std::cout << step << ": " << home << " bytes at home, " << elsewhere << " elsewhere, "
              << unknown << " unknown\n";
  }

  const request wanted_;
  numatch::runtime nodes_;
  numatch::partitioned<part> parts_;
  numatch::partitioned_vector<long> vector_;
  numatch::replicated<std::pmr::vector<char>> copies_;
};

bool parse(int argc, char** argv, request& wanted) {
  const option options[] = {
      {"parts", required_argument, nullptr, 'n'}, {"mib", required_argument, nullptr, 'm'},
      {"pages", required_argument, nullptr, 'p'}, {"run-by", required_argument, nullptr, 'r'},
      {"look", required_argument, nullptr, 'l'},  {nullptr, 0, nullptr, 0}};
  const std::map<std::string, numatch::page_kind> pages{
      {"base", numatch::page_kind::base},
      {"transparent", numatch::page_kind::transparent},
      {"huge", numatch::page_kind::huge}};
  for (int c = 0; (c = getopt_long(argc, argv, "", options, nullptr)) != -1;) {
    const std::string text = optarg == nullptr ? "" : optarg;
    if (c == 'n') {
      wanted.parts = std::stoul(text);
    } else if (c == 'm') {
      wanted.mib = std::stoul(text);
    } else if (c == 'p' && pages.contains(text)) {
      wanted.options.memory.pages = pages.at(text);
    } else if (c == 'r' && (text == "pool" || text == "arenas")) {
      wanted.options.run_by =
          text == "arenas" ? numatch::backend::arenas : numatch::backend::pinned_pool;
    } else if (c == 'l') {
      wanted.look = text;
    } else {
      return false;
    }
  }
  if (optind + 1 != argc) return false;
  wanted.folder = argv[optind];
  return wanted.parts > 0 && wanted.parts <= 100 && wanted.mib > 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    request wanted;
    if (!parse(argc, argv, wanted)) {
      std::cerr << "usage: library_parts [--parts N] [--mib M] [--pages base|transparent|huge]\n"
                   "                     [--run-by pool|arenas] [--look COMMAND] FOLDER\n";
      return 2;
    }
    return program(wanted).run() ? 0 : 1;
  } catch (const std::exception& wrong) {
    std::cerr << "library_parts: " << wrong.what() << '\n';
    return 2;
  }
}
