// SPDX-License-Identifier: Apache-2.0
#include "cli/show_text.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/format.hpp"

namespace numatch::cli {

namespace {

using json = nlohmann::ordered_json;
using live::page_kind;
using report::fit;
using report::pad;
using report::pad_left;

double local_share(const live::process_view& view) {
  return view.bytes == 0 ? 1
                         : static_cast<double>(view.local_bytes) / static_cast<double>(view.bytes);
}

std::string bytes_or_dash(std::uint64_t bytes) {
  return bytes == 0 ? "–" : report::bytes(bytes);
}

std::string nodes_text(const live::process_view& view) {
  std::string text = "\nnode  threads      memory";
  for (std::size_t k = 0; k < live::page_kinds; ++k) {
    text += pad_left(to_string(static_cast<page_kind>(k)), 12);
  }
  text += "\n";
  for (const live::node_share& share : view.nodes) {
    text += fmt::format("{:<4}  {:>7}{}", share.node, share.threads,
                        pad_left(bytes_or_dash(share.bytes), 12));
    for (const std::uint64_t bytes : share.by_kind) text += pad_left(bytes_or_dash(bytes), 12);
    text += "\n";
  }
  return text;
}

std::string tasks_text(const live::process_view& view) {
  std::string text = "\n    thread  name              state   cpu  node     CPU time  may run on\n";
  for (const live::task_view& task : view.tasks) {
    text += fmt::format("{:>10}  {}  {:<5}  {:>4}  {:>4}  {:>9.2f} s  {}\n", task.task,
                        pad(fit(task.name, 16), 16), task.state, task.cpu,
                        task.node ? fmt::to_string(*task.node) : "?", task.cpu_seconds,
                        task.may_run_on);
  }
  return text;
}

std::string what_of(const live::mapped_pages& mapping) {
  return mapping.file.empty() ? std::string(to_string(mapping.kind)) : mapping.file;
}

std::string places_of(const live::mapped_pages& mapping) {
  std::string text;
  for (const auto& [node, pages] : mapping.pages_on) {
    text += fmt::format("{}N{} {}", text.empty() ? "" : ", ", node,
                        report::bytes(pages * mapping.page_bytes));
  }
  return text;
}

std::string mappings_text(const live::process_view& view, std::size_t most) {
  std::vector<const live::mapped_pages*> largest;
  for (const live::mapped_pages& mapping : view.mappings) largest.push_back(&mapping);
  std::stable_sort(largest.begin(), largest.end(),
                   [](const live::mapped_pages* a, const live::mapped_pages* b) {
                     return a->bytes() > b->bytes();
                   });
  const std::size_t shown = std::min(most, largest.size());
  std::string text = fmt::format(
      "\nmappings with pages in memory, {} of {}, the largest first\n"
      "         address  policy            what, and where its pages are\n",
      shown, largest.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const live::mapped_pages& mapping = *largest[i];
    text += fmt::format("{:>16x}  {}  {}: {}\n", mapping.first, pad(fit(mapping.policy, 16), 16),
                        fit(what_of(mapping), 40), places_of(mapping));
  }
  return text;
}

json task_json(const live::task_view& task) {
  json made{{"task", task.task},
            {"name", task.name},
            {"state", std::string(1, task.state)},
            {"cpu", task.cpu},
            {"node", nullptr},
            {"may_run_on", task.may_run_on},
            {"cpu_time_s", task.cpu_seconds}};
  if (task.node) made["node"] = *task.node;
  return made;
}

json share_json(const live::node_share& share) {
  json kinds = json::object();
  for (std::size_t k = 0; k < live::page_kinds; ++k) {
    kinds[std::string(to_string(static_cast<page_kind>(k)))] = share.by_kind[k];
  }
  return {{"node", share.node},
          {"threads", share.threads},
          {"bytes", share.bytes},
          {"bytes_by_kind", std::move(kinds)}};
}

json mapping_json(const live::mapped_pages& mapping) {
  json pages = json::object();
  for (const auto& [node, count] : mapping.pages_on) pages[fmt::to_string(node)] = count;
  return {{"address", mapping.first},         {"policy", mapping.policy},
          {"kind", to_string(mapping.kind)},  {"file", mapping.file},
          {"page_bytes", mapping.page_bytes}, {"pages_on_node", std::move(pages)}};
}

}  // namespace

std::string process_text(const live::process_view& view, std::size_t most_mappings) {
  const std::size_t count = view.tasks.size();
  std::string text =
      fmt::format("process {} ({}): {} thread{}, {} in memory", view.pid, fit(view.name, 32), count,
                  count == 1 ? "" : "s", report::bytes(view.bytes));
  if (view.transparent_huge > 0) {
    text +=
        fmt::format(", of it {} in transparent huge pages", report::bytes(view.transparent_huge));
  }
  text += "\n";
  if (view.pages_known) {
    text += fmt::format(
        "local share {}: memory on nodes where its threads ran last; {} of the accesses would be "
        "local "
        "if\nevery thread used all of it alike (calculated)\n",
        report::percent(local_share(view)), report::percent(view.even_share));
    text += nodes_text(view);
  } else {
    text += "this kernel does not tell where pages are: it is built without NUMA\n";
  }
  text += tasks_text(view);
  if (view.pages_known) text += mappings_text(view, most_mappings);
  return text +
         "\ncounted at one moment from /proc; memory shared with other processes counts in full\n";
}

std::string process_json(const live::process_view& view) {
  json made{{"pid", view.pid},
            {"name", view.name},
            {"pages_known", view.pages_known},
            {"bytes", view.bytes},
            {"local_bytes", view.local_bytes},
            {"local_share", local_share(view)},
            {"even_share", view.even_share},
            {"transparent_huge_bytes", view.transparent_huge}};
  made["nodes"] = json::array();
  for (const live::node_share& share : view.nodes) made["nodes"].push_back(share_json(share));
  made["threads"] = json::array();
  for (const live::task_view& task : view.tasks) made["threads"].push_back(task_json(task));
  made["mappings"] = json::array();
  for (const live::mapped_pages& mapping : view.mappings) {
    made["mappings"].push_back(mapping_json(mapping));
  }
  // Names of files and threads may be any bytes.
  return made.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace numatch::cli
