#include "mpc/Ranks/LocalRun.h"

#include "Process.h"

#include "mpc/Ranks/Launch.h"
#include "mpc/Support/Number.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <netinet/in.h>
#include <poll.h>
#include <random>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace mpc;
using namespace mpc::ranks;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// After the last rank: so long pipes may stay open that somebody else writes
// to, and so many bytes are read that may lie in one (Linux has no more room).
static constexpr milliseconds kLinger{200};
static constexpr uint64_t kMostLeft = 1 << 20;

// What ranks get to be interrupted. Of SIGINT the second would end them, and
// who sends it to all of a session's processes has sent the first.
static constexpr int kInterrupt = SIGTERM;

// How often processes are asked whether they have ended, and `stop`.
static constexpr milliseconds kTurn{20};

// Ports for stores: below those that systems hand out for connections (32768
// and above on Linux), of which others listen at some for one peer each. A rank
// that looks for its store there would take that peer's place.
static constexpr uint16_t kFirstPort = 10000, kNumPorts = 20000;

static bool isFree(uint16_t port) {
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return bind(socket.get(), reinterpret_cast<sockaddr *>(&address),
              sizeof address) == 0;
}

/// A port that nobody listens at, now.
static uint16_t findPort() {
  std::random_device random;
  for (int tries = 0; tries < 100; ++tries)
    if (auto port = uint16_t(kFirstPort + random() % kNumPorts); isFree(port))
      return port;
  return 29500; // torchrun's
}

/// Of one run, on whatever machine.
static std::string makeName() {
  std::random_device random;
  return "mpc-run-" + std::to_string(random()) + std::to_string(random());
}

namespace {

/// Lines of what comes through a pipe.
class Lines {
public:
  explicit Lines(Descriptor pipe) : pipe(std::move(pipe)) {}

  int descriptor() const { return pipe.get(); }
  bool isOpen() const { return pipe.get() >= 0; }
  /// Reads what is there, and returns how many bytes; tells whole lines, and at
  /// its end what is left.
  template <typename Tell> uint64_t read(Tell tell) {
    char buffer[4096];
    ssize_t count = ::read(pipe.get(), buffer, sizeof buffer);
    if (count < 0 && (errno == EINTR || errno == EAGAIN))
      return 0;
    if (count > 0)
      text.append(buffer, static_cast<size_t>(count));
    size_t begin = 0;
    for (size_t end; (end = text.find('\n', begin)) != std::string::npos;
         begin = end + 1)
      tell(text.substr(begin, end - begin));
    text.erase(0, begin);
    if (count > 0)
      return static_cast<uint64_t>(count);
    if (!text.empty())
      tell(text);
    pipe = Descriptor();
    return 0;
  }

private:
  Descriptor pipe;
  std::string text;
};

/// While one lives, who ends can be waited for, whatever this process has been
/// started with: where SIGCHLD is ignored the system forgets how they have.
class ChildSignal {
public:
  ChildSignal() {
    struct sigaction usual = {};
    usual.sa_handler = SIG_DFL;
    isChanged =
        sigaction(SIGCHLD, nullptr, &before) == 0 &&
        (before.sa_handler == SIG_IGN || (before.sa_flags & SA_NOCLDWAIT)) &&
        sigaction(SIGCHLD, &usual, nullptr) == 0;
  }
  ~ChildSignal() {
    if (isChanged)
      sigaction(SIGCHLD, &before, nullptr);
  }

private:
  struct sigaction before = {};
  bool isChanged;
};

struct Rank {
  pid_t process = 0; ///< 0: it has ended.
  Process started;   ///< Until it is released.
  bool isStopped = false;
  std::unique_ptr<Lines> output, errors;
  Descriptor news; ///< See tellLauncher().
  /// How it ended, unless this process has ended it.
  int state = 0;
  std::optional<uint32_t> blamed; ///< The rank that it has failed because of.
};

class Supervisor {
public:
  explicit Supervisor(const LocalRun &run) : run(run) {}
  ~Supervisor();

  Status start();
  LocalEnd wait();

private:
  Status startRank(uint32_t number, uint16_t port);
  bool hasOutput() const;
  std::optional<uint64_t> readOutput();
  void readRest();
  bool hasRoom() const { return !run.hasRoom || run.hasRoom(); }
  void collect();
  bool takeEnd(Rank &rank, int &state);
  void note(uint32_t number, int state);
  uint32_t findCause() const;
  bool wasInterrupted() const;
  void press();
  void signalAll(int signal);
  bool isRunning() const;

