// Images that are moved and mirrored before a training step sees them.
//
// As torchvision's RandomCrop(size, padding) and RandomHorizontalFlip: an image
// is put between `crop` rows and columns of zeros on each side, and as many
// rows and columns as it had are cut out, anywhere; then left and right change
// places, in half of all cases. What is drawn depends on seed, epoch and place
// of the sample alone (Random.h, of seed ^ 0x6d6f7665 and epoch * places +
// place), so it is the same on any number of ranks, and after a resumption.
#ifndef MPC_DATA_AUGMENTER_H
#define MPC_DATA_AUGMENTER_H

#include "mpc/Data/Dataset.h"

namespace mpc::data {

struct AugmentChoice {
  std::string input;
  uint64_t crop = 0;
  bool flips = false;
  bool channelsLast = false;
};

class Augmenter {
public:
  /// Fails unless `choice` names an input of `dataset` that is cut into samples
  /// with rows and columns in their last two dims, or those in front of their
  /// channels.
  static Result<Augmenter> make(const Dataset &dataset,
                                const AugmentChoice &choice);

  /// Which samples a batch has.
  struct Samples {
    std::span<const uint64_t> places; ///< Of each.
    uint64_t numPlaces;
    uint64_t seed, epoch;
  };
  void apply(Batch &batch, const Samples &samples);

private:
  /// Rows and columns that an image is moved by, and whether it is mirrored.
  struct Move {
    int64_t down, right;
    bool isMirrored;
  };
  Move draw(uint64_t place, const Samples &samples) const;
  void move(std::span<std::byte> sample, const Move &how);

  AugmentChoice choice;
  size_t index = 0; ///< Of the input.
  uint64_t planes = 1, rows = 1, columns = 1;
  uint64_t bytes = 0; ///< Of an element, with its channels where they are last.
  Bytes before;       ///< Of a sample.
};

} // namespace mpc::data

#endif // MPC_DATA_AUGMENTER_H
