#include "FileHash.h"

#include "mpc/Support/Pipe.h"
#include "mpc/Support/Printable.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <unistd.h>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace mpc;

static std::string finish(const XXH3_state_t &state) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx",
                static_cast<unsigned long long>(XXH3_64bits_digest(&state)));
  return digits;
}

std::string mpc::hashParts(std::span<const std::span<const std::byte>> parts) {
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  for (std::span<const std::byte> part : parts)
    XXH3_64bits_update(&state, part.data(), part.size());
  return finish(state);
}

std::string mpc::hashText(std::string_view text) {
  std::span<const std::byte> parts[] = {std::as_bytes(std::span(text))};
  return hashParts(parts);
}

/// Of an open file.
static Result<FileFacts> read(int file, const std::string &path) {
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  FileFacts facts;
  std::vector<char> piece(size_t(1) << 20);
  for (;;) {
    ssize_t bytes = ::read(file, piece.data(), piece.size());
    if (bytes < 0 && errno == EINTR)
      continue;
    if (bytes < 0)
      return Status(StatusCode::IoError,
                    "'" + printable(path) +
                        "': cannot be read: " + std::strerror(errno));
    if (bytes == 0)
      break;
    XXH3_64bits_update(&state, piece.data(), static_cast<size_t>(bytes));
    facts.bytes += static_cast<uint64_t>(bytes);
  }
  facts.hash = finish(state);
  return facts;
}

Result<FileFacts> mpc::readFileFacts(const std::string &path) {
  Result<int> file = openRegularFile(path, "'" + printable(path) + "'");
  if (!file)
    return file.status();
  Result<FileFacts> found = read(*file, path);
  close(*file);
  return found;
}
