// --ranks=N: a command of this program, N times on this machine.
#ifndef MPC_TOOLS_MPC_RUN_RANKS_RANKS_H
#define MPC_TOOLS_MPC_RUN_RANKS_RANKS_H

#include "../Failure.h"
#include "../Options.h"

#include "mpc/Train/Options.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>

namespace mpc::run {

struct RankRun {
  uint64_t count = 1;
  /// How often all begin again, from what was saved, when one has failed.
  uint64_t restarts = 0;
  train::TrainOptions training; ///< What `arguments` say, of each rank.
};

/// Which of the lines that ranks write are told: what several say alike once,
/// and of one fault one line, whoever tells it: the rank that has it ("rank 1
/// of 2: WHY") or one that fails because of that ("rank 0 of 2: WHERE; rank 1:
/// WHY", "...; rank 1 does not answer").
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
    if (std::string fault = faultOf(name + ": ", line); !fault.empty())
      return withoutFile(fault);
    for (size_t at; (at = line.find(name)) != std::string::npos;)
      line.erase(at, name.size());
    return line;
  }

  /// The length of the number at `begin`, between `before` and `behind`, with
  /// both; 0: there is none.
  static size_t matchRank(std::string_view text, size_t begin,
                          std::string_view before, std::string_view behind) {
    if (!text.substr(begin).starts_with(before))
      return 0;
    size_t digits = begin + before.size();
    size_t end =
        std::min(text.find_first_not_of("0123456789", digits), text.size());
    return end > digits && text.substr(end).starts_with(behind)
               ? end + behind.size() - begin
               : 0;
  }

  /// One disk is full for all who write to it: "rank-1-of-2.safetensors".
  std::string withoutFile(std::string fault) const {
    std::string behind = "-of-" + std::to_string(count);
    for (size_t at = 0; (at = fault.find("rank-", at)) != fault.npos; ++at)
      if (size_t length = matchRank(fault, at, "rank-", behind))
        fault.replace(at, length, "rank" + behind);
    return fault;
  }

  /// WHY of a line of an error; "" of another one. With the rank where the
  /// store says it in its place: "rank 1: its connection broke".
  static std::string faultOf(const std::string &who, const std::string &line) {
    const std::string error = "error: ";
    size_t at = line.find(error + who);
    if (at == line.npos)
      return "";
    std::string said = line.substr(at + error.size() + who.size());
    size_t cause = said.rfind("; rank ");
    std::string why = cause == said.npos ? said : said.substr(cause + 2);
    if (matchRank(why, 0, "rank ", " does not answer") == why.size() ||
        matchRank(why, 0, "rank ", ": it"))
      return why;
    size_t length = matchRank(why, 0, "rank ", ": ");
    return length ? why.substr(length) : said;
  }

  uint64_t count;
  Lines lines;
  std::deque<Lines::iterator> order; ///< The oldest first.
};

/// Runs `train` with `arguments` but for those of the launcher. The exit code
/// is that of the rank that failed first.
Exit runRanks(const RankRun &run, const Arguments &arguments);

/// The same, once, of a command that saves nothing.
Exit runRanks(uint64_t count, const std::string &command,
              const Arguments &arguments);

/// Refuses --collectives of ranks that --ranks starts, if MPI is asked for.
void refuseMpi(const std::string &collectives);

} // namespace mpc::run

#endif // MPC_TOOLS_MPC_RUN_RANKS_RANKS_H
