// Groups of processes over Gloo: right values, and typed errors in bounded time
// where a rank is killed, stopped, or never comes.
#include "mpc/Ranks/Group.h"

#include "RankValues.h"
#include "TestLaunch.h"
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <mutex>
#include <poll.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace mpc;
using namespace mpc::ranks;
using namespace mpc::test;
using namespace std::chrono_literals;

namespace {

/// One rank in a process of its own: the store's news end the group.
struct Member {
  std::unique_ptr<Store> store;
  std::unique_ptr<Group> group;
  std::mutex mutex;
  std::condition_variable changed;
  std::string loss; ///< the first that the store told

  Status join(uint32_t rank, uint32_t size, uint16_t port,
              std::chrono::milliseconds timeout);
  std::string findSilent();
  std::string explain(const Status &failure);
};

Status Member::join(uint32_t rank, uint32_t size, uint16_t port,
                    std::chrono::milliseconds timeout) {
  Launch launch = makeLaunch(rank, size, port);
  auto deadline = Clock::now() + 20s;
  auto onLoss = [this](const Loss &lost) {
    std::lock_guard<std::mutex> lock(mutex);
    if (loss.empty())
      loss = "rank " + std::to_string(lost.rank) + " was lost: " + lost.reason;
    changed.notify_all();
  };
  auto joined = Store::join(launch, {"0.1.0", "abc", ""}, deadline, onLoss);
  if (!joined)
    return joined.status();
  store = std::move(*joined);
  auto transport = Transport::open("gloo", "world", launch, *store, deadline);
  if (!transport)
    return transport.status();
  group = std::make_unique<Group>(
      std::move(*transport),
      GroupOptions{timeout,
                   [this](const Status &status) { return explain(status); }});
  return {};
}

/// "rank 2 does not answer", of one that is stopped; or "".
std::string Member::findSilent() {
  auto present = store->ask(500ms);
  for (uint32_t rank = 0; present && rank < present->size(); ++rank)
    if ((*present)[rank] == Presence::Silent)
      return "rank " + std::to_string(rank) + " does not answer";
  return "";
}

/// The engine knows a connection, the store the rank behind it. Of a rank that
/// is stopped, the first to find out closes its connections to all.
std::string Member::explain(const Status &failure) {
  if (failure.code() == StatusCode::CollectiveTimedOut)
    if (std::string silent = findSilent(); !silent.empty())
      return silent;
  {
    std::unique_lock<std::mutex> lock(mutex);
    if (changed.wait_for(lock, 2s, [&] { return !loss.empty(); }))
      return loss;
  }
  return findSilent();
}

/// Processes, one for each rank; `run` says whether all was well.
class Processes {
public:
  using Run = std::function<bool(uint32_t rank)>;
  Processes(uint32_t size, const Run &run) {
    ::signal(SIGPIPE, SIG_DFL); // which ends a process
    for (uint32_t rank = 0; rank < size; ++rank) {
      pid_t child = fork();
      if (child == 0)
        _exit(run(rank) ? 0 : 1);
      children.push_back(child);
    }
  }
  ~Processes() {
    for (pid_t child : children)
      if (child > 0) {
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
      }
  }
  void signal(uint32_t rank, int number) { kill(children[rank], number); }
  /// How it ended: an exit code, minus a signal, or -1000 if it has not.
  int wait(uint32_t rank, std::chrono::milliseconds limit) {
    auto deadline = Clock::now() + limit;
    for (int state = 0; Clock::now() < deadline;
         std::this_thread::sleep_for(5ms))
      if (waitpid(children[rank], &state, WNOHANG) == children[rank]) {
        children[rank] = 0;
        return WIFEXITED(state) ? WEXITSTATUS(state) : -WTERMSIG(state);
      }
    return -1000;
  }

private:
  std::vector<pid_t> children;
};

/// Processes say that they are there; the test waits until all have.
class Arrivals {
public:
  Arrivals() { EXPECT_EQ(pipe(ends), 0); }
  ~Arrivals() {
    for (int end : ends)
      close(end);
  }
  void arrive() { EXPECT_EQ(write(ends[1], "", 1), 1); }
  void wait(uint32_t count) {
    char byte;
    pollfd one = {ends[0], POLLIN, 0};
    for (uint32_t i = 0; i < count; ++i)
      EXPECT_TRUE(poll(&one, 1, 40000) == 1 && read(ends[0], &byte, 1) == 1);
  }

private:
  int ends[2] = {-1, -1};
};

bool fail(uint32_t rank, const std::string &what) {
  std::fprintf(stderr, "rank %u: %s\n", rank, what.c_str());
  return false;
}

bool sumsRight(Group &group, uint64_t count) {
  std::vector<float> x = makeValues(group.rank(), count);
  Status status =
      group.run({.count = count, .source = x.data(), .result = x.data()});
  if (!status.ok())
    return fail(group.rank(), status.message());
  for (uint64_t i = 0; i < count; ++i)
    if (x[i] != sumOf(group.size(), i))
      return fail(group.rank(), "element " + std::to_string(i) + " is wrong");
  return true;
}

/// All-reduces of `count` elements until one fails; what it says.
Status sumUntilItFails(Group &group, uint64_t count) {
  std::vector<float> x(count, 1);
  while (true)
    if (Status status =
            group.run({.count = count, .source = x.data(), .result = x.data()});
        !status.ok())
      return status;
}

bool contains(const Status &status, const std::string &text) {
  return status.message().find(text) != std::string::npos ||
         fail(99, "expected '" + text + "' in '" + status.message() + "'");
}

} // namespace

