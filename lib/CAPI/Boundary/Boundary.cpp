#include "Boundary.h"

#include "mpc/Support/Printable.h"

#include <string>

using namespace mpc;
using namespace mpc::capi;

mpc_code capi::give(StatusCode code, std::string_view message,
                    mpc_status *out) {
  auto number = static_cast<mpc_code>(code);
  if (out) {
    size_t length = std::min(message.size(), sizeof out->message - 1);
    out->code = number;
    if (length)
      std::memcpy(out->message, message.data(), length);
    out->message[replaceControls(out->message, length)] = 0;
  }
  return number;
}

Status capi::nullArgument(const char *what) {
  return {StatusCode::InvalidArgument,
          std::string("expected ") + what + ", but got null"};
}

Status capi::readFlag(const char *name, uint32_t given, bool &result) {
  result = given == 1;
  if (given <= 1)
    return {};
  return {StatusCode::InvalidArgument, std::string("expected '") + name +
                                           "' to be 0 or 1, but got " +
                                           std::to_string(given)};
}

Status capi::checkStruct(const char *name, const void *memory, size_t given,
                         size_t first, size_t known) {
  constexpr size_t most = 4096; // of any version to come
  if (given < first || given > most)
    return {StatusCode::InvalidArgument,
            std::string(name) + ": expected struct_size of " +
                std::to_string(first) + " to " + std::to_string(most) +
                ", but got " + std::to_string(given) +
                "; MPC_STRUCT fills it in"};
  const auto *bytes = static_cast<const uint8_t *>(memory);
  for (size_t at = known; at < given; ++at)
    if (bytes[at])
      return {StatusCode::InvalidArgument,
              std::string(name) + ": byte " + std::to_string(at) +
                  " is set, but this library (" MPC_LIBRARY_VERSION
                  ") knows the first " +
                  std::to_string(known) +
                  "; use a newer one, or leave out what it added"};
  return {};
}
