// Processes that a launcher starts, when it is killed itself.
#include "Ranks/Local/Process.h"

#include "mpc/Ranks/Limits.h"
#include "mpc/Ranks/LocalRun.h"

#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mpc;
using namespace mpc::ranks;

namespace {

/// What `launcher` and all that it has started write to a descriptor, until
/// they have all gone, and "..." where that takes 20 seconds.
template <typename Launcher> std::string outputOf(Launcher launcher) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  pid_t process = fork();
  if (process == 0) {
    close(ends[0]);
    launcher("/dev/fd/" + std::to_string(ends[1]));
    raise(SIGKILL);
  }
  close(ends[1]);
  std::string text;
  char buffer[256];
  pollfd polled = {ends[0], POLLIN, 0};
  for (;;) {
    if (poll(&polled, 1, 20000) <= 0) {
      text += "...";
      break;
    }
    ssize_t count = read(ends[0], buffer, sizeof buffer);
    if (count <= 0)
      break;
    text.append(buffer, static_cast<size_t>(count));
  }
  close(ends[0]);
  waitpid(process, nullptr, 0);
  return text;
}

void write(const std::string &path, const std::string &text) {
  std::ofstream(path) << text;
}

/// Says that it runs, also to who has started it, and does so for ever.
Result<Process> startEndless(const std::string &output) {
  return startProcess(
      {"/bin/sh", "-c", "echo $NAME > " + output + "; echo; exec sleep 1000"},
      {{"NAME", "runs"}});
}

} // namespace

/// The moment at which no guard knows of it.
TEST(Process, EndsWithALauncherThatHasNotReleasedIt) {
  EXPECT_EQ(outputOf([](const std::string &output) {
              Guard guard;
              Result<Process> process = startEndless(output);
              bool isThere = guard.start(2).ok() && process;
              // It would begin meanwhile, were its gate not there.
              usleep(300000);
              if (isThere)
                raise(SIGKILL);
              write(output, "not started");
            }),
            "");
}

TEST(Process, EndsWithALauncherWhoseGuardKnowsIt) {
  EXPECT_EQ(outputOf([](const std::string &output) {
              Guard guard;
              Result<Process> process = startEndless(output);
              if (!guard.start(2).ok() || !process)
                return;
              guard.watch(process->id);
              release(*process);
              char byte; // when it runs
              while (read(process->output.get(), &byte, 1) < 0)
                ;
              raise(SIGKILL);
            }),
            "runs\n");
}

TEST(Process, EndsWithALauncherWhoseGuardWasKilled) {
  EXPECT_EQ(outputOf([](const std::string &output) {
              Result<Process> process = startEndless(output);
              if (!process)
                return;
              release(*process);
              char byte; // when it runs
              while (read(process->output.get(), &byte, 1) < 0)
                ;
            }),
            "runs\n");
}

/// A number may become another's; what it has started tells.
TEST(Process, OutlivesALauncherWhoseGuardHasForgottenIt) {
  std::string text = outputOf([](const std::string &output) {
    Guard guard;
    Result<Process> process =
        startProcess({"/bin/sh", "-c",
                      "(sleep 0.5; echo lives > " + output + ") & echo; wait"},
                     {});
    Result<Process> other = startEndless(output);
    if (!guard.start(2).ok() || !process || !other)
      return;
    guard.watch(other->id);
    guard.watch(process->id);
    guard.forget(process->id);
    release(*process);
    char byte; // when it runs
    while (read(process->output.get(), &byte, 1) < 0)
      ;
    raise(SIGKILL);
  });
  EXPECT_EQ(text, "lives\n");
}

