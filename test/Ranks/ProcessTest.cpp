// Processes that a launcher starts, when it is killed itself.
#include "Ranks/Local/Process.h"

#include <gtest/gtest.h>

#include <csignal>
#include <poll.h>
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
              if (guard.start().ok() && startEndless(output))
                raise(SIGKILL);
            }),
            "");
}

TEST(Process, EndsWithALauncherWhoseGuardKnowsIt) {
  EXPECT_EQ(outputOf([](const std::string &output) {
              Guard guard;
              Result<Process> process = startEndless(output);
              if (!guard.start().ok() || !process)
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

TEST(Process, IsNotStartedWhereThereIsNoProgram) {
  Result<Process> process = startProcess({"/nowhere/program"}, {});
  ASSERT_FALSE(process);
  EXPECT_EQ(process.status().message(),
            "'/nowhere/program' could not be started: No such file or "
            "directory");
}
