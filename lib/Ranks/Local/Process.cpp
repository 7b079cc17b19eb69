#include "Process.h"

#include "mpc/Ranks/Limits.h"
#include "mpc/Support/Pipe.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
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

/// A system that has no place for a process says EAGAIN.
static Status noProcess(const std::string &what, int error) {
  Status status = systemStatus(what + " could not be started", error);
  return {status.code(),
          status.message() + (error == EAGAIN ? noteThreadLimit() : "")};
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

/// While one lives no signal that can be blocked interrupts this thread, nor a
/// copy of it that fork makes: handlers of this process are none of a copy's.
class SignalBlock {
public:
  SignalBlock() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
  }
  ~SignalBlock() { end(); }
  void end() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }

private:
  sigset_t before;
};

/// A shell in a process group of its own. By fork, since who spawns (vfork)
/// waits in the kernel until the child has become the program: one that is
/// stopped before never does, and nothing but SIGKILL ends the wait.
class Start {
public:
  void connect(int descriptor, const Descriptor &end) {
    places.emplace_back(end.get(), descriptor);
  }
  void keep(int descriptor) { places.emplace_back(descriptor, descriptor); }
  Status run(pid_t &process, const std::vector<std::string> &command,
             const std::vector<std::string> &environment) {
    std::vector<char *> words = toPointers(command);
    std::vector<char *> variables = toPointers(environment);
    Pipe report; // The last that is opened: nobody's place has its number.
    if (!report.open())
      return noPipe();
    SignalBlock block;
    process = fork();
    if (process == 0)
      become(words.data(), variables.data(), report.writing.get(), block);
    int error = process < 0 ? errno : 0;
    block.end();
    report.writing = Descriptor();
    if (error == 0) {
      setpgid(process, process); // A copy that is stopped has not done it.
      error = takeReport(process, report.reading);
    }
    return error == 0 ? Status()
                      : noProcess(error == EAGAIN ? "a process"
                                                  : "'" + command.front() + "'",
                                  error);
  }

private:
  // Longer than a machine with other things to do takes. A process that has not
  // become its program by then is not waited for: it may be stopped, as others
  // that run.
  static constexpr int kPatience = 1000;

  /// Ends with a null. C's way of passing what is only read.
  static std::vector<char *> toPointers(const std::vector<std::string> &texts) {
    std::vector<char *> pointers;
    for (const std::string &text : texts)
      pointers.push_back(const_cast<char *>(text.c_str()));
    pointers.push_back(nullptr);
    return pointers;
  }

  /// Between fork and exec: calls that signal handlers may make, no others.
  [[noreturn]] void become(char *const *words, char *const *variables,
                           int report, SignalBlock &block) const {
    setpgid(0, 0);
    // Where the guard is killed, too, what this process starts goes on alone.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
      _exit(127);
    // Signals that this process catches, or ignores meanwhile.
    struct sigaction usual = {};
    usual.sa_handler = SIG_DFL;
    for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ, SIGCHLD})
      sigaction(signal, &usual, nullptr);
    bool isReady = true;
    for (auto [from, to] : places)
      isReady &= from == to ? fcntl(to, F_SETFD, 0) == 0 : dup2(from, to) >= 0;
    block.end();
    if (isReady)
      execve(words[0], words, variables);
    int error = errno;
    static_cast<void>(!write(report, &error, sizeof error));
    _exit(127);
  }

  /// An error number, or 0: the pipe ends where exec closes it.
  static int takeReport(pid_t process, const Descriptor &report) {
    pollfd polled = {report.get(), POLLIN, 0};
    int error = 0;
    if (poll(&polled, 1, kPatience) <= 0 ||
        read(report.get(), &error, sizeof error) != sizeof error)
      return 0;
    waitpid(process, nullptr, 0);
    return error;
  }

  std::vector<std::pair<int, int>> places; ///< From which descriptor to which.
  const pid_t parent = getpid();
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
  if (Status status = start.run(process.id, words, makeEnvironment(variables));
      !status.ok())
    return status;
  process.output = std::move(output.reading);
  process.errors = std::move(errors.reading);
  process.gate = std::move(gate.writing);
  process.news = std::move(news.reading);
  return process;
}

void ranks::release(Process &process) {
  // It goes into any pipe; of a process that has gone its end tells.
  static_cast<void>(
      writeToPipe(process.gate.get(), std::as_bytes(std::span("\n", 1))));
  process.gate = Descriptor();
}

//===-- The guard ---------------------------------------------------------===//

// A pipe tells its end to who reads when nobody has it any more; a rank that is
// stopped before it has become its program has it, too.
static constexpr int kLookForParent = 500; // milliseconds

/// Numbers of groups come through `pipe`, and go by the negative ones; when
/// `parent` has gone, and all that it wrote is read, those that are left are
/// ended. In a copy of a process of several threads: allocates nothing that
/// `groups` has no room for.
[[noreturn]] static void guardGroups(int pipe, pid_t parent,
                                     std::vector<pid_t> &groups) {
  for (bool isOver = false; !isOver;) {
    bool isAlone = getppid() != parent;
    pollfd polled = {pipe, POLLIN, 0};
    pid_t group = 0;
    if (poll(&polled, 1, isAlone ? 0 : kLookForParent) <= 0)
      isOver = isAlone;
    else if (read(pipe, &group, sizeof group) != sizeof group)
      isOver = true;
    else if (group > 0)
      groups.push_back(group);
    else
      std::erase(groups, -group);
  }
  for (pid_t group : groups)
    kill(-group, SIGKILL);
  _exit(0);
}

Status Guard::start(size_t most) {
  Pipe pipe;
  if (!pipe.open())
    return noPipe();
  std::vector<pid_t> groups;
  groups.reserve(most);
  pid_t parent = getpid();
  // All that can be blocked stays so: who ends a run by its processes' group
  // does not end this one.
  SignalBlock block;
  process = fork();
  if (process < 0)
    return noProcess("a process", errno);
  if (process == 0) {
    setpgid(0, 0);
    prctl(PR_SET_NAME, "guard of ranks");
    // Nobody waits for the end of what this process has open.
    int only = dup2(pipe.reading.get(), 0);
    close_range(1, ~0U, 0);
    guardGroups(only, parent, groups);
  }
  setpgid(process, process);
  groupsPipe = std::move(pipe.writing);
  return {};
}

/// A guard that has gone is no reason to end, nor is one that is stopped, where
/// its pipe is full.
void Guard::tell(pid_t group) {
  pollfd polled = {groupsPipe.get(), POLLOUT, 0};
  if (poll(&polled, 1, 0) > 0)
    static_cast<void>(
        writeToPipe(groupsPipe.get(), std::as_bytes(std::span(&group, 1))));
}

void Guard::watch(pid_t group) { tell(group); }

void Guard::forget(pid_t group) { tell(-group); }

Guard::~Guard() {
  if (process <= 0)
    return;
  kill(process, SIGKILL);
  waitpid(process, nullptr, 0);
}
