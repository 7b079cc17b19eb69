// The 64 bytes before the FlatBuffers payload. See Program.h for the layout.
#ifndef MPC_LIB_PROGRAM_FILEHEADER_H
#define MPC_LIB_PROGRAM_FILEHEADER_H

#include <array>
#include <cstdint>

namespace mpc::program {

struct FileHeader {
  std::array<uint8_t, 8> magic;
  uint32_t version;
  uint32_t headerBytes;
  uint64_t payloadBytes;
  uint64_t hash;
  std::array<uint8_t, 32> zero;
};
static_assert(sizeof(FileHeader) == 64);

constexpr std::array<uint8_t, 8> kMagic = {'M',  'P',  'C',  'X',
                                           '\r', '\n', 0x1a, '\n'};

} // namespace mpc::program

#endif // MPC_LIB_PROGRAM_FILEHEADER_H
