// Numbers as tables for people show and options take them.
#ifndef MPC_TEXT_NUMBERS_H
#define MPC_TEXT_NUMBERS_H

#include "mpc/Interfaces/LLVM.h"
#include <string>

namespace mpc {

/// 1234567 as "1,234,567".
std::string withCommas(int64_t number);

/// "1234", "64KiB", "1.5GiB" in whole bytes, a part of one left out; nothing if
/// it is no such text, or not from 1 to 2^62.
std::optional<int64_t> parseBytes(StringRef text);

} // namespace mpc

#endif // MPC_TEXT_NUMBERS_H
