#include "Launched.h"

#include "../Failure.h"

using namespace mpc;
using namespace mpc::train;

ranks::Launch mpc::train::readLaunch() {
  Result<ranks::Launch> launch = ranks::readLaunch();
  if (!launch)
    throw badOptions(launch.status().message());
  return *launch;
}

bool mpc::train::isForGpus(const rt::Program &program) {
  return std::string_view(program.info().target) == "cuda";
}

void mpc::train::checkCollectives(const rt::Program &program,
                                  const std::string &collectives) {
  bool isGpu = isForGpus(program);
  bool isKnown = isGpu ? collectives == "nccl"
                       : collectives == "gloo" || collectives == "mpi";
  if (!collectives.empty() && !isKnown)
    throw badOptions("'" + program.path() + "': '--collectives=" + collectives +
                     "' means nothing for a program of target '" +
                     program.info().target + "'; expected " +
                     (isGpu ? "nccl" : "gloo or mpi"));
}

void mpc::train::checkReduces(const rt::Program &program, uint32_t ranks) {
  if (ranks > 1 && program.info().num_collectives == 0)
    throw badInput("'" + program.path() +
                   "': expected a program that averages "
                   "gradients over ranks, to train on " +
                   std::to_string(ranks) +
                   " of them, but it was compiled with --reduce=none");
}
