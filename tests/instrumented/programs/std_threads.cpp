// SPDX-License-Identifier: Apache-2.0
// The same hand-overs with the C++ library, which creates, joins and waits inside itself; objects
// with virtual functions; a constructor that works before main; an exception.
#include <numatch/annotate.h>

#include <condition_variable>
#include <cstdio>
#include <future>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int n = 500;
long before_main[n];
long by_thread[n];
long by_join[n];
long by_condition[n];
std::mutex mutex;
std::condition_variable condition;
bool ready = false;

struct early {
  early() {
    for (int i = 0; i < n; ++i) before_main[i] = i;
  }
};
early made_before_main;

void fill(long* values) {
  for (int i = 0; i < n; ++i) values[i] = i;
}
long sum(const long* values) {
  long total = 0;
  for (int i = 0; i < n; ++i) total += values[i];
  return total;
}

struct shape {
  virtual ~shape() = default;
  virtual long area() const = 0;
};
struct square final : shape {
  explicit square(long s) : side(s) {}
  long area() const override {
    if (side < 0) throw std::runtime_error("negative");
    return side * side;
  }
  long side;
};

}  // namespace

int main() {
  NUMATCH_LABEL(before_main, sizeof before_main, "before_main");
  NUMATCH_LABEL(by_thread, sizeof by_thread, "by_thread");
  NUMATCH_LABEL(by_join, sizeof by_join, "by_join");
  NUMATCH_LABEL(by_condition, sizeof by_condition, "by_condition");
  const long expected = static_cast<long>(n) * (n - 1) / 2;
  bool right = sum(before_main) == expected;
  fill(by_thread);
  std::thread worker([&] {
    right = right && sum(by_thread) == expected;
    fill(by_condition);
    {
      const std::lock_guard<std::mutex> lock(mutex);
      ready = true;
    }
    condition.notify_one();
    fill(by_join);
  });
  {
    std::unique_lock<std::mutex> lock(mutex);
    condition.wait(lock, [] { return ready; });
  }
  const long received = sum(by_condition);
  worker.join();
  right = right && received == expected && sum(by_join) == expected;

  std::vector<std::unique_ptr<shape>> shapes;
  for (long i = -1; i < 10; ++i) shapes.push_back(std::make_unique<square>(i));
  long area = 0;
  for (const std::unique_ptr<shape>& s : shapes) {
    try {
      area += s->area();
    } catch (const std::exception& e) {
      area += static_cast<long>(std::string(e.what()).size());
    }
  }
  std::future<long> later = std::async(std::launch::async, [] { return sum(by_join); });
  right = right && later.get() == expected;
  std::printf("%d %ld\n", right, area);
  return right ? 0 : 1;
}
