#include "Ranks.h"

#include "../Interrupt.h"
#include "../Print.h"
#include "../SharedOptions.h"
#include "PatientPrinter.h"

#include "mpc/Ranks/Launch.h"
#include "mpc/Ranks/Limits.h"
#include "mpc/Ranks/LocalRun.h"
#include "mpc/Support/WriterLock.h"
#include "mpc/Train/Saved.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
#include <utility>

using namespace mpc;
using namespace mpc::run;

// More than a machine has processors for is a slip of the keyboard.
static constexpr uint64_t kMostRanks = 1024;

/// Whether `argument` is `option`, with its value or before it.
static bool isOption(const std::string &argument, const std::string &option) {
  return argument == option || argument.starts_with(option + "=");
}

/// `name` and `arguments`, without those of the launcher.
static std::vector<std::string> makeCommand(const std::string &name,
                                            const Arguments &arguments) {
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  if (length <= 0 || length == sizeof path)
    throw Failure(Exit::Failed, "this program does not find itself in /proc");
  std::vector<std::string> command = {{path, static_cast<size_t>(length)}};
  if (isCodeForbidden())
    command.emplace_back("--no-code");
  command.push_back(name);
  for (size_t i = 0; i < arguments.size(); ++i)
    if (!isOption(arguments[i], "--ranks") &&
        !isOption(arguments[i], "--restarts"))
      command.push_back(arguments[i]);
    else if (arguments[i].find('=') == std::string::npos)
      ++i; // and its value
  return command;
}

/// What ranks write: of rank 0 as it is, of others with their number, unless
/// the line has it.
static std::string withRank(uint32_t rank, uint32_t ranks,
                            const std::string &line) {
  bool isNamed =
      rank == 0 || line.find("rank " + std::to_string(rank) + " of " +
                             std::to_string(ranks) + ":") != line.npos;
  return (isNamed ? "" : "[rank " + std::to_string(rank) + "] ") + line + "\n";
}

/// A command line or a file that is wrong stays so, as does one that another
/// run writes; training that does not get on stops again, and who interrupts
/// wants an end.
static bool isWorthRestarting(const ranks::LocalEnd &end) {
  return end.code != 0 && end.code != static_cast<int>(Exit::Usage) &&
         end.code != static_cast<int>(Exit::BadInput) &&
         end.code != static_cast<int>(Exit::Stopped) &&
         end.code != static_cast<int>(Exit::Busy) &&
         end.code != static_cast<int>(Exit::Interrupted) && !stopFlag();
}

static ranks::LocalEnd runOnce(ranks::LocalRun &run, PatientPrinter &printer) {
  RankLines errors(run.ranks);
  run.output = [&](uint32_t rank, bool isError, const std::string &line) {
    if (!isError || errors.isNew(rank, line))
      printer.give(isError, withRank(rank, run.ranks, line));
  };
  run.hasRoom = [&] { return printer.hasRoom(); };
  Result<ranks::LocalEnd> end = ranks::runLocally(run);
  if (!end)
    throw Failure(Exit::Failed, end.status().message());
  return *end;
}

/// What ranks begin with after a fault. A file of --save that was there before
/// them is none of theirs.
static std::string describeBegin(const std::optional<train::SavedState> &saved,
                                 bool isOurs) {
  if (!isOurs)
    return "begin again as they began, since nothing was saved yet";
  return "go on from step " +
         (saved->step ? std::to_string(*saved->step) : "?") + ", which '" +
         saved->path + "' holds";
}

