// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mapping/mapper.hpp"
#include "mechanism/parameters.hpp"
#include "mechanism/world.hpp"
#include "pattern/sharing_matrix.hpp"

namespace numatch {

/// When a new mapping of the threads is taken.
struct remap_rule {
  /// Threads stay unless the mapping's cost falls by this share.
  double least_gain = 0;
  /// What moving a thread must gain, as a share of what a thread pays on average where it runs now.
  /// At 0 any gain moves threads.
  double move_price = 0;
  /// Equal parts of the machine change their threads so that as few as possible move. Their order
  /// then no longer is the mapper's, which costs time where links between equal parts differ.
  bool fewest_moves = false;
};

// What thread_remapper::make() reads, and how what was detected ages. Where papers differ, a
// mechanism says the value and who has it.
constexpr parameter mapper_parameter(std::string_view algorithm, std::string_view source) {
  return {"mapper", algorithm, "", "algorithm of the thread mapping (see numatch map)", source};
}
constexpr parameter remap_gain_parameter(std::string_view source) {
  return {"remap-gain", "0", "", "threads move only if the mapping's cost falls by this share",
          source};
}
constexpr parameter ageing_parameter(std::string_view factor, std::string_view source) {
  return {"ageing", factor, "",
          "the sharing matrix is multiplied by this after every thread mapping", source};
}
inline constexpr parameter move_price_parameter{
    "move-price", "0.01", "",
    "threads move only for a gain above this share of what a thread pays on average, for each that "
    "moves; 0: for any gain",
    "not said in the papers; that of numatch map"};
inline constexpr parameter fewest_moves_parameter{
    "fewest-moves", "no", "",
    "equal parts of the machine change their threads so that as few as possible move",
    "not said in the papers"};

/// What an algorithm is told about a world that has a machine. The papers' algorithms are asked as
/// in the papers: for a fresh mapping of the machine's tree. Scotch, told how far chips of a ring
/// are apart, answers with mappings as good but turned, so threads would move again and again. The
/// mapping engine, "numatch", is told the world's own distances.
distance_table distances_for(const mapping_algorithm& algorithm, const world& where);

/// The thread-mapping half of most mechanisms: asks a mapping algorithm for the places of the
/// threads that run and the world to move them when that pays, by the distances that the world
/// knows. "numatch" begins at where the threads run and weighs what moving them costs, the others
/// map afresh. Needs a world with a machine.
class thread_remapper {
 public:
  /// An unknown algorithm is an error that suggests the nearest one.
  static result<thread_remapper> make(const std::string& algorithm, const remap_rule& rule);
  /// From the parameters mapper, remap-gain, move-price and fewest-moves.
  static result<thread_remapper> make(const parameter_set& values);

  /// True when the threads were told to move. Nothing happens before threads that run share
  /// something. A thread whose place the world does not know (one that has ended, say) is neither
  /// mapped nor moved.
  bool remap(const sharing_matrix& sharing, world& where);
  /// The same for what was detected before and lately: threads move for what both say together,
  /// and only if what the past alone would have done pays by what came then. Chance and passing
  /// phases look like patterns while they last.
  bool remap_proven(const sharing_matrix& before, const sharing_matrix& lately, world& where);
  /// Where the thread was sent last; nullopt if it was not mapped then.
  std::optional<pu_id> sent(thread_id thread) const {
    return thread.index() < sent_.size() ? sent_[thread.index()] : std::nullopt;
  }

 private:
  thread_remapper(const mapping_algorithm& algorithm, const remap_rule& rule)
      : algorithm_(&algorithm), rule_(rule) {}
  /// Threads that run, in the order of their numbers, and where.
  struct running_threads {
    std::vector<std::optional<pu_id>> places;  ///< of all threads
    std::vector<std::size_t> numbers;
    thread_mapping present;  ///< of those that run
  };
  static running_threads running_now(std::size_t threads, const world& where);
  void learn_distances(const world& where);
  double price_of(const sharing_matrix& sharing, const thread_mapping& present) const;
  bool pays(const sharing_matrix& sharing, const thread_mapping& present,
            const thread_mapping& wanted) const;
  void send(running_threads running, const thread_mapping& mapping, world& where);
  std::optional<thread_mapping> better(const sharing_matrix& sharing, const thread_mapping& present,
                                       world& where) const;

  const mapping_algorithm* algorithm_;
  remap_rule rule_;
  std::optional<distance_table> distances_;  ///< what mappings cost
  std::optional<distance_table> told_;       ///< what the algorithm is told
  std::vector<std::optional<pu_id>> sent_;
};

}  // namespace numatch
