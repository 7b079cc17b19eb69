#include "FileHeader.h"
#include "mpc/Program/Program.h"

#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace mpc;
using namespace mpc::program;

Result<std::vector<uint8_t>> program::serialize(ProgramT &program) {
  program.format_version = kFormatVersion;
  flatbuffers::FlatBufferBuilder builder(1 << 16);
  FinishProgramBuffer(builder, Program::Pack(builder, &program));
  Status status = verifyProgram(*GetProgram(builder.GetBufferPointer()));
  if (!status.ok())
    return status;

  FileHeader header = {};
  header.magic = kMagic;
  header.version = kFormatVersion;
  header.headerBytes = sizeof(FileHeader);
  header.payloadBytes = builder.GetSize();
  header.hash = XXH64(builder.GetBufferPointer(), builder.GetSize(), 0);
  std::vector<uint8_t> bytes(sizeof header + builder.GetSize());
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, builder.GetBufferPointer(),
              builder.GetSize());
  return bytes;
}
