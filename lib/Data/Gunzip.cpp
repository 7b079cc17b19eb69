#include "Gunzip.h"

#include <algorithm>
#include <climits>
#include <zlib.h>

using namespace mpc;
using namespace mpc::data;

struct Gunzip::Stream {
  z_stream state = {};
  std::span<const std::byte> left; ///< What zlib has not read yet.
  bool isReady = false, isAtEnd = false;

  /// Unpacks into all of `room`, or up to the end of a member, and says how
  /// much of it is filled.
  Result<uint64_t> unpack(std::span<std::byte> room);
};

bool Gunzip::isPacked(std::span<const std::byte> bytes) {
  return bytes.size() >= 2 && bytes[0] == std::byte(0x1f) &&
         bytes[1] == std::byte(0x8b);
}

Gunzip::Gunzip(std::span<const std::byte> packed)
    : stream(std::make_unique<Stream>()) {
  constexpr int kGzipOnly = 16;
  stream->left = packed;
  stream->isReady = inflateInit2(&stream->state, MAX_WBITS + kGzipOnly) == Z_OK;
}

Gunzip::~Gunzip() {
  if (stream->isReady)
    inflateEnd(&stream->state);
}

bool Gunzip::isAllRead() const {
  return stream->isAtEnd && stream->left.empty();
}

static uInt atMost(uint64_t bytes) {
  return static_cast<uInt>(std::min<uint64_t>(bytes, UINT_MAX));
}

Result<uint64_t> Gunzip::Stream::unpack(std::span<std::byte> room) {
  state.next_in = reinterpret_cast<Bytef *>(
      const_cast<std::byte *>(left.data())); // zlib's type; it only reads
  state.avail_in = atMost(left.size());
  state.next_out = reinterpret_cast<Bytef *>(room.data());
  state.avail_out = atMost(room.size());
  uInt given = state.avail_in, free = state.avail_out;
  int answer = inflate(&state, Z_NO_FLUSH);
  left = left.subspan(given - state.avail_in);
  if (answer == Z_STREAM_END) {
    // RFC 1952: members follow one another, with nothing between them.
    isAtEnd = !isPacked(left) || inflateReset(&state) != Z_OK;
    answer = Z_OK;
  }
  if (answer != Z_OK)
    return Status(StatusCode::InvalidArgument,
                  answer == Z_MEM_ERROR   ? "there is no memory to unpack it"
                  : answer == Z_BUF_ERROR ? "its packed data end too early"
                                          : "its packed data are damaged");
  return free - state.avail_out;
}

/// Grows as data come: who packs zeros says 1000 times more than is there.
Result<Bytes> Gunzip::read(uint64_t count) {
  constexpr uint64_t kPiece = uint64_t(16) << 20;
  if (!stream->isReady)
    return Status(StatusCode::InvalidArgument,
                  "there is no memory to unpack it");
  Bytes result;
  uint64_t done = 0;
  while (done < count && !stream->isAtEnd) {
    if (done == result.size())
      result.resize(done + std::min(count - done, kPiece));
    Result<uint64_t> filled = stream->unpack(std::span(result).subspan(done));
    if (!filled)
      return filled.status();
    done += *filled;
  }
  result.resize(done);
  return result;
}
