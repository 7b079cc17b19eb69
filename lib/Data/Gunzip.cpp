#include "Gunzip.h"

#include <algorithm>
#include <climits>
#include <zlib.h>

using namespace mpc;
using namespace mpc::data;

struct Gunzip::Stream {
  z_stream state = {};
  std::span<const std::byte> left; ///< What zlib was not given yet.
  bool isReady = false, isAtEnd = false;
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
  return stream->isAtEnd && stream->left.empty() && stream->state.avail_in == 0;
}

Result<Bytes> Gunzip::read(uint64_t count) {
  if (!stream->isReady)
    return Status(StatusCode::InvalidArgument,
                  "there is no memory to unpack it");
  Bytes result(count);
  uint64_t done = 0;
  z_stream &state = stream->state;
  while (done < count && !stream->isAtEnd) {
    if (state.avail_in == 0 && !stream->left.empty()) {
      auto part =
          stream->left.first(std::min<uint64_t>(stream->left.size(), UINT_MAX));
      stream->left = stream->left.subspan(part.size());
      state.next_in = reinterpret_cast<Bytef *>(
          const_cast<std::byte *>(part.data())); // zlib's type; it only reads
      state.avail_in = static_cast<uInt>(part.size());
    }
    auto room = static_cast<uInt>(std::min<uint64_t>(count - done, UINT_MAX));
    state.next_out = reinterpret_cast<Bytef *>(result.data() + done);
    state.avail_out = room;
    int answer = inflate(&state, Z_NO_FLUSH);
    done += room - state.avail_out;
    stream->isAtEnd = answer == Z_STREAM_END;
    if (answer != Z_OK && answer != Z_STREAM_END)
      return Status(StatusCode::InvalidArgument,
                    answer == Z_BUF_ERROR ? "its packed data end too early"
                                          : "its packed data are damaged");
  }
  result.resize(done);
  return result;
}