TEST(Gloo, sumsInTheOrderOfRanks) {
  for (uint32_t size : {1, 2, 3, 4}) {
    uint16_t port = pickPort();
    Processes ranks(size, [&](uint32_t rank) {
      Member member;
      if (Status status = member.join(rank, size, port, 20s); !status.ok())
        return fail(rank, status.message());
      for (uint64_t count : {0, 1, 1000, 4096, 4097, 1000003})
        for (int repeat = 0; repeat < 3; ++repeat)
          if (!sumsRight(*member.group, count))
            return false;
      return member.group->run({.kind = CollectiveKind::Barrier}).ok();
    });
    for (uint32_t rank = 0; rank < size; ++rank)
      EXPECT_EQ(ranks.wait(rank, 40s), 0) << rank << " of " << size;
  }
}

// The gradients of the data flow in Accelerate's guide on how ranks train.
TEST(Gloo, averagesGradients) {
  const float gradients[4][3] = {{1.0f, 2.0f, 3.0f},
                                 {1.1f, 2.1f, 3.1f},
                                 {0.9f, 1.9f, 2.9f},
                                 {1.0f, 2.0f, 3.0f}};
  uint16_t port = pickPort();
  Processes ranks(4, [&](uint32_t rank) {
    Member member;
    if (Status status = member.join(rank, 4, port, 20s); !status.ok())
      return fail(rank, status.message());
    float x[3];
    Status status = member.group->run({.reduction = Reduction::Average,
                                       .count = 3,
                                       .source = gradients[rank],
                                       .result = x});
    return status.ok() && x[0] == 1.0f && x[1] == 2.0f && x[2] == 3.0f &&
           member.group->run({.kind = CollectiveKind::Barrier}).ok();
  });
  for (uint32_t rank = 0; rank < 4; ++rank)
    EXPECT_EQ(ranks.wait(rank, 40s), 0) << rank;
}

TEST(Gloo, namesARankThatIsKilled) {
  uint16_t port = pickPort();
  Arrivals arrivals;
  Processes ranks(3, [&](uint32_t rank) {
    Member member;
    Status status = member.join(rank, 3, port, 20s);
    arrivals.arrive();
    if (!status.ok())
      return fail(rank, status.message());
    status = sumUntilItFails(*member.group, 300000);
    return (status.code() == StatusCode::CollectiveFailed ||
            fail(rank, "another code: " + status.message())) &&
           contains(status, "all-reduce of 300000 x f32") &&
           contains(status, "rank 1 was lost");
  });
  arrivals.wait(3);
  std::this_thread::sleep_for(200ms);
  auto begin = Clock::now();
  ranks.signal(1, SIGKILL);
  EXPECT_EQ(ranks.wait(0, 20s), 0);
  EXPECT_EQ(ranks.wait(2, 20s), 0);
  EXPECT_EQ(ranks.wait(1, 20s), -SIGKILL);
  EXPECT_LT(Clock::now() - begin, 10s);
}

TEST(Gloo, namesARankThatIsStopped) {
  uint16_t port = pickPort();
  Arrivals arrivals;
  Processes ranks(3, [&](uint32_t rank) {
    Member member;
    Status status = member.join(rank, 3, port, 1500ms);
    arrivals.arrive();
    if (!status.ok())
      return fail(rank, status.message());
    status = sumUntilItFails(*member.group, 300000);
    return rank == 2 || contains(status, "rank 2");
  });
  arrivals.wait(3);
  std::this_thread::sleep_for(200ms);
  auto begin = Clock::now();
  ranks.signal(2, SIGSTOP);
  EXPECT_EQ(ranks.wait(0, 20s), 0);
  EXPECT_EQ(ranks.wait(1, 20s), 0);
  EXPECT_LT(Clock::now() - begin, 10s);
}

TEST(Gloo, saysWhatEngineIsMissing) {
  setenv("MPC_RANKS_PLUGINS", "/nowhere", 1);
  Launch launch = makeLaunch(0, 1, pickPort());
  auto store = Store::join(launch, {"0.1.0", "abc", ""}, Clock::now() + 5s,
                           [](const Loss &) {});
  ASSERT_TRUE(bool(store));
  auto transport =
      Transport::open("gloo", "world", launch, **store, Clock::now() + 5s);
  ASSERT_FALSE(bool(transport));
  EXPECT_EQ(transport.status().code(), StatusCode::DeviceUnsupported);
  EXPECT_NE(transport.status().message().find(
                "engine 'gloo', plug-in '/nowhere/libmpcrt_gloo.so': could not "
                "be loaded"),
            std::string::npos)
      << transport.status().message();
}
