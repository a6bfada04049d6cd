// SPDX-License-Identifier: Apache-2.0
#pragma once

// Data structures that keep the work with the data on NUMA machines: everything at once.

#include "numatch/numa/executor.hpp"
#include "numatch/numa/memory.hpp"
#include "numatch/numa/partitioned.hpp"
#include "numatch/numa/partitioned_map.hpp"
#include "numatch/numa/partitioned_vector.hpp"
#include "numatch/numa/per_node.hpp"
#include "numatch/numa/replicated.hpp"
#include "numatch/numa/runtime.hpp"
#include "numatch/numa/topology.hpp"
