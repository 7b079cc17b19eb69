#include "RankGroup.h"

#include "../Failure.h"

#include "Ranks/Session/Session.h"

#include "Support/FileHash.h"
#include "mpc/Ranks/Drift.h"
#include "mpc/Ranks/Processors.h"

#include <algorithm>
#include <variant>

using namespace mpc;
using namespace mpc::train;
using ranks::Collective;
using ranks::CollectiveKind;
using ranks::Reduction;

ranks::Launch mpc::train::readLaunch() {
  Result<ranks::Launch> launch = ranks::readLaunch();
  if (!launch)
    throw badOptions(launch.status().message());
  return *launch;
}

//===-- Joining -----------------------------------------------------------===//

static bool isForGpus(const rt::Program &program) {
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

RankGroup::RankGroup(const ranks::Launch &launch, const rt::Program &program,
                     const RankOptions &options)
    : launch(launch), isGpu(isForGpus(program)),
      collectives(options.collectives),
      engine(isGpu || collectives.empty() ? launch.engine() : collectives),
      timeout(options.timeout.value_or(30)) {}

static std::string nameOf(const std::string &engine) {
  return engine == "mpi" ? "MPI" : "Gloo";
}

std::string RankGroup::describe() const {
  std::string text = "by " + std::string(ranks::getName(launch.launcher)) +
                     "; collectives by ";
  if (isGpu)
    return text + "NCCL, messages beside them by " + nameOf(engine);
  if (!collectives.empty())
    return text + nameOf(engine) + ", as --collectives says";
  return text + nameOf(engine) +
         (launch.hasMpi ? ", which has started the ranks"
                        : ", since no MPI has started the ranks");
}

std::unique_ptr<RankGroup> RankGroup::join(const ranks::Launch &launch,
                                           const rt::Program &program,
                                           const RankOptions &options) {
  if (launch.size == 1)
    return nullptr;
  checkReduces(program, launch.size);
  std::unique_ptr<RankGroup> joined(new RankGroup(launch, program, options));
  joined->connect(program);
  return joined;
}

void RankGroup::connect(const rt::Program &program) {
  auto failure = [&](const mpc::Status &status) {
    bool isOptions = status.code() == StatusCode::InvalidArgument;
    return Failure(isOptions ? Fault::Options : Fault::System,
                   "launched by " +
                       std::string(ranks::getName(launch.launcher)) + ": " +
                       status.message());
  };
  ranks::Agreement agreement = {
      MPC_VERSION, requireInput(readFileFacts(program.path())).hash};
  auto joined = ranks::World::join(
      launch, agreement,
      {engine, timeout,
       [this](uint64_t ticket, const ranks::CollectiveTimes &when) {
         times.noteDone(ticket, when);
       }});
  if (!joined)
    throw failure(joined.status());
  world = std::move(*joined);
  group = &world->group();
  reduces.struct_size = sizeof reduces;
  reduces.context = this;
  reduces.rank = launch.rank;
  reduces.size = launch.size;
  reduces.start = [](void *self, const mpc_bucket *bucket, uint64_t *ticket) {
    return static_cast<RankGroup *>(self)->start(*bucket, *ticket);
  };
  reduces.finish = [](void *self, uint64_t ticket) {
    return static_cast<RankGroup *>(self)->finishBucket(ticket);
  };
}

mpc_code RankGroup::finishBucket(uint64_t ticket) {
  auto begin = ranks::Clock::now();
  mpc::Status status = group->wait(ticket);
  times.noteWait(
      ticket,
      static_cast<uint64_t>(
          std::chrono::nanoseconds(ranks::Clock::now() - begin).count()));
  return static_cast<mpc_code>(status.code());
}

mpc_code RankGroup::start(const mpc_bucket &bucket, uint64_t &ticket) {
  Collective gradients = ranks::toCollective(bucket);
  if (mpc::Status status = ranks::check(gradients, launch.rank, launch.size);
      !status.ok())
    return static_cast<mpc_code>(status.code());
  uint64_t elements = 0;
  for (const ranks::Piece &piece : gradients.pieces)
    elements += piece.count;
  uint64_t bytes = elements * getInfo(gradients.type).bytes;
  ticket = times.noteReady(bytes,
                           [&] { return group->start(std::move(gradients)); });
  return MPC_OK;
}

//===-- Failures ----------------------------------------------------------===//

void RankGroup::giveUp(const std::string &reason) { world->giveUp(reason); }

std::string RankGroup::explain(const std::string &message) const {
  mpc::Status status = group->status();
  return status.ok() ? message : status.message();
}

mpc_code RankGroup::findLoss(mpc_status *status) const {
  std::string lost = world->lost();
  if (lost.empty())
    return MPC_OK;
  size_t length = std::min(lost.size(), sizeof status->message - 1);
  lost.copy(status->message, length);
  status->message[length] = 0;
  return status->code = MPC_COLLECTIVE_FAILED;
}

/// What all ranks have found together.
template <typename T> static T take(Result<T> found) {
  if (!found)
    throw Failure(Fault::System, found.status().message());
  return std::move(*found);
}

void RankGroup::run(Collective collective) {
  if (mpc::Status status = group->run(std::move(collective)); !status.ok())
    throw Failure(Fault::System, status.message());
}

//===-- What one tells the others -----------------------------------------===//

void RankGroup::tell(const std::string &name, const std::string &value,
                     uint32_t readers) {
  requireWritten(world->tell(name, value, readers));
}

std::string RankGroup::hear(const std::string &name,
                            const std::atomic<bool> &isOver) {
  return take(world->hear(name, isOver));
}

//===-- What all agree on -------------------------------------------------===//

std::vector<unsigned char> RankGroup::shareNcclId() {
  std::vector<unsigned char> id(MPC_NCCL_ID_BYTES);
  if (launch.rank == 0)
    requireWritten(ranks::makeNcclId(&rt::api(), nullptr, id.data()));
  run({.kind = CollectiveKind::Broadcast,
       .type = DType::I1,
       .count = id.size(),
       .source = id.data(),
       .result = id.data(),
       .name = "the id of NCCL's group"});
  return id;
}

std::vector<uint64_t> RankGroup::gather(const std::vector<uint64_t> &numbers,
                                        const std::string &name) {
  return take(ranks::gather(*group, numbers, name));
}

void RankGroup::compare(const std::string &what, uint64_t number) {
  std::vector<uint64_t> all = gather({number}, what);
  for (uint32_t rank = 1; rank < launch.size; ++rank)
    if (all[rank] != all[0]) {
      // Who fails first ends what others wait for: they are to know by then.
      static_cast<void>(group->run({.kind = CollectiveKind::Barrier}));
      throw badOptions("expected the same " + what +
                       " on all ranks, but rank " + std::to_string(rank) +
                       " has " + std::to_string(all[rank]) +
                       " and rank 0 has " + std::to_string(all[0]) +
                       "; give all ranks the same options and files");
    }
}

std::string RankGroup::findDrift(const rt::Program &program,
                                 const rt::Session &session) {
  std::vector<uint64_t> hashes;
  std::vector<std::string> names;
  ranks::SessionStates states(&rt::api(), program.get(), session.get());
  requireWritten(states.hash(hashes, names));
  return take(ranks::findDrift(*group, hashes, names));
}

uint32_t RankGroup::shareProcessors() {
  return take(ranks::shareProcessors(*group));
}

void RankGroup::add(std::span<double> numbers, const std::string &what) {
  run({.kind = CollectiveKind::AllReduce,
       .type = DType::F64,
       .reduction = Reduction::Sum,
       .count = numbers.size(),
       .source = numbers.data(),
       .result = numbers.data(),
       .name = what});
}

RankGroup::Wishes RankGroup::agree(StepMetrics &step, Wishes own) {
  std::vector<double> numbers = {step.loss.value_or(0), double(own.end),
                                 double(step.nonFiniteLoss.value_or(false)),
                                 double(own.save)};
  size_t next = numbers.size();
  for (const NamedScalar &scalar : step.scalars)
    if (const auto *number = std::get_if<double>(&scalar.value))
      numbers.push_back(*number);
  run({.kind = CollectiveKind::AllReduce,
       .type = DType::F64,
       .reduction = Reduction::Average,
       .count = numbers.size(),
       .source = numbers.data(),
       .result = numbers.data(),
       .name = "what step " + std::to_string(step.step) + " tells"});
  times.endStep(step.step);
  if (step.loss)
    step.loss = numbers[0];
  if (step.nonFiniteLoss)
    step.nonFiniteLoss = numbers[2] > 0;
  for (NamedScalar &scalar : step.scalars)
    if (auto *number = std::get_if<double>(&scalar.value))
      *number = numbers[next++];
  return {numbers[1] > 0, numbers[3] > 0};
}

static uint64_t now() {
  return static_cast<uint64_t>(
      std::chrono::nanoseconds(ranks::Clock::now().time_since_epoch()).count());
}

/// Clocks of machines differ, but all ranks come out of a barrier together,
/// more or less; processes of one machine have the same clock.
RanksTimes RankGroup::gatherTimes(uint64_t first) {
  std::vector<StepTimes> own = times.takeSteps(first);
  run({.kind = CollectiveKind::Barrier, .name = "before times are told"});
  std::vector<uint64_t> numbers = {now()};
  for (const StepTimes &step : own) {
    numbers.insert(numbers.end(), {step.step, step.begin});
    for (const BucketTime &bucket : step.buckets)
      numbers.insert(numbers.end(), {bucket.bytes, bucket.ready, bucket.begun,
                                     bucket.done, bucket.exposed});
  }
  compare("numbers of its times", numbers.size());
  std::vector<uint64_t> all = gather(numbers, "when buckets travelled");
  RanksTimes result(launch.size, own);
  bool isOneMachine = launch.localSize == launch.size;
  auto next = all.begin();
  for (std::vector<StepTimes> &steps : result) {
    uint64_t shift = isOneMachine ? 0 : all.front() - *next;
    ++next;
    for (StepTimes &step : steps) {
      step.step = *next++;
      step.begin = *next++ + shift;
      for (BucketTime &bucket : step.buckets) {
        bucket.bytes = *next++;
        for (uint64_t BucketTime::*when :
             {&BucketTime::ready, &BucketTime::begun, &BucketTime::done})
          bucket.*when = *next++ + shift;
        bucket.exposed = *next++;
      }
    }
  }
  return result;
}

void RankGroup::awaitFirst(const std::string &what) {
  if (launch.rank == 0)
    return tell(what, "done", launch.size - 1);
  static const std::atomic<bool> never = false;
  if (Result<std::string> done = world->hear(what, never); !done)
    throw Failure(Fault::System, "waiting for rank 0, " + what + ": " +
                                     done.status().message());
}

void RankGroup::finish() {
  run({.kind = CollectiveKind::Leave, .name = "at the end"});
  world->leave();
}
