// SPDX-License-Identifier: Apache-2.0
#include "cli/show_text.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/expect_text.hpp"

namespace numatch::cli {
namespace {

/// Two threads on node 0, memory on nodes 0 and 2 of a machine with three.
live::process_view sample() {
  live::process_view view;
  view.pid = 77;
  view.name = "ring";
  for (int t = 0; t < 2; ++t) {
    live::task_view task;
    task.task = 77 + t;
    task.name = "ring";
    task.state = 'R';
    task.cpu = static_cast<unsigned>(t);
    task.node = 0;
    task.may_run_on = "0-5";
    task.cpu_seconds = 1.5;
    view.tasks.push_back(task);
  }
  for (unsigned n = 0; n < 3; ++n) {
    live::node_share share;
    share.node = n;
    view.nodes.push_back(share);
  }
  view.nodes[0].threads = 2;
  view.nodes[0].bytes = 3 << 20U;
  view.nodes[0].by_kind[0] = 3 << 20U;
  view.nodes[2].bytes = 1 << 20U;
  view.nodes[2].by_kind[2] = 1 << 20U;
  view.bytes = 4 << 20U;
  view.local_bytes = 3 << 20U;
  view.even_share = 0.5;
  live::mapped_pages heap;
  heap.first = 0x5000;
  heap.policy = "default";
  heap.kind = live::page_kind::heap;
  heap.pages_on = {{0, 768}};
  live::mapped_pages other;
  other.first = 0x7000;
  other.policy = "bind:2";
  other.pages_on = {{2, 256}};
  view.mappings = {other, heap};
  return view;
}

TEST(ShowText, SaysTheLocalShareAndWhereItsMemoryIs) {
  const std::string text = process_text(sample(), 20);
  EXPECT_TRUE(contains(text, "process 77 (ring): 2 threads, 4 MiB in memory\n"));
  EXPECT_TRUE(contains(text, "local share 75.0 %"));
  EXPECT_TRUE(contains(text, "; 50.0 % of the accesses would be local"));
  EXPECT_TRUE(contains(text, "heap: N0 3 MiB"));
  EXPECT_TRUE(contains(text, "anonymous: N2 1 MiB"));
  EXPECT_LT(text.find("heap: N0"), text.find("anonymous: N2"));
}

TEST(ShowText, KeepsTheLargestMappings) {
  const std::string text = process_text(sample(), 1);
  EXPECT_TRUE(contains(text, "1 of 2"));
  EXPECT_EQ(text.find("anonymous: N2"), std::string::npos);
}

TEST(ShowText, AKernelWithoutNumaIsSaid) {
  live::process_view view = sample();
  view.pages_known = false;
  EXPECT_TRUE(contains(process_text(view, 20), "built without NUMA"));
}

TEST(ShowJson, HasThreadsNodesAndMappings) {
  const nlohmann::json made = nlohmann::json::parse(process_json(sample()));
  EXPECT_EQ(made["pid"], 77);
  EXPECT_EQ(made["local_share"], 0.75);
  EXPECT_EQ(made["even_share"], 0.5);
  EXPECT_EQ(made["threads"][1]["cpu"], 1);
  EXPECT_EQ(made["nodes"][2]["bytes_by_kind"]["anonymous"], 1 << 20);
  EXPECT_EQ(made["mappings"][0]["pages_on_node"]["2"], 256);
}

TEST(ShowJson, BytesThatAreNoTextDoNotBreakIt) {
  live::process_view view = sample();
  view.name = "bad\xff name";
  view.tasks[0].node = std::nullopt;
  const nlohmann::json made = nlohmann::json::parse(process_json(view));
  EXPECT_TRUE(made["threads"][0]["node"].is_null());
}

}  // namespace
}  // namespace numatch::cli
