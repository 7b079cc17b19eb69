#include "FolderSaver.h"

#include "../Failure.h"

#include "mpc/Program/ParameterGroups.h"
#include "mpc/Support/Links.h"
#include "mpc/Support/Number.h"
#include "mpc/Support/TemporaryFile.h"

#include <algorithm>
#include <filesystem>

using namespace mpc;
using namespace mpc::train;
namespace fs = std::filesystem;

/// A program that came through a pipe is gone.
static std::string hashProgram(const std::string &path) {
  std::error_code error;
  return fs::is_regular_file(path, error)
             ? requireInput(readFileFacts(path)).hash
             : "";
}

static bool isSameFolder(const std::string &a, const std::string &b) {
  std::error_code error;
  return fs::is_directory(a, error) && fs::equivalent(a, b, error);
}

FolderSaver::FolderSaver(const SaveOptions &options, const rt::Program &program,
                         const rt::Session &session, RankGroup *group,
                         Observer &observer)
    : options(options), session(session), group(group), observer(observer),
      rank(group ? group->rank() : 0), ranks(group ? group->size() : 1),
      model(program.info().model), program(hashProgram(program.path())),
      groups(describeGroups(program)), shard(program, rank, ranks) {}

FolderSaver::~FolderSaver() {
  isAbandoned = true;
  if (thread.valid())
    thread.wait();
}

//===-- Training's thread -------------------------------------------------===//

void FolderSaver::begin(const Position &position, const std::string &resumed) {
  if (isSameFolder(resumed, stepFolder(options.folder, position.steps)))
    saved = position.steps;
  if (rank != 0)
    return;
  checkOthers(options.folder, position.steps, saved,
              [this](const StepFolder &step) { return isComplete(step); });
}

void FolderSaver::save(const Position &position) {
  wait();
  if (saved == position.steps)
    return;
  shard.copy(session);
  ordered = position.steps;
  Order order{position.steps, describePosition(position)};
  if (!groups.empty())
    order.metadata[program::kGroupsKey] = groups;
  thread = std::async(std::launch::async, [this, order = std::move(order)] {
    return write(order);
  });
}

void FolderSaver::check() {
  if (thread.valid() &&
      thread.wait_for(std::chrono::seconds(0)) == std::future_status::ready)
    wait();
}

void FolderSaver::wait() {
  if (!thread.valid())
    return;
  Warnings warnings = thread.get();
  saved = ordered;
  for (const std::string &warning : warnings)
    observer.onWarning(warning);
}

void FolderSaver::saveAtEnd(const Position &position) {
  save(position);
  wait();
}

//===-- The writer's thread -----------------------------------------------===//

/// What ranks tell each other of a step, and what they say where it failed.
static std::string newsOf(uint64_t step) {
  return "checkpoint " + std::to_string(step);
}
static std::string newsOf(uint64_t step, uint32_t rank) {
  return newsOf(step) + ", rank " + std::to_string(rank);
}
static constexpr std::string_view kFailed = "failed: ";

namespace {
/// Of another rank, which it names, and its reason: "rank 2: not saved ...".
/// All tell the same, behind a semicolon: it is one fault.
struct OthersFailure : Failure {
  OthersFailure(uint64_t step, const std::string &cause)
      : Failure(Fault::System, "the checkpoint of step " +
                                   std::to_string(step) + " is not whole; " +
                                   cause),
        cause(cause) {}
  std::string cause;
};
} // namespace

/// Waits for news of `step`, of whatever name.
std::string FolderSaver::hear(uint64_t step, const std::string &name) {
  std::string news;
  try {
    news = group->hear(name, isAbandoned);
  } catch (const Failure &lost) {
    throw OthersFailure(step, lost.what());
  }
  if (news.starts_with(kFailed))
    throw OthersFailure(step, news.substr(kFailed.size()));
  return news;
}

static std::string encode(const FileFacts &facts) {
  return std::to_string(facts.bytes) + " " + facts.hash;
}
static FileFacts decode(const std::string &text) {
  size_t space = text.find(' ');
  return {parseNumber<uint64_t>(text.substr(0, space)).value_or(0),
          space == std::string::npos ? "" : text.substr(space + 1)};
}

