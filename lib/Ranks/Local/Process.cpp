#include "Process.h"

#include "mpc/Ranks/Limits.h"
#include "mpc/Support/Pipe.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mpc;
using namespace mpc::ranks;

Descriptor &Descriptor::operator=(Descriptor &&other) noexcept {
  std::swap(number, other.number);
  return *this;
}

Descriptor::~Descriptor() {
  if (number >= 0)
    close(number);
}

static Status systemStatus(const std::string &what, int error) {
  return {StatusCode::IoError, what + ": " + std::strerror(error)};
}

static Status noPipe() {
  int error = errno;
  Status status = systemStatus("a pipe could not be made", error);
  return {status.code(), status.message() + noteFileLimit()};
}

namespace {

/// The two ends of a pipe, which processes that are started do not get.
struct Pipe {
  Descriptor reading, writing;

  bool open() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
      return false;
    reading = Descriptor(ends[0]);
    writing = Descriptor(ends[1]);
    return true;
  }
};

/// How posix_spawn is told where standard streams go.
class Start {
public:
  Start() {
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setpgroup(&attributes, 0);
    // Signals that this process catches, or ignores meanwhile.
    sigset_t all;
    sigemptyset(&all);
    for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ, SIGCHLD})
      sigaddset(&all, signal);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  }
  ~Start() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
  void connect(int descriptor, const Descriptor &end) {
    posix_spawn_file_actions_adddup2(&files, end.get(), descriptor);
  }
  /// To its own number it is copied as one that exec does not close.
  void keep(int descriptor) {
    posix_spawn_file_actions_adddup2(&files, descriptor, descriptor);
  }
  void discard(int descriptor) {
    posix_spawn_file_actions_addopen(&files, descriptor, "/dev/null", O_RDWR,
                                     0);
  }
  /// An error number, or 0.
  int run(pid_t &process, const std::vector<std::string> &command,
          const std::vector<std::string> &environment) {
    std::vector<char *> words = toPointers(command);
    std::vector<char *> variables = toPointers(environment);
    return posix_spawnp(&process, words.front(), &files, &attributes,
                        words.data(), variables.data());
  }

private:
  /// Ends with a null. C's way of passing what is only read.
  static std::vector<char *> toPointers(const std::vector<std::string> &texts) {
    std::vector<char *> pointers;
    for (const std::string &text : texts)
      pointers.push_back(const_cast<char *>(text.c_str()));
    pointers.push_back(nullptr);
    return pointers;
  }

  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
};

} // namespace

/// Those of this process, with `variables` in their place.
static std::vector<std::string> makeEnvironment(
    const std::vector<std::pair<std::string, std::string>> &variables) {
  std::vector<std::string> environment;
  for (char **each = environ; *each; ++each) {
    std::string_view text = *each;
    bool isReplaced = false;
    for (const auto &[name, value] : variables)
      isReplaced |= text.starts_with(name + "=");
    if (!isReplaced)
      environment.emplace_back(text);
  }
  for (const auto &[name, value] : variables)
    environment.push_back(name + "=" + value);
  return environment;
}

// A process that is not known to a guard yet must not outlive this one. So a
// shell, which becomes the command, waits for a line, or for the end of who
// would write it.
static constexpr char kGate[] = "read line && exec \"$@\" </dev/null";

Result<Process> ranks::startProcess(
    const std::vector<std::string> &command,
    const std::vector<std::pair<std::string, std::string>> &variables,
    const std::vector<int> &descriptors) {
  const std::string &path = command.front();
  if (path.find('/') != path.npos && access(path.c_str(), X_OK) != 0)
    return systemStatus("'" + path + "' could not be started", errno);
  Pipe output, errors, gate, news;
  if (!output.open() || !errors.open() || !gate.open() || !news.open())
    return noPipe();
  std::vector<std::string> words = {"/bin/sh", "-c", kGate, "rank"};
  words.insert(words.end(), command.begin(), command.end());
  Start start;
  start.connect(STDIN_FILENO, gate.reading);
  start.connect(STDOUT_FILENO, output.writing);
  start.connect(STDERR_FILENO, errors.writing);
  start.connect(kNews, news.writing); // The last: it may be another's number.
  for (int descriptor : descriptors)
    start.keep(descriptor);
  Process process;
  if (int error = start.run(process.id, words, makeEnvironment(variables)))
    return systemStatus("'/bin/sh' could not be started", error);
  process.output = std::move(output.reading);
  process.errors = std::move(errors.reading);
  process.gate = std::move(gate.writing);
  process.news = std::move(news.reading);
  return process;
}

/// A few bytes go into any pipe; of a process that has gone its end tells.
static void writeLine(const Descriptor &pipe, const std::string &text) {
  std::string line = text + "\n";
  static_cast<void>(writeToPipe(
      pipe.get(), std::as_bytes(std::span(line.data(), line.size()))));
}

void ranks::release(Process &process) {
  writeLine(process.gate, "");
  process.gate = Descriptor();
}

//===-- The guard ---------------------------------------------------------===//

// Reads the numbers of groups that come and go until nobody can write any more,
// which is when the process that started it has gone.
static constexpr char kScript[] =
    "groups=' '; while read word group; do case $word in"
    " watch) groups=\"$groups$group \";;"
    " forget) groups=\"${groups%% $group *} ${groups#* $group }\";;"
    " esac; done;"
    "for group in $groups; do kill -s KILL -- -$group 2>/dev/null; done";

Status Guard::start() {
  Pipe groups;
  if (!groups.open())
    return noPipe();
  Start start;
  start.connect(STDIN_FILENO, groups.reading);
  start.discard(STDOUT_FILENO);
  start.discard(STDERR_FILENO);
  if (int error =
          start.run(shell, {"/bin/sh", "-c", kScript}, {"PATH=/usr/bin:/bin"}))
    return systemStatus("'/bin/sh' could not be started", error);
  pipe = std::move(groups.writing);
  return {};
}

void Guard::watch(pid_t group) {
  // A guard that has gone is no reason to end.
  writeLine(pipe, "watch " + std::to_string(group));
}

void Guard::forget(pid_t group) {
  writeLine(pipe, "forget " + std::to_string(group));
}

Guard::~Guard() {
  if (!shell)
    return;
  kill(shell, SIGKILL);
  waitpid(shell, nullptr, 0);
}
