// The nearest word to a misspelled one.
#ifndef MPC_COMMANDLINE_SUGGEST_H
#define MPC_COMMANDLINE_SUGGEST_H

#include <string>
#include <string_view>
#include <vector>

namespace mpc::cli {

/// ", did you mean 'x'?" for the nearest candidate, "" if none is near.
std::string suggest(std::string_view word,
                    const std::vector<std::string> &candidates);

} // namespace mpc::cli

#endif // MPC_COMMANDLINE_SUGGEST_H