FolderSaver::Warnings FolderSaver::write(const Order &order) {
  std::string folder = unfinishedFolder(options.folder, order.step);
  try {
    makeFolder(folder);
    FileFacts facts = shard.write(folder);
    if (rank == 0)
      publish(order, collect(order, facts));
    else
      group->tell(newsOf(order.step, rank), encode(facts), /*readers=*/1);
  } catch (const OthersFailure &failure) {
    tellFailure(order.step, failure.cause);
    throw;
  } catch (...) {
    Failure failure = currentFailure();
    std::string what = "not saved at step " + std::to_string(order.step) +
                       ": " + failure.what();
    tellFailure(order.step, "rank " + std::to_string(rank) + ": " + what);
    throw Failure(failure.fault, what);
  }
  if (rank == 0) {
    // The others wait for this news without a limit, as for a slow disk.
    // It is there, whatever becomes of what is left to do.
    Warnings warnings;
    auto attempt = [&](const auto &action) {
      try {
        action();
      } catch (...) {
        warnings.emplace_back("saved at step " + std::to_string(order.step) +
                              ", but: " + currentFailure().what());
      }
    };
    attempt([&] { removeOld(order.step, warnings); });
    if (group)
      attempt([&] { group->tell(newsOf(order.step), "written", ranks - 1); });
    return warnings;
  }
  hear(order.step, newsOf(order.step));
  return {};
}

/// Room on the disk is given back. The others wait for news. What goes wrong
/// with that is not told: the first failure is.
void FolderSaver::tellFailure(uint64_t step, const std::string &what) {
  if (rank == 0)
    static_cast<void>(guard([&] {
      removeFolder(unfinishedFolder(options.folder, step));
      return true;
    }));
  if (group)
    static_cast<void>(guard([&] {
      group->tell(rank == 0 ? newsOf(step) : newsOf(step, rank),
                  std::string(kFailed) + what, rank == 0 ? ranks - 1 : 1);
      return true;
    }));
}

std::vector<FileFacts> FolderSaver::collect(const Order &order, FileFacts own) {
  std::vector<FileFacts> files = {std::move(own)};
  for (uint32_t other = 1; other < ranks; ++other) {
    files.push_back(decode(hear(order.step, newsOf(order.step, other))));
    std::string path = fs::path(unfinishedFolder(options.folder, order.step)) /
                       shardName(other, ranks);
    std::error_code error;
    if (fs::file_size(path, error) != files.back().bytes)
      throw Failure(Fault::System,
                    "'" + path + "': rank " + std::to_string(other) +
                        " has written it, but rank 0 does not see it; "
                        "'--save-dir' needs a folder that all ranks share");
  }
  return files;
}

void FolderSaver::publish(const Order &order, std::vector<FileFacts> files) {
  std::string folder = unfinishedFolder(options.folder, order.step);
  std::string target = stepFolder(options.folder, order.step);
  removeOthers(folder, files.size());
  writeManifest(folder,
                {order.step, model, program, order.metadata, std::move(files)});
  removeFolder(target); // one that is broken: see begin()
  std::error_code error;
  fs::rename(folder, target, error);
  if (error)
    throw Failure(Fault::System,
                  "'" + target + "': cannot be made: " + error.message());
  flushFolder(options.folder);
  complete[order.step] = true;
}

bool FolderSaver::isComplete(const StepFolder &step) {
  auto [found, isNew] = complete.try_emplace(step.step, false);
  if (isNew)
    try {
      checkFolder(step.path);
      found->second = true;
    } catch (const Failure &) { // stays, and is told by who resumes
    }
  return found->second;
}

/// Those that are broken do not count, and stay for a person to see to; what a
/// run that was killed has left goes with the steps of its time.
void FolderSaver::removeOld(uint64_t newest, Warnings &warnings) {
  if (!options.keep)
    return;
  std::vector<StepFolder> steps = listSteps(options.folder);
  uint64_t kept = 0;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    if (step->step > newest)
      continue;
    bool isOld = kept >= *options.keep;
    if (step->isFinished && !isComplete(*step))
      continue;
    kept += step->isFinished;
    if (!isOld)
      continue;
    try {
      removeStep(options.folder, *step);
    } catch (const Failure &failure) {
      warnings.emplace_back(failure.what());
    }
  }
}
