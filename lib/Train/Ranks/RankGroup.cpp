#include "RankGroup.h"

#include "../Failure.h"

#include "Support/FileHash.h"

#include <algorithm>

using namespace mpc;
using namespace mpc::train;

//===-- Joining -----------------------------------------------------------===//

RankGroup::RankGroup(const ranks::Launch &launch, const rt::Program &program,
                     const RankOptions &options)
    : launch(launch), isGpu(isForGpus(program)), asked(options.collectives),
      engine(isGpu || asked.empty() ? launch.engine() : asked),
      patience(options.timeout.value_or(30)) {}

std::string RankGroup::describe() const {
  std::string text = "by " + std::string(ranks::getName(launch.launcher)) +
                     "; collectives by ";
  if (isGpu)
    return text + "NCCL, messages beside them by " + ranks::nameEngine(engine);
  if (!asked.empty())
    return text + ranks::nameEngine(engine) + ", as --collectives says";
  return text + ranks::nameEngine(engine) +
         (launch.hasMpi ? ", which has started the ranks"
                        : ", since no MPI has started the ranks");
}

std::unique_ptr<RankGroup> RankGroup::join(const ranks::Launch &launch,
                                           const rt::Program &program,
                                           const RankOptions &options,
                                           Observe observe) {
  if (launch.size == 1)
    return nullptr;
  checkReduces(program, launch.size);
  std::unique_ptr<RankGroup> joined(new RankGroup(launch, program, options));
  joined->connect(program, std::move(observe));
  return joined;
}

void RankGroup::connect(const rt::Program &program, Observe observe) {
  ranks::Agreement agreement = {
      MPC_VERSION, requireInput(readFileFacts(program.path())).hash};
  auto joined = ranks::World::join(launch, agreement,
                                   {engine, patience, std::move(observe)});
  if (!joined) {
    StatusCode code = joined.status().code();
    throw Failure(
        code == StatusCode::InvalidArgument ? Fault::Options : Fault::System,
        "launched by " + std::string(ranks::getName(launch.launcher)) + ": " +
            joined.status().message() +
            (code == StatusCode::CollectiveTimedOut
                 ? "; '--timeout' is " + std::to_string(patience.count()) + " s"
                 : ""));
  }
  world = std::move(*joined);
}

//===-- Collectives -------------------------------------------------------===//

void RankGroup::run(ranks::Collective collective) {
  if (mpc::Status status = collectives().run(std::move(collective));
      !status.ok())
    throw Failure(Fault::System, status.message());
}

std::string RankGroup::explain(const std::string &message) const {
  mpc::Status status = world->group().status();
  return status.ok() ? message : status.message();
}

//===-- News --------------------------------------------------------------===//

void RankGroup::tell(const std::string &name, const std::string &value,
                     uint32_t readers) {
  requireWritten(world->tell(name, value, readers));
}

std::string RankGroup::hear(const std::string &name,
                            const std::atomic<bool> &isOver) {
  Result<std::string> told = world->hear(name, isOver);
  if (!told)
    throw Failure(Fault::System, told.status().message());
  return std::move(*told);
}

void RankGroup::awaitFirst(const std::string &what) {
  if (launch.rank == 0)
    return tell(what, "done", launch.size - 1);
  hearOf(0, what, what);
}

/// A cause stands behind a semicolon, as in messages of collectives: whoever
/// tells of it, it is one fault.
void RankGroup::hearOf(uint32_t rank, const std::string &what,
                       const std::string &name,
                       const std::function<void()> &onLate) {
  static const std::atomic<bool> never = false;
  if (Result<std::string> done = world->hear(name, never, onLate); !done)
    throw Failure(Fault::System, "waiting for rank " + std::to_string(rank) +
                                     ", " + what + "; " +
                                     done.status().message());
}

void RankGroup::awaitAll(
    const std::string &what,
    const std::function<void(const std::string &)> &tellLate) {
  auto nameOf = [&](uint32_t rank) {
    return what + ", rank " + std::to_string(rank);
  };
  if (launch.rank > 0)
    tell(nameOf(launch.rank), "done", /*readers=*/1);
  for (uint32_t rank = 1; launch.rank == 0 && rank < launch.size; ++rank)
    hearOf(rank, what, nameOf(rank), [&, isTold = false]() mutable {
      if (!std::exchange(isTold, true))
        tellLate("waits for rank " + std::to_string(rank) + ", " + what);
    });
  awaitFirst(what);
}

//===-- Ends --------------------------------------------------------------===//

void RankGroup::finish() {
  run({.kind = ranks::CollectiveKind::Leave, .name = "at the end"});
  world->leave();
}

void RankGroup::giveUp(const std::string &reason) { world->giveUp(reason); }

mpc_code RankGroup::findLoss(mpc_status *status) const {
  std::string lost = world->lost();
  if (lost.empty())
    return MPC_OK;
  size_t length = std::min(lost.size(), sizeof status->message - 1);
  lost.copy(status->message, length);
  status->message[length] = 0;
  return status->code = MPC_COLLECTIVE_FAILED;
}
