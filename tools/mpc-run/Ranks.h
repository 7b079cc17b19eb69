// mpc-run train --ranks=N: this program, N times on this machine.
#ifndef MPC_TOOLS_MPC_RUN_RANKS_H
#define MPC_TOOLS_MPC_RUN_RANKS_H

#include "Failure.h"
#include "Options.h"

#include "mpc/Train/Options.h"

#include <cstdint>
#include <deque>
#include <map>
#include <string>

namespace mpc::run {

struct RankRun {
  uint64_t count = 1;
  /// How often all begin again, from what was saved, when one has failed.
  uint64_t restarts = 0;
  train::TrainOptions training; ///< What `arguments` say, of each rank.
};

/// Which of the lines that ranks write are told: what several say alike once.
class RankLines {
public:
  /// Of `count` ranks.
  explicit RankLines(uint64_t count) : count(count) {}

  /// Whether `line` of `rank` is told: not one that another rank has said as
  /// often, but for who it is, among the last kMost.
  bool isNew(uint32_t rank, const std::string &line) {
    auto [said, isFirst] = lines.try_emplace(withoutRank(rank, line));
    if (isFirst)
      order.push_back(said);
    Said &times = said->second;
    bool isTold = ++times.byRank[rank] > times.told;
    times.told += isTold;
    if (order.size() > kMost) {
      lines.erase(order.front());
      order.pop_front();
    }
    return isTold;
  }

  static constexpr size_t kMost = 1000;

private:
  struct Said {
    uint64_t told = 0;
    std::map<uint32_t, uint64_t> byRank; ///< How often.
  };
  using Lines = std::map<std::string, Said>;

  std::string withoutRank(uint32_t rank, std::string line) const {
    std::string name =
        "rank " + std::to_string(rank) + " of " + std::to_string(count);
    for (size_t at; (at = line.find(name)) != std::string::npos;)
      line.erase(at, name.size());
    return line;
  }

  uint64_t count;
  Lines lines;
  std::deque<Lines::iterator> order; ///< The oldest first.
};

/// Runs `train` with `arguments` but for those of the launcher. The exit code
/// is that of the rank that failed first.
Exit runRanks(const RankRun &run, const Arguments &arguments);

} // namespace mpc::run

#endif // MPC_TOOLS_MPC_RUN_RANKS_H
