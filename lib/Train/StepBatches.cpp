#include "StepBatches.h"

#include "Failure.h"

#include "mpc/Data/Shuffle.h"

using namespace mpc;
using namespace mpc::train;

StepBatches::StepBatches(const data::Dataset &dataset, uint64_t microBatches)
    : dataset(dataset), batches(microBatches, dataset.makeBatch()),
      samples(dataset.isBatched() ? dataset.numSamples() : microBatches) {
  if (samples >= samplesPerStep())
    return;
  std::string what = "at least one batch of ";
  if (microBatches > 1)
    what = "at least " + std::to_string(microBatches) +
           " batches, the micro-batches of one step, of ";
  throw badInput("expected " + what + std::to_string(dataset.batchSize()) +
                 " samples, but got " + std::to_string(dataset.numSamples()) +
                 (dataset.hasWindows()
                      ? ", windows one after the other; give a longer stream"
                      : " samples; give more") +
                 ", or compile the model for a smaller batch (--batch)");
}

void StepBatches::orderEpoch(const Position &position, uint64_t epoch) {
  if (epoch == orderedEpoch)
    return;
  orderedEpoch = epoch;
  if (position.isShuffled && dataset.hasWindows()) {
    order =
        data::randomPlaces(samples, dataset.numPlaces(), position.seed, epoch);
    return;
  }
  if (position.isShuffled) {
    order = data::shuffledOrder(samples, position.seed, epoch);
    return;
  }
  order.resize(samples);
  for (uint64_t sample = 0; sample < samples; ++sample)
    order[sample] = dataset.placeOf(sample);
}

std::span<const data::Batch> StepBatches::fill(const Position &position) {
  orderEpoch(position, position.steps / position.stepsPerEpoch);
  uint64_t size = dataset.batchSize();
  uint64_t first = position.steps % position.stepsPerEpoch * samplesPerStep();
  for (data::Batch &batch : batches) {
    dataset.fill(batch, std::span(order).subspan(first, size));
    first += size;
  }
  return batches;
}
