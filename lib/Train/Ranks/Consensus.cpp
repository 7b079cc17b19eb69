#include "Consensus.h"

#include "../Failure.h"

#include "Ranks/Session/Session.h"

#include "mpc/Ranks/Drift.h"

#include <variant>

using namespace mpc;
using namespace mpc::train;
using ranks::CollectiveKind;
using ranks::Reduction;

/// What all ranks have found together.
template <typename T> static T take(Result<T> found) {
  if (!found)
    throw Failure(Fault::System, found.status().message());
  return std::move(*found);
}

std::vector<uint64_t> mpc::train::gather(RankGroup &group,
                                         const std::vector<uint64_t> &numbers,
                                         const std::string &name) {
  return take(ranks::gather(group.collectives(), numbers, name));
}

static void reduce(RankGroup &group, Reduction reduction,
                   std::span<double> numbers, const std::string &what) {
  group.run({.kind = CollectiveKind::AllReduce,
             .type = DType::F64,
             .reduction = reduction,
             .count = numbers.size(),
             .source = numbers.data(),
             .result = numbers.data(),
             .name = what});
}

void mpc::train::addUp(RankGroup &group, std::span<double> numbers,
                       const std::string &what) {
  reduce(group, Reduction::Sum, numbers, what);
}

void mpc::train::requireSame(RankGroup &group, const std::string &what,
                             uint64_t number) {
  std::vector<uint64_t> all = gather(group, {number}, what);
  for (uint32_t rank = 1; rank < group.size(); ++rank)
    if (all[rank] != all[0]) {
      // Who fails first ends what others wait for: they are to know by then.
      static_cast<void>(
          group.collectives().run({.kind = CollectiveKind::Barrier}));
      throw badOptions("expected the same " + what +
                       " on all ranks, but rank " + std::to_string(rank) +
                       " has " + std::to_string(all[rank]) +
                       " and rank 0 has " + std::to_string(all[0]) +
                       "; give all ranks the same options and files");
    }
}

Wishes mpc::train::agree(RankGroup &group, StepMetrics &step, Wishes own) {
  std::vector<double> numbers = {step.loss.value_or(0), double(own.end),
                                 double(step.nonFiniteLoss.value_or(false)),
                                 double(own.save)};
  size_t next = numbers.size();
  for (const NamedScalar &scalar : step.scalars)
    if (const auto *number = std::get_if<double>(&scalar.value))
      numbers.push_back(*number);
  reduce(group, Reduction::Average, numbers,
         "what step " + std::to_string(step.step) + " tells");
  if (step.loss)
    step.loss = numbers[0];
  if (step.nonFiniteLoss)
    step.nonFiniteLoss = numbers[2] > 0;
  for (NamedScalar &scalar : step.scalars)
    if (auto *number = std::get_if<double>(&scalar.value))
      *number = numbers[next++];
  return {numbers[1] > 0, numbers[3] > 0};
}

std::string mpc::train::findDrift(RankGroup &group, const rt::Program &program,
                                  const rt::Session &session) {
  std::vector<uint64_t> hashes;
  std::vector<std::string> names;
  ranks::SessionStates states(&rt::api(), program.get(), session.get());
  requireWritten(states.hash(hashes, names));
  return take(ranks::findDrift(group.collectives(), hashes, names));
}