TEST(Process, GetsWordsAndVariablesAndNothingToRead) {
  Result<Process> process =
      startProcess({"/bin/sh", "-c", "cat; echo \"$0|$1|$NAME\"", "a b", "$c"},
                   {{"NAME", "d  e"}});
  ASSERT_TRUE(process);
  release(*process);
  char buffer[64] = {};
  std::string text;
  for (ssize_t count;
       (count = read(process->output.get(), buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<size_t>(count));
  int state = 0;
  ASSERT_EQ(waitpid(process->id, &state, 0), process->id);
  EXPECT_EQ(state, 0);
  EXPECT_EQ(text, "a b|$c|d  e\n");
}

namespace {
/// How a run of three shells ends, of which each gets its number as RANK.
LocalEnd endOf(const std::string &script) {
  LocalRun run;
  run.ranks = 3;
  run.command = {"/bin/sh", "-c", script};
  Result<LocalEnd> end = runLocally(run);
  EXPECT_TRUE(end) << end.status().message();
  return *end;
}
} // namespace

/// Whoever ends first.
TEST(LocalRun, NamesTheRankThatOthersFailedBecauseOf) {
  LocalEnd end = endOf("case $RANK in 0) echo 1 >&$MPC_RANKS_LAUNCHER; exit 1;;"
                       "1) sleep 0.3; exit 3;;"
                       "2) echo 0 >&$MPC_RANKS_LAUNCHER; exit 1;; esac");
  EXPECT_EQ(end.rank, 1u);
  EXPECT_EQ(end.code, 3);
  EXPECT_EQ(end.reason, "rank 1 failed (exit code 3)");
}

TEST(LocalRun, NamesTheFirstWhereNoneIsToBlame) {
  // One that did not fail, one that is none, and each the other.
  LocalEnd end = endOf("test $RANK = 1 || exit 0;"
                       "echo 2 >&$MPC_RANKS_LAUNCHER; exit 1");
  EXPECT_EQ(end.reason, "rank 1 failed (exit code 1)");
  end = endOf("test $RANK = 2 || exit 0;"
              "echo 7 >&$MPC_RANKS_LAUNCHER; exit 4");
  EXPECT_EQ(end.reason, "rank 2 failed (exit code 4)");
  end = endOf("case $RANK in 0) echo 1 >&$MPC_RANKS_LAUNCHER; exit 4;;"
              "1) sleep 0.3; echo 0 >&$MPC_RANKS_LAUNCHER; exit 1;; esac");
  EXPECT_EQ(end.reason, "rank 0 failed (exit code 4)");
}

namespace {
/// How two shells end that are interrupted when each has written a line.
LocalEnd endOfInterrupted(const std::string &script) {
  std::atomic<bool> stop = false;
  LocalRun run;
  run.ranks = 2;
  run.stop = &stop;
  run.command = {"/bin/sh", "-c", script};
  run.output = [&, begun = 0](auto...) mutable { stop = ++begun == 2; };
  Result<LocalEnd> end = runLocally(run);
  EXPECT_TRUE(end) << end.status().message();
  return *end;
}
} // namespace

/// Where all are stopped nobody is late; but who is to end must hear of it.
TEST(LocalRun, InterruptsRanksThatAreStopped) {
  LocalEnd end = endOfInterrupted(
      "trap 'exit 130' TERM; echo; kill -STOP $$; sleep 0.1; exit 1");
  EXPECT_EQ(end.code, 130) << end.reason;
}

/// SIGINT goes to nobody: the second that a rank gets would end it at once.
TEST(LocalRun, InterruptsBySigterm) {
  LocalEnd end =
      endOfInterrupted("trap 'exit 2' INT; trap 'sleep 0.1; exit 0' TERM; echo;"
                       "while :; do sleep 0.01; done");
  EXPECT_EQ(end.code, 0) << end.reason;
}

/// One that does not save yet ends by the signal, and another has noticed it
/// before the launcher has.
TEST(LocalRun, IsInterruptedWhoeverTellsOfIt) {
  LocalEnd end = endOfInterrupted("test $RANK = 0 || trap 'exit 1' TERM; echo;"
                                  "while :; do sleep 0.01; done");
  EXPECT_EQ(end.code, 128 + SIGINT) << end.reason;
}

/// Ranks wait with what they write while there is no room for it.
TEST(LocalRun, HearsOfEndsWithoutRoomForLines) {
  LocalRun run;
  run.ranks = 2;
  run.grace = std::chrono::milliseconds(50);
  run.command = {"/bin/sh", "-c",
                 "test $RANK = 1 && exit 3; while :; do echo line; done"};
  run.hasRoom = [] { return false; };
  Result<LocalEnd> end = runLocally(run);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->reason, "rank 1 failed (exit code 3)");
}

/// How it was started is no matter to who waits.
TEST(LocalRun, WaitsWhereEndsAreIgnored) {
  auto before = signal(SIGCHLD, SIG_IGN);
  LocalEnd end = endOf("test $RANK = 1 || exit 0; sleep 0.1; exit 5");
  EXPECT_EQ(end.reason, "rank 1 failed (exit code 5)");
  EXPECT_EQ(signal(SIGCHLD, before), SIG_IGN);
  // Nor who else waits.
  end = endOf("test $RANK = 2 || exit 0; kill -TERM $$");
  EXPECT_EQ(end.code, 128 + SIGTERM);
}

/// However long it takes to tell it; and nobody waits for pipes that are
/// closed.
TEST(LocalRun, TellsAllThatWasWritten) {
  LocalRun run;
  run.ranks = 1;
  run.command = {"/bin/sh", "-c",
                 "for i in 0 1 2 3 4 5 6 7 8 9; do printf '%0999d\n%0999d\n' "
                 "$i $i; done; printf end"};
  std::vector<std::string> lines;
  run.output = [&](uint32_t, bool, const std::string &line) {
    lines.push_back(line);
    usleep(100000);
  };
  ASSERT_TRUE(runLocally(run));
  EXPECT_EQ(lines.size(), 21u);
  EXPECT_EQ(lines.back(), "end");
}

/// What a rank leaves behind, out of its group, holds its pipes.
TEST(LocalRun, DoesNotWaitForOthersOfAPipe) {
  auto begin = std::chrono::steady_clock::now();
  LocalEnd end = endOf("test $RANK = 0 || exit 0; echo x;"
                       "setsid sh -c 'for i in 1 2 3 4 5; do sleep 1; done' &");
  EXPECT_EQ(end.code, 0);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(4));
}

