#include "mpc/Ranks/Drift.h"

#include <algorithm>
#include <map>

#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace mpc;
using namespace mpc::ranks;

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

std::string ranks::describeDrift(const std::vector<Hashes> &hashes,
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
  std::string who = listRanks(others);
  std::string what = listDifferent(alike, names);
  if (!hasMajority)
    return who + " have drifted apart in " + what +
           ", and no majority tells who is right";
  return who + (others.size() == 1 ? " has another " : " have another ") +
         what + " than the rest";
}

Result<std::vector<uint64_t>>
ranks::gather(Group &group, const std::vector<uint64_t> &numbers,
              const std::string &name) {
  std::vector<uint64_t> all(group.size() * numbers.size());
  Status status = group.run({.kind = CollectiveKind::AllGather,
                             .type = DType::I64,
                             .count = numbers.size(),
                             .source = numbers.data(),
                             .result = all.data(),
                             .name = name});
  if (!status.ok())
    return status;
  return all;
}

Result<std::string> ranks::findDrift(Group &group, const Hashes &own,
                                     const std::vector<std::string> &names) {
  uint64_t whole = XXH3_64bits(own.data(), own.size() * sizeof own[0]);
  auto wholes = gather(group, {whole}, "hashes of states");
  if (!wholes)
    return wholes.status();
  if (std::ranges::count(*wholes, whole) == group.size())
    return std::string();
  auto all = gather(group, own, "hashes of each state");
  if (!all)
    return all.status();
  // Who gives up first ends what others still wait for: let all of them know
  // by then. That some are gone already is no matter.
  static_cast<void>(group.run({.kind = CollectiveKind::Barrier}));
  std::vector<Hashes> byRank(group.size());
  for (size_t i = 0; i < all->size(); ++i)
    byRank[i / own.size()].push_back((*all)[i]);
  return describeDrift(byRank, names);
}
