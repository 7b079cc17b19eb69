// What ranks of EngineTest do, each a process.
#ifndef MPC_TEST_RANKS_ENGINECASES_H
#define MPC_TEST_RANKS_ENGINECASES_H

#include "mpc/Ranks/Group.h"

#include <functional>
#include <map>
#include <set>

namespace mpc::test {

/// By its name; "" if all was well, else what was not.
using EngineCases =
    std::map<std::string, std::function<std::string(const ranks::Launch &)>>;
const EngineCases &cases();
/// Their ranks end as such that have failed, whereupon mpirun ends those that
/// stand still.
const std::set<std::string> &faults();

/// "" if all ranks have the sums of `count` elements.
std::string findWrongSum(ranks::Group &group, uint64_t count);

} // namespace mpc::test

#endif // MPC_TEST_RANKS_ENGINECASES_H
