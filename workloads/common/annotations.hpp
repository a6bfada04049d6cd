// SPDX-License-Identifier: Apache-2.0
#pragma once

#if __has_include("numatch/annotate.h")
#include "numatch/annotate.h"
#else
#define NUMATCH_ROI_BEGIN() ((void)0)
#define NUMATCH_ROI_END() ((void)0)
#define NUMATCH_REGION_BEGIN(name) ((void)(name))
#define NUMATCH_REGION_END(name) ((void)(name))
#define NUMATCH_LABEL(address, bytes, name) ((void)(address), (void)(bytes), (void)(name))
#define NUMATCH_PLACE_HERE(address, bytes) ((void)(address), (void)(bytes))
#endif

namespace workload {

/// Runs `work` in every thread as the region of interest: nobody is inside before all have arrived,
/// and nobody goes on before all have finished. Call it in all threads with the same `wait`, a
/// barrier of all of them; thread 0 marks the region of interest, and each thread marks its own
/// part as a region, which gives the trace an exact position in every thread.
template <class Wait, class Work>
inline void measure(unsigned thread, const char* name, Wait wait, Work work) {
  wait();
  if (thread == 0) NUMATCH_ROI_BEGIN();
  wait();
  NUMATCH_REGION_BEGIN(name);
  work();
  NUMATCH_REGION_END(name);
  wait();
  if (thread == 0) NUMATCH_ROI_END();
  wait();
}

}  // namespace workload
