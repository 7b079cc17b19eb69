#include "Compiler.h"

#include "../Failure.h"
#include "../Stop.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <poll.h>
#include <spawn.h>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

using namespace mpc::train;
namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::error_code error;
  fs::path folder = fs::temp_directory_path(error);
  std::string pattern =
      ((error ? fs::path("/tmp") : folder) / "mpc-run-XXXXXX").string();
  if (!mkdtemp(pattern.data()))
    throw Failure(Fault::System, "cannot make a temporary folder '" + pattern +
                                     "'; set TMPDIR to a folder that can be "
                                     "written to");
  name = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored; // it is in the folder for temporary files
  fs::remove_all(name, ignored);
}

static bool isExecutable(const fs::path &path) {
  return access(path.c_str(), X_OK) == 0 && fs::is_regular_file(path);
}

std::string Compiler::find() const {
  if (!options.path.empty()) {
    if (isExecutable(options.path))
      return options.path;
    throw badInput("expected '--compiler' to name mpc-compile, but '" +
                   options.path + "' is no program that can be run");
  }
  std::vector<fs::path> candidates;
  if (!options.folder.empty())
    candidates.push_back(fs::path(options.folder) / "mpc-compile");
  const char *list = std::getenv("PATH");
  std::istringstream folders(list ? list : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    candidates.push_back(fs::path(folder) / "mpc-compile");
  for (const fs::path &candidate : candidates)
    if (isExecutable(candidate))
      return candidate.string();
  throw Failure(Fault::System,
                std::string("expected mpc-compile ") +
                    (options.folder.empty() ? "" : "beside mpc-run or ") +
                    "on the PATH, to compile the program that observes values, "
                    "but there is none; name it with '--compiler'");
}

namespace {

/// What a process writes to its standard error, and its end.
struct Outcome {
  int status = 0;
  std::string messages;
};

/// What comes until `file` ends; none if the run is asked to end before that.
std::optional<std::string> readAll(int file, const std::atomic<bool> *stop) {
  constexpr int kPatience = 100; // milliseconds until it is asked again
  std::string text;
  std::array<char, 4096> part;
  while (!isSet(stop)) {
    pollfd end{file, POLLIN, 0};
    if (poll(&end, 1, kPatience) <= 0)
      continue; // nothing yet, or a signal
    ssize_t got = read(file, part.data(), part.size());
    if (got == 0 || (got < 0 && errno != EINTR))
      return text;
    if (got > 0)
      text.append(part.data(), static_cast<size_t>(got));
  }
  return std::nullopt;
}

/// How `child` ended; nothing if it has not, before `isTime` says so. Where the
/// application has taken its children's ends, or ignores them, what it left
/// behind tells.
template <typename IsTime>
std::optional<int> waitUntil(pid_t child, const IsTime &isTime) {
  for (int status = 0; !isTime(); usleep(10'000)) {
    pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child || (ended < 0 && errno == ECHILD))
      return status;
  }
  return std::nullopt;
}

/// Ends `child`: it is asked to, and after a while made to.
void end(pid_t child) {
  using Clock = std::chrono::steady_clock;
  kill(child, SIGTERM);
  auto last = Clock::now() + std::chrono::seconds(2);
  if (waitUntil(child, [&] { return Clock::now() >= last; }))
    return;
  kill(child, SIGKILL);
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
}

/// The environment, but for the folder for temporary files.
class Environment {
public:
  explicit Environment(const std::string &folder) : own("TMPDIR=" + folder) {
    for (char **entry = environ; *entry; ++entry)
      if (!std::string_view(*entry).starts_with("TMPDIR="))
        entries.push_back(*entry);
    entries.push_back(own.data());
    entries.push_back(nullptr);
  }
  char **get() { return entries.data(); }

private:
  std::string own;
  std::vector<char *> entries;
};

Outcome runProcess(std::vector<std::string> words, const std::string &folder,
                   const std::atomic<bool> *stop) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw Failure(Fault::System, "cannot make a pipe to run mpc-compile");
  std::vector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  pid_t child = 0;
  int failed = posix_spawn(&child, arguments[0], &actions, nullptr,
                           arguments.data(), Environment(folder).get());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::optional<std::string> messages;
  std::optional<int> status;
  if (!failed)
    messages = readAll(ends[0], stop);
  if (messages) // which may have ended before the process
    status = waitUntil(child, [&] { return isSet(stop); });
  close(ends[0]);
  if (failed)
    throw Failure(Fault::System, "cannot run '" + words[0] + "'");
  if (status)
    return {*status, *messages};
  end(child);
  throw Failure(Fault::Interrupted,
                "'" + words[0] + "' was ended, since the run was asked to end");
}

} // namespace

std::string Compiler::compileProbe(const std::string &model,
                                   const TemporaryFolder &folder) const {
  std::string output = folder.file("probe.mpcx");
  Outcome outcome =
      runProcess({find(), "--probe", model, "-o", output}, folder.path(), stop);
  if (WIFEXITED(outcome.status) && WEXITSTATUS(outcome.status) == 0 &&
      fs::exists(output))
    return output;
  throw Failure(Fault::System,
                "the program that observes values could not be compiled: " +
                    (outcome.messages.empty()
                         ? "mpc-compile ended without a word"
                         : outcome.messages));
}
