#include "Shard.h"

#include "../Failure.h"
#include "Manifest.h"

#include "mpc/Data/Safetensors.h"

#include <algorithm>
#include <filesystem>

using namespace mpc;
using namespace mpc::train;

std::vector<mpc_state_info>
mpc::train::savedStates(const rt::Program &program) {
  std::vector<mpc_state_info> states = program.states();
  std::erase_if(states, [](const mpc_state_info &state) {
    return state.init == MPC_INIT_DERIVED || state.role == MPC_ACCUMULATOR;
  });
  return states;
}

/// The largest first, each to the rank that has the least so far.
static std::vector<mpc_state_info> chooseShare(const rt::Program &program,
                                               uint32_t rank, uint32_t ranks) {
  std::vector<mpc_state_info> states = savedStates(program), share;
  std::ranges::sort(states, std::greater(), [](const mpc_state_info &state) {
    return std::pair(state.bytes, std::string_view(state.name));
  });
  std::vector<uint64_t> bytes(ranks);
  for (const mpc_state_info &state : states) {
    auto least = std::ranges::min_element(bytes);
    *least += state.bytes;
    if (least - bytes.begin() == static_cast<ptrdiff_t>(rank))
      share.push_back(state);
  }
  return share;
}

Shard::Shard(const rt::Program &program, uint32_t rank, uint32_t ranks)
    : name(shardName(rank, ranks)), states(chooseShare(program, rank, ranks)) {
  uint64_t bytes = 0;
  for (const mpc_state_info &state : states)
    bytes += state.bytes;
  memory.resize(bytes);
}

void Shard::copy(const rt::Session &session) {
  std::byte *next = memory.data();
  for (const mpc_state_info &state : states) {
    require(session.getState(state, next, state.bytes));
    next += state.bytes;
  }
}

FileFacts Shard::write(const std::string &folder) const {
  std::vector<data::TensorToStore> tensors;
  std::span<const std::byte> rest = memory;
  for (const mpc_state_info &state : states) {
    tensors.push_back(
        {state.name, typeOf(state), shapeOf(state), rest.first(state.bytes)});
    rest = rest.subspan(state.bytes);
  }
  std::string path = std::filesystem::path(folder) / name;
  Result<std::string> header = data::layOutSafetensors(path, tensors, {});
  requireWritten(header.status());
  std::vector parts = {std::as_bytes(std::span(*header))};
  for (const data::TensorToStore &tensor : tensors)
    parts.push_back(tensor.bytes);
  FileFacts facts{0, hashParts(parts)};
  for (std::span<const std::byte> part : parts)
    facts.bytes += part.size();
  requireWritten(data::writeFile(path, parts));
  return facts;
}
