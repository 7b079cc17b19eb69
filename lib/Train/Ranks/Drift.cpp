#include "Drift.h"

#include "../Failure.h"

#include "mpc/Ranks/Store.h"

#include <algorithm>
#include <map>

#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace mpc;
using namespace mpc::train;

std::vector<uint64_t>
mpc::train::hashStates(const std::vector<mpc_state_info> &states,
                       const rt::Session &session) {
  std::vector<uint64_t> hashes;
  data::Bytes bytes; // of one at a time: states may fill half of the memory
  for (const mpc_state_info &state : states) {
    bytes.resize(std::max<size_t>(bytes.size(), state.bytes));
    require(session.getState(state, bytes.data(), state.bytes));
    hashes.push_back(XXH3_64bits(bytes.data(), state.bytes));
  }
  return hashes;
}

namespace {
using Hashes = std::vector<uint64_t>;
using ByHashes = std::map<Hashes, std::vector<uint32_t>>; // ranks
} // namespace

/// "'w' and 2 more": those of `names` of which there are different hashes.
static std::string listDifferent(const ByHashes &alike,
                                 const std::vector<std::string> &names) {
  std::vector<std::string> found;
  const Hashes &any = alike.begin()->first;
  for (size_t i = 0; i < names.size(); ++i)
    if (std::ranges::any_of(
            alike, [&](const auto &each) { return each.first[i] != any[i]; }))
      found.push_back(names[i]);
  std::string text = "'" + found.front() + "'";
  if (found.size() > 1)
    text += " and " + std::to_string(found.size() - 1) + " more";
  return text;
}

std::string mpc::train::describeDrift(const std::vector<Hashes> &hashes,
                                      const std::vector<std::string> &names) {
  ByHashes alike;
  for (uint32_t rank = 0; rank < hashes.size(); ++rank)
    alike[hashes[rank]].push_back(rank);
  if (alike.size() == 1)
    return "";
  const auto &most = *std::ranges::max_element(
      alike, {}, [](const auto &each) { return each.second.size(); });
  bool hasMajority = 2 * most.second.size() > hashes.size();
  std::vector<uint32_t> others;
  for (uint32_t rank = 0; rank < hashes.size(); ++rank)
    if (!hasMajority || hashes[rank] != most.first)
      others.push_back(rank);
  std::string who = ranks::listRanks(others);
  std::string what = listDifferent(alike, names);
  if (!hasMajority)
    return who + " have drifted apart in " + what +
           ", and no majority tells who is right";
  return who + (others.size() == 1 ? " has another " : " have another ") +
         what + " than the rest";
}
