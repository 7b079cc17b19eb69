// The data of each optimizer step, as the micro-batches that a program takes.
//
// A step of N micro-batches of B samples takes the samples that a step of one
// batch of N * B would take, so both train alike. An epoch is as many whole
// steps as the data has, of windows as many as do not overlap, though shuffled
// they begin anywhere; one step where nothing is cut into batches, and all
// micro-batches are the same.
#ifndef MPC_LIB_TRAIN_STEPBATCHES_H
#define MPC_LIB_TRAIN_STEPBATCHES_H

#include "Save/Checkpoint.h"

#include "mpc/Data/Augmenter.h"

namespace mpc::train {

/// Which of an epoch's samples are a rank's.
///
/// Interleaved: number `rank`, `rank` + `ranks`, and so on, of all in the
/// epoch's order, as with PyTorch's DistributedSampler. So the ranks of a step
/// share what one rank would take with a batch `ranks` times as large. What is
/// left over comes in other epochs.
///
/// Contiguous (Position::isContiguous): the `rank`-th of `ranks` equal parts of
/// the files, in an order of its own, so that a rank reads its part alone, but
/// for shuffled windows: one that begins at the end of a part reaches into the
/// next, by less than its length. What is left over, fewer samples than ranks,
/// stands at the end of the files and never comes; what a part has beyond whole
/// steps comes in other epochs.
struct Share {
  uint64_t rank = 0, ranks = 1;
};

/// As options say it, "x=crop:4,flip", one behind the other; "" for none.
std::string describe(const std::vector<Augmentation> &augmentations);

class StepBatches {
public:
  /// Fails if `dataset`, which must stay, has too few samples for one step.
  StepBatches(const data::Dataset &dataset, uint64_t microBatches,
              const Share &share = {});

  /// From now on samples are augmented so. Fails where they cannot.
  void augment(const std::vector<Augmentation> &augmentations);

  /// Of all ranks.
  uint64_t samplesPerStep() const {
    return dataset.batchSize() * count() * share.ranks;
  }
  /// "4 ranks x 2 micro-batches x 16 samples = 128 samples a step".
  std::string describeShare() const;
  uint64_t stepsPerEpoch() const { return samples / samplesPerStep(); }
  uint64_t count() const { return batches.size(); }

  /// The micro-batches of the step after `position`; valid until the next.
  std::span<const data::Batch> fill(const Position &position);

private:
  void orderEpoch(const Position &position, uint64_t epoch);
  void orderPart(const Position &position, uint64_t epoch, const Share &part);

  const data::Dataset &dataset;
  Share share;
  std::vector<data::Batch> batches;
  std::vector<data::Augmenter> augmenters;
  uint64_t samples; ///< Of an epoch.
  /// Of the samples in `orderedEpoch`: of all ranks, or of a part its own.
  std::vector<uint64_t> order;
  std::vector<uint64_t> places; ///< Of a micro-batch.
  uint64_t orderedEpoch = UINT64_MAX;
};

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_STEPBATCHES_H