/// Where one cannot be started the others have not begun, and are gone.
TEST(LocalRun, BeginsWithAllRanksOrNone) {
  std::string file =
      testing::TempDir() + "mpc-begun-" + std::to_string(getpid());
  LocalRun run;
  run.ranks = 8;
  run.command = {"/bin/sh", "-c", "echo > " + file};
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  int next = dup(STDERR_FILENO); // the lowest that is free
  close(next);
  rlimit few = {rlim_t(next) + 16, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  Result<LocalEnd> end = runLocally(run);
  setrlimit(RLIMIT_NOFILE, &before);
  ASSERT_FALSE(end);
  EXPECT_NE(access(file.c_str(), F_OK), 0);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "one is left";
}

TEST(Process, IsNotStartedWhereThereIsNoProgram) {
  Result<Process> process = startProcess({"/nowhere/program"}, {});
  ASSERT_FALSE(process);
  EXPECT_EQ(process.status().message(),
            "'/nowhere/program' could not be started: No such file or "
            "directory");
}

/// Where none is left a message names the limit.
TEST(Process, NamesTheLimitOfFiles) {
  EXPECT_EQ(noteFileLimit(), "");
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = {4, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  Result<Process> process = startProcess({"/bin/sh", "-c", "exit 0"}, {});
  setrlimit(RLIMIT_NOFILE, &before);
  ASSERT_FALSE(process);
  EXPECT_EQ(process.status().message(),
            "a pipe could not be made: Too many open files; 'ulimit -n' allows "
            "4 open files");
}

TEST(Process, NamesTheLimitOfAddresses) {
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  if (before.rlim_cur != RLIM_INFINITY)
    GTEST_SKIP() << "there is one already";
  EXPECT_EQ(noteMemoryLimit(/*isShort=*/true), "");
  // More than a sanitizer has taken.
  rlimit much = {rlim_t(1) << 47, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &much), 0);
  std::string note = noteMemoryLimit(), isShort = noteMemoryLimit(true);
  setrlimit(RLIMIT_AS, &before);
  EXPECT_EQ(note, "") << "a thread would fit";
  EXPECT_EQ(isShort.substr(0, isShort.find(", and")),
            "; 'ulimit -v' allows 137438953472 KiB of addresses");
}

//===-- Stopped before it is a program ------------------------------------===//

namespace {

/// Which of the next copies that fork makes of this process are stopped as the
/// first thing: bits, the lowest of the next one.
unsigned gStops = 0;

void stopIfAsked() {
  if (gStops & 1)
    raise(SIGSTOP);
}

/// The moment at which a signal is hardest to hit: the copy is no program yet.
void stopCopies(unsigned which) {
  static bool isSet = false;
  if (!std::exchange(isSet, true))
    pthread_atfork(nullptr, [] { gStops >>= 1; }, stopIfAsked);
  gStops = which;
}

} // namespace

/// As one that is stopped later: the others fail by their timeouts, and end it.
TEST(LocalRun, EndsARankThatIsStoppedBeforeItIsAProgram) {
  stopCopies(0b0100); // the guard, rank 0, rank 1, rank 2
  LocalEnd end = endOf("sleep 0.3; exit 4");
  EXPECT_EQ(end.code, 4);
  EXPECT_TRUE(end.reason.ends_with("failed (exit code 4) while rank 1 was "
                                   "stopped"))
      << end.reason;
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "one is left";
}

/// Such a rank has all that the launcher has open, the guard's pipe, too.
TEST(LocalRun, IsGuardedWhileARankIsStoppedBeforeItIsAProgram) {
  // Linux has groups of a session go on that nobody of it can wait for.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  EXPECT_EQ(outputOf([](const std::string &output) {
              stopCopies(0b0100);
              LocalRun run;
              run.ranks = 3;
              run.command = {"/bin/sh", "-c",
                             "echo $RANK > " + output +
                                 "; echo; exec sleep "
                                 "1000"};
              run.output = [begun = 0](auto...) mutable {
                if (++begun == 2)
                  raise(SIGKILL);
              };
              static_cast<void>(runLocally(run));
            }).size(),
            4u);
  prctl(PR_SET_CHILD_SUBREAPER, 0);
  while (waitpid(-1, nullptr, 0) > 0)
    ;
}

/// One that is stopped does not hold up who tells it.
TEST(Process, DoesNotWaitForAGuardThatIsStopped) {
  stopCopies(0b1);
  Guard guard;
  ASSERT_TRUE(guard.start(0).ok());
  for (int i = 1; i < 100000; ++i)
    guard.watch(1 << 30);
}