  const LocalRun &run;
  // Ports of runs may lie side by side: ranks look for a store of theirs.
  const std::string name = makeName();
  ChildSignal children; ///< In front of all who have some.
  std::vector<Rank> ranks;
  Guard guard;
  LocalEnd end;
  bool wasStopped = false;
  int signalsSent = 0;    ///< Of SIGTERM and SIGKILL.
  Clock::time_point next; ///< When the next of them is sent.
};

} // namespace

Status Supervisor::start() {
  if (Status status = guard.start(run.ranks); !status.ok())
    return status;
  uint16_t port = findPort();
  for (uint32_t number = 0; number < run.ranks; ++number)
    if (Status status = startRank(number, port); !status.ok())
      return status;
  // Where one cannot be started none has begun.
  for (Rank &rank : ranks)
    release(rank.started);
  return {};
}

Supervisor::~Supervisor() {
  signalAll(SIGKILL);
  for (const Rank &rank : ranks)
    if (rank.process) {
      guard.forget(rank.process);
      waitpid(rank.process, nullptr, 0);
    }
}

Status Supervisor::startRank(uint32_t number, uint16_t port) {
  auto text = [](uint64_t value) { return std::to_string(value); };
  std::vector<std::pair<std::string, std::string>> variables = {
      {"RANK", text(number)},        {"WORLD_SIZE", text(run.ranks)},
      {"LOCAL_RANK", text(number)},  {"LOCAL_WORLD_SIZE", text(run.ranks)},
      {"MASTER_ADDR", "localhost"},  {"MASTER_PORT", text(port)},
      {"TORCHELASTIC_RUN_ID", name}, {kLauncherVariable, text(kNews)}};
  variables.insert(variables.end(), run.variables.begin(), run.variables.end());
  Result<Process> process =
      startProcess(run.command, variables, run.descriptors);
  if (!process)
    return process.status();
  Rank &rank = ranks.emplace_back();
  rank.process = process->id;
  rank.output = std::make_unique<Lines>(std::move(process->output));
  rank.errors = std::make_unique<Lines>(std::move(process->errors));
  rank.news = std::move(process->news);
  rank.started = std::move(*process);
  guard.watch(rank.process);
  return {};
}

bool Supervisor::isRunning() const {
  for (const Rank &rank : ranks)
    if (rank.process)
      return true;
  return false;
}

bool Supervisor::hasOutput() const {
  return std::ranges::any_of(ranks, [](const Rank &rank) {
    return rank.output->isOpen() || rank.errors->isOpen();
  });
}

/// Waits a turn for output, if any may come; how many bytes did, and nothing
/// where no pipe had anything to tell.
std::optional<uint64_t> Supervisor::readOutput() {
  struct Source {
    uint32_t rank;
    bool isError;
    Lines *lines;
  };
  std::vector<Source> sources;
  std::vector<pollfd> polled;
  for (uint32_t number = 0; number < ranks.size(); ++number)
    for (bool isError : {false, true}) {
      Rank &rank = ranks[number];
      Lines *lines = isError ? rank.errors.get() : rank.output.get();
      if (!lines->isOpen())
        continue;
      sources.push_back({number, isError, lines});
      polled.push_back({lines->descriptor(), POLLIN, 0});
    }
  if (poll(polled.data(), polled.size(), int(kTurn.count())) <= 0)
    return std::nullopt;
  uint64_t bytes = 0;
  for (size_t i = 0; i < polled.size(); ++i)
    if (const Source &source = sources[i]; polled[i].revents)
      bytes += source.lines->read([&](const std::string &line) {
        if (run.output)
          run.output(source.rank, source.isError, line);
      });
  return bytes;
}

/// What ranks have left behind, however long it takes to tell it. Pipes may
/// outlive them, where others write to them: those are waited for a little.
void Supervisor::readRest() {
  milliseconds idle{0};
  uint64_t most = 2 * ranks.size() * kMostLeft;
  while (hasOutput() && idle < kLinger && most > 0) {
    std::optional<uint64_t> bytes = readOutput();
    if (!bytes)
      idle += kTurn;
    most -= std::min(most, bytes.value_or(0));
  }
}

/// The first number that a process has written which has ended.
static std::optional<uint32_t> readBlamed(const Descriptor &news) {
  pollfd polled = {news.get(), POLLIN, 0};
  char text[16];
  if (poll(&polled, 1, 0) <= 0)
    return std::nullopt;
  ssize_t count = ::read(news.get(), text, sizeof text);
  std::string_view line(text, count > 0 ? static_cast<size_t>(count) : 0);
  return parseNumber<uint32_t>(line.substr(0, line.find('\n')));
}

