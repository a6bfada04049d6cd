// SPDX-License-Identifier: Apache-2.0
#include "report/samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace numatch::test {

namespace {

/// Collects page uses and derives from them what a detector of every access would have counted.
class builder {
 public:
  builder(std::string command, std::size_t threads, std::uint32_t windows) {
    p_.command = std::move(command);
    p_.mechanism = "oracle";
    p_.frontend = "qemu";
    p_.matrix_unit = "accesses";
    p_.time_unit = "instructions";
    p_.sharing = sharing_matrix(threads);
    for (std::uint32_t t = 0; t < threads; ++t) {
      p_.threads.push_back({1000 + t, t == 0 ? "main" : "worker", 0, windows * 1000, 0, 0});
    }
    for (std::uint32_t w = 0; w < windows; ++w) p_.windows.push_back({w * 1000, w * 1000 + 1000});
  }

  void use(std::uint64_t first, std::uint64_t pages, std::uint32_t window, std::size_t thread,
           std::uint64_t reads, std::uint64_t writes) {
    const std::uint32_t id = static_cast<std::uint32_t>(thread);
    p_.pages.push_back({page_number(first), pages, window, thread_id(id), reads, writes});
    p_.threads[thread].accesses += pages * (reads + writes);
    p_.threads[thread].instructions += 3 * pages * (reads + writes);
    p_.total_accesses += pages * (reads + writes);
  }

  void share(std::size_t a, std::size_t b, double amount) {
    p_.sharing.add(a, b, amount / 2);
    p_.sharing.add(b, a, amount / 2);
  }

  profile& learned() { return p_; }

  profile finish() {
    std::stable_sort(p_.pages.begin(), p_.pages.end(), [](const page_use& a, const page_use& b) {
      return std::tie(a.first_page, a.window, a.thread) <
             std::tie(b.first_page, b.window, b.thread);
    });
    return std::move(p_);
  }

 private:
  profile p_;
};

data_object make_object(object_kind kind, std::string name, std::string function, std::string file,
                        std::uint32_t line, std::uint64_t bytes) {
  data_object o;
  o.kind = kind;
  o.name = std::move(name);
  o.function = std::move(function);
  o.file = std::move(file);
  o.line = line;
  o.bytes = bytes;
  o.accesses = bytes / 8;
  return o;
}

constexpr std::uint64_t heap = 0x55d0c0a10;
constexpr std::uint64_t stacks = 0x7f2a41200;
constexpr std::uint32_t windows = 12;

}  // namespace

profile ring_sample(std::size_t threads, std::uint64_t own) {
  builder b(fmt::format("./stencil --threads {} --size 64", threads), threads, windows);
  const std::uint64_t part = own + 2;
  for (std::size_t t = 0; t < threads; ++t) {
    b.use(heap + t * part, own, 0, 0, 0, 40);
    b.use(heap + t * part + own, 2, 0, 0, 0, 40);
  }
  for (std::uint32_t w = 1; w < windows; ++w) {
    for (std::size_t t = 0; t < threads; ++t) {
      b.use(heap + t * part, own, w, t, 300, 100);
      b.use(heap + t * part + own, 2, w, t, 300 + 10 * (t % 3), 100);
      b.use(heap + t * part + own, 2, w, (t + 1) % threads, 100, 0);
    }
  }
  for (std::uint32_t w = 0; w < windows; ++w) {
    for (std::size_t t = 0; t < threads; ++t) b.use(stacks + 0x900 * t, 2, w, t, 20, 20);
  }
  for (std::size_t t = 0; t < threads; ++t) {
    b.share(t, (t + 1) % threads, 2200);
    if (t > 0) b.share(0, t, 60);
  }
  profile& p = b.learned();
  p.objects = {make_object(object_kind::heap, "malloc at grid.c:41", "make_grid", "grid.c", 41,
                           part * threads * 4096),
               make_object(object_kind::global, "residuals", "", "solve.c", 12, 64 * threads),
               make_object(object_kind::stack, "stack of thread 1", "", "", 0, 8192)};
  p.objects[0].shared_pages = 2 * threads;
  p.objects[1].shared_pages = 1;
  for (std::uint32_t t = 0; t < threads; ++t) {
    p.objects[0].shared_accesses[t] = 9000 + t;
    p.objects[1].shared_accesses[t] = 500;
  }
  false_sharing line;
  line.line_address = heap * 4096 + 0x1240;
  line.object = 1;
  line.accesses = 5600;
  line.writes = 2800;
  for (std::uint32_t t = 0; t < std::min<std::size_t>(threads, 8); ++t) {
    const std::uint64_t mine = std::uint64_t{0xff} << (8 * t);
    line.parts.push_back({thread_id(t), mine, mine, 700});
  }
  p.false_shares = {line};
  return b.finish();
}

profile private_sample() {
  builder b("./private --threads 4", 4, 2);
  for (std::size_t t = 0; t < 4; ++t) {
    for (std::uint32_t w = 0; w < 2; ++w) b.use(heap + t * 64, 64, w, t, 500, 500);
  }
  b.use(stacks, 1, 0, 0, 1, 1);
  b.use(stacks, 1, 1, 1, 1, 0);
  b.share(0, 1, 1);
  return b.finish();
}

profile transpose_sample() {
  builder b("./transpose", 8, 1);
  for (std::size_t i = 0; i < 8; ++i) {
    b.learned().threads[i].name.clear();
    b.learned().threads[i].accesses = 100000;
    for (std::size_t j = i + 1; j < 8; ++j) b.share(i, j, 4000 + 10 * static_cast<double>(i + j));
  }
  b.learned().total_accesses = 800000;
  b.learned().mechanism = "lapt";
  b.learned().matrix_unit = "TLB misses";
  b.learned().how = evidence::simulated;
  return b.finish();
}

profile hostile_sample() {
  const std::string attack = "</script><script>document.title='owned'</script>";
  const std::string image = "\"'><img src=x onerror=\"document.title='owned'\">{{data}}<!--";
  profile p = ring_sample(4);
  p.command = attack + image;
  p.matrix_unit = "acc<b>esses";
  p.time_unit = "ticks" + attack;
  for (profiled_thread& t : p.threads) t.name = attack + image;
  p.objects[0].name = image + attack;
  p.objects[0].function = image;
  p.objects[0].file = "\xff\xfe\x01" + attack;
  p.objects[1].name = attack;
  return p;
}

profile groups_sample(std::size_t threads) {
  builder b("./groups", threads, 6);
  for (std::size_t i = 0; i < threads; ++i) {
    for (std::uint32_t w = 0; w < 6; ++w) {
      b.use(heap + 0x1000 * (i % 2), 8, w, i, 50, 50);
      b.use(heap + 0x10000 + 16 * i, 16, w, i, 50, 50);
    }
    for (std::size_t j = i + 2; j < threads; j += 2) b.share(i, j, 1000);
  }
  return b.finish();
}

const std::vector<named_sample>& all_samples() {
  static const std::vector<named_sample> samples{{"ring", [] { return ring_sample(8); }},
                                                 {"private", private_sample},
                                                 {"transpose", transpose_sample},
                                                 {"hostile", hostile_sample},
                                                 {"groups", [] { return groups_sample(8); }},
                                                 {"two", [] { return ring_sample(2); }},
                                                 {"many", [] { return ring_sample(512, 3); }},
                                                 {"crowd", [] { return ring_sample(1500, 1); }}};
  return samples;
}

}  // namespace numatch::test
