// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>

namespace numatch::python {

/// Does long work on a thread of its own while the caller, which holds the interpreter's lock, lets
/// go of it: other Python threads run on. About twenty times a second the caller calls `look`
/// (which may call into Python) and asks for signals; when either raises, as ^C does, `stop` is
/// set, the work is waited for, and the exception goes on. An exception of the work goes on, too.
void run_waiting(const std::function<void(const std::atomic<bool>& stop)>& work,
                 const std::function<void()>& look = {});

/// For work that has no other way to be stopped: throws where `stop` is set. run_waiting() catches
/// it.
void stop_here(const std::atomic<bool>& stop);

}  // namespace numatch::python