/// Runs all ranks until they are done, or have failed too often.
static ranks::LocalEnd runAgain(ranks::LocalRun &run, const RankRun &asked,
                                PatientPrinter &printer) {
  auto warn = [&](const std::string &message) {
    printer.give(/*isError=*/true, makeComplaint("warning", message));
  };
  auto versionOf = [](const std::optional<train::SavedState> &saved) {
    return saved ? saved->version : "";
  };
  std::string before = versionOf(train::findSaved(asked.training.saving));
  bool resumes = asked.training.saving.resumes;
  for (uint64_t restart = 1;; ++restart) {
    ranks::LocalEnd end = runOnce(run, printer);
    if (!isWorthRestarting(end))
      return end;
    if (restart > asked.restarts) {
      if (asked.restarts > 0)
        warn(end.reason + "; all ranks have been started again " +
             std::to_string(asked.restarts) +
             (asked.restarts == 1 ? " time" : " times") +
             ", as --restarts allows");
      return end;
    }
    std::optional<train::SavedState> saved =
        train::findSaved(asked.training.saving);
    bool isOurs =
        saved && (asked.training.saving.resumes || saved->version != before);
    warn(end.reason + "; all ranks " + describeBegin(saved, isOurs) +
         " (restart " + std::to_string(restart) + " of " +
         std::to_string(asked.restarts) + ")");
    if (isOurs && !std::exchange(resumes, true)) // In front of any "--".
      run.command.insert(std::ranges::find(run.command, "train") + 1,
                         "--resume-if-saved");
  }
}

/// "7,8".
static std::string join(const std::vector<int> &numbers) {
  std::string text;
  for (int number : numbers)
    text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

//===-- Starting ----------------------------------------------------------===//

void mpc::run::refuseMpi(const std::string &collectives) {
  if (collectives == "mpi")
    throw usageError("'--ranks' starts ranks that MPI does not know; leave out "
                     "'--collectives=mpi', or start them by mpirun");
}

static void checkCount(uint64_t count) {
  if (count > kMostRanks)
    throw usageError("'--ranks': expected at most " +
                     std::to_string(kMostRanks) + ", but got " +
                     std::to_string(count));
  if (uint64_t most = ranks::mostLocalRanks(); count > most)
    throw usageError("'--ranks': expected at most " + std::to_string(most) +
                     ", since each listens for each other one at a port of "
                     "this machine's net.ipv4.ip_local_port_range, but got " +
                     std::to_string(count));
  for (const char *name : {"RANK", "WORLD_SIZE"})
    if (std::getenv(name))
      throw usageError(std::string("'--ranks' starts ranks, but ") + name +
                       " is set, so this is one that was started already; "
                       "leave '--ranks' out, or unset it");
  if (Result<ranks::Launch> launch = ranks::readLaunch();
      launch && launch->size > 1)
    throw usageError("'--ranks' starts ranks, but this is " + launch->text() +
                     "; leave '--ranks' out, or the launcher");
}

static ranks::LocalRun makeRun(uint64_t count, const std::string &command,
                               const Arguments &arguments) {
  ranks::LocalRun run;
  run.ranks = static_cast<uint32_t>(count);
  run.command = makeCommand(command, arguments);
  run.stop = &stopFlag();
  return run;
}

/// Behind what ranks have written.
static Exit toExit(const ranks::LocalEnd &end, PatientPrinter &printer) {
  bool isWritten = printer.finish();
  if (end.code > 128 && end.code != static_cast<int>(Exit::Interrupted))
    throw Failure(Exit::Failed, end.reason);
  auto code = static_cast<Exit>(end.code);
  if (!isWritten && code == Exit::Ok)
    throw noOutput();
  return code;
}

Exit mpc::run::runRanks(const RankRun &asked, const Arguments &arguments) {
  checkCount(asked.count);
  // What rank 0 alone would find out while the others wait for it.
  require(train::checkRun(asked.training, static_cast<uint32_t>(asked.count)));
  // Held until the last of them has ended: what is saved meanwhile is theirs.
  train::SaveLocks locks =
      require(train::SaveLocks::take(asked.training.saving));
  ranks::LocalRun run = makeRun(asked.count, "train", arguments);
  run.descriptors = locks.descriptors();
  run.variables = {{kInheritedLocks, join(run.descriptors)}};
  watchInterrupts();
  PatientPrinter printer(stopFlag());
  return toExit(runAgain(run, asked, printer), printer);
}

Exit mpc::run::runRanks(uint64_t count, const std::string &command,
                        const Arguments &arguments) {
  checkCount(count);
  ranks::LocalRun run = makeRun(count, command, arguments);
  watchInterrupts();
  PatientPrinter printer(stopFlag());
  return toExit(runOnce(run, printer), printer);
}
