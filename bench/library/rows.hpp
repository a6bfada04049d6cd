// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace bench {

/// CPU time of a structure in `partitioned` on one node over that of the structure itself.
void one_node();
/// Elapsed time of a dispatch with merge over two nodes of one processor each, over that of oneTBB
/// arenas written by hand.
void dispatch();
/// Queries per CPU-second at equal recall: IVF-flat here, faiss' IVF-flat and hnswlib, one thread.
void indexes();

/// "met" or "MISSED".
inline const char* judge(bool met) {
  return met ? "met" : "MISSED";
}

}  // namespace bench
