// Text that moves no cursor: names come from files, and terminals obey what
// stands in them.
#ifndef MPC_SUPPORT_PRINTABLE_H
#define MPC_SUPPORT_PRINTABLE_H

#include <cstddef>
#include <string>
#include <string_view>

namespace mpc {

/// Makes each control character of the text at `text`, of C0 and of C1 as UTF-8
/// has it, a question mark, and so each byte that is no UTF-8 (RFC 3629), of
/// which a terminal or a string of Python may make anything; `kept` may stay.
/// Returns the new length, which is no greater.
size_t replaceControls(char *text, size_t length, std::string_view kept = "");

/// The same of a copy: "a?[31mred" of a name that would turn a terminal red.
std::string printable(std::string_view text, std::string_view kept = "");

} // namespace mpc

#endif // MPC_SUPPORT_PRINTABLE_H
