#include "mpc/Data/Augmenter.h"

#include "mpc/Data/Random.h"

#include <algorithm>
#include <cstring>

using namespace mpc;
using namespace mpc::data;

Result<Augmenter> Augmenter::make(const Dataset &dataset,
                                  const AugmentChoice &choice) {
  const std::vector<InputSpec> &specs = dataset.inputs();
  auto fail = [&](const std::string &what) {
    return Status(StatusCode::InvalidArgument,
                  "'--augment " + choice.input + "': " + what);
  };
  auto spec = std::ranges::find(specs, choice.input, &InputSpec::name);
  if (spec == specs.end())
    return fail("the program has no such input");
  size_t last = choice.channelsLast ? 1 : 0;
  if (dataset.hasWindows() || spec->shape.size() < 3 + last ||
      static_cast<uint64_t>(spec->shape.front()) != dataset.batchSize())
    return fail("expected batches of images, N..HxW" +
                std::string(last ? "xC" : "") + ", but input '" + spec->name +
                "' is " +
                describe(spec->shape, std::string(getInfo(spec->type).name)));
  if (choice.crop == 0 && !choice.flips)
    return fail("expected something to do, a crop of 1 or more or a flip");
  Augmenter made;
  made.choice = choice;
  made.index = static_cast<size_t>(spec - specs.begin());
  Shape sample(spec->shape.begin() + 1, spec->shape.end());
  made.bytes = getInfo(spec->type).bytes;
  if (choice.channelsLast) {
    made.bytes *= static_cast<uint64_t>(sample.back());
    sample.pop_back();
  }
  made.columns = static_cast<uint64_t>(sample.back());
  sample.pop_back();
  made.rows = static_cast<uint64_t>(sample.back());
  sample.pop_back();
  made.planes = *countElements(sample);
  if (choice.crop >= made.rows || choice.crop >= made.columns)
    return fail("expected a crop of fewer rows and columns than images have, " +
                std::to_string(made.rows) + "x" + std::to_string(made.columns) +
                ", but got " + std::to_string(choice.crop));
  made.before.resize(made.planes * made.rows * made.columns * made.bytes);
  return made;
}

Augmenter::Move Augmenter::draw(uint64_t place, const Samples &samples) const {
  constexpr uint64_t kStream = 0x6d6f7665; // Apart from the order of samples.
  Random random(samples.seed ^ kStream,
                samples.epoch * samples.numPlaces + place);
  auto crop = static_cast<int64_t>(choice.crop);
  auto offset = [&] {
    return static_cast<int64_t>(random.below(2 * choice.crop + 1)) - crop;
  };
  Move how = {offset(), offset(), false};
  how.isMirrored = random.below(2) == 1 && choice.flips;
  return how;
}

void Augmenter::move(std::span<std::byte> sample, const Move &how) {
  std::ranges::copy(sample, before.begin());
  auto numRows = static_cast<int64_t>(rows);
  auto numColumns = static_cast<int64_t>(columns);
  std::byte *to = sample.data();
  for (uint64_t plane = 0; plane < planes; ++plane) {
    const std::byte *from = before.data() + plane * rows * columns * bytes;
    for (int64_t row = 0; row < numRows; ++row)
      for (int64_t column = 0; column < numColumns; ++column, to += bytes) {
        int64_t y = row + how.down;
        int64_t x =
            (how.isMirrored ? numColumns - 1 - column : column) + how.right;
        if (y < 0 || y >= numRows || x < 0 || x >= numColumns)
          std::memset(to, 0, bytes);
        else
          std::memcpy(to,
                      from + static_cast<uint64_t>(y * numColumns + x) * bytes,
                      bytes);
      }
  }
}

void Augmenter::apply(Batch &batch, const Samples &samples) {
  std::span<std::byte> images = batch.inputs[index];
  uint64_t size = before.size();
  for (size_t k = 0; k < samples.places.size(); ++k) {
    Move how = draw(samples.places[k], samples);
    if (how.down != 0 || how.right != 0 || how.isMirrored)
      move(images.subspan(k * size, size), how);
  }
}
