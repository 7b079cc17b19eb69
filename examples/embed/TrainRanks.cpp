// The application of TrainRanks.c in C++: states come from rank 0, and groups
// leave in order whatever fails.
//
//   torchrun --no-python --nproc-per-node 2 ./train-ranks-in-cpp line.mpcx 300
#include <mpc-c/Ranks.hpp>

#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace mpc::rt;

constexpr uint32_t kPoints = 32;

/// Of the line t = 3 x - 1 rank r of N has points r, r + N, r + 2 N, ...
static std::vector<float> takePoints(const Ranks &ranks) {
  float half = static_cast<float>(kPoints * ranks.size()) / 2;
  std::vector<float> x;
  for (uint32_t i = 0; i < kPoints; ++i)
    x.push_back((static_cast<float>(i * ranks.size() + ranks.rank()) - half) /
                half);
  return x;
}

static Status train(Ranks &ranks, const char *file, int steps) {
  auto program = Program::load(file, {true}); // trusts its machine code
  if (!program)
    return program.status();
  SessionOptions options;
  options.ranks = ranks.group();
  options.threads = ranks.info().threads;
  auto session = Session::create(*program, options);
  if (!session)
    return session.status();
  // Seeds that differ: rank 0 has read a checkpoint, say.
  if (Status status = session->init(42 + ranks.rank()); !status)
    return status;
  if (Status status = ranks.sendStates(*program, *session); !status)
    return status;
  std::vector<float> x = takePoints(ranks), target;
  for (float each : x)
    target.push_back(3 * each - 1);
  uint64_t bytes = kPoints * sizeof(float);
  for (int step = 0; step < steps; ++step)
    if (Status status =
            session->run("step", {{x.data(), bytes}, {target.data(), bytes}});
        !status)
      return ranks.failure() ? status : ranks.failure();
  auto report = session->stepReport();
  auto loss = ranks.average(report ? report->loss.value_or(0) : 0);
  if (!loss)
    return loss.status();
  if (ranks.rank() == 0)
    std::printf("loss %g\nt = %.3f x + %.3f\n", *loss,
                session->state<float>("w").value()[0],
                session->state<float>("b").value()[0]);
  return ranks.compareStates(*program, *session);
}

static int complain(const std::string &message) {
  std::fprintf(stderr, "train-ranks: %s\n", message.c_str());
  return 1;
}

int main(int argc, char **argv) {
  if (argc != 3)
    return complain("expected <model.mpcx> <steps>");
  RanksOptions options;
  options.program = argv[1];
  auto ranks = Ranks::join(options);
  if (!ranks)
    return complain(ranks.message());
  Status status = train(*ranks, argv[1], std::atoi(argv[2]));
  if (status)
    status = ranks->leave();
  if (status)
    return 0;
  ranks->giveUp(status.message()); // the others hear why
  return complain(status.message());
}
