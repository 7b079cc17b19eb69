// Groups of processes through the C++ wrapper, which is the C interface: values
// on both engines, sessions that reduce by them, and what others are told when
// a rank is lost.
//
// A rank is this program, with the name of what it has to do (kCases).
#include "../../Ranks/RankProcesses.h"
#include "../../Ranks/TestLaunch.h"
#include "../ReducingProgram.h"
#include "mpc-c/Ranks.hpp"

#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <thread>

using mpc::rt::Ranks;
using mpc::rt::RanksOptions;
using mpc::rt::Session;
using mpc::rt::SessionOptions;
using mpc::rt::Status;
using namespace mpc::test;
using namespace std::chrono_literals;

//===-- What a rank does --------------------------------------------------===//

namespace {

/// "" if all was well, else what was not.
using Case = std::function<std::string()>;

std::string expectText(const std::string &text,
                       std::initializer_list<const char *> words) {
  for (const char *word : words)
    if (text.find(word) == std::string::npos)
      return "expected '" + std::string(word) + "' in '" + text + "'";
  return "";
}

/// A member of a group, which leaves in order if `body` says "".
std::string join(const std::function<std::string(Ranks &)> &body,
                 uint32_t timeout = 30000, const std::string &name = "ranks") {
  RanksOptions options;
  options.timeoutMilliseconds = timeout;
  options.name = name;
  auto ranks = Ranks::join(options);
  if (!ranks)
    return ranks.message();
  std::string wrong = body(*ranks);
  RankProcesses::report(ranks->rank(), wrong); // To leave takes a while.
  return !wrong.empty() || ranks->failure().code() != MPC_OK
             ? wrong
             : ranks->leave().message();
}

std::string exchanges() {
  return join([](Ranks &ranks) -> std::string {
    uint32_t size = ranks.size(), own = ranks.rank();
    mpc_ranks_info info = ranks.info();
    if (info.local_size != size || info.local_rank != own || info.threads < 1)
      return "its place is wrong";
    float sums[2] = {float(own + 1), 0.5f};
    if (Status status = ranks.allReduce(sums, 2); !status)
      return status.message();
    if (sums[0] != float(size * (size + 1) / 2) || sums[1] != 0.5f * size)
      return "sums are wrong";
    auto mean = ranks.average(own, "losses");
    if (!mean || *mean != (size - 1) / 2.0)
      return "the mean is wrong";
    int64_t counts[2] = {own, -1};
    auto all = ranks.gather(counts, 2);
    for (uint32_t rank = 0; all && rank < size; ++rank)
      if ((*all)[2 * rank] != rank || (*all)[2 * rank + 1] != -1)
        return "what was gathered is wrong";
    double root = own == size - 1 ? 7 : 0;
    if (Status status = ranks.broadcast(&root, 1, size - 1); !status)
      return status.message();
    MPC_STRUCT(mpc_collective, part);
    std::vector<int32_t> parts(size, 1), result(1);
    part.kind = MPC_REDUCE_SCATTER;
    part.type = MPC_I32;
    part.count = 1;
    part.source = parts.data();
    part.result = result.data();
    auto ticket = ranks.start(part);
    if (!ticket || !ranks.finish(*ticket) || !*ranks.isDone(*ticket))
      return "a reduce-scatter fails";
    if (root != 7 || result[0] != int32_t(size))
      return "a broadcast or a reduce-scatter is wrong";
    return ranks.barrier("at the end").message();
  });
}

/// What a session reduces, and what it takes from a rank.
std::string reduces() {
  return join([](Ranks &ranks) -> std::string {
    auto program = makeReducingProgram();
    SessionOptions options;
    options.ranks = ranks.group();
    options.threads = ranks.info().threads;
    auto session = Session::create(program, options);
    if (!session || !session->init(1))
      return session ? "no states" : session.message();
    float x = 3 + float(ranks.rank());
    if (Status status = session->run("step", {{&x, 4}}); !status)
      return status.message();
    // Each has written its own input.
    if (ranks.compareStates(program, *session).code() != MPC_CHECKSUM_MISMATCH)
      return "they have not drifted apart";
    if (Status status = ranks.sendStates(program, *session, 1); !status)
      return status.message();
    if (session->state<float>("w").value()[0] != 4)
      return "a state did not come";
    if (Status same = ranks.compareStates(program, *session); !same)
      return same.message();
    if (Status left = ranks.leave(); !left)
      return left.message();
    Status late = session->run("step", {{&x, 4}});
    return expectText(late.message(),
                      {"start of the group of ranks answered invalid argument: "
                       "expected a group that this rank is of, but it has "
                       "left"});
  });
}

/// Two groups at once, and once more.
std::string joinTwice() {
  for (int time = 0; time < 2; ++time) {
    std::string wrong = join(
        [](Ranks &first) {
          return join(
              [&](Ranks &second) -> std::string {
                auto a = first.average(first.rank());
                auto b = second.average(10.0 * second.rank());
                return a && b && *b == 10 * *a ? "" : "means are wrong";
              },
              30000, "second");
        },
        30000, "first");
    if (!wrong.empty())
      return wrong;
  }
  return "";
}

/// Of groups that lose a rank. It is the time in which they come together, too:
/// three processes that begin MPI beside others need more than two seconds.
constexpr std::chrono::milliseconds kTimeout = 5s;

/// All-reduces until one fails; what is wrong about how it does.
std::string reduceUntilItFails(Ranks &ranks, mpc_code code,
                               std::initializer_list<const char *> words) {
  std::vector<float> x(300000, 1);
  auto begin = std::chrono::steady_clock::now();
  Status status;
  while (status) {
    begin = std::chrono::steady_clock::now();
    status = ranks.allReduce(x.data(), x.size(), MPC_AVERAGE, "tensor x");
  }
  // The timeout, and what follows.
  if (std::chrono::steady_clock::now() - begin > kTimeout + 5s)
    return "it took too long";
  if (status.code() != code || ranks.failure().message() != status.message() ||
      ranks.barrier().message() != status.message())
    return "the failure is not the group's: " + status.message();
  return expectText(status.message(), words);
}

std::string isKilled() {
  return join(
      [](Ranks &ranks) -> std::string {
        if (ranks.rank() == 1 && ranks.barrier())
          kill(getpid(), SIGKILL);
        return ranks.barrier()
                   ? reduceUntilItFails(ranks, MPC_COLLECTIVE_FAILED, {})
                   : expectText(ranks.failure().message(),
                                {"rank 1: its connection broke"});
      },
      kTimeout.count());
}

/// In the second of a step's buckets, which its rank never begins.
std::string isLostInAStep() {
  return join(
      [](Ranks &ranks) -> std::string {
        auto program = makeReducingProgram();
        SessionOptions options;
        options.ranks = ranks.group();
        auto session = Session::create(program, options);
        if (!session || !session->init(1))
          return session ? "no states" : session.message();
        float x = 3;
        if (Status status = ranks.barrier(); !status)
          return status.message();
        if (ranks.rank() == 1) {
          ranks.allReduce(&x, 1, MPC_SUM, "the first bucket");
          std::this_thread::sleep_for(500ms); // All have got that.
          kill(getpid(), SIGKILL);
        }
        Status status = session->run("step", {{&x, 4}});
        if (status.code() != MPC_COLLECTIVE_FAILED)
          return "the step has gone well: " + status.message();
        if (std::string wrong =
                expectText(status.message(), {"bucket 2 of 2 of entry 'step'",
                                              "rank 1: its connection broke"});
            !wrong.empty())
          return wrong;
        return expectText(ranks.failure().message(),
                          {"all-reduce of 1 x f32, bucket 2 of 2 of entry "
                           "'step' (1 tensor), record 2, on rank ",
                           "rank 1: its connection broke"});
      },
      kTimeout.count());
}

std::string isStopped() {
  return join(
      [](Ranks &ranks) -> std::string {
        if (Status status = ranks.barrier(); !status)
          return status.message();
        if (ranks.rank() == 1)
          kill(getpid(), SIGSTOP);
        return reduceUntilItFails(
            ranks, MPC_COLLECTIVE_TIMED_OUT,
            {"all-reduce of 300000 x f32, tensor x", "rank 1 does not answer"});
      },
      kTimeout.count());
}

std::string givesUp() {
  return join([](Ranks &ranks) -> std::string {
    if (ranks.rank() == 1) {
      std::this_thread::sleep_for(300ms); // All have joined.
      ranks.giveUp("its disk is full");
      return ranks.failure().message() == "its disk is full" ? ""
                                                             : "it goes on";
    }
    return reduceUntilItFails(ranks, MPC_COLLECTIVE_FAILED,
                              {"rank 1: its disk is full"});
  });
}

/// Whom all ranks refuse, in which words.
std::string differ(const std::function<void(RanksOptions &, bool)> &change,
                   std::initializer_list<const char *> words) {
  auto launch = Ranks::readLaunch();
  if (!launch)
    return launch.message();
  RanksOptions options;
  options.timeoutMilliseconds = 20000;
  change(options, launch->rank == 1);
  auto ranks = Ranks::join(options);
  std::string wrong =
      ranks ? "they have joined" : expectText(ranks.message(), words);
  if (!ranks && ranks.code() != MPC_INVALID_ARGUMENT)
    wrong = "the code is wrong";
  RankProcesses::report(launch->rank, wrong);
  return wrong;
}

std::string haveOtherPrograms() {
  return differ(
      [](RanksOptions &options, bool other) {
        options.program = other ? "/proc/version" : "/proc/self/exe";
      },
      {"expected ranks that agree, but rank 1 runs program ",
       ", rank 0 runs "});
}
std::string haveOtherSettings() {
  return differ(
      [](RanksOptions &options, bool other) {
        options.settings = other ? "rate 2" : "rate 1";
      },
      {"but rank 1 has settings 'rate 2', rank 0 has settings 'rate 1'"});
}

std::string makeIds() {
  return join([](Ranks &ranks) -> std::string {
    auto id = ranks.ncclUniqueId(MPC_TEST_PLUGIN);
    if (!id)
      return id.message();
    if (id->back() != 42)
      return "it is none of the plug-in";
    if (Status same = ranks.compare("id", id->data(), id->size()); !same)
      return same.message();
    // Who cannot make one ends all, who are out of that by then.
    std::this_thread::sleep_for(500ms);
    auto none = ranks.ncclUniqueId("/nowhere/p.so");
    return none ? "there is one" : expectText(none.message(), {"/nowhere/p"});
  });
}

const std::map<std::string, Case> kCases = {
    {"exchanges", exchanges},
    {"reduces", reduces},
    {"joinTwice", joinTwice},
    {"isKilled", isKilled},
    {"isLostInAStep", isLostInAStep},
    {"isStopped", isStopped},
    {"givesUp", givesUp},
    {"haveOtherPrograms", haveOtherPrograms},
    {"haveOtherSettings", haveOtherSettings},
    {"makeIds", makeIds}};
// Their ranks end as such that have failed, whereupon mpirun ends those that
// stand still.
const std::set<std::string> kFaults = {
    "isKilled",          "isLostInAStep",     "isStopped", "givesUp",
    "haveOtherPrograms", "haveOtherSettings", "makeIds"};

int runRank(const std::string &name) {
  auto launch = Ranks::readLaunch();
  if (!launch)
    return 2;
  // mpirun, when the first has failed; the others have something to say yet.
  signal(SIGTERM, SIG_IGN);
  std::string wrong = kCases.at(name)();
  RankProcesses::report(launch->rank, wrong);
  return wrong.empty() && !kFaults.contains(name) ? 0 : 1;
}

//===-- What comes of it --------------------------------------------------===//

/// What `ranks` ranks say of a case, but for `other`.
void expectWell(const std::string &engine, const std::string &name,
                uint32_t ranks, std::optional<uint32_t> other = {}) {
  RankProcesses processes(engine, ranks, name, pickPort());
  EXPECT_TRUE(processes.wait(60s)) << name << ": it hangs";
  for (uint32_t rank = 0; rank < ranks; ++rank)
    if (rank != other)
      EXPECT_EQ(processes.said(rank), "well") << name << ", rank " << rank;
  EXPECT_EQ(processes.countLeft(), 0u) << name;
}

class RanksApi : public testing::TestWithParam<const char *> {};

TEST_P(RanksApi, ExchangesTensors) {
  for (uint32_t size : {1, 2, 4})
    expectWell(GetParam(), "exchanges", size);
}
TEST_P(RanksApi, ReducesForSessions) { expectWell(GetParam(), "reduces", 2); }
TEST_P(RanksApi, JoinsTwice) { expectWell(GetParam(), "joinTwice", 2); }
TEST_P(RanksApi, NamesARankThatIsKilled) {
  expectWell(GetParam(), "isKilled", 3, 1);
}
TEST_P(RanksApi, NamesTheBucketThatFails) {
  expectWell(GetParam(), "isLostInAStep", 3, 1);
}
TEST_P(RanksApi, NamesARankThatIsStopped) {
  expectWell(GetParam(), "isStopped", 3, 1);
}
TEST_P(RanksApi, TellsWhyARankGivesUp) { expectWell(GetParam(), "givesUp", 3); }
TEST_P(RanksApi, RefusesOtherPrograms) {
  expectWell(GetParam(), "haveOtherPrograms", 2);
}

INSTANTIATE_TEST_SUITE_P(, RanksApi, testing::Values("gloo", "mpi"),
                         [](const auto &info) {
                           return std::string(info.param);
                         });

TEST(RanksBeside, RefusesOtherSettings) {
  expectWell("gloo", "haveOtherSettings", 2);
}
TEST(RanksBeside, HandsOutAnIdOfNccl) { expectWell("gloo", "makeIds", 2); }

} // namespace

int main(int argc, char **argv) {
  if (argc == 3 && std::string(argv[1]) == "--rank")
    return runRank(argv[2]);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
