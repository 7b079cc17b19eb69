#include "Ranks.h"

#include "Interrupt.h"
#include "SharedOptions.h"

#include "mpc/Ranks/LocalRun.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <unistd.h>

using namespace mpc;
using namespace mpc::run;

// More than a machine has processors for is a slip of the keyboard.
static constexpr uint64_t kMostRanks = 1024;

/// "train" and `arguments`, without --ranks.
static std::vector<std::string> makeCommand(const Arguments &arguments) {
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  if (length <= 0 || length == sizeof path)
    throw Failure(Exit::Failed, "this program does not find itself in /proc");
  std::vector<std::string> command = {{path, static_cast<size_t>(length)}};
  if (isCodeForbidden())
    command.emplace_back("--no-code");
  command.emplace_back("train");
  for (size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i] == "--ranks")
      ++i; // and its value
    else if (!arguments[i].starts_with("--ranks="))
      command.push_back(arguments[i]);
  return command;
}

namespace {
/// What ranks write: of rank 0 as it is, of others with their number. What
/// several say alike, but for who they are, is said once.
class Printer {
public:
  explicit Printer(uint64_t count) : count(count) {}

  void print(uint32_t rank, bool isError, const std::string &line) {
    if (isError && !said.insert(withoutRank(rank, line)).second)
      return;
    FILE *stream = isError ? stderr : stdout;
    if (rank > 0)
      std::fprintf(stream, "[rank %u] ", rank);
    std::fprintf(stream, "%s\n", line.c_str());
    std::fflush(stream);
  }

private:
  std::string withoutRank(uint32_t rank, std::string line) const {
    std::string name =
        "rank " + std::to_string(rank) + " of " + std::to_string(count);
    for (size_t at; (at = line.find(name)) != std::string::npos;)
      line.erase(at, name.size());
    return line;
  }

  uint64_t count;
  std::set<std::string> said;
};
} // namespace

Exit mpc::run::runRanks(uint64_t count, const Arguments &arguments) {
  if (count > kMostRanks)
    throw usageError("'--ranks': expected at most " +
                     std::to_string(kMostRanks) + ", but got " +
                     std::to_string(count));
  for (const char *name : {"RANK", "WORLD_SIZE"})
    if (std::getenv(name))
      throw usageError(std::string("'--ranks' starts ranks, but ") + name +
                       " is set, so this is one that was started already; "
                       "leave '--ranks' out, or unset it");
  ranks::LocalRun run;
  run.ranks = static_cast<uint32_t>(count);
  run.command = makeCommand(arguments);
  Printer printer(count);
  run.output = [&](uint32_t rank, bool isError, const std::string &line) {
    printer.print(rank, isError, line);
  };
  run.stop = &stopFlag();
  watchInterrupts();
  Result<ranks::LocalEnd> end = ranks::runLocally(run);
  if (!end)
    throw Failure(Exit::Failed, end.status().message());
  if (end->code > 128 && end->code != static_cast<int>(Exit::Interrupted))
    throw Failure(Exit::Failed, "rank " + std::to_string(end->rank) +
                                    " was ended by signal " +
                                    std::to_string(end->code - 128) + " (" +
                                    strsignal(end->code - 128) + ")");
  return static_cast<Exit>(end->code);
}
