// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>

#include "mechanism/mechanism.hpp"
#include "mechanism/policy.hpp"

// MVAS, multi-view address space: Di Gennaro, Pellegrini, Quaglia, "OS-based NUMA Optimization:
// Tackling the Case of Truly Multi-thread Applications with Non-Partitioned Virtual Page Accesses",
// CCGrid 2016; and its single-view twin, which differs only in how faults are induced.

namespace numatch::mvas {

inline constexpr std::array view_needs{event_kind::page_fault};
inline constexpr std::array view_acts{action_kind::move_threads, action_kind::move_pages,
                                      action_kind::induce_faults, action_kind::wake_up};
inline constexpr std::array<std::string_view, 1> view_tables{"page nodes"};

inline constexpr std::array view_parameters{
    parameter{"activation-period", "10000", "ms",
              "time from one activation of the views to the next; the first comes after one period",
              "MVAS V-C: 10 or 20 s, 5 s costs too much"},
    parameter{"trace-period", "1000", "ms", "how long the views stay after an activation",
              "MVAS V-C: 1 s, 3 s costs too much"},
    parameter{
        "mode", "count", "",
        "one-shot: whether a thread used a page since the last activation; count: in how many "
        "activations it did",
        "MVAS III-C; V-C runs with count"},
    parameter{"activations", "2", "", "activations that count mode adds up, 1 to 1000",
              "MVAS V-C: two subsequent ones"},
    parameter{"log", "yes", "", "no: faults are induced and nothing is logged or moved",
              "MVAS V-C: the runs called NO LOG"},
    parameter{"thread-groups", "16", "",
              "groups of 64 threads whose counters a page has; other threads are not logged",
              "MVAS III-C: NGROUPS of SIZE_GROUP = 64"},
    parameter{"alpha", "0.9", "", "a pair's mean relative frequency on a page must be greater",
              "MVAS Eq. 3; V-C has three values, 0.9 in the text"},
    parameter{"last-node", "wrap", "",
              "what follows the last node: the first one (wrap) or nothing (stop)",
              "not said in MVAS"},
    parameter{"pair-ties", "lower", "",
              "which of pairs with the same A come first: those of lower or of higher threads",
              "not said in MVAS"},
    parameter{
        "unpaired", "fill", "",
        "threads in no pair fill what is left in order (fill) or stay if there is room (stay)",
        "not said in MVAS"},
    parameter{"page-ties", "lower", "",
              "of threads with the same highest count the page goes to the lowest one (lower), or "
              "stays if it lies with any of them (stay)",
              "not said in MVAS"},
    acts_on_parameter,
};

/// `views`: fault_plan::kind::thread_views, or all_pages for the single view.
result<std::unique_ptr<mechanism>> make_view_mechanism(const parameter_set& values,
                                                       fault_plan::kind views);

}  // namespace numatch::mvas
