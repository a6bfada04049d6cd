// SPDX-License-Identifier: Apache-2.0
#include "sim/pu_distances.hpp"

#include "sim/read_configs.hpp"
#include "sim/small_machines.hpp"

namespace numatch::sim {
namespace {

std::optional<distance_table> of_machine(const std::string& spec, const settings& set = {}) {
  const result<topology> machine = set_facts(topology::load(spec).value(), set);
  return pu_distances(*machine, good(spec, set));
}

std::optional<distance_table> of_shape(machine_shape shape) {
  return pu_distances(topology::load(topology_text(shape)).value(), small_machine(shape));
}

TEST(PuDistances, OnARingAreCyclesThroughTheCachesAndOverTheLinks) {
  const std::optional<distance_table> distances = of_machine("simics-4x2");
  ASSERT_TRUE(distances);
  EXPECT_EQ(distances->at(pu_id(0), pu_id(0)), 0);
  EXPECT_EQ(distances->at(pu_id(0), pu_id(1)), 2 + 5) << "the L2 of the chip";
  // Both chips' caches, a request of 8 B and a line of 72 B, which takes 5 cycles, 4 of them after
  // the first, over links of 40 cycles.
  EXPECT_EQ(distances->at(pu_id(0), pu_id(2)), 2 * 7 + 40 + 40 + 4);
  EXPECT_EQ(distances->at(pu_id(0), pu_id(4)), 2 * 7 + 80 + 80 + 4) << "two hops";
  EXPECT_EQ(distances->at(pu_id(0), pu_id(6)), distances->at(pu_id(0), pu_id(2)));
}

TEST(PuDistances, AreLeftToTheTreeWhereItSaysTheSame) {
  EXPECT_FALSE(of_machine("simics-4x2", {{"link.inter.topology", "full"}}));
  EXPECT_FALSE(of_machine("nehalem-2x4"));
  EXPECT_FALSE(of_shape({.nodes = 3, .cores = 2}));
  EXPECT_FALSE(of_shape({.nodes = 2, .cores = 2, .pus = 2}));
}

TEST(PuDistances, FollowTheDistancesOfTheNodes) {
  const topology machine = topology::load("opteron-8x4").value();
  const std::optional<distance_table> distances = of_machine("opteron-8x4");
  ASSERT_TRUE(distances);
  for (std::uint32_t a = 0; a < machine.pu_count(); ++a) {
    for (std::uint32_t b = 0; b < machine.pu_count(); ++b) {
      const double nodes =
          machine.node_distance(machine.node_of(pu_id(0)), machine.node_of(pu_id(a)));
      const double other =
          machine.node_distance(machine.node_of(pu_id(0)), machine.node_of(pu_id(b)));
      if (nodes < other) {
        EXPECT_LT(distances->at(pu_id(0), pu_id(a)), distances->at(pu_id(0), pu_id(b)));
      }
    }
  }
}

TEST(PuDistances, AreHalfOfTheWayThereAndBackWhereLinksDiffer) {
  machine_config config = small_machine({.nodes = 4});
  const topology machine = topology::load(topology_text({.nodes = 4})).value();
  const std::optional<distance_table> before = pu_distances(machine, config);
  ASSERT_TRUE(before);
  config.network.links[config.network.route[0][1].front()].latency += 10;
  const std::optional<distance_table> after = pu_distances(machine, config);
  ASSERT_TRUE(after);
  EXPECT_EQ(after->at(pu_id(0), pu_id(2)), before->at(pu_id(0), pu_id(2)) + 10);
  EXPECT_EQ(after->at(pu_id(2), pu_id(0)), after->at(pu_id(0), pu_id(2)));
}

}  // namespace
}  // namespace numatch::sim
