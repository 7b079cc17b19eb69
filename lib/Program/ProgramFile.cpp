#include "FileHeader.h"
#include "OldFiles.h"
#include "Verifier.h"
#include "mpc/Program/Program.h"
#include "mpc/Support/Pipe.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace mpc;
using namespace mpc::program;

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "the header and the tensors are read as they lie");

void ProgramFile::Free::operator()(uint8_t *memory) const { std::free(memory); }

ProgramFile::Buffer ProgramFile::allocate(uint64_t size) {
  void *memory = nullptr;
  if (size > SIZE_MAX - 64 || posix_memalign(&memory, 64, size + 1))
    return nullptr;
  return Buffer(static_cast<uint8_t *>(memory));
}

/// Checks everything outside the payload, from the most to the least telling.
static Status checkHeader(const FileHeader &header, uint64_t size) {
  auto text = [](uint64_t value) { return std::to_string(value); };
  if (header.version > kFormatVersion)
    return {StatusCode::VersionTooNew,
            "format version " + text(header.version) +
                " is newer than the newest this library reads, " +
                text(kFormatVersion) +
                "; update the runtime or compile the model again with the "
                "mpc-compile of this version"};
  if (header.version < kOldestFormatVersion)
    return {StatusCode::VersionTooOld,
            "format version " + text(header.version) +
                " is older than the oldest this library reads, " +
                text(kOldestFormatVersion) + "; compile the model again"};
  if (header.headerBytes != sizeof(FileHeader) ||
      header.zero != decltype(header.zero){})
    return {StatusCode::Corrupt,
            "expected a header of 64 bytes that ends in zeros, but got " +
                text(header.headerBytes) + " and other bytes"};
  uint64_t expected = header.payloadBytes + sizeof(FileHeader);
  if (expected < header.payloadBytes || size < expected)
    return {StatusCode::Truncated, "expected " + text(header.payloadBytes) +
                                       " bytes after the header, but got " +
                                       text(size - sizeof(FileHeader)) +
                                       "; copy the file again"};
  if (size > expected)
    return {StatusCode::Corrupt, "expected " + text(expected) +
                                     " bytes, but got " + text(size) +
                                     "; something was appended to the file"};
  return {};
}

static Status checkFile(const uint8_t *bytes, uint64_t size) {
  uint64_t prefix = std::min<uint64_t>(size, kMagic.size());
  if (size == 0 || std::memcmp(bytes, kMagic.data(), prefix) != 0)
    return {size ? StatusCode::BadMagic : StatusCode::Truncated,
            size ? "this is not an mpc program file (.mpcx): the first bytes "
                   "differ; pass the output of mpc-compile"
                 : "the file is empty; compile the model again"};
  if (size < sizeof(FileHeader))
    return {StatusCode::Truncated, "expected a header of 64 bytes, but got " +
                                       std::to_string(size) +
                                       "; copy the file again"};
  FileHeader header;
  std::memcpy(&header, bytes, sizeof header);
  if (Status status = checkHeader(header, size); !status.ok())
    return status;
  if (XXH64(bytes + sizeof header, header.payloadBytes, 0) != header.hash)
    return {StatusCode::ChecksumMismatch,
            "the content does not match its hash: the file was damaged after "
            "it was written; copy it again or compile the model again"};
  return {};
}

static Status checkTarget(const Program &program,
                          ProgramFile::Targets targets) {
  if (std::ranges::find(targets, program.target()->string_view()) ==
      targets.end()) {
    std::string known;
    for (std::string_view target : targets)
      known += (known.empty() ? "'" : " or '") + std::string(target) + "'";
    return {StatusCode::WrongTarget, "expected a program for target " + known +
                                         ", but got one for '" +
                                         program.target()->str() +
                                         "'; compile the model with --target=" +
                                         std::string(targets.front())};
  }
  return {};
}

/// Whether the lists of a payload can be read, whatever they say.
static Status checkPayload(std::span<const uint8_t> payload, uint32_t version,
                           ProgramFile::Targets targets) {
  flatbuffers::Verifier verifier(payload.data(), payload.size());
  if (!VerifyProgramBuffer(verifier))
    return {StatusCode::Corrupt, "the payload is not a valid FlatBuffers "
                                 "buffer of Program; compile the model again"};
  const Program &program = *GetProgram(payload.data());
  if (Status status = checkTarget(program, targets); !status.ok())
    return status;
  if (program.format_version() != version)
    return {StatusCode::Corrupt,
            "the header and the payload disagree about the format version"};
  return verifyAlignment(program);
}

static Status noMemory(uint64_t size) {
  return {StatusCode::OutOfMemory,
          "no memory for " + std::to_string(size) + " bytes of program file"};
}

