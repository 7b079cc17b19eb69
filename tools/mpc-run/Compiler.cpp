#include "Compiler.h"

#include "Failure.h"
#include "Interrupt.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <poll.h>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace mpc::run;
namespace fs = std::filesystem;

TemporaryFile::TemporaryFile() {
  std::error_code error;
  fs::path folder = fs::temp_directory_path(error);
  std::string pattern =
      ((error ? fs::path("/tmp") : folder) / "mpc-run-XXXXXX").string();
  int file = mkstemp(pattern.data());
  if (file < 0)
    throw Failure(Exit::Failed, "cannot make a temporary file '" + pattern +
                                    "'; set TMPDIR to a folder that can be "
                                    "written to");
  close(file);
  name = pattern;
}

TemporaryFile::~TemporaryFile() {
  std::error_code ignored; // it is in the folder for temporary files
  fs::remove(name, ignored);
}

static bool isExecutable(const fs::path &path) {
  return access(path.c_str(), X_OK) == 0 && fs::is_regular_file(path);
}

std::string Compiler::find() const {
  if (!path.empty()) {
    if (isExecutable(path))
      return path;
    throw badInput("expected '--compiler' to name mpc-compile, but '" + path +
                   "' is no program that can be run");
  }
  std::error_code error;
  fs::path own = fs::read_symlink("/proc/self/exe", error);
  std::vector<fs::path> candidates;
  if (!error)
    candidates.push_back(own.parent_path() / "mpc-compile");
  const char *list = std::getenv("PATH");
  std::istringstream folders(list ? list : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    candidates.push_back(fs::path(folder) / "mpc-compile");
  for (const fs::path &candidate : candidates)
    if (isExecutable(candidate))
      return candidate.string();
  throw Failure(
      Exit::Failed,
      "expected mpc-compile beside mpc-run or on the PATH, to compile "
      "the program that observes values, but there is none; name it "
      "with '--compiler'");
}

namespace {

/// What a process writes to its standard error, and its end.
struct Outcome {
  int status = 0;
  std::string messages;
};

/// What comes until `file` ends; none if the run is asked to end before that.
std::optional<std::string> readAll(int file) {
  constexpr int kPatience = 100; // milliseconds until it is asked again
  std::string text;
  std::array<char, 4096> part;
  while (!wasInterrupted()) {
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

/// Waits for `child`; if `asks` is true, not for long.
int end(pid_t child, bool asks) {
  int status = 0, done = 0;
  if (asks)
    kill(child, SIGTERM);
  for (int tries = 0; asks && !done && tries < 20; ++tries) {
    done = waitpid(child, &status, WNOHANG);
    if (!done)
      usleep(100'000);
  }
  if (asks && !done)
    kill(child, SIGKILL);
  while (done <= 0 && (done = waitpid(child, &status, 0)) < 0 &&
         errno == EINTR) {
  }
  return status;
}

Outcome runProcess(std::vector<std::string> words) {
  int ends[2];
  if (pipe(ends) != 0)
    throw Failure(Exit::Failed, "cannot make a pipe to run mpc-compile");
  std::vector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  pid_t child = 0;
  int failed = posix_spawn(&child, arguments[0], &actions, nullptr,
                           arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::optional<std::string> messages;
  if (!failed)
    messages = readAll(ends[0]);
  close(ends[0]);
  if (failed)
    throw Failure(Exit::Failed, "cannot run '" + words[0] + "'");
  int status = end(child, /*asks=*/!messages);
  if (!messages)
    throw Failure(Exit::Interrupted, "'" + words[0] +
                                         "' was ended, since the run was asked "
                                         "to end");
  return {status, *messages};
}

} // namespace

void Compiler::compileProbe(const std::string &model,
                            const std::string &output) const {
  Outcome outcome = runProcess({find(), "--probe", model, "-o", output});
  if (WIFEXITED(outcome.status) && WEXITSTATUS(outcome.status) == 0)
    return;
  throw Failure(Exit::Failed,
                "the program that observes values could not be compiled: " +
                    (outcome.messages.empty()
                         ? "mpc-compile ended without a word"
                         : outcome.messages));
}
