// npy files: what is accepted is no larger than its file, and the same after it
// was written and read again.
#include "Bytes.h"
#include "mpc/Data/Npy.h"

#include <algorithm>

using namespace mpc;
using namespace mpc::fuzz;

/// Whether npy has a descr of its own for the format: bf16 becomes f32.
static bool keepsFormat(const data::Tensor &tensor) {
  return tensor.format.kind != data::ElementFormat::BFloat;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  MemoryFile file({bytes, size});
  auto read = data::readNpy(file.path());
  if (!read) {
    require(!read.status().message().empty(), "a message with each refusal");
    return 0;
  }
  require(read->bytes.size() <= size, "an array no larger than its file");
  std::optional<uint64_t> elements = data::countElements(read->shape);
  require(elements && *elements * read->format.bytes == read->bytes.size(),
          "the bytes of the shape");

  ScratchFile copy("copy.npy");
  require(data::writeNpy(copy.path(), *read).ok(),
          "an array that can be written");
  auto again = data::readNpy(copy.path());
  require(bool(again), "what was written can be read");
  require(again->shape == read->shape, "the same shape again");
  if (keepsFormat(*read))
    require(again->format == read->format &&
                std::ranges::equal(again->bytes, read->bytes),
            "the same values again");
  return 0;
}