static Status locate(std::string_view origin, const Status &failure) {
  return {failure.code(), std::string(origin) + ": " + failure.message()};
}

static uint64_t align64(uint64_t bytes) { return (bytes + 63) / 64 * 64; }

/// Puts the calls that its products are after a file of `size` bytes, which is
/// longer then.
Status ProgramFile::appendCalls(uint64_t &size) {
  Result<std::vector<uint8_t>> calls =
      makeCalls(*GetProgram(memory.get() + sizeof(FileHeader)));
  if (!calls || calls->empty())
    return calls.status();
  uint64_t begin = align64(size), vtable = begin + align64(calls->size()),
           end = vtable + kVtableBytes;
  if (end > INT32_MAX)
    return {StatusCode::Corrupt, "it is too long to be read as a program of "
                                 "this version; compile the model again"};
  Buffer larger = allocate(end);
  if (!larger)
    return noMemory(end);
  std::memcpy(larger.get(), memory.get(), size);
  std::memcpy(larger.get() + begin, calls->data(), calls->size());
  memory = std::move(larger);
  size = end;
  replaceProducts(*GetMutableProgram(memory.get() + sizeof(FileHeader)),
                  memory.get() + begin, memory.get() + vtable);
  return {};
}

Status ProgramFile::check(Targets targets) {
  if (Status status = checkFile(memory.get(), size); !status.ok())
    return status;
  FileHeader header;
  std::memcpy(&header, memory.get(), sizeof header);
  auto payloadOf = [&](uint64_t bytes) -> std::span<uint8_t> {
    return {memory.get() + sizeof header, bytes - sizeof header};
  };
  uint64_t end = size;
  auto check = [&] {
    return checkPayload(payloadOf(end), header.version, targets);
  };
  Status status = check();
  // What one upgrade wrote may lie in what the next one reads.
  if (status.ok() && header.version < kFirstVersionOfRoles) {
    owners = upgradeStates(*GetMutableProgram(payloadOf(end).data()));
    status = check();
  }
  if (status.ok() && header.version < kFirstVersionOfCalls) {
    status = appendCalls(end);
    if (status.ok())
      status = check();
  }
  if (!status.ok())
    return status;
  root = GetProgram(payloadOf(end).data());
  return verifyProgram(*root);
}

Result<ProgramFile> ProgramFile::take(Buffer memory, uint64_t size,
                                      Targets targets,
                                      std::string_view origin) {
  ProgramFile file;
  file.memory = std::move(memory);
  file.size = size;
  if (Status status = file.check(targets); !status.ok())
    return locate(origin, status);
  return file;
}

const char *ProgramFile::ownerOf(uint32_t index) const {
  if (index < owners.size() && !owners[index].empty())
    return owners[index].c_str();
  const flatbuffers::String *of = root->states()->Get(index)->of();
  return of ? of->c_str() : "";
}

Result<ProgramFile> ProgramFile::copy(std::span<const uint8_t> bytes,
                                      Targets targets,
                                      std::string_view origin) {
  Buffer memory = allocate(bytes.size());
  if (!memory)
    return locate(origin, noMemory(bytes.size()));
  if (!bytes.empty())
    std::memcpy(memory.get(), bytes.data(), bytes.size());
  return take(std::move(memory), bytes.size(), targets, origin);
}

namespace {
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0)
      close(number);
  }
};
} // namespace

static Status systemError(const std::string &path, const char *action) {
  StatusCode code =
      errno == ENOENT ? StatusCode::NotFound : StatusCode::IoError;
  return {code, path + ": could not " + action + ": " + std::strerror(errno)};
}

Result<ProgramFile> ProgramFile::open(const std::string &path,
                                      Targets targets) {
  Result<ReadableFile> opened = openForReading(path, path);
  if (!opened)
    return opened.status();
  Descriptor file{opened->descriptor};
  if (opened->isPipe) {
    Result<std::vector<std::byte>> content = readPipe(file.number, path);
    if (!content)
      return content.status();
    return copy(
        {reinterpret_cast<const uint8_t *>(content->data()), content->size()},
        targets, path);
  }
  uint64_t size = opened->bytes, got = 0;
  Buffer memory = allocate(size);
  if (!memory)
    return locate(path, noMemory(size));
  while (got < size) {
    ssize_t now = read(file.number, memory.get() + got, size - got);
    if (now < 0 && errno == EINTR)
      continue;
    if (now < 0)
      return systemError(path, "read the program file");
    if (now == 0)
      break;
    got += static_cast<uint64_t>(now);
  }
  return take(std::move(memory), got, targets, path);
}
