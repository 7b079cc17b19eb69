#include "StepBatches.h"

#include "Failure.h"

#include "mpc/Data/Shuffle.h"

using namespace mpc;
using namespace mpc::train;

StepBatches::StepBatches(const data::Dataset &dataset, uint64_t microBatches,
                         const Share &share)
    : dataset(dataset), share(share),
      batches(microBatches, dataset.makeBatch()),
      samples(dataset.isBatched() ? dataset.numSamples()
                                  : microBatches * share.ranks) {
  if (samples >= samplesPerStep())
    return;
  std::string what = "at least one batch of ";
  if (microBatches > 1)
    what = "at least " + std::to_string(microBatches) +
           " batches, the micro-batches of one step, of ";
  if (share.ranks > 1)
    what += std::to_string(share.ranks) + " ranks x ";
  throw badInput("expected " + what + std::to_string(dataset.batchSize()) +
                 " samples, but got " + std::to_string(dataset.numSamples()) +
                 (dataset.hasWindows()
                      ? ", windows one after the other; give a longer stream"
                      : " samples; give more") +
                 ", or compile the model for a smaller batch (--batch)");
}

std::string StepBatches::describeShare() const {
  std::string text = std::to_string(share.ranks) + " ranks x ";
  if (count() > 1)
    text += std::to_string(count()) + " micro-batches x ";
  return text + std::to_string(dataset.batchSize()) +
         " samples = " + std::to_string(samplesPerStep()) + " samples a step";
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
  places.resize(size);
  for (data::Batch &batch : batches) {
    for (uint64_t i = 0; i < size; ++i)
      places[i] = order[first + i * share.ranks + share.rank];
    dataset.fill(batch, places);
    first += size * share.ranks;
  }
  return batches;
}
