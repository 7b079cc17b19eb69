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

std::string
mpc::train::describe(const std::vector<Augmentation> &augmentations) {
  std::string text;
  for (const Augmentation &each : augmentations) {
    std::string words;
    if (each.crop)
      words += ",crop:" + std::to_string(each.crop);
    words += each.flips ? ",flip" : "";
    words += each.channelsLast ? ",channels-last" : "";
    text += (text.empty() ? "" : " ") + each.input + "=" +
            words.substr(words.empty() ? 0 : 1);
  }
  return text;
}

void StepBatches::augment(const std::vector<Augmentation> &augmentations) {
  for (const Augmentation &each : augmentations)
    augmenters.push_back(requireInput(data::Augmenter::make(
        dataset, {each.input, each.crop, each.flips, each.channelsLast})));
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
  orderPart(position, epoch, position.isContiguous ? share : Share());
}

/// Each part of an epoch has a stream of random numbers to itself: with one for
/// all, the same samples of different ranks would meet in every epoch.
void StepBatches::orderPart(const Position &position, uint64_t epoch,
                            const Share &part) {
  uint64_t count = samples / part.ranks, first = part.rank * count;
  uint64_t stream = epoch * part.ranks + part.rank;
  if (position.isShuffled && dataset.hasWindows()) {
    uint64_t places = dataset.numPlaces() / part.ranks;
    order = data::randomPlaces(count, places, position.seed, stream);
    for (uint64_t &place : order)
      place += part.rank * places;
    return;
  }
  if (position.isShuffled) {
    order = data::shuffledOrder(count, position.seed, stream);
    for (uint64_t &sample : order)
      sample += first;
    return;
  }
  order.resize(count);
  for (uint64_t sample = 0; sample < count; ++sample)
    order[sample] = dataset.placeOf(first + sample);
}

std::span<const data::Batch> StepBatches::fill(const Position &position) {
  uint64_t epoch = position.steps / position.stepsPerEpoch;
  orderEpoch(position, epoch);
  Share among = position.isContiguous ? Share() : share;
  uint64_t size = dataset.batchSize(), step = position.steps;
  uint64_t first =
      step % position.stepsPerEpoch * size * count() * among.ranks + among.rank;
  places.resize(size);
  for (data::Batch &batch : batches) {
    for (uint64_t i = 0; i < size; ++i)
      places[i] = order[first + i * among.ranks];
    dataset.fill(batch, places);
    for (data::Augmenter &augmenter : augmenters)
      augmenter.apply(batch,
                      {places, dataset.numPlaces(), position.seed, epoch});
    first += size * among.ranks;
  }
  return batches;
}
