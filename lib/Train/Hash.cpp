#include "Hash.h"

#include "Failure.h"

#include "mpc/Data/File.h"

#include <algorithm>
#include <cstdio>

#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace mpc;
using namespace mpc::train;

static std::string finish(const XXH3_state_t &state) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx",
                static_cast<unsigned long long>(XXH3_64bits_digest(&state)));
  return digits;
}

std::string
mpc::train::hashParts(std::span<const std::span<const std::byte>> parts) {
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  for (std::span<const std::byte> part : parts)
    XXH3_64bits_update(&state, part.data(), part.size());
  return finish(state);
}

FileFacts mpc::train::readFileFacts(const std::string &path) {
  constexpr uint64_t most = uint64_t(1) << 20;
  auto file = requireInput(data::InputFile::open(path));
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  for (uint64_t left = file.size(); left > 0;) {
    data::Bytes piece = requireInput(file.read(std::min(left, most)));
    XXH3_64bits_update(&state, piece.data(), piece.size());
    left -= piece.size();
  }
  return {file.size(), finish(state)};
}
