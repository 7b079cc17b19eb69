#include "FileHash.h"

#include "mpc/Support/Printable.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
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

static Status failure(const std::string &path, const char *what, int error) {
  return {error == ENOENT ? StatusCode::NotFound : StatusCode::IoError,
          "'" + printable(path) + "': cannot be " + what + ": " +
              std::strerror(error)};
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
      return failure(path, "read", errno);
    if (bytes == 0)
      break;
    XXH3_64bits_update(&state, piece.data(), static_cast<size_t>(bytes));
    facts.bytes += static_cast<uint64_t>(bytes);
  }
  facts.hash = finish(state);
  return facts;
}

Result<FileFacts> mpc::readFileFacts(const std::string &path) {
  // Who opens a pipe would wait for its writer.
  int file = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0)
    return failure(path, "opened", errno);
  struct stat facts;
  bool isFile = fstat(file, &facts) == 0 && S_ISREG(facts.st_mode);
  Result<FileFacts> found =
      isFile ? read(file, path)
             : Result<FileFacts>(
                   Status(StatusCode::InvalidArgument,
                          "'" + printable(path) +
                              "': expected a file, but it is a pipe, a device "
                              "or a folder"));
  close(file);
  return found;
}
