// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace numatch::live {

/// Makes a forked process one of its own: in its own session, called `name`, deaf to the terminal's
/// signals, with /dev/null as its standard files and with no other file open than `kept`, whose
/// numbers are replaced by new ones from 3 on. Nothing of the process that forked it may live on in
/// it: not its files, whose closing undoes something, nor its terminal.
void leave_owner(const char* name, std::span<int> kept);

/// Until the other end is closed or a byte comes. True when it was a byte.
bool wait_for_byte_or_end(int end);

}  // namespace numatch::live