/// Whether `rank` has ended since it was asked last; notes if it was stopped.
/// What it has started goes with it, as long as no other group can have its
/// number: before it is reaped.
bool Supervisor::takeEnd(Rank &rank, int &state) {
  if (!rank.process)
    return false;
  auto id = static_cast<id_t>(rank.process);
  siginfo_t news = {};
  while (waitid(P_PID, id, &news, WSTOPPED | WCONTINUED | WNOHANG) == 0 &&
         news.si_pid) {
    rank.isStopped = news.si_code != CLD_CONTINUED;
    news = {};
  }
  if (waitid(P_PID, id, &news, WEXITED | WNOHANG | WNOWAIT) != 0)
    // Somebody else has waited for it: how it ended is not known.
    state = 1 << 8;
  else if (!news.si_pid)
    return false;
  kill(-rank.process, SIGKILL);
  guard.forget(rank.process);
  waitpid(rank.process, &state, 0);
  return true;
}

/// Notes who has ended. Of several that have in one turn the one that a signal
/// has ended is the cause: the others have learned of it.
void Supervisor::collect() {
  std::vector<std::pair<uint32_t, int>> failed;
  for (uint32_t number = 0; number < ranks.size(); ++number) {
    Rank &rank = ranks[number];
    int state = 0;
    if (!takeEnd(rank, state))
      continue;
    rank.process = 0;
    if (state == 0)
      continue;
    rank.blamed = readBlamed(rank.news);
    if (!WIFSIGNALED(state) || (signalsSent == 0 && !rank.isStopped))
      rank.state = state;
    failed.emplace_back(number, state);
  }
  if (failed.empty() || end.code != 0)
    return;
  auto cause = std::ranges::find_if(
      failed, [](const auto &each) { return WIFSIGNALED(each.second); });
  auto [number, state] = cause == failed.end() ? failed.front() : *cause;
  note(number, state);
  next = Clock::now() + run.grace;
}

/// The first failure.
void Supervisor::note(uint32_t number, int state) {
  end.rank = number;
  end.reason = "rank " + std::to_string(number);
  if (WIFSIGNALED(state)) {
    end.code = 128 + WTERMSIG(state);
    end.reason += " was ended by signal " + std::to_string(WTERMSIG(state)) +
                  " (" + strsignal(WTERMSIG(state)) + ")";
    return;
  }
  end.code = WEXITSTATUS(state);
  end.reason += " failed (exit code " + std::to_string(end.code) + ")";
  for (uint32_t other = 0; other < ranks.size(); ++other)
    if (ranks[other].process && ranks[other].isStopped) {
      end.reason += " while rank " + std::to_string(other) + " was stopped";
      return;
    }
}

/// The rank that the first failure is because of: who fails because of another
/// may end before that does.
uint32_t Supervisor::findCause() const {
  uint32_t cause = end.rank;
  for (size_t i = 0; i < ranks.size(); ++i) {
    std::optional<uint32_t> next = ranks[cause].blamed;
    if (!next || *next >= ranks.size() || ranks[*next].state == 0)
      return cause;
    cause = *next;
  }
  return end.rank; // Each blames another.
}

/// Whether an interrupt has ended a rank, which did not save yet; others may
/// have noticed that before.
bool Supervisor::wasInterrupted() const {
  return wasStopped && std::ranges::any_of(ranks, [](const Rank &rank) {
           return WIFSIGNALED(rank.state) && WTERMSIG(rank.state) == kInterrupt;
         });
}

void Supervisor::signalAll(int signal) {
  for (const Rank &rank : ranks)
    if (rank.process)
      kill(-rank.process, signal);
}

/// Tells ranks to end, more and more.
void Supervisor::press() {
  if (run.stop && run.stop->load() && !std::exchange(wasStopped, true))
    signalAll(kInterrupt);
  // Who is stopped does not even hear that all are to end.
  for (const Rank &rank : ranks)
    if (rank.process && rank.isStopped && (end.code != 0 || wasStopped))
      kill(-rank.process, end.code != 0 ? SIGKILL : SIGCONT);
  if (end.code == 0 || Clock::now() < next)
    return;
  signalAll(signalsSent++ ? SIGKILL : SIGTERM);
  next = Clock::now() + run.grace;
}

LocalEnd Supervisor::wait() {
  while (isRunning()) {
    if (hasRoom())
      readOutput();
    else
      std::this_thread::sleep_for(kTurn);
    collect();
    press();
  }
  readRest();
  if (uint32_t cause = findCause(); end.code != 0 && cause != end.rank)
    note(cause, ranks[cause].state);
  if (wasInterrupted())
    end.code = 128 + SIGINT;
  return end;
}

Result<LocalEnd> ranks::runLocally(const LocalRun &run) {
  if (run.ranks == 0 || run.command.empty())
    return Status(StatusCode::InvalidArgument,
                  "expected a command and one rank or more, but got none");
  Supervisor supervisor(run);
  if (Status status = supervisor.start(); !status.ok())
    return status;
  return supervisor.wait();
}
