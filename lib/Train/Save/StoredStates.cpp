#include "StoredStates.h"

#include "../Failure.h"
#include "../Sessions.h"

#include "mpc/Train/Format.h"

#include <filesystem>

using namespace mpc;
using namespace mpc::train;

StoredStates::StoredStates(const CheckpointFiles &from, const IsOver &isOver)
    : name(from.path) {
  if (!from.manifest)
    add(from.path, isOver);
  size_t ranks = from.manifest ? from.manifest->files.size() : 0;
  for (uint32_t rank = 0; rank < ranks; ++rank)
    add(std::filesystem::path(from.path) / shardName(rank, ranks), isOver);
}

void StoredStates::add(const std::string &path, const IsOver &isOver) {
  // What the list points to stays where it is when its file moves.
  const data::Safetensors &file =
      files.emplace_back(requireInput(data::readSafetensors(path, isOver)));
  for (const auto &[key, tensor] : file.tensors)
    if (!list.emplace(tensor.name, &tensor).second)
      throw badInput("'" + path + "': expected each tensor in one file, but '" +
                     tensor.name + "' is in another one, too");
}

/// Wrappers of PyTorch put a name in front of all: DataParallel the one,
/// torch.compile the other.
std::string StoredStates::hintAt(const std::string &state) const {
  for (const char *wrapper : {"module.", "_orig_mod."})
    if (std::string stored = wrapper + state; list.contains(stored))
      return "; it has '" + printable(stored) +
             "', as a wrapper of PyTorch names it: take '" + wrapper +
             "' off its names, or save the state_dict of the module inside";
  return "";
}

const data::StoredTensor &
StoredStates::find(const mpc_state_info &state) const {
  auto found = list.find(state.name);
  if (found == list.end())
    throw badInput("'" + name + "': expected a tensor '" +
                   std::string(state.name) + "', but the file has none" +
                   hintAt(state.name));
  const data::StoredTensor &tensor = *found->second;
  if (tensor.shape != shapeOf(state) || !tensor.type)
    throw badInput("'" + name + "': expected " + describeType(state) +
                   " for '" + state.name + "', but got " +
                   data::describe(tensor.shape, tensor.dtype));
  return tensor;
}
