// safetensors files: what is accepted tiles its buffer, and is the same after
// it was written and read again.
#include "Bytes.h"
#include "mpc/Data/Safetensors.h"

#include <algorithm>

using namespace mpc;
using namespace mpc::fuzz;

/// The tensors of types that can be written; counts the bytes of all.
static std::vector<data::TensorToStore>
collect(const data::Safetensors &file, uint64_t &bytes, bool &isWhole) {
  std::vector<data::TensorToStore> tensors;
  for (const auto &[name, tensor] : file.tensors) {
    bytes += tensor.bytes.size();
    if (tensor.type)
      tensors.push_back({name, *tensor.type, tensor.shape, tensor.bytes});
    else
      isWhole = false;
  }
  return tensors;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MemoryFile file({data, size});
  auto read = data::readSafetensors(file.path());
  if (!read) {
    require(!read.status().message().empty(), "a message with each refusal");
    return 0;
  }
  uint64_t bytes = 0;
  bool isWhole = true;
  std::vector<data::TensorToStore> tensors = collect(*read, bytes, isWhole);
  require(bytes <= size, "tensors no larger than their file");
  if (!isWhole)
    return 0;

  ScratchFile copy("copy.safetensors");
  require(data::writeSafetensors(copy.path(), tensors, read->metadata).ok(),
          "tensors that can be written");
  auto again = data::readSafetensors(copy.path());
  require(bool(again), "what was written can be read");
  require(again->metadata == read->metadata, "the same metadata again");
  require(again->tensors.size() == tensors.size(), "the same tensors again");
  for (const data::TensorToStore &tensor : tensors) {
    auto found = again->tensors.find(tensor.name);
    require(found != again->tensors.end() &&
                found->second.type == tensor.type &&
                found->second.shape == tensor.shape &&
                std::ranges::equal(found->second.bytes, tensor.bytes),
            "the same values again");
  }
  return 0;
}
