// The word that a wrong one was meant to be, for messages.
#ifndef MPC_TEXT_NEAREST_H
#define MPC_TEXT_NEAREST_H

#include "mpc/Interfaces/LLVM.h"
#include <string>

namespace mpc {

/// The one of `words` that `given` is a misspelling of: a few letters differ or
/// stand in another order, one holds the other, or one is the initials of the
/// other ("lr"). Empty: none.
StringRef findNearest(ArrayRef<StringRef> words, StringRef given);

/// ", did you mean 'x'?" for that one, "" if there is none.
std::string suggestNearest(ArrayRef<StringRef> words, StringRef given);

/// "'a', 'b' <last> 'c'".
std::string quoteAll(ArrayRef<StringRef> words, StringRef last);

} // namespace mpc

#endif // MPC_TEXT_NEAREST_H
